"""Room for calls: a function whose callees do not meet the end of a block of Python's stack.

CPython keeps the frames of Python functions in blocks of 16 kB. A loop that calls functions just below the end of a
block has a block mapped and unmapped for each call, which makes it three times as slow: it depends on how deep the
caller happens to be. A block is made as large as the frame that begins it needs, rounded up to a power of two; so a
frame that says it needs half a megabyte leaves as much to those above it. Memory that nothing touches costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

_WORDS: Final = 66_000
"""A little more than half a megabyte, so that the block has one; some two thousand calls within calls fit in."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def with_room(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The same function, with room for the calls that are made in it."""

    def roomy(*positional: Parameters.args, **named: Parameters.kwargs) -> Result:
        return function(*positional, **named)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_WORDS)
    return wraps(function)(roomy)
