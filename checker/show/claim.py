"""A property as a row of truth values, one for each step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

_VIOLATED_WHEN_FALSE = ("always", "transition", "deadlock")


class Truth(Enum):
    """What a property says of one step and the state after it. The value is the mark that stands for it."""

    TRUE = "T"
    FALSE = "F"
    NOTHING = "-"
    FAILS = "!"


@dataclass(frozen=True, slots=True)
class Claim:
    """A property as a row of truth values. `assertion` None: deadlock.

    Of an `exists` or a liveness assertion the truth of its condition in each state is told, which violates nothing by
    itself: see `breaks`.
    """

    name: str
    kind: str
    assertion: int | None = None

    def breaks(self, truth: Truth | None) -> bool:
        """Does such an answer violate the property by itself?"""
        return truth is Truth.FALSE and self.kind in _VIOLATED_WHEN_FALSE
