"""`Gathered`: the states found by the level under way, by packing.

Batches of several chunks are joined by ranges of keys, so that only one range at a time is in memory twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from checker.search.columns.batch import Batch
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.spill_file import SpillFiles, in_memory

Least = Callable[[Batch], Batch]
"""Makes of a batch one that has each state once, sorted by key."""


class Gathered:
    """The states found by one level that is under way. All batches are sorted by key and have each state once."""

    def __init__(self, spill_files: SpillFiles) -> None:
        self._spill_files = spill_files
        self._tidy: dict[Packing, list[Batch]] = {}
        self._loose: dict[Packing, list[Batch]] = {}

    def __len__(self) -> int:
        """How many rows there are, with states that several chunks have found counted for each."""
        return sum(len(batch) for batch in self._all())

    def _all(self) -> list[Batch]:
        return [batch for held in (self._tidy, self._loose) for batches in held.values() for batch in batches]

    @property
    def bytes(self) -> int:
        """What the batches take in memory."""
        return in_memory(column for batch in self._all() for column in batch.columns)

    def rows(self, packing: Packing) -> list[Rows]:
        """All rows of a packing, to be packed anew."""
        return [batch.rows for held in (self._tidy, self._loose) for batch in held.get(packing, ())]

    def add(self, packing: Packing, batch: Batch, least: Least) -> None:
        """Add a batch. Loose batches are joined before they take much memory."""
        loose = self._loose.setdefault(packing, [])
        loose.append(batch)
        tidy = sum(len(one) for one in self._tidy.get(packing, ()))
        if sum(len(one) for one in loose) > max(self._spill_files.sizes.loose, tidy):
            joined = self._joined(packing, self._ranges(self._total(packing)), least)
            self._tidy[packing] = [batch for _, batch in joined]

    def _total(self, packing: Packing) -> int:
        return sum(len(rows) for rows in self.rows(packing))

    def _ranges(self, rows: int) -> int:
        """The number of ranges of keys for so many rows: a power of two."""
        return 1 << (rows // self._spill_files.sizes.joined).bit_length()

    def finish(self, least: Least) -> list[dict[Packing, Batch]]:
        """All states, each once, by ranges of keys that ascend, and in each range by packing. Nothing is left."""
        packings = list(dict.fromkeys([*self._tidy, *self._loose]))
        ranges = self._ranges(sum(self._total(packing) for packing in packings))
        found: list[dict[Packing, Batch]] = [{} for _ in range(ranges)]
        for packing in packings:
            for number, batch in self._joined(packing, ranges, least):
                found[number][packing] = batch
        return [part for part in found if part]

    def spill(self) -> None:
        """Write all batches to spill files."""
        for held in (self._tidy, self._loose):
            for batches in held.values():
                batches[:] = [batch.each(self._spill_files.put) for batch in batches]

    def _joined(self, packing: Packing, ranges: int, least: Least) -> Iterator[tuple[int, Batch]]:
        """The states of a packing, range by range of keys, each released when it was yielded."""
        waiting: list[Batch | None] = [*self._tidy.pop(packing, ()), *self._loose.pop(packing, ())]
        if len(waiting) == ranges == 1:
            yield 0, waiting.pop()  # type: ignore[misc]
            return
        cuts = [_cuts(batch, ranges) for batch in waiting if batch is not None]
        for number in range(ranges):
            parts = []
            for i, batch in enumerate(waiting):
                begin, end = cuts[i][number : number + 2]
                if batch is not None and end > begin:
                    parts.append(batch.between(begin, end))
                    if end == len(batch):
                        waiting[i] = None
            if parts:
                batch = least(Batch.joined(parts))
                yield number, batch.each(self._spill_files.put) if self._spill_files.in_use else batch


def _cuts(batch: Batch, ranges: int) -> list[int]:
    """The indexes in a batch at which the ranges of keys begin, and the end of the last one."""
    width = ranges.bit_length() - 1
    bounds = [number << (64 - width) for number in range(1, ranges)]
    return [0, *np.searchsorted(batch.high, np.array(bounds, dtype=np.uint64)).tolist(), len(batch)]
