"""The driver's side of a run: local until the frontier is wide, then one job a level.

Of the states on Spark the driver sees counts, witnesses and the names of files.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pyspark import cloudpickle

from checker.engines.embedded import EmbeddedRun
from checker.engines.protocol import Level, Task
from checker.engines.read_tree import Counters
from checker.engines.spark.assignment import Assignment, Order, Summary, outbound_file
from checker.engines.spark.codec import Candidate, StateCodec, pack_candidates
from checker.engines.spark.findings import Findings
from checker.engines.spark.java import find_java
from checker.engines.spark.keys import key_column, partition_of
from checker.engines.spark.master import check_master
from checker.engines.spark.session import Session, open_session
from checker.engines.spark.shipping import archive, worker_function
from checker.engines.spark.store import Store
from checker.engines.spark.visited import Runs, add_run
from checker.exploration import PathLink
from checker.liveness.graph import Graph
from checker.problems import EnvironmentProblem, Problem, UsageProblem
from interpreter.step import StepOrder

_FOLDER: Final = "spark.fizzpy.folder"
_PARTITIONS: Final = "spark.default.parallelism"


class SparkRun:
    """One exploration by the Spark engine."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.conf = dict(task.settings.spark_conf)
        for key in self.conf:
            if not key.startswith("spark."):
                raise UsageProblem(f"'{key}' is no setting of Spark", "Spark's settings begin with 'spark.'")
        self.master = self.conf.get("spark.master", task.settings.spark_master)
        check_master(self.master)
        # A missing Java is told now, and not after an hour's work.
        self.java = find_java(os.environ)
        self.local = EmbeddedRun(task)
        self.symmetric = self.local.symmetric
        self.level = -1
        self.cluster: Cluster | None = None

    # --- levels ----------------------------------------------------------------------------------------------------

    def first(self) -> Level:
        self.level += 1
        return self.local.first()

    def next(self) -> Level:
        if self.cluster is None:
            if len(self.local.waiting) < self.task.settings.spark_from:
                self.level += 1
                return self.local.next()
            session = open_session(self.master, self.conf, self.java)
            self.cluster = Cluster(self.task, self.local, session, self.level, self.conf)
        return self.cluster.next()

    # --- afterwards ------------------------------------------------------------------------------------------------

    def path(self, key: int) -> tuple[PathLink, ...]:
        return self.local.path(key) if self.cluster is None else self.cluster.findings.path(key)

    def graph(self) -> Graph:
        return self.local.graph() if self.cluster is None else self.cluster.findings.graph()

    def answers(self, key: str) -> bytearray:
        return self.local.answers(key) if self.cluster is None else self.cluster.findings.answers(key)

    def stats(self) -> Mapping[str, object]:
        total = Counters()
        total.add(self.local.expander.memory.total())
        for counters in self.cluster.counters.values() if self.cluster is not None else ():
            total.add(counters)
        return {
            "rule evaluations": total.evaluations,
            "interpreter calls": total.calls,
            "hit rate": round(total.hits / total.evaluations, 4) if total.evaluations else 0.0,
            "tree nodes": total.nodes,
            "spark_levels": self.cluster.jobs if self.cluster is not None else 0,
            "partitions": self.cluster.partitions if self.cluster is not None else 0,
            "tasks": self.cluster.tasks if self.cluster is not None else 0,
            "workers": len(self.cluster.counters) if self.cluster is not None else 0,
        }

    def close(self) -> None:
        self.local.close()
        if self.cluster is not None:
            self.cluster.close()


