"""The least key among the images of rows under a group of renamings.

A row has as many images as there are renamings, a hundred and more. So what a code adds to the keys of all of them lies
in one line of a table, and neighbouring fields share a table: what some slots add is looked up once, not for each
slot and each renaming.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.field_spans import FieldSpan, spans_of
from checker.search.columns.packing import Packing, Rows
from interpreter.state.state import Slot
from interpreter.values.budget import METER

_MOST_SHARED: Final = 1 << 16
"""Fields share a table of at most so many entries, of codes times renamings."""
_MOST_ENTRIES: Final = 1 << 19
"""Larger tables are not laid out by codes: they are gathered for each renaming."""
_AT_ONCE: Final = 1 << 16
"""The number of keys that are computed at once: they stay in the cache of the processor."""
_NO_KEY: Final = np.iinfo(np.uint64).max

Sums = Callable[[Slot], Words | None]
"""By slot, what codes add to the keys of images, in two halves, as far as codes are known; None if that is nothing."""


class LeastKeys:
    """The keys of images under some renamings. `sums`: those of each renaming."""

    def __init__(self, sums: Sequence[Sums]) -> None:
        self._sums = sums
        self._bits = max(1, (_MOST_SHARED // max(1, len(sums))).bit_length() - 1)
        self._known: dict[tuple[FieldSpan, tuple[int, ...]], _Table] = {}
        self._tables: list[_Table] = []

    def forget(self) -> None:
        """Forget what was learned: codes may stand for something else now."""
        self._known, self._tables = {}, []

    def learn(self, packing: Packing, sizes: Mapping[Slot, int]) -> None:
        """Lay out the tables for the fields of a packing, of whose codes so many are known; of others none matters."""
        before, self._known = self._known, {}
        for span in spans_of(packing, self._bits):
            key = span, tuple([sizes.get(slot, 0) for slot in span.slots])
            self._known[key] = before.get(key) or _Table(span, key[1], self._sums)
        self._tables = [table for table in self._known.values() if table.matters]

    def least(self, rows: Rows, high: Words, low: Words) -> tuple[Ints, Words, Words]:
        """Of rows with these keys, the first renaming of the least key, and the halves of that key."""
        columns = [table.span.column(rows) for table in self._tables]
        chosen = np.zeros(len(high), dtype=np.int64)
        high, low = high.copy(), low.copy()
        step = max(1, _AT_ONCE // len(self._sums))
        for begin in range(0, len(high) if self._tables else 0, step):
            METER.ask()
            some = slice(begin, begin + step)
            chosen[some], high[some], low[some] = self._least(
                [column[some] for column in columns], high[some], low[some]
            )
        return chosen, high, low

    def _least(self, columns: list[Ints], high: Words, low: Words) -> tuple[Ints, Words, Words]:
        keys = self._keys(0, columns, high)
        chosen = keys.argmin(axis=1)
        least = keys[np.arange(len(keys)), chosen]
        equal = keys == least[:, np.newaxis]
        # Few rows have two images with the same first half, unless these are the same image.
        tied = np.flatnonzero(np.count_nonzero(equal, axis=1) > 1)
        if len(tied):
            seconds = self._keys(1, [column[tied] for column in columns], low[tied])
            among = equal[tied]
            first = np.where(among, seconds, _NO_KEY).argmin(axis=1)
            # If the least second half is `_NO_KEY` itself, others may stand before it.
            chosen[tied] = np.where(among[np.arange(len(tied)), first], first, among.argmax(axis=1))
        second = low.copy()
        for table, column in zip(self._tables, columns, strict=True):
            second += table.of(1, column, chosen)
        return chosen, least, second

    def _keys(self, half: int, columns: list[Ints], own: Words) -> Words:
        """Half of the keys of all images, by row and renaming."""
        total = np.empty((len(own), len(self._sums)), dtype=np.uint64)
        total[:] = own[:, np.newaxis]
        for table, column in zip(self._tables, columns, strict=True):
            table.add(half, column, total)
        return total


class _Table:
    """What the codes of the fields in a span add to the keys of the images: halves by bits and renaming.

    `sizes`: how many codes of each are known.
    """

    def __init__(self, span: FieldSpan, sizes: tuple[int, ...], by_renaming: Sequence[Sums]) -> None:
        self.span = span
        self._sums: list[Words | None] = []
        self._halves: list[Words] = []
        by_slot = [[one(slot) for one in by_renaming] for slot in span.slots]
        self.matters = any(one is not None for sums in by_slot for one in sums)
        """Whether any of them adds anything."""
        if not self.matters:
            return
        if len(by_slot) == 1 and sizes[0] * len(by_renaming) > _MOST_ENTRIES:
            (self._sums,) = by_slot
            return
        for half in (0, 1):
            parts = [_half(sums, size, half) for sums, size in zip(by_slot, sizes, strict=True)]
            self._halves.append(np.ascontiguousarray(span.table(parts, np.add)))

    def add(self, half: int, column: Ints, total: Words) -> None:
        """Add what these codes add to the keys of all images, by row and renaming."""
        if self._halves:
            total += self._halves[half].take(column, axis=0)
            return
        for renaming, sums in enumerate(self._sums):
            if sums is not None:
                total[:, renaming] += sums[:, half].take(column)

    def of(self, half: int, column: Ints, renamings: Ints) -> Words:
        """What these codes add under one renaming each."""
        if self._halves:
            found: Words = self._halves[half][column, renamings]
            return found
        made = np.zeros(len(column), dtype=np.uint64)
        for renaming, sums in enumerate(self._sums):
            rows = np.flatnonzero(renamings == renaming)
            if sums is not None and len(rows):
                made[rows] = sums[:, half].take(column[rows])
        return made


def _half(sums: Sequence[Words | None], size: int, half: int) -> Words:
    """Half of what so many codes of a slot add, by code and renaming."""
    made = np.zeros((size, len(sums)), dtype=np.uint64)
    for renaming, one in enumerate(sums):
        if one is not None:
            made[:, renaming] = one[:size, half]
    return made
