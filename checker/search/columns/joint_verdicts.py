"""`JointVerdicts`: the verdicts of an assertion rule of several units, by all that these read.

`all([old.x <= new.x for old, new in zip(before.nodes, after.nodes)])` is looked up node by node. What the
nodes have together takes far fewer combinations than there are steps, so it is looked up first, once; the units where
it is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from checker.search.columns.code_tables import Ints
from checker.search.columns.lookup import RowAsker, Unit
from checker.search.columns.sources import Columns
from interpreter.state.state import Slot

_UNITS: Final = 3
"""Fewer units are looked up as fast as what they read together."""
_WINDOW: Final = 1 << 16
"""After each so many rows it is seen whether it pays. If not, it is tried again when twice as many were asked about."""
_UNKNOWN: Final = 8
"""It pays if no more than one in so many was not known."""

AskUnits = Callable[[Ints], Ints]
"""The verdicts in some rows by the units."""
SlotsRead = Callable[[], set[Slot]]
"""What the units have read so far."""


class JointVerdicts:
    """The verdicts of one assertion rule over one packing, or over pairs of rows of two."""

    def __init__(self) -> None:
        self._known = Unit(None)
        self._rows = self._again = 0
        """Rows that were asked about, here or not; and from how many on it is tried again."""
        self._window = self._unknown = 0
        """Rows since it was seen whether it pays, and how many of them were not known."""

    def pays(self, units: int, rows: int) -> bool:
        """Whether to ask about so many rows here, of a rule with so many units."""
        self._rows += rows
        return units >= _UNITS and self._rows >= self._again

    def of(self, columns: Columns, ask: AskUnits, read: SlotsRead) -> Ints:
        """The verdict in each row; `ask` finds those that are not known, `read` says by what after that."""

        def units(rows: Ints) -> Ints:
            self._unknown += len(rows)
            return ask(rows)

        found = self._known.lookup(columns.words, columns.mask_of, columns.versions, lambda: RowAsker(units, read))
        self._window += len(found)
        if self._window >= _WINDOW:
            if self._unknown * _UNKNOWN > self._window:
                self._again = 2 * self._rows
            self._window = self._unknown = 0
        return found
