"""Room for calls: calls made within a decorated function never cross the end of a block of Python's stack.

CPython stores the frames of Python functions in blocks of 16 kB. A loop that calls functions at the end of a block maps
and unmaps a block for each call, which makes it three times as slow, depending on the depth of the caller. A block is
as large as its first frame needs, rounded up to a power of two; a frame that declares a need of half a megabyte leaves
about as much to the frames above it. Untouched memory costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

_WORDS: Final = 66_000
"""A little more than half a megabyte, so that the block has one megabyte: room for some two thousand nested calls."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def with_room(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function, with room for the calls that are made in it."""

    def roomy(*positional: Parameters.args, **named: Parameters.kwargs) -> Result:
        return function(*positional, **named)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_WORDS)
    return wraps(function)(roomy)
