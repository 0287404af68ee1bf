"""`Outbox`: states that a level has found here and that other processes keep, each those of a range of keys."""

from __future__ import annotations

from typing import Final

import numpy as np

from checker.search.columns.batch import Batch
from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.spill_file import in_memory

_HALVES: Final = 1 << 64


class KeyRanges:
    """As many ranges of keys as there are processes, of one length: a key belongs to one by its high half."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._begins = np.array([-(-_HALVES * number // count) for number in range(1, count)], dtype=np.uint64)

    def owners(self, high: Words) -> Ints:
        """Which range each of these high halves is in."""
        return np.searchsorted(self._begins, high, side="right")

    def part(self, number: int, high: Words) -> slice:
        """Where the sorted high halves of one range are."""
        cuts = self.cuts(high)
        return slice(cuts[number], cuts[number + 1])

    def cuts(self, high: Words) -> list[int]:
        """Of sorted high halves the indexes at which the ranges begin, and the end of the last one."""
        return [0, *np.searchsorted(high, self._begins).tolist(), len(high)]


class Outbox:
    """The states of a level under way that other processes keep, by process and packing: batches sorted by key.

    `number`: the range that is kept here.
    """

    def __init__(self, ranges: KeyRanges, number: int) -> None:
        self._ranges = ranges
        self._number = number
        self.boxes: list[list[tuple[Packing, Batch]]] = [[] for _ in range(ranges.count)]

    def __len__(self) -> int:
        return sum(len(batch) for box in self.boxes for _, batch in box)

    @property
    def bytes(self) -> int:
        """What the batches take in memory."""
        return in_memory(column for box in self.boxes for _, batch in box for column in batch.columns)

    def own(self, batch: Batch) -> slice:
        """The rows of a batch, which is sorted by key, whose states are kept here."""
        return self._ranges.part(self._number, batch.high)

    def sort_out(self, packing: Packing, batch: Batch) -> Batch:
        """Take in the states that others keep, of a batch that is sorted by key; the rest of it."""
        cuts = self._ranges.cuts(batch.high)
        for number, box in enumerate(self.boxes):
            if number != self._number and cuts[number] < cuts[number + 1]:
                box.append((packing, batch.between(cuts[number], cuts[number + 1])))
        return batch.between(cuts[self._number], cuts[self._number + 1])

    def rows(self, packing: Packing) -> list[Rows]:
        """All rows of a packing, to be packed anew."""
        return [batch.rows for box in self.boxes for one, batch in box if one is packing]

    def clear(self) -> None:
        """Forget all that is in it."""
        for box in self.boxes:
            box.clear()
