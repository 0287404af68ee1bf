"""The least key among the images of rows under a group of renamings.

A row has as many images as there are renamings, a hundred and more. So what a code adds to the keys of all of them lies
in one row of a table, and slots of few codes share a table, by pairs of codes and more: what some slots add is looked
up once, not for each slot and each renaming.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from checker.search.columns.code_tables import Ints, Words
from interpreter.state.state import Slot
from interpreter.values.budget import METER

_MOST_SHARED: Final = 1 << 16
"""Slots share a table of at most so many entries, of codes times renamings."""
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
        self._sizes: dict[Slot, int] = {}
        self._tables: list[_Table] = []
        self.known = (-1, -1)
        """How much of codes the tables know."""

    def least(
        self, codes: Mapping[Slot, Ints], high: Words, low: Words, known: tuple[int, int]
    ) -> tuple[Ints, Words, Words]:
        """Of rows with these codes and keys, the first renaming of the least key, and the halves of that key.

        `known`: how much is known of codes; while that is the same, so are the sums.
        """
        if known != self.known:
            self._learn(codes)
            self.known = known
        columns = [table.column(codes) for table in self._tables]
        chosen = np.zeros(len(high), dtype=np.int64)
        high, low = high.copy(), low.copy()
        step = max(1, _AT_ONCE // len(self._sums))
        for begin in range(0, len(high) if self._tables else 0, step):
            METER.ask()
            rows = slice(begin, begin + step)
            chosen[rows], high[rows], low[rows] = self._least(
                [column[rows] for column in columns], high[rows], low[rows]
            )
        return chosen, high, low

    def _learn(self, slots: Mapping[Slot, Ints]) -> None:
        """Lay out the tables for all codes that are known, if more are."""
        by_slot = {slot: [one(slot) for one in self._sums] for slot in slots}
        # To rename codes may make more of them, which the renamings before do not know yet: no row has them.
        sizes = {
            slot: min(len(one) for one in found if one is not None)
            for slot, found in by_slot.items()
            if any(one is not None for one in found)
        }
        if sizes == self._sizes:
            return
        self._sizes = sizes
        self._tables = []
        shared: list[Slot] = []
        product = len(self._sums)
        for slot in sorted(sizes, key=lambda one: sizes[one]):
            if shared and product * sizes[slot] > _MOST_SHARED:
                self._tables.append(_Table(shared, sizes, by_slot))
                shared, product = [], len(self._sums)
            shared.append(slot)
            product *= sizes[slot]
        if shared:
            self._tables.append(_Table(shared, sizes, by_slot))

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
    """What the codes of some slots add to the keys of the images: halves by code and renaming.

    Several slots have one code together, in a mixed radix.
    """

    def __init__(
        self, slots: list[Slot], sizes: Mapping[Slot, int], by_slot: Mapping[Slot, list[Words | None]]
    ) -> None:
        self._slots = [(slot, sizes[slot]) for slot in slots]
        self._sums: list[Words | None] = []
        self._halves: list[Words] = []
        if len(slots) == 1 and sizes[slots[0]] * len(by_slot[slots[0]]) > _MOST_ENTRIES:
            self._sums = by_slot[slots[0]]
            return
        for half in (0, 1):
            made = np.zeros((1, len(by_slot[slots[0]])), dtype=np.uint64)
            for slot, size in self._slots:
                nothing = np.zeros(size, dtype=np.uint64)
                found = np.array([nothing if one is None else one[:size, half] for one in by_slot[slot]]).T
                made = (made[:, np.newaxis, :] + found[np.newaxis, :, :]).reshape(-1, made.shape[1])
            self._halves.append(np.ascontiguousarray(made))

    def column(self, codes: Mapping[Slot, Ints]) -> Ints:
        """The codes of the slots together, by row."""
        together: Ints = codes[self._slots[0][0]]
        for slot, size in self._slots[1:]:
            together = together * size + codes[slot]
        return together

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
