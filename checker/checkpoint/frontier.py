"""The states that wait to be expanded, in bytes: by value, like all states that leave a process."""

from __future__ import annotations

import pickle
import zlib
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from checker.engines.rows import RowsRun, Waiting
from checker.engines.spark.codec import StateCodec
from interpreter.state import State

if TYPE_CHECKING:
    from checker.engines.columns.run import ColumnsRun
    from checker.engines.spark.row_codec import PackedRows

_LEVEL: Final = 1
_SAMPLE: Final = 400


def pack_rows(run: RowsRun) -> list[bytes]:
    """Numbers of the states and their starts (8 bytes each), and the states in the same order, one by one."""
    numbers = array("q", [waiting.number for waiting in run.waiting])
    starts = array("q", [waiting.starts for waiting in run.waiting])
    states = StateCodec(run.machine).pack_states(waiting.state for waiting in run.waiting)
    return [numbers.tobytes(), starts.tobytes(), _packed(states)]


def unpack_rows(run: RowsRun, parts: Sequence[bytes]) -> None:
    """Let a run wait for the states that `pack_rows` wrote."""
    states = StateCodec(run.machine).unpack_states(_unpacked(parts[2]))
    run.waiting = [
        Waiting(number, states.state(place), starts, run.found.cost(number)[1], starts >= run.bound)
        for place, (number, starts) in enumerate(zip(array("q", parts[0]), array("q", parts[1]), strict=True))
    ]


def pack_columns(run: ColumnsRun) -> list[bytes]:
    """The same columns of numbers and starts, and the states of each packing."""
    from checker.engines.spark.row_codec import RowCodec

    codec = RowCodec(run.space, StateCodec(run.space.machine), run.refit)
    parts = [part for part in run.frontier if len(part.rows)]
    numbers = b"".join(part.numbers.astype(np.int64).tobytes() for part in parts)
    starts = b"".join(part.starts.astype(np.int64).tobytes() for part in parts)
    return [numbers, starts, _packed([codec.pack_whole(part.packing, part.rows) for part in parts])]


def sample(run: RowsRun, parts: Sequence[bytes]) -> list[State]:
    """Some of the states that `pack_columns` wrote."""
    packed: list[PackedRows] = _unpacked(parts[2])
    values = StateCodec(run.machine)
    counts = [len(rows.places[0]) for rows in packed]
    apart = max(1, sum(counts) // _SAMPLE)
    return [
        rows.state(row, run.machine, values)
        for rows, count in zip(packed, counts, strict=True)
        for row in range(0, count, apart)
    ]


def unpack_columns(run: ColumnsRun, parts: Sequence[bytes], bound: int) -> None:
    """Let a run go on from the states that `pack_columns` wrote. `bound`: the starts from which a state is cut."""
    from checker.engines.columns.batch import counts
    from checker.engines.columns.expand import Frontier
    from checker.engines.spark.row_codec import RowCodec

    codec = RowCodec(run.space, StateCodec(run.space.machine), run.refit)
    numbers, starts = (np.frombuffer(data, dtype=np.int64) for data in parts[:2])
    packed: list[PackedRows] = _unpacked(parts[2])
    begin = 0
    for rows in packed:
        own = slice(begin, begin + len(rows.places[0]))
        begin = own.stop
        packing, words = codec.unpack([(rows, np.arange(own.stop - own.start))])
        high, low = run.store.halves(numbers[own])
        cut = starts[own] >= bound
        crashes = counts(run.store.crashes(numbers[own], run.space.orders))
        run.frontier.append(Frontier(packing, words, numbers[own], starts[own], crashes, high, low, cut))


def _packed(states: object) -> bytes:
    return zlib.compress(pickle.dumps(states, pickle.HIGHEST_PROTOCOL), _LEVEL)


def _unpacked(data: bytes) -> Any:
    return pickle.loads(zlib.decompress(data))
