"""The tests of the interpreter keep out of the user's cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from fizz import cache


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts with an empty cache."""
    monkeypatch.setattr(cache, "folder", lambda: tmp_path / "parsed")
