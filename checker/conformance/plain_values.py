"""Values of a program in Python as values of JSON, which models and histories are compared with."""

from __future__ import annotations

from typing import Any


def plain(value: Any) -> Any:
    """A value as one of JSON: tuples are lists, sets are sorted lists, other objects are their texts."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [plain(one) for one in value]
        case set() | frozenset():
            return sorted((plain(one) for one in value), key=repr)
        case dict():
            return {str(key): plain(one) for key, one in value.items()}
    return str(value)
