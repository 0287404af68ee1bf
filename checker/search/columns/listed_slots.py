"""Slots for threads and for messages: each packing has some, filled from the first on in canonical order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from checker.search.columns.capacity import MESSAGE, THREAD
from checker.search.columns.code_tables import NO_PROPERTY, CodeTable, Ints, Words
from checker.search.columns.packing import Packing, Rows
from interpreter.values.intern import Interner

_LAST = np.iinfo(np.int64).max
EMPTY_SLOT = 0
"""The code of a slot in which there is nothing."""


class Ranks:
    """The canonical order of all threads, or messages, met so far, one number per code; the empty slot comes last."""

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
            self._ranks[EMPTY_SLOT] = _LAST
            self._ranks[by_text] = np.arange(len(by_text))
        return self._ranks


def listed(packing: Packing, rows: Rows, kind: str) -> Ints:
    """The codes in all slots of a kind, one line for each slot."""
    found = np.empty((packing.count(kind), len(rows)), dtype=np.int64)
    for index, line in enumerate(found):
        line[:] = packing.codes(rows, (kind, index))
    return found


def put_listed(packing: Packing, rows: Rows, kind: str, ranks: Ranks, columns: Ints) -> None:
    """Fill the slots of a kind with what is in these columns, one a slot, in canonical order."""
    if packing.count(kind) > 1:
        order = np.argsort(ranks.column()[columns], axis=0, kind="stable")
        columns = np.take_along_axis(columns, order, axis=0)
    _put(packing, rows, kind, columns)


def _put(packing: Packing, rows: Rows, kind: str, columns: Ints) -> None:
    for index, column in enumerate(columns):
        packing.put(rows, (kind, index), column)


def move_threads(
    packing: Packing, rows: Rows, ranks: Ranks, slot: int | None, threads: Ints, dropped: tuple[int, ...] = ()
) -> Words:
    """Put these threads in a slot (None: in the last one); what that adds to the keys, a row of two halves for each."""
    columns = listed(packing, rows, THREAD)
    table = packing.tables.threads
    sums = table.sums.take(threads, axis=0)
    gone = dropped if slot is None else (slot,)
    for i in gone:
        sums -= table.sums.take(columns[i], axis=0)
        columns[i] = EMPTY_SLOT
    columns[packing.threads - 1 if slot is None and not dropped else gone[0]] = threads
    put_listed(packing, rows, THREAD, ranks, columns)
    return sums


class Waiting(NamedTuple):
    """The messages that wait in some rows, equal ones once: message `ids[i]` in `slots[i]` of row `which[i]`.

    `indexes`: where it stands among the messages of its channel; `channels`: the number of that.
    """

    which: Ints
    slots: Ints
    ids: Ints
    channels: Ints
    indexes: Ints


def waiting_messages(packing: Packing, rows: Rows, channel_of: Ints) -> Waiting:
    """The messages that wait in these rows, row by row. `channel_of`: the channel of each message, by code."""
    columns = listed(packing, rows, MESSAGE)
    first = columns != EMPTY_SLOT
    first[1:] &= columns[1:] != columns[:-1]
    which, slots = np.nonzero(first.T)
    codes = columns[slots, which]
    channels = channel_of.take(columns)
    # Messages of one channel stand together, because the number of the channel comes first in their texts.
    begin = np.zeros_like(columns)
    for index in range(1, len(columns)):
        begin[index] = np.where(channels[index] == channels[index - 1], begin[index - 1], index)
    ids = np.array(packing.tables.messages.ids, dtype=np.int64).take(codes)
    return Waiting(which, slots, ids, channel_of.take(codes), slots - begin[slots, which])


def move_messages(packing: Packing, rows: Rows, ranks: Ranks, slots: Ints | None, sent: Sequence[Ints]) -> Words:
    """Take the messages out of these slots, one a row, and add those that are sent; there is room for them.

    What that adds to the keys, a row of two halves for each.
    """
    columns = listed(packing, rows, MESSAGE)
    table = packing.tables.messages
    sums = np.zeros((len(rows), 2), dtype=np.uint64)
    if slots is not None:
        sums -= table.sums.take(columns[slots, np.arange(len(rows))], axis=0)
        after = np.concatenate([columns[1:], np.full((1, len(rows)), EMPTY_SLOT)])
        columns = np.where(np.arange(len(columns))[:, None] >= slots, after, columns)
    for codes in sent:
        sums += table.sums.take(codes, axis=0)
        columns = _inserted(columns, codes, ranks.column())
    _put(packing, rows, MESSAGE, columns)
    return sums


def _inserted(columns: Ints, codes: Ints, ranks: Ints) -> Ints:
    """Columns in canonical order, with one more code each; the last slots are empty. An empty one changes nothing."""
    before = ranks.take(columns) <= ranks.take(codes)
    here = np.ones_like(before)
    here[1:] = before[:-1]
    moved = np.empty_like(columns)
    moved[0] = EMPTY_SLOT
    moved[1:] = columns[:-1]
    return np.where(before, columns, np.where(here, codes, moved))
