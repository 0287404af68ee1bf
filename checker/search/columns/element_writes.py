"""`ElementWrites`: elements that effects add to sets, or remove from them, for rows of one packing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from checker.search.columns.code_tables import CodeTable, Ints, Words
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.writes_by_effect import WritesByEffect
from interpreter.state.state import Slot

if TYPE_CHECKING:
    from checker.search.columns.effects import Effect


class ElementWrites:
    """By effect, what each of its writes of elements does."""

    def __init__(self, packing: Packing) -> None:
        self.packing = packing
        self._writes = WritesByEffect()
        self._version = -1
        self._growing: list[CodeTable] = []
        """The tables that may grow where the fields are: of elements that equal others, written differently, and of
        those that were only removed so far."""
        self._known = 0
        self._words: Ints = np.zeros(0, dtype=np.int64)
        self._shifts: Words = np.zeros(0, dtype=np.uint64)
        self._masks: Words = np.zeros(0, dtype=np.uint64)
        self._sums: Words = np.zeros((0, 2, 2), dtype=np.uint64)

    @property
    def slots(self) -> list[Slot]:
        """The slots of elements that some effect writes."""
        return self._writes.slots

    def compile(self, effects: Sequence[Effect]) -> None:
        """Know all these effects, the first of which are known, and where the packing has their slots."""
        codes = self.packing.tables.of
        more = effects[self._writes.count :]
        self._writes.extend([[(slot, codes(slot).codes[one]) for slot, one in effect.elements] for effect in more])
        grown = sum(map(len, self._growing)) > self._known
        if grown or self._version != self.packing.version or len(self._words) < len(self.slots):
            self._version = self.packing.version
            self._locate()

    def _locate(self) -> None:
        fields = [self.packing.fields[slot] for slot in self.slots]
        self._words = np.array([field.word for field in fields], dtype=np.int64)
        self._shifts = np.array([field.shift for field in fields], dtype=np.uint64)
        self._masks = np.array([field.mask for field in fields], dtype=np.uint64)
        self._growing = [field.table for field in fields if field.mask > 1 or len(field.table) < 2]
        self._known = sum(map(len, self._growing))
        codes = max([len(field.table) for field in fields], default=0)
        self._sums = np.zeros((len(fields), codes, 2), dtype=np.uint64)
        for field, sums in zip(fields, self._sums, strict=True):
            sums[: len(field.table)] = field.table.sums[: len(field.table)]

    def apply(self, effects: Ints, after: Rows, sums: Words) -> None:
        """Write the elements of these effects, one for each row, and add to the sums what that adds to the keys."""
        for some, indexes, codes in self._writes.of(effects):
            words = self._words.take(indexes)
            new = codes.view(np.uint64)
            for number, word in enumerate(after.words):
                here = np.flatnonzero(words == number)
                if len(here):
                    self._write(word, some.take(here), indexes.take(here), new.take(here), sums)

    def _write(self, word: Words, rows: Ints, indexes: Ints, new: Words, sums: Words) -> None:
        shifts, masks = self._shifts.take(indexes), self._masks.take(indexes)
        held = word.take(rows)
        old = held >> shifts & masks
        # To add an element that is there, perhaps written differently (1 and 1.0), changes nothing.
        new = np.where((old != 0) & (new != 0), old, new)
        word[rows] = held & ~(masks << shifts) | new << shifts
        sums[rows] += self._sums[indexes, new.view(np.int64)] - self._sums[indexes, old.view(np.int64)]
