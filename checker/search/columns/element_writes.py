"""`ElementWrites`: elements that effects add to sets, or remove from them, for rows of one packing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from checker.search.columns.code_tables import CodeTable, Ints, Words
from checker.search.columns.packing import Packing, Rows
from interpreter.state.state import Slot

if TYPE_CHECKING:
    from checker.search.columns.effects import Effect

_NONE = -1


class ElementWrites:
    """By effect, what each of its writes of elements does: effects have few, and nearly all have equally many."""

    def __init__(self, packing: Packing) -> None:
        self.packing = packing
        self.slots: list[Slot] = []
        """The slots of elements that some effect writes."""
        self._indexes: dict[Slot, int] = {}
        self._writes: list[tuple[Ints, Ints]] = []
        """For the first write of each effect, the second, and so on: the index of the slot, or none, and the code."""
        self._count = 0
        self._version = -1
        self._growing: list[CodeTable] = []
        """The tables of elements that equal others, written differently: they may grow where the fields are."""
        self._known = 0
        self._words: Ints = np.zeros(0, dtype=np.int64)
        self._shifts: Words = np.zeros(0, dtype=np.uint64)
        self._masks: Words = np.zeros(0, dtype=np.uint64)
        self._sums: Words = np.zeros((0, 2, 2), dtype=np.uint64)

    def compile(self, effects: Sequence[Effect]) -> None:
        """Know all these effects, the first of which are known, and where the packing has their slots."""
        self._extend(effects[self._count :])
        grown = sum(map(len, self._growing)) > self._known
        if grown or self._version != self.packing.version or len(self._words) < len(self.slots):
            self._version = self.packing.version
            self._locate()

    def _extend(self, effects: Sequence[Effect]) -> None:
        self._count += len(effects)
        most = max([len(effect.elements) for effect in effects], default=0)
        begin = self._count - len(effects)
        while len(self._writes) < most:
            self._writes.append((np.full(begin, _NONE, dtype=np.int64), np.zeros(begin, dtype=np.int64)))
        for i, (slots, codes) in enumerate(self._writes if effects else ()):
            indexes, written = np.full(len(effects), _NONE, dtype=np.int64), np.zeros(len(effects), dtype=np.int64)
            for j, effect in enumerate(effects):
                if i < len(effect.elements):
                    slot, element = effect.elements[i]
                    indexes[j] = self._index(slot)
                    written[j] = self.packing.tables.of(slot).codes[element]
            self._writes[i] = np.concatenate([slots, indexes]), np.concatenate([codes, written])

    def _index(self, slot: Slot) -> int:
        known = self._indexes.get(slot)
        if known is None:
            known = self._indexes[slot] = len(self.slots)
            self.slots.append(slot)
        return known

    def _locate(self) -> None:
        fields = [self.packing.fields[slot] for slot in self.slots]
        self._words = np.array([field.word for field in fields], dtype=np.int64)
        self._shifts = np.array([field.shift for field in fields], dtype=np.uint64)
        self._masks = np.array([field.mask for field in fields], dtype=np.uint64)
        self._growing = [field.table for field in fields if field.mask > 1]
        self._known = sum(map(len, self._growing))
        codes = max([len(field.table) for field in fields], default=0)
        self._sums = np.zeros((len(fields), codes, 2), dtype=np.uint64)
        for field, sums in zip(fields, self._sums, strict=True):
            sums[: len(field.table)] = field.table.sums[: len(field.table)]

    def apply(self, effects: Ints, after: Rows, sums: Words) -> None:
        """Write the elements of these effects, one for each row, and add to the sums what that adds to the keys."""
        for slots, codes in self._writes:
            indexes = slots.take(effects)
            some = np.flatnonzero(indexes != _NONE)
            words = self._words.take(indexes[some])
            new = codes.take(effects).view(np.uint64)
            for number, word in enumerate(after.words):
                rows = some[words == number]
                if len(rows):
                    self._write(word, rows, indexes.take(rows), new.take(rows), sums)

    def _write(self, word: Words, rows: Ints, indexes: Ints, new: Words, sums: Words) -> None:
        shifts, masks = self._shifts.take(indexes), self._masks.take(indexes)
        held = word.take(rows)
        old = held >> shifts & masks
        # To add an element that is there, perhaps written differently (1 and 1.0), changes nothing.
        new = np.where((old != 0) & (new != 0), old, new)
        word[rows] = held & ~(masks << shifts) | new << shifts
        sums[rows] += self._sums[indexes, new.view(np.int64)] - self._sums[indexes, old.view(np.int64)]
