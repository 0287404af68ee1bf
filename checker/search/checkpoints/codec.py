"""States and candidates in bytes, by value: the ids in a state mean nothing outside the process that made it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fizz.base.data import NotData, bundle, pack, unbundle, unpack
from interpreter import Machine
from interpreter.state.state import Layout, State
from interpreter.state.step import StepOrder

_Slots = tuple[tuple[Any, ...], ...]


def lines(values: Iterable[bytes]) -> bytes:
    """Values in bytes, which have no newlines in them, joined."""
    return b"\n".join((*values, b""))


def unlined(data: bytes) -> tuple[bytes, ...]:
    """The values that `lines` joined."""
    *values, rest = data.split(b"\n")
    if rest:
        raise NotData("the last line has no end")
    return tuple(values)


class PackedStates(NamedTuple):
    """A batch of states. Layouts and distinct values are written once; a state is a row of indexes into these tables.

    A row is: layout, number of threads, number of messages, then the values, threads and messages. `first` are the
    indexes at which rows begin.
    """

    layouts: tuple[tuple[tuple[str | int, ...], ...], ...]
    values: tuple[bytes, ...]
    rows: bytes
    first: bytes

    def to_bytes(self) -> bytes:
        """The batch in bytes."""
        return bundle([pack(tuple[_Slots, ...], self.layouts), lines(self.values), self.rows, self.first])

    @classmethod
    def from_bytes(cls, data: bytes) -> PackedStates:
        """What `to_bytes` wrote. Raises `NotData`."""
        layouts, values, rows, first = unbundle(data, 4)
        return cls(unpack(tuple[_Slots, ...], layouts), unlined(values), rows, first)


class StateCodec:
    """Packs and unpacks the states of one machine. Values that were met before are neither written nor read anew."""

    def __init__(self, machine: Machine) -> None:
        self._values = machine.values
        self._layouts = machine.transitions.layouts
        self._written: dict[int, bytes] = {}
        self._read: dict[bytes, int] = {}

    def pack_states(self, states: Iterable[State]) -> PackedStates:
        layouts: dict[Layout, int] = {}
        values: dict[int, int] = {}
        rows = array("I")
        first = array("Q", [0])
        for state in states:
            rows.append(layouts.setdefault(state.layout, len(layouts)))
            rows.append(len(state.threads))
            rows.append(len(state.messages))
            for group in (state.values, state.threads, state.messages):
                rows.extend([values.setdefault(number, len(values)) for number in group])
            first.append(len(rows))
        return PackedStates(
            tuple(layout.slots for layout in layouts),
            tuple(self.write(number) for number in values),
            rows.tobytes(),
            first.tobytes(),
        )

    def unpack_states(self, packed: PackedStates) -> UnpackedStates:
        """Raises `NotData` where rows and tables do not go together."""
        _demand_rows(packed)
        layouts = [self._layouts.ordered(slots) for slots in packed.layouts]
        values = [self.load(data) for data in packed.values]
        return UnpackedStates(layouts, values, array("I", packed.rows), array("Q", packed.first))

    def write(self, number: int) -> bytes:
        """A value in a line of bytes."""
        data = self._written.get(number)
        if data is None:
            data = self._written[number] = self._values.portable(number)
        return data

    def load(self, data: bytes) -> int:
        """The id of a value in bytes. Raises `NotData`."""
        number = self._read.get(data)
        if number is None:
            number = self._read[data] = self._values.load(data)
        return number


def _demand_rows(packed: PackedStates) -> None:
    rows, first = np.frombuffer(packed.rows, dtype=np.uint32), np.frombuffer(packed.first, dtype=np.uint64)
    if not len(first) or first[0] or first[-1] != len(rows) or (first[1:] < first[:-1] + 3).any():
        raise NotData("rows that do not follow one another")
    begin = first[:-1].astype(np.int64)
    if not len(begin):
        return
    sizes = np.array([len(slots) for slots in packed.layouts], dtype=np.int64)
    layouts = rows[begin].astype(np.int64)
    values = np.ones(len(rows), dtype=np.bool_)
    for index in range(3):
        values[begin + index] = False
    if layouts.max() >= len(sizes) or rows[values].max(initial=0) >= max(1, len(packed.values)):
        raise NotData("a row with an index that its tables do not have")
    inside = sizes[layouts] + rows[begin + 1] + rows[begin + 2]
    if (inside != np.diff(first.astype(np.int64)) - 3).any() or (values.any() and not packed.values):
        raise NotData("a row of another length than its layout")


class UnpackedStates:
    """A batch of states in the ids of this process; each is built when it is asked for."""

    __slots__ = ("_first", "_layouts", "_rows", "_values")

    def __init__(self, layouts: list[Layout], values: list[int], rows: array[int], first: array[int]) -> None:
        self._layouts = layouts
        self._values = values
        self._rows = rows
        self._first = first

    def __len__(self) -> int:
        return len(self._first) - 1

    def state(self, index: int) -> State:
        begin, end = self._first[index], self._first[index + 1]
        layout = self._layouts[self._rows[begin]]
        ids = [self._values[i] for i in self._rows[begin + 3 : end]]
        threads = len(layout.slots)
        messages = threads + self._rows[begin + 1]
        return State(layout, tuple(ids[:threads]), tuple(ids[threads:messages]), tuple(ids[messages:]))


class SuccessorRecord(NamedTuple):
    """A state that a step from `source` leads to; `starts` and `crashes` as in the language page, 9.2 and 12.4."""

    key: int
    source: int
    order: StepOrder
    starts: int
    crashes: int
    state: State


def pack_orders(orders: Iterable[StepOrder]) -> tuple[bytes, bytes]:
    """Orders in two columns: a table of the distinct ones, sorted, and the index of each in it."""
    listed = list(orders)
    table = {order: index for index, order in enumerate(sorted(set(listed)))}
    numbers = array("I", [table[order] for order in listed])
    return pack(tuple[StepOrder, ...], table), numbers.tobytes()


def pack_numbered(orders: Sequence[StepOrder], numbers: NDArray[np.int64]) -> tuple[bytes, bytes]:
    """`pack_orders` of those among `orders` that have these numbers."""
    used, indexes = np.unique(numbers, return_inverse=True)
    # The numbers are those of this process; the table is the same in every process.
    ranked = sorted([(orders[number], index) for index, number in enumerate(used.tolist())])
    ranks = np.empty(len(ranked), dtype=np.uint32)
    ranks[[index for _, index in ranked]] = np.arange(len(ranked))
    return pack(tuple[StepOrder, ...], [order for order, _ in ranked]), ranks[indexes].tobytes()


def unpack_orders(table: bytes, numbers: bytes) -> list[StepOrder]:
    """The orders that `pack_orders` wrote. Raises `NotData`."""
    orders: tuple[StepOrder, ...] = unpack(tuple[StepOrder, ...], table)
    indexes = array("I", numbers)
    if indexes and max(indexes) >= len(orders):
        raise NotData("an order that the table does not have")
    return [orders[i] for i in indexes]
