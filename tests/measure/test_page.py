"""The page on quantities is true: its files are written, and its commands print what it shows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended
from tests.cli.test_guides import astray

PAGE = (Path(__file__).parents[2] / "docs" / "measure.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+) ?(\w+\.\w+)?[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_block(fizzpy: Callable[..., Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named blocks are files, consoles are run, and the Python runs beside the files."""
    monkeypatch.setenv("COLUMNS", "80")
    runs = 0
    for kind, name, text in BLOCK.findall(PAGE):
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        if kind == "console":
            command, *shown = text.splitlines()
            runs += 1
            ended = fizzpy(*shlex.split(command.removeprefix("$ fizzpy ")), "--no-color")
            line = astray(shown, ended.said.splitlines())
            assert line is None, f"{command}: not printed, or not there: {line!r}\n{ended.said}"
        if kind == "python":
            monkeypatch.chdir(tmp_path)
            exec(compile(text, "measure.md", "exec"), {})
    assert runs == 3
