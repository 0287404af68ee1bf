"""One level of one partition by columns: what `row_partition` does row by row."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.core.level import Level
from checker.liveness.graph import Graph
from checker.search.checkpoints.codec import StateCodec, pack_numbered
from checker.search.checkpoints.key_columns import WIDTH, Keys, indexes_of, key_column, keys_of
from checker.search.checkpoints.row_codec import RowCodec
from checker.search.columns.batch import Batch, counts
from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.column_run import ColumnRun
from checker.search.columns.exported import ColumnExport
from checker.search.columns.packing import Packing
from checker.search.columns.sizes import SIZES
from checker.search.columns.space import Space
from checker.search.columns.store import StateStore as States
from checker.search.contract.bounds import fewest_starts, is_cut
from checker.search.contract.parents import by_key_and_parent
from checker.search.rows.expander import Expander
from checker.search.spark.assignment import Assignment, Origin, edges_file, found_file, outbound_file
from checker.search.spark.batches import (
    PackedBatch,
    SourceKeys,
    by_place,
    joined,
    pack_batch,
    to_bytes,
)
from checker.search.spark.edge_file import EdgeFile, EdgesByKey
from checker.search.spark.inbox import Inbox
from checker.search.spark.key_files import KeyFiles, add_keys, seen
from checker.storage.export import parts_of
from checker.storage.part_store import PartStore

_SLICE: Final = 1 << 19
"""How many candidates are handled at a time, so that memory does not grow with the level."""
_SLICES_A_FILE: Final = 4
"""How many slices are expanded before a file is written with what they bring."""
_RANGES: Final = 16
"""Into how many ranges by key candidates for a partition are put at most: a slice reads its own only."""
_RANGE: Final = 1 << 10
"""How many candidates a range has, about, where there are fewer ranges."""


@dataclass(slots=True)
class WorkerColumns:
    """What a worker keeps from task to task."""

    run: ColumnRun
    codec: RowCodec
    edges: EdgesByKey

    @classmethod
    def of(cls, expander: Expander, values: StateCodec, reduced: bool) -> WorkerColumns:
        """The columns of a worker that has not begun."""
        # What is stored by elements was decided for all tasks: none of them may store it whole.
        space = Space(expander, reduced, replace(SIZES, few_elements=sys.maxsize, most_elements=sys.maxsize))
        edges = space.edges = EdgesByKey()
        # With a graph the run gathers edges. They are written to files, and the graph stays empty.
        graph = Graph(lambda state: state) if expander.task.graph else None
        run = ColumnRun(expander.task, space, States(), graph)
        return cls(run, RowCodec(space, values, run.refit), edges)


class FoundHere(NamedTuple):
    """What is written of the new states of a slice, by key: sources, indexes into the run's orders, crash steps."""

    keys: Keys
    sources: bytes
    orders: NDArray[np.int32]
    crashes: NDArray[np.uint32]


@dataclass(slots=True)
class Newcomers:
    """The new states of a slice, by key: halves of the keys, and starts. They live while the slice is expanded.

    State `i` is candidate `rows[i]` of batch `batches[i]`.
    """

    found: FoundHere
    high: Words
    low: Words
    starts: Ints
    batches: Ints
    rows: Ints

    def __len__(self) -> int:
        return len(self.rows)


