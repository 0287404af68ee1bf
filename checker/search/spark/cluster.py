"""The part of a run that is on Spark. The driver knows counts, witnesses and names of files, and no states."""

from __future__ import annotations

import pickle
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from pyspark import cloudpickle

from checker.core.effort import Effort
from checker.core.exploration import PathLink
from checker.core.level import Level, Unfinished
from checker.core.limits import StopReason
from checker.core.patience import GRACE_S, Stop
from checker.core.problems import EnvironmentProblem, Problem
from checker.search.checkpoints.key_columns import partitions_of
from checker.search.checkpoints.lasting_run import Saved, pack_head
from checker.search.columns.freed_memory import give_back_memory
from checker.search.contract.level_counts import keeps_graph
from checker.search.contract.protocol import Task
from checker.search.memo.trie import Counters
from checker.search.spark.assignment import (
    Assignment,
    Inbound,
    PartialLevel,
    RunConfig,
    Stopped,
    TaskItem,
    TaskReport,
    WorkerConfig,
    edges_file,
    found_file,
    is_of_level,
    outbound_file,
)
from checker.search.spark.carrier import BY_FILES, BY_SPARK, Carrier, FileCarrier, ObjectCarrier
from checker.search.spark.findings import Findings
from checker.search.spark.graph_passes import SparkCrew
from checker.search.spark.graph_task import PassReport
from checker.search.spark.key_files import KeyFiles, add_keys
from checker.search.spark.liveness.partitioned_search import PartitionedSearch
from checker.search.spark.local import LocalRun
from checker.search.spark.redistribution import Redistribution
from checker.search.spark.shared_results import ResultExchange
from checker.search.spark.shipping import archive
from checker.search.spark.spark_carrier import SparkCarrier
from checker.search.spark.spark_connection import SparkConnection
from checker.search.spark.troubles import NO_EXECUTOR_YET
from checker.storage.checkpoint.folder import level_file
from checker.storage.user_paths import is_address
from fizz.base.data import demand

_PATIENCE_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Base:
    """Where the local run was saved before it was handed over: its level, and the files that are needed."""

    level: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClusterState:
    """A cluster between two levels, as it is saved: see the fields of `Cluster` and `Findings`."""

    base: Base
    partitions: int
    columns: bool
    handed_over: int
    levels: tuple[tuple[int, ...], ...]
    level: int
    visited: tuple[KeyFiles, ...]
    inbound: tuple[Inbound, ...]
    wants_graph: bool
    held: Level | None
    written: tuple[str, ...]
    worker_config: WorkerConfig
    shared_results: tuple[str, ...]


def demand_sound(state: ClusterState) -> None:
    """Raise `NotData` unless the numbers in a saved cluster go together."""
    partitions = range(state.partitions)
    demand(len(state.visited) == len(state.inbound) == len(partitions) > 0, "files for each partition")
    demand(all(p in partitions for level in state.levels for p in level), "partitions")
    demand(state.base.level == state.handed_over >= 0, "the level that was handed over")
    demand(state.handed_over + len(state.levels) == state.level, "the partitions of each level")
    demand(state.held is None or state.held.sound, "counts")


