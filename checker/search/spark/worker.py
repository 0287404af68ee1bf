"""What runs in Spark's Python workers: one machine per process with its memory, kept from task to task."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import time
import uuid
import zipimport
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from checker.core.effort import own_effort
from checker.core.limits import StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import FULL_DISK, EnvironmentProblem, Problem, full_disk
from checker.search.checkpoints.codec import StateCodec
from checker.search.columns.freed_memory import give_back_memory
from checker.search.memo.trie import Counters
from checker.search.rows.expander import Expander
from checker.search.spark.assignment import (
    Assignment,
    PartialLevel,
    PartitionTask,
    RunConfig,
    Stopped,
    TaskItem,
    TaskReport,
    WorkerConfig,
    stop_sign,
    unpacked,
)
from checker.search.spark.column_partition import ColumnPartition, WorkerColumns
from checker.search.spark.graph_task import PassReport, PassTask
from checker.search.spark.parcels import Parcel, TaskParcels
from checker.search.spark.redistribution import MergeTask, SplitTask
from checker.search.spark.result_recorder import ResultRecorder
from checker.search.spark.row_partition import RowPartition
from checker.search.spark.shared_results import unpack_results
from checker.storage.export import PARTS
from checker.storage.file_store import FileStore
from checker.storage.object_store import ObjectStore
from checker.storage.part_store import PartStore
from checker.storage.user_paths import is_address
from fizz.base.data import NotData, unbundle

if TYPE_CHECKING:
    from pyspark import Broadcast


MOST_NODES: Final = 300_000
"""Nodes of read trees that a worker keeps. With what belongs to them they take some 3 kB each."""


class Learned:
    """What this process has learned of a run: all of it can be learned anew."""

    def __init__(self, config: RunConfig, patience: Patience) -> None:
        self.expander = Expander(config.task(patience))
        self._divide_as(config.worker_config)
        self.codec = StateCodec(self.expander.machine)
        self.recorder = ResultRecorder(self.expander)
        self.columns: WorkerColumns | None = None

    def _divide_as(self, given: WorkerConfig) -> None:
        memory = self.expander.memory
        memory.ask_by_elements(given.by_elements, and_alike=given.reduced)
        # Only now: what is alike to a set that is stored whole is known by how sets are asked.
        memory.divider.store_whole(given.gathered)
        memory.divider.kinds.update(given.kinds)


@dataclass(slots=True)
class Worker:
    """What this process keeps of a run. `acted`: the actions that had steps here, in any attempt.

    `begun`: what the CPU clock of this process showed before.
    """

    config: RunConfig
    store: PartStore
    patience: Patience
    begun: float
    learned: Learned
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    acted: set[int] = field(default_factory=set)
    results_read: set[str] = field(default_factory=set)
    """The files with shared results that were read."""
    forgotten: Counters = field(default_factory=Counters)
    """What was evaluated with what is forgotten now."""
    unshared: int = 0
    """How many results could not be shared, of those that are forgotten now."""

    def perform(self, assignment: Assignment) -> TaskReport | Stopped:
        """Do one task, unless the run is to end before."""
        settings = self.config.settings
        self._demand_folder()
        if settings.export is not None and settings.kept_in is None and not Path(settings.export, PARTS).is_dir():
            raise _not_shared(Path(settings.export), "--export DIR")
        self.store.forget_all_but(frozenset(file.name for file in assignment.visited))
        partition = self._partition(assignment)
        learned, patience = self.learned, self.patience
        try:
            with patience.limiting_steps():
                patience.look()
                self._take_results(assignment.shared_results)
                visited = partition.run()
        except Stop as stop:
            # The objects of this worker are half changed, and of no use to another task.
            _workers.clear()
            return Stopped(stop.reason, PartialLevel.of(partition))
        finally:
            # The expander reports each action once, and an attempt that failed reports nothing.
            self.acted |= partition.expanded.acted
        partition.expanded.acted |= self.acted
        partition.expanded.noted = learned.expander.machine.noted()
        shared = learned.recorder.unsent(learned.codec)
        if learned.expander.memory.total().nodes > MOST_NODES:
            self._forget()
        return TaskReport(
            assignment.partition,
            visited,
            partition.arrived,
            partition.expanded,
            partition.outbound,
            partition.sent,
            partition.exported,
            self.name,
            self._counters(),
            own_effort(self.begun),
            shared,
            self.unshared + self.learned.recorder.unshared,
            PartialLevel.of(partition),
        )

    def _counters(self) -> Counters:
        """What this process has evaluated in this run, and the nodes it has now."""
        total = self.learned.expander.memory.total()
        total.add(self.forgotten)
        return total

    def _forget(self) -> None:
        """Begin anew with learning, so that memory does not grow with the run; nothing shared before is read again."""
        self.forgotten = self._counters()
        self.forgotten.nodes = 0
        self.unshared += self.learned.recorder.unshared
        # What earlier tasks have left is among it.
        gc.unfreeze()
        self.learned = Learned(self.config, self.patience)

    def make(self, task: OtherTask) -> PassReport:
        """Make a pass over the graph for liveness, or over what there is to be divided anew."""
        self._demand_folder()
        return PassReport(task.perform(self.store), self.name, own_effort(self.begun))

    def _demand_folder(self) -> None:
        """Raise `EnvironmentProblem` if files are to go by a folder that is not there."""
        folder = self.config.folder
        if folder is not None and not is_address(folder) and not Path(folder).is_dir():
            raise _not_shared(Path(folder))

    def _take_results(self, names: tuple[str, ...]) -> None:
        """Take in the results of other workers."""
        learned = self.learned
        space = None if learned.columns is None else learned.columns.run.space
        for name in names:
            if name not in self.results_read:
                data = self.store.read(name, 0)
                with self.store.reading(name):
                    learned.recorder.add(unpack_results(learned.codec, data), space)
                self.results_read.add(name)

    def _partition(self, assignment: Assignment) -> PartitionTask:
        """By columns where that is possible."""
        config, learned = self.config, self.learned
        if not config.columns:
            return RowPartition(assignment, config.partitions, self.store, learned.expander, learned.codec)
        if learned.columns is None:
            learned.columns = WorkerColumns.of(learned.expander, learned.codec, config.worker_config.reduced)
        return ColumnPartition(assignment, config.partitions, self.store, learned.columns)


OtherTask = PassTask | SplitTask | MergeTask

_NOTHING: Final = TaskParcels((), {})
"""What a worker has between two tasks to which parcels are sent."""

_workers: list[Worker] = []
"""The worker of the latest run. A process may serve several runs, and keeps nothing of the earlier ones."""


def perform(run: str, config: Broadcast[bytes], data: bytes) -> bytes:
    """Do one task of a Spark job: takes it packed, and returns its report or a problem pickled.

    Pickles are sent through Spark's own channel only, between processes that run this code in any case; files are data.
    """
    return pickle.dumps(_answer(run, config, data, None), pickle.HIGHEST_PROTOCOL)


def perform_carried(
    run: str,
    config: Broadcast[bytes],
    packed: bytes,
    for_all: Mapping[str, Broadcast[bytes]],
    partitions: int,
    records: Iterable[tuple[int, Parcel]],
) -> list[tuple[int, object]]:
    """Do a task, which is pickled, with what came for its partition; what it sends, by partition.

    The report goes to the partition after the last.
    """
    item: TaskItem = pickle.loads(packed)
    store = TaskParcels(item.needs, {name: partial(_unbundled, sent_to_all) for name, sent_to_all in for_all.items()})
    came = (parcel for _, parcel in records)

    def taken_in() -> PartStore:
        store.take_in(came)
        return store

    try:
        answer = _answer(run, config, item.assignment, taken_in)
    finally:
        for worker in _workers:
            # What came for the task goes with it.
            worker.store = _NOTHING
    if isinstance(answer, TaskReport):
        store.carry_on(file.name for file in answer.visited)
    for _ in came:
        """What could not be taken in: Spark wants all that it sends to be read."""
    report = (item.partition, pickle.dumps(answer, pickle.HIGHEST_PROTOCOL), store.written)
    return [*store.sent, (partitions, report)]


def _unbundled(sent_to_all: Broadcast[bytes]) -> list[bytes]:
    return unbundle(sent_to_all.value)


Answer = TaskReport | Stopped | PassReport | Problem | StopReason


def _answer(run: str, config: Broadcast[bytes], data: bytes, sent: Callable[[], PartStore] | None) -> Answer:
    """What a task comes to. `sent` gives what was sent to it; None: that lies in the folder of the run."""
    answer: Answer
    begun = time.process_time()
    # What a task makes lives to its end: collecting garbage in it again and again takes a quarter of the time.
    gc.disable()
    try:
        given: Assignment | OtherTask = unpacked(data)
        worker = _worker(run, config)
        if sent is not None:
            worker.store = sent()
        answer = worker.perform(given) if isinstance(given, Assignment) else worker.make(given)
    except Problem as problem:
        answer = problem
    except Stop as stop:
        answer = stop.reason
    except MemoryError:
        answer = StopReason.MEMORY
    except NotData as failure:
        # Values are decoded when they are needed; which file they came from is not known then.
        answer = EnvironmentProblem(f"a file of the run is damaged: {failure}", "check the disk, and run again")
    except OSError as failure:
        # No other attempt will find more room.
        if failure.errno not in FULL_DISK:
            raise
        answer = EnvironmentProblem(full_disk(failure), _ROOM)
    finally:
        freeze_objects()
        gc.enable()
        if time.process_time() - begun > _LONG_S:
            give_back_memory()
    _forget_archives()
    return answer


_LONG_S: Final = 1.0
"""CPU seconds of a task beside which it does not matter that the next one needs fresh memory."""
_ROOM: Final = (
    "make room there, or name a folder on a larger disk: TMPDIR, --conf spark.local.dir=DIR, "
    "or --conf spark.fizzpy.folder=DIR"
)


def _worker(run: str, config: Broadcast[bytes]) -> Worker:
    if not _workers or _workers[0].config.run != run:
        _workers.clear()
        gc.unfreeze()
        begun = time.process_time()
        given: RunConfig = pickle.loads(config.value)
        # Without a folder there is no store before a task brings one, and no sign to look for.
        store: PartStore = _NOTHING
        patience = Patience()
        if given.folder is not None and is_address(given.folder):
            store = ObjectStore.at(given.folder, _copies(run))
        elif given.folder is not None:
            store = FileStore(Path(given.folder), given.durable)
            patience = Patience(asked=stop_sign(Path(given.folder), run).exists)
        _workers.append(Worker(given, store, patience, begun, Learned(given, patience)))
    return _workers[0]


def _copies(run: str) -> Path | None:
    """A folder for copies of objects, which the workers of an executor share, and Spark removes; None without Spark."""
    try:
        from pyspark import SparkFiles

        folder = Path(SparkFiles.getRootDirectory()) / f"fizzpy-objects-{run}"
        folder.mkdir(parents=True, exist_ok=True)
    except (ImportError, OSError, AssertionError, RuntimeError):
        return None
    return folder


def freeze_objects() -> None:
    """Exclude what a task leaves from garbage collection: Spark collects after each task, among all objects."""
    gc.collect()
    gc.freeze()


_ANY_FOLDER: Final = "--conf spark.fizzpy.folder=DIR, or --checkpoint DIR; without them Spark itself carries all"


def _not_shared(folder: Path, option: str = _ANY_FOLDER) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"the Spark executor on {os.uname().nodename} does not see the folder {folder}",
        f"name a folder that all machines share: {option}",
    )


def _forget_archives() -> None:
    """Spark may look for new modules before a task: with archives to read again, that takes a tenth of a second."""
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimport.zipimporter):
            del sys.path_importer_cache[path]
