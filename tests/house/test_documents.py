"""The documents hold together: links lead somewhere, the README stays short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "models").rglob("*.md"))]


def test_readme_is_short() -> None:
    """Under 120 lines: what, a model, the command, its trace, install, test, where to go next."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    """Every relative link in a document names a file that exists."""
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (document.parent / link).exists(), link


def test_readme_has_its_two_commands() -> None:
    """One block installs and checks the model, one installs and runs the tests; `.ci/run` takes it from here."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    install, test = re.findall(r"^## (?:Install and run|Test)$.*?^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert install.startswith("python3 -m venv .venv && ")
    assert install.rstrip().endswith("fizzpy check VeniceLeaderFollower.fizz")
    assert test.startswith("python3 -m venv .venv && ")
    assert test.rstrip().endswith("&& .venv/bin/pytest")
