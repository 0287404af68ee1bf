"""The command, and an empty cache for each test."""

from tests.caching import own_cache
from tests.cli.conftest import fizzpy

__all__ = ["fizzpy", "own_cache"]
