"""What runs in Spark's Python workers: one machine per process with all it has learned, kept from task to task."""

from __future__ import annotations

import errno
import gc
import os
import pickle
import sys
import time
import uuid
import zipimport
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from checker.effort import own_effort
from checker.engines.expander import Expander
from checker.engines.spark.assignment import Assignment, Order, Summary
from checker.engines.spark.codec import StateCodec
from checker.engines.spark.column_partition import ColumnPartition, Columns, received
from checker.engines.spark.partition import Partition
from checker.engines.spark.store import Store
from checker.problems import EnvironmentProblem, Problem

if TYPE_CHECKING:
    from pyspark import Broadcast


@dataclass(slots=True)
class Worker:
    """What this process keeps of a run. `acted`: the actions that were seen to have steps here, by whatever attempt.

    `begun`: what the CPU clock of this process showed before.
    """

    order: Order
    store: Store
    expander: Expander
    codec: StateCodec
    begun: float
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    acted: set[int] = field(default_factory=set)
    columns: Columns | None = None

    def perform(self, assignment: Assignment) -> Summary:
        """Do one task."""
        if not self.store.folder.is_dir():
            raise _not_shared(self.store.folder)
        self.store.forget_all_but(frozenset(file.name for file in assignment.visited))
        partition = self._partition(assignment)
        try:
            visited = partition.run()
        finally:
            # The expander tells of each action once, and an attempt that failed has told nobody.
            self.acted |= partition.expanded.acted
        partition.expanded.acted |= self.acted
        partition.expanded.noted = self.expander.machine.noted()
        return Summary(
            assignment.partition,
            visited,
            partition.arrived,
            partition.expanded,
            partition.outbound,
            self.name,
            self.expander.memory.total(),
            own_effort(self.begun),
        )

    def _partition(self, assignment: Assignment) -> Partition | ColumnPartition:
        """By columns where that is possible."""
        if not self.order.columns:
            return Partition(assignment, self.order.partitions, self.store, self.expander, self.codec)
        batches = received(self.store, assignment)
        self.columns = self.columns or Columns.of(self.expander, self.codec, batches)
        return ColumnPartition(assignment, self.order.partitions, self.store, self.columns, batches)


_workers: list[Worker] = []
"""The worker of the latest run: a process that serves one run after the other keeps nothing of the earlier ones."""


def perform(run: str, order: Broadcast[bytes], data: bytes) -> bytes:
    """One task of a Spark job: a pickled assignment in, a pickled summary out, or the problem that cannot be helped."""
    answer: Summary | Problem
    # What a task makes lives to its end: to look for garbage in it again and again takes a quarter of the time.
    gc.disable()
    try:
        answer = _worker(run, order).perform(pickle.loads(data))
    except Problem as problem:
        answer = problem
    except OSError as failure:
        # No other attempt will find more room.
        if failure.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        where = f" ({failure.filename})" if failure.filename else ""
        answer = EnvironmentProblem(f"the disk is full{where}", "make room, or set TMPDIR to a larger disk")
    finally:
        gc.enable()
    _forget_archives()
    return pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)


def _worker(run: str, order: Broadcast[bytes]) -> Worker:
    if not _workers or _workers[0].order.run != run:
        _workers.clear()
        begun = time.process_time()
        told: Order = pickle.loads(order.value)
        expander = Expander(told.task())
        _workers.append(
            Worker(told, Store(Path(told.folder), told.durable), expander, StateCodec(expander.machine), begun)
        )
    return _workers[0]


def _not_shared(folder: Path) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"the Spark executor on {os.uname().nodename} does not see the folder {folder}",
        "name a folder that all machines share: --conf spark.fizzpy.folder=DIR, or --checkpoint DIR",
    )


def _forget_archives() -> None:
    """Spark may look for new modules before a task: with archives to read again, that takes a tenth of a second."""
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimport.zipimporter):
            del sys.path_importer_cache[path]
