"""What the README shows is what the tool prints."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def block(after: str) -> str:
    """The first fenced block below a piece of the README's text."""
    found = re.search(r"^```\w*\n(.*?)^```$", README[README.index(after) :], re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_the_first_model_fails_as_it_says(fizzpy: Callable[..., object], tmp_path: Path) -> None:
    """The ten lines are a model, and both withdrawals pass the test before either takes the money."""
    (tmp_path / "bank.fizz").write_text(block("# fizzpy"))
    ended = fizzpy("check", "bank.fizz")
    assert ended.code == 12
    assert "NeverNegative is violated: 4 steps" in ended.out
    assert "balance 40→-20" in ended.out


def test_the_trace_is_as_printed(fizzpy: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    """The counterexample of the wrong order, word for word, with its crash; `...` stands for what is left out."""
    shown = block("VeniceOffsetFirst.fizz")
    command = re.search(r"`fizzpy (check\s+VeniceOffsetFirst.fizz[^`]*)`", README)
    assert command
    monkeypatch.setenv("COLUMNS", "80")
    ended = fizzpy(*command[1].split(), "--no-color")
    assert ended.code == 13
    position = 0
    for part in shown.split("...\n"):
        assert part in ended.out[position:]
        position = ended.out.index(part, position)
    assert "✗ crash after" in shown
