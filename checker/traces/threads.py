"""Which thread is which before and after a step.

In a state threads are numbered by their place in a sorted list, so that a thread may have another number after each
step. Equal threads can not be told apart: which of them is which is decided here, so that as few as possible seem to
change their numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence


def equal(threads: Sequence[object], thread: object) -> tuple[int, ...]:
    """The numbers of the threads that are equal to this one."""
    return tuple(number for number, one in enumerate(threads) if one == thread)


def settled(threads: Sequence[Hashable], origins: Sequence[int | None], moved: Sequence[int]) -> tuple[int | None, ...]:
    """The origins of these threads, exchanged among equal ones.

    The new one comes last, and all but the one that moved stay where they were if they can.
    """
    places = defaultdict(list)
    for number, thread in enumerate(threads):
        places[thread].append(number)
    found: dict[int, int | None] = {}
    for alike in places.values():
        found |= _settled(alike, [origins[number] for number in alike], moved)
    return tuple(found[number] for number in range(len(threads)))


def _settled(alike: list[int], before: Sequence[int | None], moved: Sequence[int]) -> dict[int, int | None]:
    """Which of these threads has which of these numbers."""
    found: dict[int, int | None] = {alike.pop(): None for number in before if number is None}
    numbers = [number for number in before if number is not None]
    for number in sorted(numbers, key=lambda number: number in moved):
        there = number if number in alike else alike[0]
        alike.remove(there)
        found[there] = number
    return found
