"""A property as a row of truth values, one for each step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checker.core.property import Watch


class TruthMark(Enum):
    """The truth value of a property for one step and the state after it. The value is the letter shown."""

    TRUE = "T"
    FALSE = "F"
    NOTHING = "-"
    FAILS = "!"


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """A property as a row of truth values: the answers of its first watch, None if only a saved report is known.

    For an `exists` or a liveness assertion the value is that of its condition, which violates nothing by itself: see
    `breaks`.
    """

    name: str
    kind: str
    watch: Watch | None = None

    @property
    def of_dead_ends(self) -> bool:
        """Is it the absence of deadlock?"""
        return self.watch is not None and self.watch.predicate is None

    def breaks(self, truth: TruthMark | None) -> bool:
        """Does this truth value violate the property by itself?"""
        if truth is not TruthMark.FALSE or self.watch is None:
            return False
        return self.of_dead_ends or self.watch.seeks is False
