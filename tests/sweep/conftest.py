"""The command, an empty cache, and a model that grows with its constants."""

from pathlib import Path

import pytest

from tests.caching import own_cache
from tests.cli.conftest import fizzpy

__all__ = ["fizzpy", "own_cache"]

TOKENS = """\
---
deadlock_detection: false
---
N = 2
MOST = 2
LIMIT = 99
HALVES = 1

action Init:
    tokens = [0] * N
    half = 4 // HALVES

atomic action Add:
    i = oneof [k for k in range(N)]
    require tokens[i] < MOST
    tokens[i] += 1

always assertion Few: return sum(tokens) < LIMIT
"""
"""N counters up to MOST: (MOST + 1)^N states."""


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    """The model in a file."""
    path = tmp_path / "tokens.fizz"
    path.write_text(TOKENS)
    return path
