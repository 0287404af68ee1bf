"""Rows of columns in bytes, by value.

Numbers that stand for values differ between processes, and a checkpoint may be read by one that divides them otherwise.
So rows tell whole values: for each slot a table of the distinct ones, and per row a place in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.columns.packing import Packing, Rows
from checker.engines.columns.space import Space
from checker.engines.columns.tables import Ints
from checker.engines.spark.codec import StateCodec
from interpreter import Machine
from interpreter.state import UNBOUND, Slot, State

_DENSE: Final = 1 << 16

Column = NDArray[Any]


class PackedRows(NamedTuple):
    """States of one layout. `tables`: the distinct values of each slot (an empty one: b""), `places`: each row's value.

    First come the slots of the layout, then the places for threads. There is a slot at least.
    """

    layout: tuple[Slot, ...]
    tables: tuple[tuple[bytes, ...], ...]
    places: tuple[Column, ...]

    def state(self, row: int, machine: Machine, values: StateCodec) -> State:
        """One state as the machine knows it."""
        layout = machine.transitions.layouts.ordered(self.layout)
        count = len(layout.slots)
        held = [table[int(places[row])] for table, places in zip(self.tables, self.places, strict=True)]
        loaded = tuple(values.load(data) for data in held[:count])
        return State(layout, loaded, tuple(values.load(data) for data in held[count:] if data))


class RowCodec:
    """Packs and unpacks rows of one process. `refit` makes a packing fit again, for so many threads."""

    def __init__(self, space: Space, values: StateCodec, refit: Callable[[Packing, int], None]) -> None:
        self.space = space
        self.values = values
        self.refit = refit

    def pack(self, packing: Packing, rows: Rows) -> PackedRows:
        """Rows of one packing."""
        tables: list[tuple[bytes, ...]] = []
        places: list[Column] = []
        for slot in packing.layout.slots:
            place, examples = _distinct(packing, rows, packing.tables.below(slot))
            ids = [packing.tables.whole(slot, partial(packing.number, rows, row)) for row in examples.tolist()]
            tables.append(tuple(map(self.values.write, ids)))
            places.append(narrow(place, len(ids)))
        for thread in range(packing.threads):
            place, examples = _distinct(packing, rows, [("thread", thread)])
            ids = [packing.number(rows, row, ("thread", thread)) for row in examples.tolist()]
            tables.append(tuple(b"" if number == UNBOUND else self.values.write(number) for number in ids))
            places.append(narrow(place, len(ids)))
        return PackedRows(packing.layout.slots, tuple(tables), tuple(places))

    def unpack(self, chosen: list[tuple[PackedRows, Ints]]) -> tuple[Packing, Rows]:
        """Some rows of one layout, one after the other, in the codes of this process."""
        layout = self.space.machine.transitions.layouts.ordered(chosen[0][0].layout)
        packing = self.space.packing(layout)
        count = len(layout.slots)
        threads = max(packing.threads, *[len(batch.tables) - count for batch, _ in chosen])
        total = sum(len(rows) for _, rows in chosen)
        begin = 0
        codes: dict[Slot, Ints] = {}
        for batch, rows in chosen:
            for position, (table, places) in enumerate(zip(batch.tables, batch.places, strict=True)):
                slot = layout.slots[position] if position < count else ("thread", position - count)
                there = places[rows]
                for part, of_value in self._codes(slot, table).items():
                    column = codes.get(part)
                    if column is None:
                        column = codes[part] = np.zeros(total, dtype=np.int64)
                    column[begin : begin + len(rows)] = of_value[there]
            begin += len(rows)
        if packing.outgrown or threads > packing.threads:
            self.refit(packing, threads)
        found = Rows([np.zeros(total, dtype=np.uint64) for _ in range(packing.width)])
        for part, column in codes.items():
            field = packing.fields[part]
            found.words[field.word] |= column.astype(np.uint64) << field.shift
        return packing, found

    def _codes(self, slot: Slot, table: tuple[bytes, ...]) -> dict[Slot, Ints]:
        """The codes of the values in a table, for each part that some of them have."""
        tables = self.space.tables
        codes: dict[Slot, Ints] = {}
        for place, data in enumerate(table):
            if not data:
                continue
            number = self.values.load(data)
            held = [(slot, number)] if slot[0] == "thread" else tables.divided(slot, number)
            for part, value in held:
                if part not in codes:
                    codes[part] = np.zeros(len(table), dtype=np.int64)
                codes[part][place] = tables.of(part).code(value)
        return codes


def narrow(column: Ints, size: int) -> Column:
    """A column of numbers below `size` in as few bytes as they need."""
    return column.astype(np.min_scalar_type(max(0, size - 1)))


def _distinct(packing: Packing, rows: Rows, slots: list[Slot]) -> tuple[Ints, Ints]:
    """Which rows hold the same in some slots: a number per row, and a row for each number."""
    numbers, count = np.zeros(len(rows), dtype=np.int64), 1
    for slot in slots:
        field = packing.fields.get(slot)
        if field is not None:
            size = len(field.table)
            numbers, count = _compact(numbers * size + packing.codes(rows, slot), count * size)
    examples = np.empty(count, dtype=np.int64)
    examples[numbers[::-1]] = np.arange(len(rows))[::-1]
    return numbers, examples


def _compact(numbers: Ints, size: int) -> tuple[Ints, int]:
    """The same distinctions by numbers without gaps, and how many there are. All numbers are below `size`."""
    if size <= max(_DENSE, 4 * len(numbers)):
        present = np.zeros(size, dtype=np.bool_)
        present[numbers] = True
        ranks = np.cumsum(present) - 1
        return ranks[numbers], int(present.sum())
    used, inverse = np.unique(numbers, return_inverse=True)
    return inverse, len(used)
