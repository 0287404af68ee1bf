"""The tests of the language server keep out of the user's cache."""

from tests.caching import own_cache

__all__ = ["own_cache"]
