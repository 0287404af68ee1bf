"""What the driver and the tasks of a level send each other. Data only; the states themselves travel by files."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from checker.core.effort import Effort
from checker.core.exploration import Settings
from checker.core.level import Level
from checker.core.limits import StopReason
from checker.core.patience import Patience
from checker.core.property import Watch
from checker.search.contract.protocol import Task
from checker.search.memo.trie import Counters
from checker.search.spark.key_files import KeyFiles
from fizz.base.data import deflate, inflate
from fizz.base.light import dataclass
from interpreter import Machine, Program
from interpreter.state.state import Slot
from interpreter.state.step import StepOrder
from interpreter.values.tags import Tag


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """How workers look at states. The local run finds it out; it is the same for all, so that they can share results.

    `reduced`: columns choose among images. `gathered`: the slots that are read whole (see `division`). `by_elements`:
    the slots in which sets, genericsets and bags are stored by elements, None: all; `kinds`: which of these it is.
    """

    reduced: bool
    gathered: frozenset[Slot]
    by_elements: frozenset[Slot] | None = frozenset()
    kinds: tuple[tuple[Slot, Tag], ...] = ()


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The part of a task that holds for a whole run, sent to each worker once.

    `folder` is that of the files, None if what tasks write goes by Spark; `durable`: files stay after the run.
    `columns`: the tasks go by columns, and candidates are sent in columns.
    """

    run: str
    folder: str | None
    durable: bool
    columns: bool
    partitions: int
    program: Program
    watches: tuple[Watch, ...]
    settings: Settings
    prune: bool
    graph: bool
    crash_edges: bool
    machine: Callable[[Program], Machine]
    worker_config: WorkerConfig

    def task(self, patience: Patience) -> Task:
        """The task for an engine in this process."""
        settings = self.settings
        return Task(
            self.program,
            self.watches,
            settings,
            self.prune,
            self.graph,
            machine=self.machine,
            patience=patience,
            crash_edges=self.crash_edges,
        )


class Inbound(NamedTuple):
    """The files with candidates for a partition, and how many these are; those that the driver sends do not count."""

    names: tuple[str, ...] = ()
    candidates: int = 0

    def with_sent(self, names: tuple[str, ...], candidates: int) -> Inbound:
        """This, and what another task has sent."""
        return Inbound((*self.names, *names), self.candidates + candidates) if candidates else self


@dataclass(frozen=True, slots=True)
class Assignment:
    """One task: take in the candidates of a level for a partition, and expand those that are new.

    `judged`: the candidates come from the driver, which has sorted out, judged and counted them already. `graph`: write
    down the edges. `shared_results` are the files with the results shared so far.
    """

    level: int
    partition: int
    inbound: Inbound
    visited: KeyFiles
    judged: bool
    graph: bool
    shared_results: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskReport:
    """What a task reports. `arrived` is about its states, `expanded` about the steps from them.

    `outbound` counts the candidates for each partition, which are in so many files (`sent`); `exported` are the files
    with rows for tables. `worker` names the process, `counters` is what that process has evaluated so far in this run,
    and `effort` what that took. `shared_results` are the results that it has not sent before, `unshared` counts those
    that cannot be sent. `partial_level`: what counts of it if other tasks of the level are not finished.
    """

    partition: int
    visited: KeyFiles
    arrived: Level
    expanded: Level
    outbound: tuple[int, ...]
    sent: int
    exported: tuple[str, ...]
    worker: str
    counters: Counters
    effort: Effort
    shared_results: bytes
    unshared: int
    partial_level: PartialLevel


class TaskItem(NamedTuple):
    """A task as it is sent: its partition, its assignment packed, and what it reads besides what was sent to it."""

    partition: int
    assignment: bytes
    needs: tuple[str, ...]

    @classmethod
    def of(cls, partition: int, assignment: object, needs: tuple[str, ...] = ()) -> TaskItem:
        """The item of a task. Without a folder Spark keeps it to the end of the run, with the names of all senders."""
        return cls(partition, deflate(pickle.dumps(assignment, pickle.HIGHEST_PROTOCOL)), needs)


def unpacked(assignment: bytes) -> Any:
    """The assignment in a `TaskItem`."""
    return pickle.loads(inflate(assignment))


def found_file(level: int, partitions: int, partition: int) -> str:
    """The file of the states found: keys, sources, indexes into the table of orders, that table, recorded answers.

    All these names have the number of partitions: a run may go on with another one beside the files of the first.
    """
    return f"found-{level}-{partitions}-{partition}"


def outbound_file(level: int, partitions: int, sender: int, number: int = 0) -> str:
    """One of the files of the candidates that the expansion of a level brought: a part for each partition."""
    return f"outbound-{level}-{partitions}-{number}-{sender}"


def shared_results_file(level: int) -> str:
    """The file of the results shared on a level."""
    return f"lessons-{level}"


def is_for_all(name: str) -> bool:
    """Is this the name of a file of shared results, which all tasks read?"""
    return name.startswith("lessons-")


def edges_file(level: int, partitions: int, partition: int) -> str:
    """The file of the edges from the states of a level: the table of shapes, indexes by state, targets' keys."""
    return f"edges-{level}-{partitions}-{partition}"


def is_of_level(name: str) -> bool:
    """Is this the name of a file of states found, or of edges?"""
    return name.startswith(("found-", "edges-"))


Origin = tuple[int, StepOrder]
"""How a state was found: the key of the source, and the step."""


class PartitionTask(Protocol):
    """A partition in a task, by rows or by columns: its assignment, and its results so far.

    `arrived` is about the states that it has taken in, the others about their expansion, as in `TaskReport`.
    """

    assignment: Assignment
    arrived: Level
    expanded: Level
    outbound: tuple[int, ...]
    sent: int
    exported: tuple[str, ...]

    def run(self) -> KeyFiles:
        """Do the work; the keys that this partition has visited then."""
        ...

    def origin(self, key: int) -> Origin | None:
        """How a state was found; None: it was found before."""
        ...


@dataclass(frozen=True, slots=True)
class PartialLevel:
    """What a task has met: `level` as far as it got. `origins`: of its witnesses those states that it found itself."""

    level: Level
    origins: Mapping[int, Origin]

    @classmethod
    def of(cls, partition: PartitionTask) -> PartialLevel:
        """What was met so far of the level that is being found."""
        if partition.assignment.judged:
            return cls(partition.expanded, {})
        level = partition.arrived
        witnesses = [*level.witnesses.values(), *([] if level.error is None else [level.error])]
        keys = [witness.at.key for witness in witnesses if witness.at is not None]
        return cls(level, {key: found for key in keys if (found := partition.origin(key)) is not None})


_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Stopped:
    """A task that was not finished."""

    reason: StopReason
    partial_level: PartialLevel


def stop_sign(folder: Path, run: str) -> Path:
    """The file that is there once a run is to end. All workers see the folder."""
    return folder / f"stop-{int(run[:_DIGITS], 16)}"
