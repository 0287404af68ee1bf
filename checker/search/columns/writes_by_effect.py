"""`WritesByEffect`: by number of an effect, or of a bundle of them, what it writes to some slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from checker.search.columns.code_tables import Ints
from interpreter.state.state import Slot

_NONE: Final = -1


class WritesByEffect:
    """By effect, each of its writes: effects have few, and nearly all have equally many."""

    def __init__(self) -> None:
        self.slots: list[Slot] = []
        """The slots that some effect writes."""
        self.count = 0
        """How many effects are known."""
        self._indexes: dict[Slot, int] = {}
        self._writes: list[tuple[Ints, Ints]] = []
        """For the first write of each effect, the second, and so on: the index of the slot, or none, and the number."""

    def extend(self, effects: Sequence[Sequence[tuple[Slot, int]]]) -> None:
        """Know more effects, each by the numbers that it writes."""
        begin, self.count = self.count, self.count + len(effects)
        most = max(map(len, effects), default=0)
        while len(self._writes) < most:
            self._writes.append((np.full(begin, _NONE, dtype=np.int64), np.zeros(begin, dtype=np.int64)))
        for i, (slots, numbers) in enumerate(self._writes if effects else ()):
            indexes, written = np.full(len(effects), _NONE, dtype=np.int64), np.zeros(len(effects), dtype=np.int64)
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
        for slots, numbers in self._writes:
            indexes = slots.take(effects)
            rows = np.flatnonzero(indexes != _NONE)
            if len(rows):
                yield rows, indexes.take(rows), numbers.take(effects.take(rows))
