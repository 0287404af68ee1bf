"""The tests keep out of the user's cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from fizz import cache


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts with an empty cache."""
    place: Path = tmp_path_factory.mktemp("cache") / "parsed"
    monkeypatch.setattr(cache, "folder", lambda: place)
