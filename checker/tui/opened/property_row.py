"""A property as a row of truth values, one for each step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checker.core.property import Watch


class TruthMark(Enum):
    """What a property says of one step and the state after it. The value is the mark that stands for it."""

    TRUE = "T"
    FALSE = "F"
    NOTHING = "-"
    FAILS = "!"


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """A property as a row of truth values: the answers of its first watch. None of a report that was written down.

    Of an `exists` or a liveness assertion the truth of its condition in each state is told, which violates nothing by
    itself: see `breaks`.
    """

    name: str
    kind: str
    watch: Watch | None = None

    @property
    def of_dead_ends(self) -> bool:
        """Does it say that each state has a step?"""
        return self.watch is not None and self.watch.predicate is None

    def breaks(self, truth: TruthMark | None) -> bool:
        """Does such an answer violate the property by itself?"""
        if truth is not TruthMark.FALSE or self.watch is None:
            return False
        return self.of_dead_ends or self.watch.seeks is False
