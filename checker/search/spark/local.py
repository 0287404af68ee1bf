"""`LocalRun`: the beginning of a run, in the driver, by the embedded engine; it can hand over what it has found."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from checker.core.level import Level, StateRef
from checker.liveness.graph import Graph
from checker.search.checkpoints.codec import StateCodec, SuccessorRecord
from checker.search.checkpoints.key_columns import Keys, key_column, keys_of, partition_of
from checker.search.checkpoints.row_codec import RowCodec
from checker.search.columns.code_tables import Ints
from checker.search.contract.protocol import Task
from checker.search.engines.embedded import EmbeddedRun, Sharing
from checker.search.memo.trie import Counters
from checker.search.spark.assignment import WorkerConfig
from checker.search.spark.batches import NO_ORDER, batches_of, joined, to_bytes, waiting_batches
from checker.search.spark.result_recorder import ResultRecorder

_SAMPLE: Final = 100


class LocalRun(EmbeddedRun):
    """A run of the embedded engine, by rows or by columns, up to some level."""

    by_turns = False
    """Tasks do not, and learn from this run how containers are divided."""

    def __init__(self, task: Task, wide: int | None) -> None:
        super().__init__(task, wide, shared=Sharing(1))
        self.recorded: tuple[str, ...] = self._rows.expander.recorded
        self.recorder = ResultRecorder(self._rows.expander)
        self._divider = self._rows.expander.memory.divider

    def keys(self) -> Keys:
        """The keys of all states found, by number."""
        if self._columns is None:
            return key_column(self._rows.found.keys)
        return keys_of(*self._columns.store.keys_since(0))

    def ranks(self) -> Sequence[int] | Ints:
        """The rank of each state found, by number, in the order of (level, crashes, key)."""
        return self._rows.found.ranks() if self._columns is None else self._columns.ranks()

    @cached_property
    def costs_by_rank(self) -> Sequence[tuple[int, int]]:
        """Of all states found, by rank, the level and the crash steps on the path."""
        ranks = self.ranks()
        cost = self._rows.found.cost if self._columns is None else self._columns.cost
        costs = [(0, 0)] * len(ranks)
        for number, rank in enumerate(ranks):
            costs[rank] = cost(number)
        return costs

    def hand_over(self, partitions: int) -> list[bytes]:
        """The states that wait, for each partition as its tasks read them; this run ends then."""
        values = StateCodec(self.machine)
        run = self._columns
        if run is None:
            batches = [batches_of(records, values) for records in self._waiting(partitions)]
        else:
            codec = RowCodec(run.space, values, run.refit)
            batches = [waiting_batches(codec, run.frontier, partition, partitions) for partition in range(partitions)]
            run.frontier = []
        return [joined([to_bytes(some)]) for some in batches]

    def _waiting(self, partitions: int) -> list[list[SuccessorRecord]]:
        """The states that wait row by row, for each partition by key."""
        keys, waiting = self._rows.found.keys, self._rows.waiting
        self._rows.waiting = []
        records: list[list[SuccessorRecord]] = [[] for _ in range(partitions)]
        for one in sorted(waiting, key=lambda one: keys[one.number]):
            key = keys[one.number]
            record = SuccessorRecord(key, 0, NO_ORDER, one.starts, one.crashes, one.state)
            records[partition_of(key, partitions)].append(record)
        return records

    def expanded_graph(self) -> Graph | None:
        """The graph of the states that were expanded; None if it is not wanted, or not any more."""
        if self._columns is not None:
            return self._columns.graph
        return self._rows.graph_so_far if self._rows.wants_graph else None

    @property
    def waiting(self) -> int:
        """How many states wait to be expanded."""
        if self._columns is None:
            return len(self._rows.waiting)
        return sum(len(part.rows) for part in self._columns.frontier)

    def by_columns(self) -> bool:
        """Can the states that wait be expanded by columns?"""
        return self._columns is not None or (self._wide is not None and self._rows.known_to_columns)

    def worker_config(self, columns: bool) -> WorkerConfig:
        """How workers are to look at the states that wait. `columns`: they go by columns."""
        machine = self.machine
        if self._columns is not None:
            space, divider = self._columns.space, self._divider
            kinds = tuple(divider.kinds.items())
            return WorkerConfig(space.images is not None, divider.gathered, divider.sets_by_elements, kinds)
        if not columns:
            return WorkerConfig(False, frozenset())
        if self.symmetric and not all(machine.plain(waiting.state) for waiting in self._rows.waiting):
            # Images must be divided alike, whatever was read in them.
            return WorkerConfig(True, frozenset())
        self._try()
        return WorkerConfig(False, frozenset(self._divider.gather()))

    def _try(self) -> None:
        """Expand some of the states that wait, to see what is read in them."""
        expander, waiting = self._rows.expander, self._rows.waiting
        acted = set(expander.acted)
        for one in waiting[:: max(1, len(waiting) // _SAMPLE)]:
            deque(expander.expand(one.state, StateRef(self.machine.key(one.state), one.crashes), False, Level()), 0)
        expander.acted = acted

    def counters(self) -> Counters:
        """What was evaluated here."""
        return self._rows.expander.memory.total()
