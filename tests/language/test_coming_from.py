"""The pages for users of other tools: their model is one, and it has the figures that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fizz
from checker.check import check

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("coming-from-*.md"))


def test_there_are_pages() -> None:
    """For the three tools that most users come from."""
    assert [page.stem.rpartition("-")[2] for page in PAGES] == ["fizzbee", "quint", "tla"]


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_model(page: Path, engine: str) -> None:
    """It has as many states and transitions as the page says, and everything holds."""
    text = page.read_text(encoding="utf-8")
    (model,) = re.findall(r"^```fizz lock.fizz\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (figures,) = re.findall(r"(\d+) states, (\d+) transitions, everything holds", text)
    report = check(fizz.load("lock.fizz", text=model), engine=engine)
    assert (report.verdict, str(report.states), str(report.transitions)) == ("passed", *figures)


def test_the_model_that_fizzbee_has() -> None:
    """The text for FizzBee runs here unchanged."""
    text = PAGES[0].read_text(encoding="utf-8")
    model = text.partition("```python\n")[2].partition("```")[0]
    report = check(fizz.load("lock.fizz", text=model))
    assert {found.name: found.verdict for found in report.properties}["HolderDoesNotWait"] == "holds"
