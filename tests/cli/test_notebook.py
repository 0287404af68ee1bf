"""The notebook of the documentation runs from top to bottom, and shows what its text says."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.view.test_html import Page

PATH = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    """The notebook with its outputs."""
    found = nbformat.read(PATH, as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    NotebookClient(found, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return found


def outputs(notebook: nbformat.NotebookNode, beginning: str, kind: str) -> str:
    """What the cell that begins so gives, as text or HTML."""
    (cell,) = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.startswith(beginning)]
    found = [one.get("data", {}).get(kind) or one.get("text", "") for one in cell.outputs]
    return "\n".join(found)


def test_it_shows_the_counterexamples(notebook: nbformat.NotebookNode) -> None:
    """Both violations with tabs, folded steps and a diagram; the text of a report is one line."""
    page = Page(outputs(notebook, "import fizzpy", "text/html"))
    assert "NeverNegative is violated: 4 steps" in page.text
    assert "NoMoneyLost is violated: 4 steps" in page.text
    assert page.tags.count("svg") == 2 and page.tags.count("section") == 2
    assert outputs(notebook, "bool(report)", "text/plain").startswith("(False,")
    assert "Account#0.balance', 0, -10" in outputs(notebook, "last = ", "text/plain")


def test_it_has_tables_and_graphs(notebook: nbformat.NotebookNode) -> None:
    """Money is missing in quiet states, the graph has crashes, and with the options nothing is violated."""
    assert "<table" in outputs(notebook, "states = ", "text/html")
    assert "of them are crashes" in outputs(notebook, "import networkx", "text/plain")
    assert "is violated" not in outputs(notebook, "fizzpy.check(", "text/html")
    assert "did you mean 'source'?" in outputs(notebook, "try:", "text/plain")


def test_no_outputs_are_kept() -> None:
    """The file has none: they would differ from run to run."""
    assert all(not cell.get("outputs") for cell in nbformat.read(PATH, as_version=4).cells)
