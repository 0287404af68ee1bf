"""The models printed in the language page load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fizz

_PAGE = Path(__file__).parents[2] / "docs" / "language.md"
_TEXT = _PAGE.read_text(encoding="utf-8") if _PAGE.exists() else ""
_BLOCKS = [
    (match.group(1), match.group(2)) for match in re.finditer(r"```fizz (\S+)[^\n]*\n(.*?)```", _TEXT, re.DOTALL)
]


@pytest.mark.parametrize(("name", "text"), _BLOCKS, ids=[name for name, _ in _BLOCKS])
def test_example(name: str, text: str) -> None:
    """An example of the page loads without an error."""
    assert fizz.load(f"{name}.fizz", text=text).actions()
