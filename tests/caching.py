"""The tests keep out of the user's cache of parsed models."""

from __future__ import annotations

from pathlib import Path

import pytest

from fizz import cache


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the cache of this test will be; there is nothing yet. For the folders whose conftest.py imports it."""
    place = tmp_path_factory.mktemp("own") / "cache" / "parsed"
    monkeypatch.setattr(cache, "folder", lambda: place)
    return place