class ColumnPartition:
    """The work of one task. All it writes is a function of its assignment: every attempt writes the same."""

    def __init__(self, assignment: Assignment, partitions: int, store: PartStore, columns: WorkerColumns) -> None:
        self.assignment = assignment
        self.partitions = partitions
        self.store = store
        self.columns = columns
        self.arrived = Level()
        self.expanded = Level()
        self.outbound: tuple[int, ...] = (0,) * partitions
        self.sent = 0
        self.exported: tuple[str, ...] = ()
        self._edges = EdgeFile()
        self._outbox: list[list[bytes]] = [[] for _ in range(partitions)]
        task, space = columns.run.task, columns.run.space
        self._parts = parts_of(task.settings, space.machine, assignment.partition)
        if self._parts is not None:
            if space.export is None:
                space.export = ColumnExport(space, self._parts, assignment.level, task.patience.ask)
            space.export.begin(self._parts, assignment.level)
        self._found: list[FoundHere] = []

    def run(self) -> KeyFiles:
        """Do the work, and set `arrived`, `expanded` and `outbound`. The keys that this partition has visited then."""
        given, run = self.assignment, self.columns.run
        run.judge.recorded = {key: bytearray() for key in run.judge.recorded}
        found = self._found
        slices = self._slices()
        inbox = Inbox(self.store, given)
        for which in range(slices):
            batches = inbox.slice(which, slices)
            new = self._newcomers(batches) if batches else None
            if new is not None and len(new):
                found.append(new.found)
                self._go(batches, new)
            # A file is a function of slices, not of bytes: what another attempt writes under its name is the same.
            if (which + 1) % _SLICES_A_FILE == 0 or which + 1 == slices:
                self._write_outbound()
        if self._parts is not None:
            self._parts.flush()
            self.exported = tuple(self._parts.files)
        if given.graph and found:
            self.store.write(edges_file(given.level, self.partitions, given.partition), self._edges.parts())
        if given.judged or not found:
            return given.visited
        self._write_found(found)
        keys = np.concatenate([new.keys for new in found])
        return add_keys(self.store, given.visited, self.partitions, given.partition, given.level, keys)

    def origin(self, key: int) -> Origin | None:
        """How a state of this task was found; None: it was found before."""
        for new in self._found:
            at, there = indexes_of(new.keys, key_column([key]))
            if there[0]:
                row = int(at[0])
                source = int.from_bytes(new.sources[WIDTH * row : WIDTH * (row + 1)], "big")
                return source, self.columns.run.space.orders[int(new.orders[row])]
        return None

    def _slices(self) -> int:
        """In how many slices, by key, the candidates are handled: a power of two, as the ranges in which they come."""
        return _power_of_two(-(-self.assignment.inbound.candidates // _SLICE))

    def _go(self, batches: list[PackedBatch], new: Newcomers) -> None:
        """Judge new states, and expand them."""
        given, run = self.assignment, self.columns.run
        run.store = States()
        run.store.append(new.high, new.low, np.zeros(len(new), dtype=np.int64), new.found.orders)
        frontier = self._frontier(batches, new)
        export = run.space.export
        if export is not None and not given.judged:
            export.write_states(given.level, frontier)
        if given.judged:
            run.frontier = frontier
        else:
            arrived = Level()
            try:
                run.take(frontier, arrived)
            finally:
                self.arrived.merge(arrived)
        expanded = run.frontier
        self.columns.edges.clear()
        steps = run.steps(self.expanded)
        if export is not None:
            export.write_steps()
        if given.graph:
            self._edges.add(*self.columns.edges.of(expanded, len(new)))
        self._send(steps, SourceKeys(new.high, new.low))

    # --- taking in -------------------------------------------------------------------------------------------------

    def _newcomers(self, batches: list[PackedBatch]) -> Newcomers:
        """Of all candidates those that are new, each once, with its parent."""
        space = self.columns.run.space
        high = np.concatenate([b.high for b in batches])
        low = np.concatenate([b.low for b in batches])
        source_high = np.concatenate([b.source_high for b in batches])
        source_low = np.concatenate([b.source_low for b in batches])
        tables = [np.array([space.order(*order) for order in b.order_table], dtype=np.int64) for b in batches]
        orders = np.concatenate([table[b.orders] for table, b in zip(tables, batches, strict=True)])
        starts = np.concatenate([b.starts.astype(np.int64) for b in batches])
        crashes = np.concatenate([b.crashes.astype(np.int64) for b in batches])
        lengths = [len(b.high) for b in batches]
        numbers = np.repeat(np.arange(len(batches)), lengths)
        rows = np.concatenate([np.arange(length) for length in lengths])
        order, groups = by_key_and_parent((high, low), crashes, space.order_ranks()[orders], (source_high, source_low))
        first = order[groups]
        keys = keys_of(high[first], low[first])
        # States that the driver has judged are among the visited ones.
        known = seen(self.store, () if self.assignment.judged else self.assignment.visited, keys)
        left = np.flatnonzero(~known)
        chosen = first[left]
        return Newcomers(
            FoundHere(
                keys[left],
                keys_of(source_high[chosen], source_low[chosen]).tobytes(),
                orders[chosen].astype(np.int32),
                crashes[chosen].astype(np.uint32),
            ),
            high[chosen],
            low[chosen],
            fewest_starts(starts, order, groups)[left],
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
            indexes = [np.flatnonzero(new.batches == number) for number in members]
            some = [(batches[n].rows, new.rows[at]) for n, at in zip(members, indexes, strict=True) if len(at)]
            if not some:
                continue
            packing, rows = self.columns.codec.unpack(some)
            together = np.concatenate(indexes)
            by_key = np.argsort(together)
            own = together[by_key]
            starts, crashes = new.starts[own], counts(new.found.crashes[own].astype(np.int64))
            cut = is_cut(starts, bound)
            found.append(Frontier(packing, rows.take(by_key), own, starts, crashes, new.high[own], new.low[own], cut))
        return found

    def _write_found(self, found: list[FoundHere]) -> None:
        run = self.columns.run
        table, numbers = pack_numbered(run.space.orders, np.concatenate([new.orders for new in found]))
        recorded = [bytes(answers) for answers in run.judge.recorded.values()]
        keys, sources = (
            b"".join(column) for column in zip(*[(n.keys.tobytes(), n.sources) for n in found], strict=True)
        )
        crashes = b"".join(new.crashes.tobytes() for new in found)
        parts = [keys, sources, numbers, table, crashes, *recorded]
        name = found_file(self.assignment.level, self.partitions, self.assignment.partition)
        self.store.write(name, parts)

    # --- sending on ------------------------------------------------------------------------------------------------

    def _send(self, found: dict[Packing, Batch], sources: SourceKeys) -> None:
        ranges = self._ranges(sum(map(len, found.values())))
        batches: list[list[PackedBatch]] = [[] for _ in range(self.partitions * ranges)]
        for packing, batch in found.items():
            for some, own in zip(batches, by_place(batch, self.partitions, ranges), strict=True):
                if len(own):
                    some.append(pack_batch(self.columns.codec, packing, batch.take(own), sources))
        counts = [sum(len(batch.high) for batch in some) for some in batches]
        self.outbound = tuple(
            before + sum(counts[partition * ranges : (partition + 1) * ranges])
            for partition, before in enumerate(self.outbound)
        )
        for place, some in enumerate(batches):
            if some:
                self._outbox[place // ranges].append(to_bytes(some))

    def _ranges(self, candidates: int) -> int:
        """Into how many ranges by key candidates are put. Narrow levels are read in one slice, and need none."""
        if self.assignment.inbound.candidates < _SLICE // _RANGES:
            return 1
        return min(_RANGES, _power_of_two(candidates // (self.partitions * _RANGE)))

    def _write_outbound(self) -> None:
        if any(self._outbox):
            given = self.assignment
            name = outbound_file(given.level, self.partitions, given.partition, self.sent)
            self.store.write(name, [joined(box) for box in self._outbox])
            self.sent += 1
            self._outbox = [[] for _ in range(self.partitions)]


def _power_of_two(number: int) -> int:
    """The least power of two that is no less than a number, 1 at the least."""
    return 1 << max(number - 1, 0).bit_length()