class Cluster:
    """Levels as Spark jobs, from the level on that the local run has reached.

    A job takes in a level and expands it. The result of the expansion is held until the next level is asked for: the
    run may end with the level that was taken in, and then the steps from it do not count.
    """

    def __init__(
        self,
        task: Task,
        local: LocalRun,
        session: SparkConnection,
        level: int,
        partitions: int,
        columns: bool,
        worker_config: WorkerConfig,
        folder: str | None,
        exchange: str | None,
    ) -> None:
        """`folder`, `exchange`: the settings `RUN_FOLDER` and `EXCHANGE`, if they are set."""
        self.task = task
        self.local = local
        self.session = session
        self.run = uuid.uuid4().hex
        self.partitions = partitions
        self.columns = columns
        self.worker_config = worker_config
        kept_in = task.settings.kept_in
        self.keeps = kept_in is not None
        in_folder = exchange == BY_FILES or session.on_this_machine or folder is not None or self.keeps
        self.carrier: Carrier
        if kept_in is not None and is_address(kept_in):
            self.carrier = ObjectCarrier(session, self.run, kept_in)
        elif in_folder and exchange != BY_SPARK:
            self.carrier = FileCarrier(session, self.run, folder, kept_in)
        else:
            self.carrier = SparkCarrier(session, self.run, partitions)
        self.store = self.carrier.store
        self.findings = Findings(self.store, local, level, partitions)
        self.exchange = ResultExchange(self.store, local.machine)
        self.level = level
        self.visited: list[KeyFiles] = [()] * self.partitions
        self.inbound = [Inbound()] * self.partitions
        self.wants_graph = self.findings.local_graph is not None
        self.held: Level | None = None
        self.jobs = self.tasks = 0
        self.written: list[str] = []
        """The files of states found, of edges and for tables, which are needed to the end."""
        self.saved: frozenset[str] = frozenset()
        """The files that the latest checkpoint needs."""
        self.counters: dict[str, Counters] = {}
        self.efforts: dict[str, Effort] = {}
        self.crew: SparkCrew | None = None
        self._halted_at: float | None = None
        """When the tasks were asked to end."""
        self._alone_until: float | None = time.monotonic() + _PATIENCE_S
        """When to tell the user that there is no executor yet; None: that was checked."""
        program, watches, machine = task.program, task.watches, task.machine
        config = RunConfig(
            self.run,
            None if self.carrier.folder is None else str(self.carrier.folder),
            self.keeps,
            columns,
            partitions,
            program,
            watches,
            task.settings,
            task.prune,
            task.graph,
            task.crash_edges,
            machine,
            worker_config,
        )
        # By value: the user's machine class may be defined in a script or notebook.
        self._config = session.broadcast(cloudpickle.dumps(config))  # type: ignore[no-untyped-call]
        self._code = None if session.in_one_process else session.broadcast(archive())
        self.carrier.begin(self._config, self._code)

    def hand_over(self) -> None:
        """Give each partition the keys that were found so far, and the states that wait to be expanded."""
        self.visited = self._keys_of_driver()
        parts = self.local.hand_over(self.partitions)
        name = outbound_file(self.level - 1, self.partitions, self.partitions)
        self.store.write(name, parts)
        self.inbound = [Inbound((name,)) if part else Inbound() for part in parts]
        self.exchange.publish(self.level - 1, [self.local.recorder.unsent(self.exchange.codec)])
        self.exchange.unshared[""] = self.local.recorder.unshared

    def _keys_of_driver(self) -> list[KeyFiles]:
        """What the local run has found, as keys that each partition has visited."""
        keys, partitions, level = np.sort(self.local.keys()), self.partitions, self.findings.handed_over
        owners = partitions_of(keys, partitions)
        return [
            add_keys(self.store, (), partitions, partition, level, keys[owners == partition])
            for partition in range(partitions)
        ]

    def next(self) -> Level:
        """Expand the current level and take in the next one."""
        if self.held is None:
            with self._given_up():
                self.held = self._job(judged=True)[1]
        level = self.held
        with self._given_up():
            self.level += 1
            arrived, self.held = self._job(judged=False)
        level.merge(arrived)
        return level

    @contextmanager
    def _given_up(self) -> Iterator[None]:
        """If a job is stopped, restore what was before it: its tasks may be done again, with the same results."""
        before = self.level, self.inbound, self.wants_graph
        try:
            yield
        except Stop as stop:
            self.level, self.inbound, self.wants_graph = before
            stop.unfinished = stop.unfinished or self._unfinished([])
            raise

    def _unfinished(self, parts: Sequence[PartialLevel]) -> Unfinished:
        """What tasks have met on the level under way; `held` counts the steps from all states that wait."""
        level = Level()
        if self.held is not None:
            level.merge(self.held)
        for part in parts:
            level.merge(part.level)
        origins = {key: origin for part in parts for key, origin in part.origins.items()}
        paths = {key: (*self.findings.path(source), PathLink(order, key)) for key, (source, order) in origins.items()}
        return Unfinished(level, 0 if self.held is None else None, paths)

    def _job(self, judged: bool) -> tuple[Level, Level]:
        """Run a job for the current level: the results of taking it in and of expanding it."""
        assignments = [
            Assignment(
                self.level,
                partition,
                inbound,
                self.visited[partition],
                judged,
                self.wants_graph,
                tuple(self.exchange.files),
            )
            for partition, inbound in enumerate(self.inbound)
            if inbound.names
        ]
        arrived, expanded = Level(), Level()
        found: list[int] = []
        used = {name for inbound in self.inbound for name in inbound.names}
        self.inbound = [Inbound()] * self.partitions
        if assignments:
            items = [
                TaskItem.of(given.partition, given, tuple(file.name for file in given.visited)) for given in assignments
            ]
            title = f"fizzpy: level {self.level}"
            with self._end_asked_for():
                answers = self.carrier.run(title, items, self._tick)
            self.jobs += 1
            self.tasks += len(assignments)
            sent: list[bytes] = []
            for report in self._finished([pickle.loads(answer) for answer in answers]):
                self._take(report)
                sent.append(report.shared_results)
                arrived.merge(report.arrived)
                expanded.merge(report.expanded)
                if report.arrived.states:
                    found.append(report.partition)
            self.exchange.publish(self.level, sent)
            self._note_written([assignment.partition for assignment in assignments], () if judged else found)
        self.wants_graph = keeps_graph(self.wants_graph, arrived)
        if not judged:
            self.findings.add_level(found)
        for name in used:
            self._remove(name)
        # The levels before were explored by this process; now it waits.
        give_back_memory()
        return arrived, expanded

    @contextmanager
    def _end_asked_for(self) -> Iterator[None]:
        """While the block runs, a request to end comes before troubles of Spark, whose processes may get it too."""
        try:
            yield
        except EnvironmentProblem:
            reason = self.task.patience.over
            if reason is None:
                raise
            raise Stop(reason) from None

    def _tick(self) -> None:
        try:
            self.task.tick(0, 0)
        except Stop:
            # The tasks are asked to end, and may report what they have met. They have a short time to do so.
            if self._halted_at is None:
                self._halted_at = time.monotonic()
                if not self.carrier.ask_to_end():
                    raise
            if time.monotonic() - self._halted_at >= GRACE_S:
                raise
        if self._alone_until is not None and time.monotonic() > self._alone_until:
            self._alone_until = None
            if self.session.has_no_executor:
                self.task.say(NO_EXECUTOR_YET)

    def _finished(self, answers: Sequence[TaskReport | Stopped | Problem | StopReason]) -> list[TaskReport]:
        """The reports of the tasks of a job. Raises the problem of one of them, and `Stop` if one was not finished."""
        for answer in answers:
            if isinstance(answer, Problem):
                raise answer
        finished = [answer for answer in answers if isinstance(answer, TaskReport)]
        if len(finished) < len(answers):
            stopped = [answer for answer in answers if isinstance(answer, Stopped)]
            reasons = [answer for answer in answers if isinstance(answer, StopReason)]
            stop = Stop(self.task.patience.over or next(iter(reasons), StopReason.INTERRUPTED))
            stop.unfinished = self._unfinished(
                [*[answer.partial_level for answer in finished], *[answer.partial_level for answer in stopped]]
            )
            raise stop
        return finished

    def _take(self, report: TaskReport) -> None:
        """Note the files that a task has left, and what it has spent."""
        kept = set(report.visited)
        for file in self.visited[report.partition]:
            if file not in kept:
                self._remove(file.name)
        self.visited[report.partition] = report.visited
        self.written += report.exported
        sent = tuple(
            outbound_file(self.level, self.partitions, report.partition, number) for number in range(report.sent)
        )
        self.inbound = [
            inbound.with_sent(sent, candidates)
            for inbound, candidates in zip(self.inbound, report.outbound, strict=True)
        ]
        # The counters of a worker only grow; its tasks may end in any order.
        known = self.counters.get(report.worker)
        if known is None or known.evaluations < report.counters.evaluations:
            self.counters[report.worker] = report.counters
        self._spend(report.worker, report.effort)
        self.exchange.unshared[report.worker] = max(self.exchange.unshared.get(report.worker, 0), report.unshared)

    def _note_written(self, worked: Sequence[int], found: Sequence[int]) -> None:
        self.written += [found_file(self.level, self.partitions, partition) for partition in found]
        edges = [edges_file(self.level, self.partitions, partition) for partition in worked] if self.wants_graph else []
        self.written += [name for name in edges if self.store.has(name)]

    def _remove(self, name: str) -> None:
        """Remove a file that is not used any more, unless a checkpoint needs it: then it is removed with that."""
        if name not in self.saved:
            self.store.remove(name)

    # --- checkpoints -----------------------------------------------------------------------------------------------

    @property
    def found(self) -> int:
        """How many states were found so far, here and by the local run."""
        return sum(file.keys for files in self.visited for file in files)

    def save(self, base: Base) -> Saved:
        """What another driver needs to go on. `base`: where the local run is saved."""
        state = ClusterState(
            base,
            self.partitions,
            self.columns,
            self.findings.handed_over,
            self.findings.levels,
            self.level,
            tuple(self.visited),
            tuple(self.inbound),
            self.wants_graph,
            self.held,
            tuple(self.written),
            self.worker_config,
            tuple(self.exchange.files),
        )
        self.saved = frozenset((*base.files, level_file(base.level), *self._needed()))
        return Saved("spark", (pack_head(ClusterState, state),), tuple(self.saved))

    def _needed(self) -> list[str]:
        seen = [file.name for files in self.visited for file in files]
        waiting = [name for inbound in self.inbound for name in inbound.names]
        return [*self.written, *self.exchange.files, *seen, *waiting]

    def restore(self, state: ClusterState) -> None:
        """Take the state of the driver that was saved, also by a run of another number of partitions."""
        self.level = state.level
        self.wants_graph, self.held = state.wants_graph, state.held
        self.exchange.files = list(state.shared_results)
        self.findings.levels = state.levels
        self.visited = list(state.visited)
        self.inbound = list(state.inbound)
        self.written = list(state.written)
        self.saved = frozenset(self._needed())
        if state.partitions != self.partitions:
            self._divide_anew(state)

    def _divide_anew(self, state: ClusterState) -> None:
        """Divide what other partitions have found among those of this run."""
        findings, graph = self.findings, self.findings.local_graph
        keys = findings.local.keys()
        divided = Redistribution(
            self.store,
            self._make,
            state.partitions,
            self.partitions,
            state.handed_over,
            state.levels,
            state.level,
            state.inbound,
            frozenset(state.written) if state.wants_graph else frozenset(),
            keys[len(keys) if graph is None else len(graph.first) - 1 :],
            len(findings.local.recorded),
        ).divide()
        findings.levels, self.inbound = divided.levels, divided.inbound
        self.visited = [
            files if file is None else (*files, file)
            for files, file in zip(self._keys_of_driver(), divided.keys, strict=True)
        ]
        self.written = [*divided.written, *(name for name in state.written if not is_of_level(name))]

    # --- the end ---------------------------------------------------------------------------------------------------

    def search(self, most: int) -> PartitionedSearch:
        """The search for lassos in what was found, with so many states and edges in this process at a time."""
        self.crew = SparkCrew(self.store, self.findings, self._make)
        return PartitionedSearch(self.crew, most, self.task.patience.ask)

    def _make(self, title: str, items: list[TaskItem]) -> list[Any]:
        """One pass over the graph."""
        done: list[Any] = []
        with self._end_asked_for():
            answers = self.carrier.run(title, items, self.task.patience.ask)
        for answer in answers:
            made: PassReport | Problem | StopReason = pickle.loads(answer)
            if isinstance(made, Problem):
                raise made
            if isinstance(made, StopReason):
                raise Stop(made)
            self._spend(made.worker, made.effort)
            done.append(made.done)
        return done

    def _spend(self, worker: str, effort: Effort) -> None:
        """Note what a worker has spent so far; its tasks may end in any order."""
        known = self.efforts.get(worker, Effort())
        self.efforts[worker] = max(known, effort, key=lambda effort: effort.cpu_s)

    def effort(self) -> Effort:
        """What the workers have spent, and the Java process if this run started it."""
        return sum(self.efforts.values(), self.session.effort())

    def close(self) -> None:
        if self.session.started is None:
            self._config.destroy()
            if self._code is not None:
                self._code.destroy()
        # No task may write any more when the folder is removed.
        self.session.close(self.task.patience)
        if self.crew is not None and self.carrier.folder is not None:
            self.crew.close()
        self.carrier.close()
