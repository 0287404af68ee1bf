"""`fizzpy lsp` without what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from tests.cli.conftest import Ended


def test_without_the_extra(fizzpy: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    monkeypatch.setitem(sys.modules, "pygls", None)
    ended = fizzpy("lsp")
    assert (ended.code, ended.out) == (74, "")
    assert "pygls is not installed" in ended.err and "pip install 'fizzpy[lsp]'" in ended.err