class Cluster:
    """The part of a run that is on Spark.

    A job takes in a level and expands it in one go. What the expansion brought is held back until it is asked for: the
    run may end with the level that was taken in, and then the steps from it do not count.
    """

    def __init__(self, task: Task, local: EmbeddedRun, session: Session, level: int, conf: Mapping[str, str]) -> None:
        self.task = task
        self.session = session
        self.run = uuid.uuid4().hex
        self.partitions = _partitions(conf, session)
        self.folder = _folder(conf, self.run)
        self.store = Store(self.folder)
        self.findings = Findings(self.store, local, level, len(local.waiting), self.partitions)
        self.level = level
        self.runs: list[Runs] = [()] * self.partitions
        self.inbound: list[list[str]] = [[] for _ in range(self.partitions)]
        self.wants_graph = local.wants_graph
        self.held: Level | None = None
        self.jobs = self.tasks = 0
        self.counters: dict[str, Counters] = {}
        self._hand_over(local)
        order = Order(
            self.run,
            str(self.folder),
            self.partitions,
            task.program,
            task.watches,
            task.settings,
            task.prune,
            task.graph,
            task.machine,
        )
        context = session.context
        # By value where need be: a machine of one's own may be defined in a script or notebook.
        self._order = context.broadcast(cloudpickle.dumps(order))  # type: ignore[no-untyped-call]
        self._code = None if session.in_one_place else context.broadcast(archive())
        self._work = worker_function(self.run, self._order, self._code)

    def _hand_over(self, local: EmbeddedRun) -> None:
        """Give each partition the keys that were found so far, and the states that wait to be expanded."""
        found: list[list[int]] = [[] for _ in range(self.partitions)]
        for key in sorted(local.found.keys):
            found[partition_of(key, self.partitions)].append(key)
        self.runs = [
            add_run(self.store, (), partition, self.level, key_column(keys)) for partition, keys in enumerate(found)
        ]
        codec = StateCodec(local.machine)
        waiting: list[list[Candidate]] = [[] for _ in range(self.partitions)]
        for state in local.waiting:
            key = local.found.keys[state.number]
            candidate = Candidate(key, 0, _NO_ORDER, state.starts, state.state)
            waiting[partition_of(key, self.partitions)].append(candidate)
        name = outbound_file(self.level - 1, self.partitions)
        self.store.write(name, [pack_candidates(codec, candidates) for candidates in waiting])
        self.inbound = [[name] if candidates else [] for candidates in waiting]
        local.waiting = []

    def next(self) -> Level:
        """Expand the level in hand and take in the next one."""
        if self.held is None:
            self.held = self._job(judged=True)[1]
        level = self.held
        self.level += 1
        arrived, self.held = self._job(judged=False)
        level.merge(arrived)
        return level

    def _job(self, judged: bool) -> tuple[Level, Level]:
        """Run the level in hand: what taking it in brought, and what its expansion did."""
        given = [
            Assignment(self.level, partition, tuple(names), self.runs[partition], judged, self.wants_graph)
            for partition, names in enumerate(self.inbound)
            if names
        ]
        arrived, expanded = Level(), Level()
        found: list[int] = []
        used = {name for names in self.inbound for name in names}
        self.inbound = [[] for _ in range(self.partitions)]
        if given:
            items = [pickle.dumps(assignment, pickle.HIGHEST_PROTOCOL) for assignment in given]
            title = f"fizzpy: level {self.level}"
            answers = self.session.run(self.run, title, self._work, items, lambda: self.task.tick(0, 0))
            self.jobs += 1
            self.tasks += len(given)
            for answer in answers:
                summary = self._take(answer)
                arrived.merge(summary.arrived)
                expanded.merge(summary.expanded)
                if summary.arrived.states:
                    found.append(summary.partition)
        self.wants_graph = self.wants_graph and not arrived.pruned
        if not judged:
            self.findings.add_level(found)
        for name in used:
            self.store.remove(name)
        return arrived, expanded

    def _take(self, answer: bytes) -> Summary:
        """Take in where a task has left things."""
        summary: Summary | Problem = pickle.loads(answer)
        if isinstance(summary, Problem):
            raise summary
        kept = set(summary.runs)
        for run in self.runs[summary.partition]:
            if run not in kept:
                self.store.remove(run.name)
        self.runs[summary.partition] = summary.runs
        for partition, candidates in enumerate(summary.outbound):
            if candidates:
                self.inbound[partition].append(outbound_file(self.level, summary.partition))
        # A worker counts on and on; its tasks may come home in any order.
        known = self.counters.get(summary.worker)
        if known is None or known.evaluations < summary.counters.evaluations:
            self.counters[summary.worker] = summary.counters
        return summary

    def close(self) -> None:
        self.session.close()
        shutil.rmtree(self.folder, ignore_errors=True)


_NO_ORDER: Final = StepOrder((), (), 0)


def _partitions(conf: Mapping[str, str], session: Session) -> int:
    wanted = conf.get(_PARTITIONS)
    if wanted is None:
        return max(1, session.context.defaultParallelism)
    if not wanted.isdecimal() or int(wanted) < 1:
        raise UsageProblem(f"{_PARTITIONS} must be a number above 0, got '{wanted}'")
    return int(wanted)


def _folder(conf: Mapping[str, str], run: str) -> Path:
    """A folder for the files of a run: where the user says, else with the temporary files of this machine."""
    parent = conf.get(_FOLDER)
    if parent is None:
        return Path(tempfile.mkdtemp(prefix="fizzpy-"))
    folder = Path(parent).absolute() / f"fizzpy-{run}"
    try:
        folder.mkdir(parents=True)
    except OSError as failure:
        raise EnvironmentProblem(
            f"the folder {parent} cannot be used: {failure.strerror}", f"name another one: --conf {_FOLDER}=DIR"
        ) from None
    return folder
