"""Which rows hold references to shared containers, and where.

The numbers of shared containers, what is shared at all, and what that adds to a key depend only on values that refer to
such (language page, 5.6). A step that neither writes nor overwrites any of these leaves all that as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from checker.search.columns.capacity import LISTED
from checker.search.columns.code_tables import NO_PROPERTY, Ints, Mask
from checker.search.columns.packing import Packing, Rows
from interpreter.state.state import Slot
from interpreter.values.intern import Interner


class RowsWithAliases:
    """Looks for references to shared containers in the rows of one packing. `values`: those of the machine."""

    def __init__(self, packing: Packing, values: Interner) -> None:
        self._packing = packing
        self._refers: Callable[[int], bool] = values.references
        self._of: dict[Slot, Ints] = {}
        """By slot or part of one, for each code whether its value refers to any container."""

    def in_any(self, slot: Slot) -> bool:
        """Whether any value that a slot of the layout has taken holds a reference."""
        return any(self._known(part).any() for part in self._packing.parts(slot))

    def in_rows(self, rows: Rows, slot: Slot) -> Mask:
        """The rows whose value in a slot of the layout holds a reference."""
        return self._in_some(rows, self._packing.parts(slot))

    def in_listed(self, rows: Rows) -> Mask:
        """The rows with a thread or message that holds a reference."""
        return self._in_some(rows, [(kind, index) for kind in LISTED for index in range(self._packing.count(kind))])

    def _in_some(self, rows: Rows, slots: list[Slot]) -> Mask:
        found = np.zeros(len(rows), dtype=np.bool_)
        for slot in slots:
            known = self._known(slot)
            if known.any():
                found |= known.take(self._packing.codes(rows, slot)) != 0
        return found

    def _known(self, slot: Slot) -> Ints:
        table = self._packing.fields[slot].table
        known = self._of[slot] = table.property(self._refers, self._of.get(slot, NO_PROPERTY))
        return known
