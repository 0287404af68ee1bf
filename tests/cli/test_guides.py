"""The guides are true: their files are written and their commands run, one after the other, as a reader would.

What a console shows must be printed, line by line and in that order; a guide may leave lines out. A file that comes
again is a new version of it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended
from tests.systems.test_pages import missing

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = {"tutorial.md": 13, "reading-a-counterexample.md": 5, "is-my-green-run-right.md": 4}
BLOCK = re.compile(r"^```(\w+) ?(\w+\.\w+)?[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(console: str) -> list[tuple[list[str], list[str]]]:
    """The words of each command of a console, and the lines below it."""
    parts = [part.partition("\n") for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]]
    return [(shlex.split(command), printed.splitlines()) for command, _, printed in parts]


@pytest.mark.parametrize("guide", GUIDES)
def test_guide(
    guide: str,
    fizzpy: Callable[..., Ended],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every line that is shown is printed."""
    monkeypatch.setenv("COLUMNS", "80")
    ended = Ended(0, "", "")
    run = 0
    for kind, name, text in BLOCK.findall((DOCS / guide).read_text(encoding="utf-8")):
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        for words, shown in commands(text) if kind == "console" else ():
            if words[0] == "touch":
                (tmp_path / words[1]).touch()
            elif words[0] == "echo":
                assert [str(ended.code)] == shown
            else:
                run += 1
                color = () if words[1] == "test" else ("--no-color",)
                ended = fizzpy(*words[1:], *color)
                line = missing(shown, ended.said.splitlines())
                assert line is None, f"{guide}, {words}: not printed, or not there: {line!r}\n{ended.said}"
        if kind == "python":
            monkeypatch.chdir(tmp_path)
            exec(compile(text, guide, "exec"), {})
        if kind == "text":
            assert capsys.readouterr().out == text
    assert run == GUIDES[guide]


def test_the_tutorial_has_ten_steps() -> None:
    """From an empty file to what is known of the model, and each step has a command."""
    steps = re.split(r"^## ", (DOCS / "tutorial.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert [step.split()[0] for step in steps] == [str(number) for number in range(1, 11)]
    assert all("$ fizzpy" in step for step in steps)
