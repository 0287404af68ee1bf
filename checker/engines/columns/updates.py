"""Updates: writes of parts of values that are stored whole, as tables from codes to codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from interpreter.division import Divider

if TYPE_CHECKING:
    from checker.engines.columns.tables import CodeTable, Ints

Parts = tuple[tuple[str, int], ...]
"""What is written, by the step to the part."""

NO_UPDATE = 0


class Updates:
    """The updates of the values in one slot, and groups of updates, by number; number 0 is nothing.

    What an update makes of a code must be learned before it is asked for, because a value may be new.
    """

    def __init__(self, table: CodeTable, divider: Divider) -> None:
        self._table = table
        self._divider = divider
        self._updates: dict[Parts, int] = {(): NO_UPDATE}
        self._groups: dict[tuple[int, ...], int] = {(): NO_UPDATE}
        self._after: NDArray[np.int32] = np.zeros((0, 0), dtype=np.int32)
        self._known: NDArray[np.bool_] = np.zeros((0, 0), dtype=np.bool_)

    def number(self, parts: Parts) -> int:
        """The number of an update."""
        return self._updates.setdefault(parts, len(self._updates))

    def group(self, updates: tuple[int, ...]) -> int:
        """The number of a group of updates."""
        return self._groups.setdefault(updates, len(self._groups))

    def learn(self, groups: Ints, codes: Ints) -> None:
        """Know what the updates of a group make of a code, pair by pair; the values get codes."""
        self._after = _grown(self._after, len(self._updates), len(self._table))
        self._known = _grown(self._known, len(self._groups), len(self._table))
        unknown = np.flatnonzero(~self._known[groups, codes])
        if not len(unknown):
            return
        parts, members = list(self._updates), list(self._groups)
        for group, code in {*zip(groups[unknown].tolist(), codes[unknown].tolist(), strict=True)}:
            self._known[group, code] = True
            for update in members[group]:
                self._after[update, code] = self._table.code(self._updated(self._table.ids[code], parts[update]))

    def _updated(self, number: int, parts: Parts) -> int:
        for step, new in parts:
            number = self._divider.replaced(number, (step,), new)
        return number

    def after(self, updates: Ints, codes: Ints) -> Ints:
        """What updates make of codes, pair by pair."""
        return self._after[updates, codes].astype(np.int64)


def _grown(table: NDArray[Any], rows: int, columns: int) -> NDArray[Any]:
    """A table of at least that size, with zeros where there was nothing."""
    if table.shape[0] >= rows and table.shape[1] >= columns:
        return table
    grown = np.zeros((max(table.shape[0], 2 * rows), max(table.shape[1], 2 * columns)), dtype=table.dtype)
    grown[: table.shape[0], : table.shape[1]] = table
    return grown
