"""`StartCounts`: the counters of limited actions (`max_actions` in `action_options`), by columns."""

from __future__ import annotations

import numpy as np

from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.packing import Packing, Rows
from interpreter.state.state import Slot
from interpreter.values.intern import Interner, Tag

_NOT_MET = -1


class StartCounts:
    """What the start of an action adds to its counters in the rows of one packing.

    A counter of one instance by its number (`Node#1.Vote`) is no slot before it is above zero: where it is missing, the
    machine takes the start.
    """

    def __init__(self, packing: Packing, interner: Interner, counters: list[str]) -> None:
        self._packing = packing
        self._interner = interner
        slots: list[Slot] = [("count", counter) for counter in counters]
        self.missing = any(slot not in packing.fields for slot in slots)
        """Whether some counter has no slot."""
        self._next: dict[Slot, Ints] = {} if self.missing else {slot: np.zeros(0, dtype=np.int64) for slot in slots}
        """By slot, for each code that of the number after it, if rows had it."""

    def learn(self, rows: Rows) -> None:
        """Give codes to the numbers after those in some rows. The packing may be outgrown after."""
        for slot, known in self._next.items():
            table = self._packing.fields[slot].table
            met = np.flatnonzero(np.bincount(self._packing.codes(rows, slot)))
            if len(met) and met[-1] >= len(known):
                known = self._next[slot] = np.pad(known, (0, len(table) - len(known)), constant_values=_NOT_MET)
            for code in met[known[met] == _NOT_MET].tolist():
                number = self._interner.payload(table.ids[code])
                known[code] = table.code(self._interner.intern(Tag.INT, number + 1))

    def add(self, after: Rows, sums: Words) -> None:
        """Count a start in each of some rows, and what that adds to their keys."""
        for slot, following in self._next.items():
            field = self._packing.fields[slot]
            word = after.words[field.word]
            codes = ((word >> field.shift) & field.mask).view(np.int64)
            new = following.take(codes)
            word &= ~(field.mask << field.shift)
            word |= new.view(np.uint64) << field.shift
            sums += field.table.sums.take(new, axis=0) - field.table.sums.take(codes, axis=0)
