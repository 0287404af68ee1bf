"""Rows of columns in bytes, by value.

Numbers that stand for values differ between processes, so there is a table of the distinct values of each slot, and per
row an index into it. Workers divide containers alike, and send each other their parts: these have few values, while
containers may have as many as there are states. A checkpoint may be read by a process that divides otherwise, so it has
whole values.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.search.checkpoints.codec import StateCodec, lines, unlined
from checker.search.columns.capacity import LISTED, Capacity
from checker.search.columns.code_tables import Ints
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.space import Space
from checker.search.memo.division import is_element
from checker.search.memo.heads import whole_value
from fizz.base.data import NotData, pack, unpack
from interpreter import Machine
from interpreter.state.state import UNBOUND, Slot, State

_DENSE: Final = 1 << 16

Column = NDArray[Any]
_Column = tuple[Slot, tuple[bytes, ...], Column]
"""A slot, its distinct values, and the index of each row's value among them."""


class PackedRows(NamedTuple):
    """States of one layout, in columns: those of the slots or of their parts, then those of threads and messages.

    `tables`: the distinct values of each column (none: b""), `indexes`: each row's value. There is at least one slot.
    """

    layout: tuple[Slot, ...]
    slots: tuple[Slot, ...]
    tables: tuple[tuple[bytes, ...], ...]
    indexes: tuple[Column, ...]

    def state(self, row: int, machine: Machine, values: StateCodec) -> State:
        """One state as the machine knows it."""
        layout = machine.transitions.layouts.ordered(self.layout)
        held = {
            slot: values.load(table[int(indexes[row])])
            for slot, table, indexes in zip(self.slots, self.tables, self.indexes, strict=True)
            if table[int(indexes[row])]
        }
        threads, messages = (tuple(held[slot] for slot in held if slot[0] == kind) for kind in LISTED)
        elements: dict[Slot, list[Slot]] = {}
        for slot in filter(is_element, held):
            elements.setdefault(slot[:-1], []).append(slot)
        whole = [
            whole_value(machine.values, slot, held.__getitem__, lambda base: elements.get(base, ()))
            for slot in layout.slots
        ]
        return State(layout, tuple(whole), threads, messages)

    def compact(self) -> PackedRows:
        """The same states, with tables of those values alone that they have."""
        tables: list[tuple[bytes, ...]] = []
        indexes: list[Column] = []
        for table, column in zip(self.tables, self.indexes, strict=True):
            used, numbers = np.unique(column, return_inverse=True)
            tables.append(tuple(table[number] for number in used.tolist()))
            indexes.append(narrow(numbers, len(used)))
        return self._replace(tables=tuple(tables), indexes=tuple(indexes))


_BITS: Final = 0
"""The width of indexes that take a bit each."""
_TWO: Final = 2


class _Head(NamedTuple):
    """How many rows there are, and how many bytes an index in each column takes; `_BITS`: a bit."""

    layout: tuple[Slot, ...]
    slots: tuple[Slot, ...]
    rows: int
    widths: tuple[int, ...]


def pieces_of(rows: PackedRows) -> list[bytes]:
    """Rows in bytes: a head, then the table and the indexes of each column."""
    columns = list(zip(rows.tables, rows.indexes, strict=True))
    widths = tuple(_BITS if len(table) <= _TWO else indexes.itemsize for table, indexes in columns)
    pieces = [pack(_Head, _Head(rows.layout, rows.slots, len(rows.indexes[0]), widths))]
    for (table, indexes), width in zip(columns, widths, strict=True):
        pieces += lines(table), (np.packbits(indexes) if width == _BITS else indexes).tobytes()
    return pieces


def rows_of(pieces: deque[bytes]) -> PackedRows:
    """The next rows in a series of what `pieces_of` gave."""
    head: _Head = unpack(_Head, pieces.popleft())
    tables: list[tuple[bytes, ...]] = []
    indexes: list[Column] = []
    if not head.slots or not all(head.slots):
        raise NotData("rows without slots")
    for _, width in zip(head.slots, head.widths, strict=True):
        tables.append(unlined(pieces.popleft()))
        indexes.append(column_of(pieces.popleft(), width, head.rows, len(tables[-1])))
    return PackedRows(head.layout, head.slots, tuple(tables), tuple(indexes))


