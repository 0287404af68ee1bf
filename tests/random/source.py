"""Where random decisions come from: hypothesis in the tests, a seeded generator in a campaign by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
U = TypeVar("U")


class Source:
    """Decisions out of whole numbers. Small numbers stand for what is simple, so that hypothesis shrinks towards it."""

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


@st.composite
def sources(draw: st.DrawFn) -> Source:
    """Decisions by hypothesis."""
    return Source(lambda low, high: draw(st.integers(low, high)))


def seeded(seed: int) -> Source:
    """Decisions that a seed makes."""
    return Source(random.Random(seed).randint)
