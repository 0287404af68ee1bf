"""Where random decisions come from: a seed, picked by hypothesis in the tests and counted up in a campaign."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
U = TypeVar("U")


class Source:
    """Decisions out of whole numbers."""

    def __init__(self, integer: Callable[[int, int], int]) -> None:
        self.number = integer

    def pick(self, options: Sequence[T]) -> T:
        return options[self.number(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        return self.number(0, 99) >= 100 - percent

    def weighted(self, options: Sequence[tuple[int, U]]) -> U:
        roll = self.number(0, sum(weight for weight, _ in options) - 1)
        for weight, option in options:
            if roll < weight:
                return option
            roll -= weight
        raise AssertionError("the roll is less than the sum of the weights")

    def some(self, options: Sequence[T], least: int, most: int) -> list[T]:
        """Different options, in their order."""
        left = list(range(len(options)))
        wanted = min(self.number(least, most), len(left))
        chosen = [left.pop(self.number(0, len(left) - 1)) for _ in range(wanted)]
        return [options[i] for i in sorted(chosen)]


def seeded(seed: int) -> Source:
    """Decisions that a seed makes."""
    return Source(random.Random(seed).randint)


def sources() -> st.SearchStrategy[Source]:
    """Decisions by seeds that hypothesis picks. It repeats itself where it makes hundreds of decisions one by one."""
    return st.integers(0, 2**32).map(seeded)
