"""The guides are true: their files are written and their commands run, one after the other, as a reader would.

What a console shows must be printed, line by line: `...` stands for lines that are left out, and nothing is left out
without it but blank lines. A file that comes again is a new version of it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = {"tutorial.md": 13, "reading-a-counterexample.md": 6, "is-my-green-run-right.md": 5}
GAP = "..."
BLOCK = re.compile(r"^```(\w+) ?(\w+\.\w+)?[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(console: str) -> list[tuple[list[str], list[str]]]:
    """The words of each command of a console, and the lines below it."""
    parts = [part.partition("\n") for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]]
    return [(shlex.split(command), printed.splitlines()) for command, _, printed in parts]


def astray(shown: list[str], printed: list[str]) -> str | None:
    """The first line that is not where it is shown, if there is one; blank lines do not count."""
    wanted = [line.rstrip() for line in shown if line.strip()]
    left = [line.rstrip() for line in printed if line.strip()]
    skipping = False
    for line in wanted:
        if line == GAP:
            skipping = True
        elif line not in left if skipping else left[:1] != [line]:
            return line
        else:
            del left[: left.index(line) + 1]
            skipping = False
    return left[0] if left and not skipping else None


def test_a_line_that_is_left_out_must_be_marked() -> None:
    """Lines of a guide that are changed, moved, or left out without a mark are found."""
    printed = ["a", "", "b  ", "c"]
    assert astray(["a", "b", "c"], printed) is None
    assert astray(["a", GAP, "c"], printed) is None
    assert astray([GAP, "b", GAP], printed) is None
    assert astray(["a", "c"], printed) == "c"
    assert astray(["a"], printed) == "b"
    assert astray(["b", GAP], printed) == "b"
    assert astray([GAP, "c", "b"], printed) == "b"


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
                line = astray(shown, ended.said.splitlines())
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
