"""The page on walks and guided traces shows what the command prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Ended

PAGE = (Path(__file__).parents[2] / "docs" / "simulation.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def commands(console: str) -> Iterator[tuple[list[str], str]]:
    """The words of each command of a console, and what it prints."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command.split(), stripped(printed)


def stripped(text: str) -> str:
    """The text without blanks at the ends of its lines."""
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def test_page(fizzpy: Callable[..., Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written, commands run one after the other."""
    monkeypatch.setenv("COLUMNS", "80")
    ended = Ended(0, "", "")
    run = 0
    for kind, name, text in BLOCKS:
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        for words, printed in commands(text) if kind == "console" else ():
            run += 1
            if words[0] == "cat":
                assert stripped((tmp_path / words[1]).read_text(encoding="utf-8")) == printed
            elif words[0] == "echo":
                assert str(ended.code) == printed
            else:
                ended = fizzpy(*words[1:])
                assert stripped(ended.said) == printed
    assert run == 12


def test_every_line_of_the_trace_table_is_explained() -> None:
    """The page names each kind of line."""
    for line in (
        "Node#0.Act",
        "Stmt:0",
        "thread-1",
        "channel-0-message-0",
        "`crash`",
        "crash-role Node#0",
        "checkpoint",
    ):
        assert line in PAGE
