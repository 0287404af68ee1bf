"""The least key among the images of rows under a group of renamings.

A row has as many images as there are renamings, a hundred and more. So what a code adds to the keys of all of them lies
in one line of a table, and neighbouring fields share a table: what some slots add is looked up once, not for each
slot and each renaming.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from checker.search.columns.capacity import table_slot
from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.field_spans import FieldSpan, spans_of
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.slot_images import Apart, SlotImages
from interpreter.state.state import Slot
from interpreter.values.budget import METER

_MOST_SHARED: Final = 1 << 16
"""Fields share a table of at most so many entries, of codes times renamings,"""
_FEWEST_BITS: Final = 3
"""or if they have at most so many bits."""
_AT_ONCE: Final = 1 << 16
"""The number of keys that are computed at once: they stay in the cache of the processor."""


class LeastKeys:
    """The keys of images under so many renamings."""

    def __init__(self, renamings: int) -> None:
        self._renamings = renamings
        self._bits = max(_FEWEST_BITS, (_MOST_SHARED // renamings).bit_length() - 1)
        self._known: dict[tuple[FieldSpan, tuple[int, ...]], _Table] = {}
        self._tables: list[_Table] = []

    def forget(self) -> None:
        """Forget what was learned: codes may stand for something else now."""
        self._known, self._tables = {}, []

    def learn(self, packing: Packing, sizes: Mapping[Slot, int], images: Mapping[Slot, SlotImages]) -> None:
        """Lay out the tables for the fields of a packing, of whose codes so many are known; of others none matters."""
        before, self._known = self._known, {}
        for span in spans_of(packing, self._bits):
            key = span, tuple([sizes.get(slot, 0) for slot in span.slots])
            self._known[key] = before.get(key) or _Table(span, key[1], self._renamings, images)
        self._tables = [table for table in self._known.values() if table.matters]

    def least(self, rows: Rows, high: Words, low: Words) -> tuple[Ints, Words, Words]:
        """Of rows with these keys, the first renaming of the least key, and the halves of that key."""
        columns = [table.span.column(rows) for table in self._tables]
        chosen = np.zeros(len(high), dtype=np.int64)
        high, low = high.copy(), low.copy()
        step = max(1, _AT_ONCE // self._renamings)
        for begin in range(0, len(high) if self._tables else 0, step):
            METER.ask()
            some = slice(begin, begin + step)
            chosen[some], high[some], low[some] = self._least(
                [column[some] for column in columns], high[some], low[some]
            )
        return chosen, high, low

    def _least(self, columns: list[Ints], high: Words, low: Words) -> tuple[Ints, Words, Words]:
        keys = self._firsts(columns, high)
        chosen = keys.argmin(axis=1)
        least = keys[np.arange(len(keys)), chosen]
        equal = keys == least[:, np.newaxis]
        # Of few images the first halves are the same, unless these are the same image.
        tied = np.flatnonzero(np.count_nonzero(equal, axis=1) > 1)
        if len(tied):
            rows, among = np.nonzero(equal[tied])
            seconds = self._seconds([column[tied][rows] for column in columns], low[tied][rows], among)
            least_second = np.minimum.reduceat(seconds, _beginnings(rows))
            best = np.flatnonzero(seconds == least_second[rows])
            chosen[tied] = among[best[_beginnings(rows[best])]]
        return chosen, least, self._seconds(columns, low, chosen)

    def _seconds(self, columns: list[Ints], own: Words, renamings: Ints) -> Words:
        """The second halves of the keys of images under one renaming each."""
        total = own.copy()
        for table, column in zip(self._tables, columns, strict=True):
            total += table.second(column, renamings)
        return total

    def _firsts(self, columns: list[Ints], own: Words) -> Words:
        """The first halves of the keys of all images, by row and renaming."""
        total = np.empty((len(own), self._renamings), dtype=np.uint64)
        total[:] = own[:, np.newaxis]
        for table, column in zip(self._tables, columns, strict=True):
            table.add_first(column, total)
        return total


class _Table:
    """What the codes of the fields in a span add to the keys of the images: halves by bits and renaming.

    `sizes`: how many codes of each are known.
    """

    def __init__(
        self, span: FieldSpan, sizes: tuple[int, ...], renamings: int, images: Mapping[Slot, SlotImages]
    ) -> None:
        self.span = span
        self._halves: list[Words] = []
        self._apart: Apart | None = None
        known = [images.get(table_slot(slot)) for slot in span.slots]
        self.matters = any(one is not None and one.matters for one in known)
        """Whether any of them adds anything."""
        if not self.matters:
            return
        if len(known) == 1 and known[0] is not None and known[0].apart is not None:
            self._apart = known[0].apart
            return
        for half in (0, 1):
            parts = [
                np.zeros((size, renamings), dtype=np.uint64) if one is None else one.sums(half, size)
                for one, size in zip(known, sizes, strict=True)
            ]
            self._halves.append(np.ascontiguousarray(span.table(parts, np.add)))

    def add_first(self, column: Ints, total: Words) -> None:
        """Add what these codes add to the first halves of the keys of all images, by row and renaming."""
        if self._apart is None:
            total += self._halves[0].take(column, axis=0)
            return
        which, ones = self._apart
        found = np.stack([one.sums[:, 0].take(column) for one in ones], axis=1)
        total += found.take(which, axis=1)

    def second(self, column: Ints, renamings: Ints) -> Words:
        """What these codes add to the second halves under one renaming each."""
        if self._apart is None:
            found: Words = self._halves[1][column, renamings]
            return found
        which, ones = self._apart
        made = np.zeros(len(column), dtype=np.uint64)
        chosen = which.take(renamings)
        for at, one in enumerate(ones):
            rows = np.flatnonzero(chosen == at)
            if len(rows):
                made[rows] = one.sums[:, 1].take(column[rows])
        return made


def _beginnings(rows: Ints) -> Ints:
    """Where another row begins, in rows in order."""
    found: Ints = np.flatnonzero(np.diff(rows, prepend=-1))
    return found
