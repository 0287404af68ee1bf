"""Candidates in columns, in bytes: what the tasks of a level send each other where they go by columns."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from checker.engines.columns.batch import Batch
from checker.engines.columns.expand import Frontier
from checker.engines.columns.packing import Packing
from checker.engines.columns.tables import Ints, Words, halves
from checker.engines.spark.codec import Candidate, StateCodec
from checker.engines.spark.row_codec import Column, PackedRows, RowCodec, narrow
from interpreter.state import UNBOUND, Layout
from interpreter.step import StepOrder

_LEVEL: Final = 1
_PROTOCOL: Final = 5
_KEY_HALF: Final = 8

NO_ORDER: Final = StepOrder((), (), 0)
"""Of states that are handed over: they have been given their parents by the local run."""


class PackedBatch(NamedTuple):
    """Candidates of one layout.

    `high`, `low`: halves of the keys; `source_high`, `source_low` of the sources' keys. `orders` are places in a table.
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
            PackedRows(there.layout, there.slots, there.tables, tuple([column[rows] for column in there.places])),
            self.high[rows],
            self.low[rows],
            self.source_high[rows],
            self.source_low[rows],
            self.order_table,
            self.orders[rows],
            self.starts[rows],
            self.crashes[rows],
        )


class Sources(NamedTuple):
    """The keys of the states that steps lead from, in halves, by number."""

    high: Words
    low: Words


def pack_batch(codec: RowCodec, packing: Packing, batch: Batch, sources: Sources) -> PackedBatch:
    """The rows of a batch, which are some."""
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


def batches_of(candidates: Sequence[Candidate], values: StateCodec) -> list[PackedBatch]:
    """Candidates that were made one by one; they have parents already, and are sorted by key."""
    layouts: dict[Layout, list[Candidate]] = {}
    for candidate in candidates:
        layouts.setdefault(candidate.state.layout, []).append(candidate)
    return [_batch_of(layout, members, values) for layout, members in layouts.items()]


def _batch_of(layout: Layout, candidates: list[Candidate], values: StateCodec) -> PackedBatch:
    most = max(len(c.state.threads) for c in candidates)
    columns: list[list[int]] = [[c.state.values[i] for c in candidates] for i in range(len(layout.slots))]
    columns += [[(*c.state.threads, *[UNBOUND] * most)[i] for c in candidates] for i in range(most)]
    tables: list[tuple[bytes, ...]] = []
    places: list[Column] = []
    for column in columns:
        known = {number: place for place, number in enumerate(dict.fromkeys(column))}
        tables.append(tuple(b"" if number == UNBOUND else values.write(number) for number in known))
        places.append(narrow(np.array([known[number] for number in column], dtype=np.int64), len(known)))
    slots = (*layout.slots, *[("thread", place) for place in range(most)])
    orders = {order: place for place, order in enumerate(dict.fromkeys(c.order for c in candidates))}
    return PackedBatch(
        PackedRows(layout.slots, slots, tuple(tables), tuple(places)),
        *halves([c.key for c in candidates]),
        *halves([c.source for c in candidates]),
        tuple(orders),
        narrow(np.array([orders[c.order] for c in candidates], dtype=np.int64), len(orders)),
        np.array([c.starts for c in candidates], dtype=np.int64),
        np.array([c.crashes for c in candidates], dtype=np.int64),
    )


def to_bytes(batches: list[PackedBatch]) -> bytes:
    """Batches as they are sent; none is no bytes."""
    if not batches:
        return b""
    columns: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(batches, _PROTOCOL, buffer_callback=columns.append)
    return pickle.dumps((zlib.compress(rest, _LEVEL), [_deflated(column) for column in columns]), _PROTOCOL)


def _deflated(column: pickle.PickleBuffer) -> tuple[bool, bytes]:
    """A column in bytes. Keys stay as they are: there is nothing to take off, and trying takes most of the time."""
    data = memoryview(column)
    small = data.itemsize < _KEY_HALF
    return small, zlib.compress(data, _LEVEL) if small else data.tobytes()


def joined(boxes: list[bytes]) -> bytes:
    """Several of what `to_bytes` wrote, as one part of a file; none is no bytes."""
    return pickle.dumps(boxes, _PROTOCOL) if boxes else b""


def pieces(data: bytes) -> list[bytes]:
    """What `joined` joined."""
    boxes: list[bytes] = pickle.loads(data) if data else []
    return boxes


def from_bytes(data: bytes) -> list[PackedBatch]:
    """What `to_bytes` wrote."""
    if not data:
        return []
    rest, columns = pickle.loads(data)
    buffers = [zlib.decompress(column) if small else column for small, column in columns]
    found: list[PackedBatch] = pickle.loads(zlib.decompress(rest), buffers=buffers)
    return found
