"""The models printed in the documents run, and keep the promises made where their blocks open.

A block opens with "```fizz states=4 depth=2 verdict=passed NeverNegative=holds": figures of the report, and verdicts of
properties by name. A block that opens with a name, as "```fizz core.fizz" and "```star geo.star", is a file beside the
models of its page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import fizz
from checker.check import check
from checker.core.report import Report

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ("states", "transitions", "crash_steps", "initial", "cut", "depth")


@dataclass(frozen=True)
class Example:
    """A fenced block: the text, where it stands, and what it promises."""

    document: Path
    line: int
    promises: dict[str, str]
    text: str

    @property
    def title(self) -> str:
        return f"{self.document.name}:{self.line}"


def examples() -> list[Example]:
    found = []
    for document in sorted((ROOT / "docs").rglob("*.md")):
        text = document.read_text(encoding="utf-8")
        for match in re.finditer(r"^```fizz([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            promises = dict(word.split("=", 1) for word in match.group(1).split() if "=" in word)
            found.append(Example(document, text.count("\n", 0, match.start()) + 1, promises, match.group(2)))
    return found


def companions(page: Path) -> dict[str, str]:
    """The files that a page prints for its models to include, by name."""
    blocks = re.findall(
        r"^```(?:fizz|star) (\w+\.\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return dict(blocks)


EXAMPLES = examples()
PAGES = ("language.md", "semantics.md", "properties.md")


def kept(report: Report) -> dict[str, str]:
    """Everything that a block may promise."""
    found = {name: str(getattr(report, name)) for name in FIGURES}
    found |= {p.name.replace(" ", "_"): p.verdict for p in report.properties}
    return found | {"verdict": report.verdict, "exit": str(int(report.exit_code))}


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.promises], ids=lambda example: example.title)
def test_example(example: Example, engine: str, tmp_path: Path) -> None:
    """The promised figures are the figures."""
    for name, text in companions(example.document).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = kept(check(fizz.load(tmp_path / "example.fizz", text=example.text), engine=engine))
    assert {name: found.get(name) for name in example.promises} == example.promises


@pytest.mark.parametrize("page", PAGES)
def test_every_example_promises(page: str) -> None:
    """On the pages about the language each example promises at least its number of states."""
    files = companions(ROOT / "docs" / page).values()
    promises = [e.promises for e in EXAMPLES if e.document.name == page and e.text not in files]
    assert promises
    assert all("states" in promise for promise in promises)
