"""`Frontier`: the states of one packing that wait to be expanded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from checker.core.level import StateRef
from checker.search.columns.code_tables import Column, Ints, Mask, Words
from checker.search.columns.packing import Packing, Rows
from checker.search.contract.ranks import least_of_level


@dataclass(slots=True)
class Frontier:
    """The states of one packing that are to be expanded, by number; keys in halves.

    `crashes`: the crash steps on the path to each.
    """

    packing: Packing
    rows: Rows
    numbers: Column
    starts: Column
    crashes: Column
    high: Words
    low: Words
    cut: Mask

    def key(self, row: int) -> int:
        return (int(self.high[row]) << 64) | int(self.low[row])

    def ref(self, row: int) -> StateRef:
        """A state as findings refer to it."""
        return StateRef(self.key(row), int(self.crashes[row]))

    def first(self, rows: Ints) -> int:
        """Of some rows in ascending order the one of least (crashes, key)."""
        return int(rows[least_of_level(self.crashes[rows])])

    @property
    def columns(self) -> list[Column]:
        """All columns, those of the rows first."""
        return [*self.rows.words, self.numbers, self.starts, self.crashes, self.high, self.low, self.cut]

    def each(self, change: Callable[[Column], Column]) -> None:
        """Change all columns."""
        *words, self.numbers, self.starts, self.crashes, self.high, self.low, self.cut = map(change, self.columns)
        self.rows = Rows(words)

    def only(self, rows: Ints) -> Frontier:
        """These rows."""
        some = replace(self)
        some.keep(rows)
        return some

    def keep(self, rows: Ints) -> None:
        """Leave out all other rows."""
        self.each(lambda column: column.take(rows))
