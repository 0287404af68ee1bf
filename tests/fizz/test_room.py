"""Calls are as fast wherever the caller stands: no block of Python's stack ends just above it."""

from __future__ import annotations

import resource
from collections.abc import Callable

from fizz.base.room import with_room

CALLS = 500


def called(more: int) -> None:
    """Loops at all depths below: somewhere the end of a block is met."""
    for _ in range(CALLS):
        nothing()
    if more:
        called(more - 1)


def nothing() -> None:
    pass


def faults(function: Callable[[int], None], more: int) -> int:
    """How many pages the machine had to find for a call."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    function(more)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_no_loop_of_calls_maps_memory_anew() -> None:
    """16 kB are full after a hundred calls within calls: then each call just above takes a page."""
    roomy = with_room(called)
    roomy(200)
    assert faults(roomy, 200) < CALLS


def test_what_is_given_and_returned_passes() -> None:
    @with_room
    def sum_of(*numbers: int, start: int = 0) -> int:
        """A sum."""
        return sum(numbers, start)

    assert sum_of(1, 2, start=3) == 6
    assert sum_of.__name__ == "sum_of" and sum_of.__doc__ == "A sum."
