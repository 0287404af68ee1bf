"""Batches: states that steps lead to, with how they were reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import Column, Ints, Mask, Words
from checker.search.columns.packing import Rows


@dataclass(slots=True)
class Batch:
    """Targets of steps, of one packing: keys, the number of the source, the step's order, starts and crash steps.

    `moves`: the renaming that makes the stored image of a row, under symmetry; the keys are those of the images.
    """

    rows: Rows
    high: Words
    low: Words
    parents: Column
    orders: NDArray[np.int32]
    starts: Column
    crashes: Column
    moves: Ints | None = None

    def __len__(self) -> int:
        return len(self.high)

    @property
    def columns(self) -> list[Column]:
        """All columns, those of the rows first."""
        moves = [] if self.moves is None else [self.moves]
        return [*self.rows.words, self.high, self.low, self.parents, self.orders, self.starts, self.crashes, *moves]

    def each(self, change: Callable[[Column], Column]) -> Batch:
        """The batch of the changed columns."""
        columns = [change(column) for column in self.columns]
        width = len(self.rows.words)
        return Batch(Rows(columns[:width]), *columns[width:])

    def take(self, rows: Ints) -> Batch:
        """These rows, in this order."""
        return self.each(lambda column: column.take(rows))

    def between(self, begin: int, end: int) -> Batch:
        """The rows from `begin` to before `end`, not copied."""
        return self.each(lambda column: column[begin:end])

    @staticmethod
    def joined(batches: Sequence[Batch]) -> Batch:
        """One batch of all rows of some, all of which have moves or none has."""
        if len(batches) == 1:
            return batches[0]
        columns = iter([np.concatenate(parts) for parts in zip(*[b.columns for b in batches], strict=True)])
        return batches[0].each(lambda _: next(columns))


def counts(crashes: Ints) -> Column:
    """Counts of crash steps in as few bytes as they and one more crash step need."""
    return crashes.astype(np.min_scalar_type(int(crashes.max(initial=0)) + 1))


@dataclass(slots=True)
class Taken:
    """Steps that were taken by columns, and where they lead.

    `twin`: the step is a crash. `origin`: the row of the source in its frontier. `live`: the kind of step for liveness.
    """

    batch: Batch
    twin: Mask
    origin: Ints
    live: Ints

    @staticmethod
    def joined(several: Sequence[Taken]) -> Taken:
        """All steps of some, in order."""
        if len(several) == 1:
            return several[0]
        columns = zip(*[(one.twin, one.origin, one.live) for one in several], strict=True)
        return Taken(Batch.joined([one.batch for one in several]), *map(np.concatenate, columns))

    def take(self, rows: Ints) -> Taken:
        """These steps, in this order."""
        return Taken(self.batch.take(rows), self.twin.take(rows), self.origin.take(rows), self.live.take(rows))
