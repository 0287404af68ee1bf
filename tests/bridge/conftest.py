"""Models, logs and the command, for tests that compare programs with models."""

from __future__ import annotations

import json
import subprocess
import sys
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


Pytest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_pytest(tmp_path: Path) -> Pytest:
    """Run pytest on a file of tests beside models, in a process of its own."""

    def run(tests: str, *arguments: str, **models: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_it.py").write_text(tests, encoding="utf-8")
        for name, text in models.items():
            (tmp_path / f"{name}.fizz").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)

    return run
