"""Candidates in columns, in bytes: what the tasks of a level send each other, whether they go by columns or by rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from checker.search.checkpoints.codec import StateCodec, SuccessorRecord
from checker.search.checkpoints.row_codec import (
    Column,
    PackedRows,
    RowCodec,
    column_of,
    narrow,
    pieces_of,
    rows_of,
)
from checker.search.columns.batch import Batch
from checker.search.columns.capacity import THREAD, Capacity
from checker.search.columns.code_tables import Ints, Words, halves
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.packing import Packing
from checker.search.spark.liveness.share import by_owner
from fizz.base.data import AnyBytes, NotData, bundle, deflate, inflate, pack, unbundle, unpack
from interpreter.state.state import UNBOUND, Layout
from interpreter.state.step import StepOrder

_KEY_HALF: Final = 8
_KEY_COLUMNS: Final = 4
_MOST: Final = 1 << 31
_HALF_OF_HALF: Final = np.uint64(32)

_NO_KEYS: Final = np.zeros(0, dtype=np.uint64)

NO_ORDER: Final = StepOrder((), (), 0)
"""Of states that are handed over: the local run has their parents."""


class PackedBatch(NamedTuple):
    """Candidates of one layout.

    `high`, `low`: halves of the keys; `source_high`, `source_low` of the sources' keys. `orders`: indexes into a table.
    """

    rows: PackedRows
    high: Words
    low: Words
    source_high: Words
    source_low: Words
    order_table: tuple[StepOrder, ...]
    orders: Column
    starts: Column
    crashes: Column

    def take(self, rows: Ints) -> PackedBatch:
        """Some of the candidates."""
        there = self.rows
        return PackedBatch(
            there._replace(indexes=tuple([column[rows] for column in there.indexes])),
            self.high[rows],
            self.low[rows],
            self.source_high[rows],
            self.source_low[rows],
            self.order_table,
            self.orders[rows],
            self.starts[rows],
            self.crashes[rows],
        )


class SourceKeys(NamedTuple):
    """The keys of the states that steps lead from, in halves, by number."""

    high: Words
    low: Words


def pack_batch(codec: RowCodec, packing: Packing, batch: Batch, sources: SourceKeys) -> PackedBatch:
    """The rows of a batch, which is not empty."""
    used, orders = np.unique(batch.orders, return_inverse=True)
    return PackedBatch(
        codec.pack(packing, batch.rows),
        batch.high,
        batch.low,
        sources.high[batch.parents],
        sources.low[batch.parents],
        tuple(codec.space.orders[number] for number in used.tolist()),
        narrow(orders, len(used)),
        narrow(batch.starts, int(batch.starts.max()) + 1),
        narrow(batch.crashes, int(batch.crashes.max()) + 1),
    )


def waiting_batches(
    codec: RowCodec, frontier: Sequence[Frontier], partition: int, partitions: int
) -> list[PackedBatch]:
    """The states of one partition that wait in columns; they have parents already."""
    found: list[PackedBatch] = []
    for part in frontier:
        own = np.flatnonzero(part.low % np.uint64(partitions) == partition)
        if len(own):
            starts = part.starts[own]
            nowhere = np.zeros(len(own), dtype=np.uint64)
            found.append(
                PackedBatch(
                    codec.pack(part.packing, part.rows.take(own)),
                    part.high[own],
                    part.low[own],
                    nowhere,
                    nowhere,
                    (NO_ORDER,),
                    np.zeros(len(own), dtype=np.uint8),
                    starts,
                    part.crashes[own],
                )
            )
    return found


def batches_of(candidates: Sequence[SuccessorRecord], values: StateCodec) -> list[PackedBatch]:
    """Candidates that were made one by one, sorted by key; for each layout a batch."""
    layouts: dict[Layout, list[SuccessorRecord]] = {}
    for candidate in candidates:
        layouts.setdefault(candidate.state.layout, []).append(candidate)
    return [_batch_of(layout, members, values) for layout, members in layouts.items()]


def _batch_of(layout: Layout, candidates: list[SuccessorRecord], values: StateCodec) -> PackedBatch:
    columns: list[list[int]] = [[c.state.values[i] for c in candidates] for i in range(len(layout.slots))]
    room = Capacity.of(candidate.state for candidate in candidates)
    listed = ([c.state.threads for c in candidates], [c.state.messages for c in candidates])
    for most, parked in zip(room, listed, strict=True):
        columns += [[(*held, *[UNBOUND] * most)[i] for held in parked] for i in range(most)]
    slots = (*layout.slots, *room.slots())
    if not slots:
        # There is at least one column.
        columns, slots = [[UNBOUND] * len(candidates)], ((THREAD, 0),)
    tables: list[tuple[bytes, ...]] = []
    indexes: list[Column] = []
    for column in columns:
        known = {number: index for index, number in enumerate(dict.fromkeys(column))}
        tables.append(tuple(b"" if number == UNBOUND else values.write(number) for number in known))
        indexes.append(narrow(np.array([known[number] for number in column], dtype=np.int64), len(known)))
    orders = {order: index for index, order in enumerate(dict.fromkeys(c.order for c in candidates))}
    return PackedBatch(
        PackedRows(layout.slots, slots, tuple(tables), tuple(indexes)),
        *halves([c.key for c in candidates]),
        *halves([c.source for c in candidates]),
        tuple(orders),
        narrow(np.array([orders[c.order] for c in candidates], dtype=np.int64), len(orders)),
        np.array([c.starts for c in candidates], dtype=np.int64),
        np.array([c.crashes for c in candidates], dtype=np.int64),
    )


class _Head(NamedTuple):
    """How many candidates there are, their orders, and how many bytes an index, starts and crashes take each."""

    rows: int
    order_table: tuple[StepOrder, ...]
    orders: int
    starts: int
    crashes: int


def to_bytes(batches: list[PackedBatch]) -> bytes:
    """Batches as they are sent; none is no bytes."""
    if not batches:
        return b""
    small = [piece for batch in batches for piece in _pieces_of(batch)]
    # Keys are not deflated: they are random, and trying takes most of the time.
    keys = [half.tobytes() for b in batches for half in (b.high, b.low, b.source_high, b.source_low)]
    return bundle([deflate(bundle(small)), *keys])


def _pieces_of(batch: PackedBatch) -> list[bytes]:
    columns = (batch.orders, batch.starts, batch.crashes)
    head = _Head(len(batch.high), batch.order_table, *[column.itemsize for column in columns])
    return [*pieces_of(batch.rows), pack(_Head, head), *[column.tobytes() for column in columns]]


def joined(boxes: list[bytes]) -> bytes:
    """Several results of `to_bytes` as one part of a file; none is no bytes."""
    full = [box for box in boxes if box]
    return bundle(full) if full else b""


def pieces(data: AnyBytes) -> list[AnyBytes]:
    """What `joined` joined."""
    return unbundle(data) if data else []


def from_bytes(data: bytes) -> list[PackedBatch]:
    """What `to_bytes` wrote. What it raises for anything else is in `UNREADABLE`."""
    if not data:
        return []
    small, *keys = unbundle(data)
    left, halves = deque(unbundle(inflate(small))), deque(keys)
    batches: list[PackedBatch] = []
    while left or halves:
        batches.append(_batch_from(left, halves))
    return batches


def _batch_from(pieces: deque[bytes], keys: deque[bytes]) -> PackedBatch:
    rows = rows_of(pieces)
    head: _Head = unpack(_Head, pieces.popleft())
    if head.rows != len(rows.indexes[0]):
        raise NotData("another number of candidates than of states")
    orders = column_of(pieces.popleft(), head.orders, head.rows, len(head.order_table))
    starts = column_of(pieces.popleft(), head.starts, head.rows, _MOST)
    crashes = column_of(pieces.popleft(), head.crashes, head.rows, _MOST)
    high, low, source_high, source_low = (_half(keys.popleft(), head.rows) for _ in range(_KEY_COLUMNS))
    return PackedBatch(rows, high, low, source_high, source_low, head.order_table, orders, starts, crashes)


def _half(data: bytes, count: int) -> Words:
    if len(data) != _KEY_HALF * count:
        raise NotData("another number of keys than of states")
    return np.frombuffer(data, dtype=np.uint64)


def divided(data: bytes, partitions: int) -> Iterator[tuple[list[bytes], int]]:
    """The candidates in a part of a file for each of so many partitions, as `to_bytes` gives them, and their number."""
    boxes: list[list[bytes]] = [[] for _ in range(partitions)]
    counts = [0] * partitions
    for piece in pieces(data):
        found: list[list[PackedBatch]] = [[] for _ in range(partitions)]
        for batch in from_bytes(piece):
            for partition, own in enumerate(by_owner(batch.low % np.uint64(partitions), partitions)):
                if len(own):
                    taken = batch.take(own)
                    found[partition].append(taken._replace(rows=taken.rows.compact()))
                    counts[partition] += len(own)
        for box, some in zip(boxes, found, strict=True):
            if some:
                box.append(to_bytes(some))
    yield from zip(boxes, counts, strict=True)


def by_place(batch: Batch, partitions: int, ranges: int) -> list[Ints]:
    """The rows of a batch by partition, and in a partition by range of the key, of so many that are equally wide."""
    ranges_of = slice_of(batch.high, ranges)
    return by_owner(batch.low % np.uint64(partitions) * np.uint64(ranges) + ranges_of, partitions * ranges)


def slice_of(high: Words, slices: int) -> Words:
    """In which of so many slices, by key, states are; `high`: the upper halves of their keys."""
    found: Words = (high >> _HALF_OF_HALF) * np.uint64(slices) >> _HALF_OF_HALF
    return found


def highs_of(data: memoryview) -> Words:
    """The upper halves of the keys of what `to_bytes` wrote. What it raises for anything else is in `UNREADABLE`."""
    halves = unbundle(data)[1::_KEY_COLUMNS]
    return np.concatenate([np.frombuffer(half, dtype=np.uint64) for half in halves]) if halves else _NO_KEYS
