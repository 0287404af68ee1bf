"""The states that wait to be expanded, in bytes: by value, like all states that leave a process."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.search.checkpoints.codec import PackedStates, StateCodec
from checker.search.contract.bounds import is_cut
from checker.search.rows.row_run import FrontierState, RowRun
from fizz.base.data import bundle, deflate, demand, inflate, unbundle
from interpreter.state.state import State

if TYPE_CHECKING:
    from checker.search.checkpoints.row_codec import PackedRows
    from checker.search.columns.column_run import ColumnRun

_SAMPLE: Final = 400
Numbers = NDArray[np.int64]


def pack_rows(run: RowRun) -> list[bytes]:
    """Numbers of the states and their starts (8 bytes each), and the states in the same order, one by one."""
    numbers = array("q", [waiting.number for waiting in run.waiting])
    starts = array("q", [waiting.starts for waiting in run.waiting])
    states = StateCodec(run.machine).pack_states(waiting.state for waiting in run.waiting)
    return [numbers.tobytes(), starts.tobytes(), deflate(states.to_bytes())]


def unpack_rows(run: RowRun, parts: Sequence[bytes]) -> None:
    """Give a run the frontier that `pack_rows` wrote. Raises `NotData`."""
    states = StateCodec(run.machine).unpack_states(PackedStates.from_bytes(inflate(parts[2])))
    numbers, starts = _numbers(parts, len(states), len(run.found.keys))
    run.waiting = [
        FrontierState(number, states.state(index), begun, run.found.cost(number)[1], is_cut(begun, run.bound))
        for index, (number, begun) in enumerate(zip(numbers.tolist(), starts.tolist(), strict=True))
    ]
    for waiting in run.waiting:
        demand(run.machine.key(waiting.state) == run.found.keys[waiting.number], "the state of a key")


class WaitingColumns(NamedTuple):
    """The same columns of numbers and starts, and the states of each packing, in pieces."""

    numbers: bytes
    starts: bytes
    pieces: list[bytes]


def waiting_columns(run: ColumnRun) -> WaitingColumns:
    """What waits in a run by columns, or in a part of one."""
    from checker.search.checkpoints.row_codec import RowCodec, pieces_of

    codec = RowCodec(run.space, StateCodec(run.space.machine), run.refit)
    parts = [part for part in run.frontier if len(part.rows)]
    numbers = b"".join(part.numbers.astype(np.int64).tobytes() for part in parts)
    starts = b"".join(part.starts.astype(np.int64).tobytes() for part in parts)
    pieces = [piece for part in parts for piece in pieces_of(codec.pack_whole(part.packing, part.rows))]
    return WaitingColumns(numbers, starts, pieces)


def pack_columns(parts: Sequence[WaitingColumns]) -> list[bytes]:
    """All that waits, in bytes."""
    numbers, starts, pieces = zip(*parts, strict=True)
    return [b"".join(numbers), b"".join(starts), deflate(bundle([piece for some in pieces for piece in some]))]


def sample(run: RowRun, parts: Sequence[bytes]) -> list[State]:
    """Some of the states that `pack_columns` wrote."""
    packed = _packed_rows(parts)
    values = StateCodec(run.machine)
    counts = [len(rows.indexes[0]) for rows in packed]
    apart = max(1, sum(counts) // _SAMPLE)
    return [
        rows.state(row, run.machine, values)
        for rows, count in zip(packed, counts, strict=True)
        for row in range(0, count, apart)
    ]


def unpack_columns(run: ColumnRun, parts: Sequence[bytes], bound: int) -> None:
    """Give a run the frontier that `pack_columns` wrote. `bound`: the starts from which a state is cut."""
    from checker.search.checkpoints.row_codec import RowCodec
    from checker.search.columns.batch import counts
    from checker.search.columns.column_frontier import Frontier

    codec = RowCodec(run.space, StateCodec(run.space.machine), run.refit)
    packed = _packed_rows(parts)
    numbers, starts = _numbers(parts, sum(len(rows.indexes[0]) for rows in packed), len(run.store))
    begin = 0
    for rows in packed:
        own = slice(begin, begin + len(rows.indexes[0]))
        begin = own.stop
        packing, words = codec.unpack([(rows, np.arange(own.stop - own.start))])
        high, low = run.store.halves(numbers[own])
        cut = is_cut(starts[own], bound)
        crashes = counts(run.store.crashes(numbers[own], run.space.orders))
        run.frontier.append(Frontier(packing, words, numbers[own], starts[own], crashes, high, low, cut))


def _packed_rows(parts: Sequence[bytes]) -> list[PackedRows]:
    from checker.search.checkpoints.row_codec import rows_of

    left = deque(unbundle(inflate(parts[2])))
    found: list[PackedRows] = []
    while left:
        found.append(rows_of(left))
    return found


def _numbers(parts: Sequence[bytes], count: int, found: int) -> tuple[Numbers, Numbers]:
    """Numbers and starts of so many states, which are among those found."""
    numbers, starts = (np.frombuffer(data, dtype=np.int64) for data in parts[:2])
    demand(len(numbers) == len(starts) == count, "a number for each state that waits")
    if count:
        demand(int(numbers.min()) >= 0 and int(numbers.max()) < found, "the states that wait")
        demand(int(starts.min()) >= 0, "starts")
    return numbers, starts
