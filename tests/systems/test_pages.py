"""The pages about the systems show what the command prints.

A block that opens with "```console" and begins with "$ fizzpy check" is run, and what follows must be found in the
output, line by line and in that order. A page may leave lines out, source lines for instance. "```console large" marks
commands that take minutes: `pytest -m large tests/systems` runs these, and prints what a page should show instead.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import Ended

PAGES = sorted((Path(__file__).parents[2] / "docs" / "systems").glob("*.md"))
PROMPT = "$ fizzpy "


@dataclass(frozen=True)
class Run:
    """A command of a page, where it stands, and the lines that it must print."""

    place: str
    large: bool
    words: list[str]
    lines: list[str]


def runs_of(page: Path) -> list[Run]:
    """The commands of a page."""
    found = []
    text = page.read_text(encoding="utf-8")
    for block in re.finditer(r"^```console( large)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        command, *lines = block[2].splitlines()
        line = text.count("\n", 0, block.start()) + 2
        assert command.startswith(PROMPT), f"{page.name}:{line} is no command"
        found.append(Run(f"{page.name}:{line}", block[1] is not None, shlex.split(command[len(PROMPT) :]), lines))
    return found


RUNS = [run for page in PAGES for run in runs_of(page)]
CASES = [pytest.param(run, id=run.place, marks=[pytest.mark.large] if run.large else []) for run in RUNS]


def missing(wanted: Iterable[str], printed: Iterable[str]) -> str | None:
    """The first wanted line that does not follow in what was printed, if there is one."""
    rest = iter([line.rstrip() for line in printed])
    return next((line for line in wanted if line.rstrip() not in rest), None)


@pytest.mark.parametrize("run", CASES)
def test_what_a_page_shows(run: Run, fizzpy: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line shown is printed, in the order shown."""
    monkeypatch.setenv("COLUMNS", "80")
    ended = fizzpy(*run.words, "--no-color")
    line = missing(run.lines, ended.out.splitlines())
    assert line is None, f"not printed, or not there: {line!r}\n{ended.said}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_shows_runs(page: Path) -> None:
    """No page without a run that is checked each time, and none of them empty."""
    runs = runs_of(page)
    assert any(not run.large for run in runs)
    assert all(run.lines for run in runs)


def test_a_line_out_of_place_is_missing() -> None:
    """Lines may be left out, but not changed or moved."""
    printed = ["a", "b  ", "c"]
    assert missing(["a", "c"], printed) is None
    assert missing(["b"], printed) is None
    assert missing(["c", "a"], printed) == "a"
    assert missing(["b", "b"], printed) == "b"
    assert missing(["d"], printed) == "d"
