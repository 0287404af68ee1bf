"""One level of one partition by columns: what `partition` does row by row, with the fast engine's machinery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from checker.engines.columns.batch import Batch
from checker.engines.columns.expand import Frontier
from checker.engines.columns.packing import Packing
from checker.engines.columns.run import ColumnsRun
from checker.engines.columns.space import Space
from checker.engines.columns.store import Store as States
from checker.engines.columns.tables import Ints, Words
from checker.engines.expander import Expander
from checker.engines.protocol import Level
from checker.engines.spark.assignment import Assignment, found_file, outbound_file
from checker.engines.spark.batches import PackedBatch, Sources, from_bytes, pack_batch, to_bytes
from checker.engines.spark.codec import StateCodec, pack_orders
from checker.engines.spark.keys import Keys, key_array
from checker.engines.spark.row_codec import RowCodec
from checker.engines.spark.store import Store
from checker.engines.spark.visited import KeyFiles, add_keys, seen

_SAMPLE: Final = 100


@dataclass(slots=True)
class Columns:
    """What a worker keeps from task to task."""

    run: ColumnsRun
    codec: RowCodec

    @classmethod
    def of(cls, expander: Expander, values: StateCodec, batches: list[PackedBatch]) -> Columns:
        """The columns of a worker that has not begun. Some candidates tell how values are best divided."""
        machine = expander.machine
        for batch in batches:
            for row in range(0, len(batch.high), max(1, len(batch.high) * len(batches) // _SAMPLE)):
                state = batch.rows.state(row, machine, values)
                expander.expand(state, machine.key(state), False, Level())
        expander.acted.clear()
        if not expander.symmetric:
            expander.memory.forget_reads(machine.divider.gather())
        space = Space(expander, expander.symmetric)
        run = ColumnsRun(expander.task, space, States(), None)
        return cls(run, RowCodec(space, values, run.refit))


@dataclass(slots=True)
class Newcomers:
    """The new states of a level, by key: halves, sources, places in the run's orders, starts, and where to find each.

    Candidate `rows[i]` of batch `batches[i]`.
    """

    keys: Keys
    high: Words
    low: Words
    sources: bytes
    orders: Ints
    starts: Ints
    batches: Ints
    rows: Ints


class ColumnPartition:
    """The work of one task. All it writes is a function of its assignment: any number of attempts come to the same."""

    def __init__(
        self, assignment: Assignment, partitions: int, store: Store, columns: Columns, batches: list[PackedBatch]
    ) -> None:
        self.assignment = assignment
        self.partitions = partitions
        self.store = store
        self.columns = columns
        self.batches = batches
        self.arrived = Level()
        self.expanded = Level()
        self.outbound: tuple[int, ...] = (0,) * partitions

    def run(self) -> KeyFiles:
        """Do the work; what this partition has seen then. `arrived`, `expanded` and `outbound` are then known."""
        given, run = self.assignment, self.columns.run
        run.store = States()
        run.judge.recorded = {key: bytearray() for key in run.judge.recorded}
        visited = given.visited
        if not self.batches:
            return visited
        new = self._newcomers(self.batches)
        if not len(new.keys):
            return visited
        run.store.append(new.high, new.low, np.zeros(len(new.keys), dtype=np.int64), new.orders.astype(np.int32))
        frontier = self._frontier(self.batches, new)
        if given.judged:
            run.frontier = frontier
        else:
            run.take(frontier, self.arrived)
            self._write_found(new)
            visited = add_keys(self.store, visited, given.partition, given.level, new.keys)
        self._send(run.steps(self.expanded), Sources(new.high, new.low))
        return visited

    # --- taking in -------------------------------------------------------------------------------------------------

    def _newcomers(self, batches: list[PackedBatch]) -> Newcomers:
        """Of all candidates those that are new, each once, with the least parent by (order, key of the source)."""
        space = self.columns.run.space
        high = np.concatenate([b.high for b in batches])
        low = np.concatenate([b.low for b in batches])
        source_high = np.concatenate([b.source_high for b in batches])
        source_low = np.concatenate([b.source_low for b in batches])
        tables = [np.array([space.order(*order) for order in b.order_table], dtype=np.int64) for b in batches]
        orders = np.concatenate([table[b.orders] for table, b in zip(tables, batches, strict=True)])
        starts = np.concatenate([b.starts.astype(np.int64) for b in batches])
        lengths = [len(b.high) for b in batches]
        numbers = np.repeat(np.arange(len(batches)), lengths)
        rows = np.concatenate([np.arange(length) for length in lengths])
        order = np.lexsort((source_low, source_high, space.order_ranks()[orders], low, high))
        high, low = high[order], low[order]
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
        groups = np.flatnonzero(first)
        starts = np.minimum.reduceat(starts[order], groups)
        keys = _keys(high[groups], low[groups])
        # What the driver has judged is among what was seen.
        known = seen(self.store, () if self.assignment.judged else self.assignment.visited, keys)
        left = np.flatnonzero(~known)
        chosen = order[groups[left]]
        return Newcomers(
            keys[left],
            high[groups[left]],
            low[groups[left]],
            _keys(source_high[chosen], source_low[chosen]).tobytes(),
            orders[chosen],
            starts[left],
            numbers[chosen],
            rows[chosen],
        )

    def _frontier(self, batches: list[PackedBatch], new: Newcomers) -> list[Frontier]:
        """The new states in codes, by packing and then by key."""
        bound = self.columns.run.task.program.options.max_actions
        layouts: dict[object, list[int]] = {}
        for number, batch in enumerate(batches):
            layouts.setdefault(batch.rows.layout, []).append(number)
        found: list[Frontier] = []
        for members in layouts.values():
            places = [np.flatnonzero(new.batches == number) for number in members]
            some = [(batches[n].rows, new.rows[at]) for n, at in zip(members, places, strict=True) if len(at)]
            if not some:
                continue
            packing, rows = self.columns.codec.unpack(some)
            together = np.concatenate(places)
            by_key = np.argsort(together)
            own = together[by_key]
            starts = new.starts[own]
            cut = starts >= bound
            found.append(Frontier(packing, rows.take(by_key), own, starts, new.high[own], new.low[own], cut))
        return found

    def _write_found(self, new: Newcomers) -> None:
        run = self.columns.run
        table, numbers = pack_orders(run.space.orders[number] for number in new.orders.tolist())
        recorded = [bytes(answers) for answers in run.judge.recorded.values()]
        parts = [new.keys.tobytes(), new.sources, numbers, table, *recorded]
        self.store.write(found_file(self.assignment.level, self.assignment.partition), parts)

    # --- sending on ------------------------------------------------------------------------------------------------

    def _send(self, found: dict[Packing, Batch], sources: Sources) -> None:
        batches: list[list[PackedBatch]] = [[] for _ in range(self.partitions)]
        for packing, batch in found.items():
            owners = batch.low % np.uint64(self.partitions)
            for partition in range(self.partitions):
                own = np.flatnonzero(owners == partition)
                if len(own):
                    batches[partition].append(pack_batch(self.columns.codec, packing, batch.take(own), sources))
        self.outbound = tuple(sum(len(batch.high) for batch in part) for part in batches)
        if any(self.outbound):
            name = outbound_file(self.assignment.level, self.assignment.partition)
            self.store.write(name, [to_bytes(part) for part in batches])


def received(store: Store, assignment: Assignment) -> list[PackedBatch]:
    """What was sent to the partition of a task."""
    return [b for name in assignment.inbound for b in from_bytes(store.read(name, assignment.partition))]


def _keys(high: Words, low: Words) -> Keys:
    return key_array(np.stack([high, low], axis=1).astype(">u8").tobytes())
