"""`Frontier`: the states of one packing that wait to be expanded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from checker.core.level import StateRef
from checker.search.columns.batch import Batch
from checker.search.columns.code_tables import Column, Ints, Mask, Words
from checker.search.columns.packing import Packing, Rows
from checker.search.contract.bounds import starts_after
from checker.search.contract.parents import crashes_after
from checker.search.contract.ranks import least_of_level
from interpreter.state.step import StepKind


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

    def steps(
        self, origin: Ints, rows: Rows, sums: Words, orders: NDArray[np.int32], kind: StepKind, crash: Mask
    ) -> Batch:
        """Steps of some kind from the rows `origin` to other rows, whose keys are greater by `sums`.

        `crash`: a step that an action takes is a crash; that of a role always is.
        """
        return Batch(
            rows,
            self.high.take(origin) + sums[:, 0],
            self.low.take(origin) + sums[:, 1],
            self.numbers.take(origin),
            orders,
            starts_after(self.starts.take(origin), kind),
            crashes_after(self.crashes.take(origin), True if kind is StepKind.CRASH_ROLE else crash),
        )

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