def column_of(data: bytes, width: int, count: int, below: int) -> Column:
    """A column of so many numbers, all below a bound, of so many bytes, or one bit, each. Raises `NotData`."""
    if len(data) != ((count + 7) // 8 if width == _BITS else width * count) or width not in _WIDTHS:
        raise NotData("a column of another length")
    column = np.frombuffer(data, dtype=_WIDTHS[width])
    if width == _BITS:
        column = np.unpackbits(column, count=count)
    if count and column.max() >= below:
        raise NotData("an index that the table does not have")
    return column


_WIDTHS: Final = {_BITS: np.dtype("<u1"), **{width: np.dtype(f"<u{width}") for width in (1, 2, 4, 8)}}


class RowCodec:
    """Packs and unpacks rows of one process. `refit` makes a packing fit again, with so much room."""

    def __init__(self, space: Space, values: StateCodec, refit: Callable[[Packing, Capacity], None]) -> None:
        self.space = space
        self.values = values
        self.refit = refit

    def pack(self, packing: Packing, rows: Rows) -> PackedRows:
        """Rows of one packing, for processes that divide values as this one does."""
        columns = [self._part(packing, rows, slot) for slot in packing.fields]
        # Most elements are in few states.
        return self._packed(packing, [column for column in columns if column[1] != (b"",) or not is_element(column[0])])

    def pack_whole(self, packing: Packing, rows: Rows) -> PackedRows:
        """Rows of one packing, for any process."""
        columns = [self._whole(packing, rows, slot) for slot in packing.layout.slots]
        return self._packed(packing, columns + [self._part(packing, rows, slot) for slot in packing.room.slots()])

    def _packed(self, packing: Packing, columns: list[_Column]) -> PackedRows:
        slots, tables, indexes = zip(*columns, strict=True)
        return PackedRows(packing.layout.slots, slots, tables, indexes)

    def _part(self, packing: Packing, rows: Rows, slot: Slot) -> _Column:
        """The values of a slot of a packing."""
        indexes, codes = _used(packing.codes(rows, slot), len(packing.fields[slot].table))
        held = packing.fields[slot].table.ids
        return self._column(slot, indexes, [held[code] for code in codes.tolist()])

    def _whole(self, packing: Packing, rows: Rows, slot: Slot) -> _Column:
        """The values of a slot of the layout, built from their parts."""
        indexes, examples = _distinct(packing, rows, packing.tables.below(slot))
        held = [packing.tables.whole(slot, partial(packing.number, rows, row)) for row in examples.tolist()]
        return self._column(slot, indexes, held)

    def _column(self, slot: Slot, indexes: Ints, held: list[int]) -> _Column:
        table = tuple(b"" if number == UNBOUND else self.values.write(number) for number in held)
        return slot, table, narrow(indexes, len(held))

    def unpack(self, chosen: list[tuple[PackedRows, Ints]]) -> tuple[Packing, Rows]:
        """Some rows of one layout, one after the other, in the codes of this process."""
        layout = self.space.machine.transitions.layouts.ordered(chosen[0][0].layout)
        packing = self.space.packing(layout)
        room = packing.room
        for batch, _ in chosen:
            room = room.beside(Capacity.listed(batch.slots))
        total = sum(len(rows) for _, rows in chosen)
        begin = 0
        codes: dict[Slot, Ints] = {}
        for batch, rows in chosen:
            for slot, table, indexes in zip(batch.slots, batch.tables, batch.indexes, strict=True):
                there = indexes[rows]
                for part, of_value in self._codes(slot, table).items():
                    column = codes.get(part)
                    if column is None:
                        column = codes[part] = np.zeros(total, dtype=np.int64)
                    column[begin : begin + len(rows)] = of_value[there]
            begin += len(rows)
        if packing.outgrown or room != packing.room:
            self.refit(packing, room)
        found = Rows([np.zeros(total, dtype=np.uint64) for _ in range(packing.width)])
        for part, column in codes.items():
            field = packing.fields[part]
            found.words[field.word] |= column.astype(np.uint64) << field.shift
        return packing, found

    def _codes(self, slot: Slot, table: tuple[bytes, ...]) -> dict[Slot, Ints]:
        """The codes of the values in a table, for each part that some of them have."""
        tables = self.space.tables
        codes: dict[Slot, Ints] = {}
        for index, data in enumerate(table):
            if not data:
                continue
            number = self.values.load(data)
            held = [(slot, number)] if slot[0] in LISTED else tables.divided(slot, number)
            for part, value in held:
                if part not in codes:
                    codes[part] = np.zeros(len(table), dtype=np.int64)
                if is_element(part):
                    tables.divider.element(value)
                codes[part][index] = tables.of(part).code(value)
        return codes


def narrow(column: Ints, size: int) -> Column:
    """A column of numbers below `size` in as few bytes as they need."""
    return column.astype(np.min_scalar_type(max(0, size - 1)))


def _distinct(packing: Packing, rows: Rows, slots: list[Slot]) -> tuple[Ints, Ints]:
    """Groups rows that are equal in some slots: a number per row, and a row for each number."""
    numbers, count = np.zeros(len(rows), dtype=np.int64), 1
    for slot in slots:
        field = packing.fields.get(slot)
        if field is not None:
            size = len(field.table)
            numbers, used = _used(numbers * size + packing.codes(rows, slot), count * size)
            count = len(used)
    examples = np.empty(count, dtype=np.int64)
    examples[numbers[::-1]] = np.arange(len(rows))[::-1]
    return numbers, examples


def _used(numbers: Ints, size: int) -> tuple[Ints, Ints]:
    """The indexes of numbers among those that are used, and these. All numbers are below `size`."""
    if size <= max(_DENSE, 4 * len(numbers)):
        present = np.zeros(size, dtype=np.bool_)
        present[numbers] = True
        ranks = np.cumsum(present) - 1
        return ranks[numbers], np.flatnonzero(present)
    used, indexes = np.unique(numbers, return_inverse=True)
    return indexes, used
