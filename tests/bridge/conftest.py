"""Models, logs and the command, for tests that compare programs with models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Ended, fizzpy

__all__ = ["Ended", "fizzpy"]

REGISTER = """\
role Register:
    action Init:
        self.value = None

    func read():
        return self.value

    func write(v):
        self.value = v

    func cas(old, new):
        require self.value == old
        self.value = new

action Init:
    register = Register()
"""

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a text, or objects as NDJSON, to a file of this name; returns its path."""

    def make(name: str, content: str | Iterable[Mapping[str, Any]]) -> str:
        text = content if isinstance(content, str) else "".join(json.dumps(line) + "\n" for line in content)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return make


@pytest.fixture
def register(write: Write) -> str:
    """A model of a register with read, write and compare-and-set."""
    return write("register.fizz", REGISTER)
