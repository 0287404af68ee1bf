"""The command, and an empty cache for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from fizz import cache
from tests.cli.conftest import fizzpy

__all__ = ["fizzpy"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts with an empty cache of parsed models."""
    monkeypatch.setattr(cache, "folder", lambda: tmp_path / "parsed")
