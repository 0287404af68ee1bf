"""Thread slots: each packing has some, filled from the first on in canonical order."""

from __future__ import annotations

import numpy as np

from checker.search.columns.code_tables import NO_PROPERTY, CodeTable, Ints, Words
from checker.search.columns.packing import Packing, Rows
from interpreter.values.intern import Interner

_LAST = np.iinfo(np.int64).max


class Ranks:
    """The canonical order of all threads met so far, as one number per code; the empty slot comes last."""

    def __init__(self, table: CodeTable, interner: Interner) -> None:
        self._table = table
        self._interner = interner
        self._ranks: Ints = NO_PROPERTY

    def column(self) -> Ints:
        """The rank of each code."""
        ids = self._table.ids
        if len(self._ranks) != len(ids):
            by_text = sorted(range(1, len(ids)), key=lambda code: self._interner.json(ids[code]))
            self._ranks = np.empty(len(ids), dtype=np.int64)
            self._ranks[0] = _LAST
            self._ranks[by_text] = np.arange(len(by_text))
        return self._ranks


def move_threads(
    packing: Packing, rows: Rows, ranks: Ranks, slot: int | None, threads: Ints, dropped: tuple[int, ...] = ()
) -> Words:
    """Put these threads in a slot (None: in the last one); what that adds to the keys, a row of two halves for each."""
    columns = np.stack([packing.codes(rows, ("thread", i)) for i in range(packing.threads)])
    table = packing.tables.threads
    sums = table.sums.take(threads, axis=0)
    gone = dropped if slot is None else (slot,)
    for i in gone:
        sums -= table.sums.take(columns[i], axis=0)
        columns[i] = 0
    columns[packing.threads - 1 if slot is None and not dropped else gone[0]] = threads
    put_threads(packing, rows, ranks, columns)
    return sums


def put_threads(packing: Packing, rows: Rows, ranks: Ranks, columns: Ints) -> None:
    """Fill the slots with the threads in these columns, one a slot, in canonical order."""
    if packing.threads > 1:
        order = np.argsort(ranks.column()[columns], axis=0, kind="stable")
        columns = np.take_along_axis(columns, order, axis=0)
    for i in range(packing.threads):
        packing.put(rows, ("thread", i), columns[i])
