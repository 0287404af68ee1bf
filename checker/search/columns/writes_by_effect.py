"""`WritesByEffect`: by number of an effect, or of a bundle of them, what it writes to some slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import Ints
from interpreter.state.state import Slot

_SMALL: Final = 1 << 15
"""Indexes below that fit 16 bits, which numpy sorts by counting."""


class WritesByEffect:
    """By effect, each of its writes: effects have few, and nearly all have equally many."""

    def __init__(self) -> None:
        self.slots: list[Slot] = []
        """The slots that some effect writes."""
        self.count = 0
        """How many effects are known."""
        self._indexes: dict[Slot, int] = {}
        self._lengths: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """How many writes each effect has."""
        self._writes: list[tuple[Ints, Ints]] = []
        """For the first write of each effect, the second, and so on: the index of the slot and the number."""

    def extend(self, effects: Sequence[Sequence[tuple[Slot, int]]]) -> None:
        """Know more effects, each by the numbers that it writes."""
        begin, self.count = self.count, self.count + len(effects)
        lengths = np.array([len(writes) for writes in effects], dtype=np.int32)
        self._lengths = np.concatenate([self._lengths, lengths])
        while len(self._writes) < int(lengths.max(initial=0)):
            self._writes.append((np.zeros(begin, dtype=np.int64), np.zeros(begin, dtype=np.int64)))
        for i, (slots, numbers) in enumerate(self._writes if effects else ()):
            indexes, written = np.zeros(len(effects), dtype=np.int64), np.zeros(len(effects), dtype=np.int64)
            for j, writes in enumerate(effects):
                if i < len(writes):
                    indexes[j], written[j] = self._index(writes[i][0]), writes[i][1]
            self._writes[i] = np.concatenate([slots, indexes]), np.concatenate([numbers, written])

    def _index(self, slot: Slot) -> int:
        known = self._indexes.get(slot)
        if known is None:
            known = self._indexes[slot] = len(self.slots)
            self.slots.append(slot)
        return known

    def of(self, effects: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
        """What these effects write, one for each row: some rows, the indexes of the slots there, and the numbers.

        A row is there as often as its effect has writes, and once at a time.
        """
        lengths = self._lengths.take(effects)
        rows = np.flatnonzero(lengths > 0)
        for i, (slots, numbers) in enumerate(self._writes):
            if i:
                rows = rows[lengths.take(rows) > i]
            if not len(rows):
                return
            some = effects.take(rows)
            yield rows, slots.take(some), numbers.take(some)

    def by_slot(self, effects: Ints) -> Iterator[tuple[Slot, Ints, Ints]]:
        """As `of`, and one slot at a time: a slot, the rows in which it is written, and the numbers."""
        for rows, indexes, numbers in self.of(effects):
            if len(self.slots) == 1:
                yield self.slots[0], rows, numbers
                continue
            small = indexes.astype(np.int16) if len(self.slots) <= _SMALL else indexes
            order = np.argsort(small, kind="stable")
            ends = np.flatnonzero(np.diff(indexes.take(order))) + 1
            for some in np.split(order, ends):
                yield self.slots[int(indexes[some[0]])], rows.take(some), numbers.take(some)
