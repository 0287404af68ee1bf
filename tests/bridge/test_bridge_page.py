"""The page "From the model to the code" shows what the commands print."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended
from tests.simulate.test_page import commands, stripped

PAGE = (Path(__file__).parents[2] / "docs" / "from-model-to-code.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_page(fizzpy: Callable[..., Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written, commands run one after the other."""
    monkeypatch.setenv("COLUMNS", "80")
    ended = Ended(0, "", "")
    run = 0
    for kind, name, text in BLOCKS:
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        for words, printed in commands(text) if kind == "console" else ():
            if words[0] == "fizzpy":
                run += 1
                ended = fizzpy(*words[1:])
                assert stripped(ended.said) == printed
            elif words[0] == "echo":
                assert str(ended.code) == printed
    assert run >= 1
