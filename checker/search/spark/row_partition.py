"""One level of one partition, row by row.

Take in candidates, drop visited ones, judge and expand the rest, send their targets.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from checker.core.level import Level, StateRef
from checker.liveness.graph import LiveStep
from checker.search.checkpoints.codec import (
    StateCodec,
    SuccessorRecord,
    pack_orders,
)
from checker.search.checkpoints.key_columns import key_column, key_number, keys_of, partition_of
from checker.search.contract.bounds import is_cut, starts_after
from checker.search.contract.gathering import Gathering, Newcomer
from checker.search.contract.level_counts import count_states
from checker.search.contract.parents import crashes_after
from checker.search.rows.expander import Arrival, Expander
from checker.search.spark.assignment import Assignment, Origin, edges_file, found_file, outbound_file
from checker.search.spark.batches import PackedBatch, batches_of, joined, to_bytes
from checker.search.spark.edge_file import EdgeFile, GraphShape
from checker.search.spark.inbox import Inbox
from checker.search.spark.key_files import KeyFiles, add_keys, seen
from checker.storage.export import parts_of
from checker.storage.part_store import PartStore
from interpreter.state.state import State
from interpreter.state.step import Candidate as Rules
from interpreter.state.step import StepKind
from interpreter.values.budget import METER

if TYPE_CHECKING:
    from checker.storage.export.level_parts import LevelPart


Handle = tuple[PackedBatch, int]
"""A candidate: its batch, and its row there."""


class ExpandedSource(NamedTuple):
    """A state to be expanded."""

    key: int
    state: State
    starts: int
    crashes: int
    cut: bool

    @property
    def ref(self) -> StateRef:
        """The state as findings refer to it."""
        return StateRef(self.key, self.crashes)


class RowPartition:
    """The work of one task. All it writes is a function of its assignment: every attempt writes the same."""

    def __init__(
        self, assignment: Assignment, partitions: int, store: PartStore, expander: Expander, codec: StateCodec
    ):
        self.assignment = assignment
        self.partitions = partitions
        self.store = store
        self.expander = expander
        self.codec = codec
        self.arrived = Level()
        self.expanded = Level()
        self.outbound: tuple[int, ...] = ()
        self.sent = 0
        self.exported: tuple[str, ...] = ()
        self._newcomers: Mapping[int, Newcomer[Handle]] = {}
        self._parts = parts_of(expander.task.settings, expander.machine, assignment.partition)
        options = expander.task.program.options
        self._bound = options.max_actions
        self._encoding = expander.machine.encoding if options.exclude else None

    def run(self) -> KeyFiles:
        """Do the work, and set `arrived`, `expanded` and `outbound`. The keys that this partition has visited then."""
        given = self.assignment
        gathering = self._take_in()
        self._newcomers = gathering.newcomers
        newcomers = sorted(gathering.newcomers.items())
        if given.judged:
            sources = [self._source(key, newcomer) for key, newcomer in newcomers]
            visited = given.visited
        else:
            sources = self._complete(newcomers)
            keys = key_column(key for key, _ in newcomers)
            visited = add_keys(self.store, given.visited, self.partitions, given.partition, given.level, keys)
        self._expand(sources)
        return visited

    def origin(self, key: int) -> Origin | None:
        """How a state of this task was found; None: it was found before."""
        found = self._newcomers.get(key)
        return None if found is None else (found.source, found.order)

    # --- taking in -------------------------------------------------------------------------------------------------

    def _take_in(self) -> Gathering[int, Handle]:
        """The candidates that are new, each once."""
        gathering: Gathering[int, Handle] = Gathering(self._state, self._encoding)
        # States that the driver has judged are among the visited ones.
        visited = () if self.assignment.judged else self.assignment.visited
        for batch in Inbox(self.store, self.assignment).slice():
            keys, sources = keys_of(batch.high, batch.low), keys_of(batch.source_high, batch.source_low)
            for row in METER.attended(np.flatnonzero(~seen(self.store, visited, keys)).tolist()):
                gathering.add(
                    key_number(keys, row),
                    key_number(sources, row),
                    batch.order_table[batch.orders[row]],
                    int(batch.starts[row]),
                    int(batch.crashes[row]),
                    (batch, row),
                )
        return gathering

    def _state(self, handle: Handle) -> State:
        batch, row = handle
        return batch.rows.state(row, self.expander.machine, self.codec)

    def _source(self, key: int, newcomer: Newcomer[Handle]) -> ExpandedSource:
        cut = is_cut(newcomer.starts, self._bound)
        return ExpandedSource(key, self._state(newcomer.handle), newcomer.starts, newcomer.crashes, cut)

    def _complete(self, newcomers: list[tuple[int, Newcomer[Handle]]]) -> list[ExpandedSource]:
        """Judge the new states, and write them to the file of found states; those to be expanded."""
        level = self.arrived
        sources: list[ExpandedSource] = []
        recorded = {key: bytearray() for key in self.expander.recorded}
        cut = 0
        for key, newcomer in newcomers:
            self.expander.task.patience.ask()
            source = self._source(key, newcomer)
            if self._parts is not None:
                self._parts.state(key, self.assignment.level, source.state)
            judgement = self.expander.judge(source.state, source.ref, level)
            for column, answer in zip(recorded.values(), judgement.answers, strict=True):
                column.append(answer)
            cut += source.cut
            if not judgement.pruned:
                sources.append(source)
        count_states(level, len(newcomers), newcomers[0][0] if newcomers else None, cut, len(newcomers) - len(sources))
        if newcomers:
            table, numbers = pack_orders(newcomer.order for _, newcomer in newcomers)
            found = [
                key_column(key for key, _ in newcomers).tobytes(),
                key_column(newcomer.source for _, newcomer in newcomers).tobytes(),
                numbers,
                table,
                array("I", [newcomer.crashes for _, newcomer in newcomers]).tobytes(),
                *map(bytes, recorded.values()),
            ]
            name = found_file(self.assignment.level, self.partitions, self.assignment.partition)
            self.store.write(name, found)
        return sources

    # --- expanding -------------------------------------------------------------------------------------------------

    def _expand(self, sources: list[ExpandedSource]) -> None:
        given = self.assignment
        gatherings = [Gathering[int, State](lambda state: state, self._encoding) for _ in range(self.partitions)]
        edges = EdgeFile()
        if self._parts is not None:
            self.expander.observe = partial(self._export_step, self._parts)
        for source in sources:
            arrivals = list(self.expander.expand(source.state, source.ref, source.cut, self.expanded))
            for arrival in METER.attended(arrivals):
                starts = starts_after(source.starts, arrival.kind)
                crashes = crashes_after(source.crashes, arrival.crash)
                gatherings[partition_of(arrival.key, self.partitions)].add(
                    arrival.key, source.key, arrival.order, starts, crashes, arrival.state
                )
            if given.graph:
                self._add_edges(edges, source, arrivals)
        if any(len(gathering) for gathering in gatherings):
            parts = [self._pack(gathering) for gathering in gatherings]
            self.store.write(outbound_file(given.level, self.partitions, given.partition), parts)
            self.sent = 1
        if sources and given.graph:
            self.store.write(edges_file(given.level, self.partitions, given.partition), edges.parts())
        if self._parts is not None:
            self._parts.flush()
            self.exported = tuple(self._parts.files)
        self.outbound = tuple(len(gathering) for gathering in gatherings)

    def _export_step(
        self, parts: LevelPart, source: int, target: int, candidate: Rules, choices: tuple[str, ...], crash: bool
    ) -> None:
        parts.step(source, target, self.assignment.level, candidate, choices, crash)

    def _pack(self, gathering: Gathering[int, State]) -> bytes:
        records = [
            SuccessorRecord(key, n.source, n.order, n.starts, n.crashes, n.handle)
            for key, n in METER.attended(sorted(gathering.newcomers.items()))
        ]
        return joined([to_bytes(batches_of(records, self.codec))])

    def _add_edges(self, edges: EdgeFile, source: ExpandedSource, arrivals: list[Arrival]) -> None:
        live: list[LiveStep] = []
        targets: list[int] = []
        for arrival in arrivals:
            if arrival.live is not None:
                live.append(arrival.live)
                targets.append(arrival.key)
        hidden = self.expander.available(source.state, (StepKind.START,)) if source.cut else []
        shape = GraphShape((*live, *hidden), len(live), not source.state.threads, source.cut)
        edges.add((shape,), np.zeros(1, dtype=np.int64), key_column(targets))
