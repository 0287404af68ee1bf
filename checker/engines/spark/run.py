"""The driver's side of a run: local until the frontier is wide, from then on one Spark job a level."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from checker.checkpoint.records import Head
from checker.checkpoint.saved import Saved, unpack_head
from checker.effort import CPU_ELSEWHERE, MEMORY_ELSEWHERE, Effort
from checker.engines.protocol import Level, Task
from checker.engines.read_tree import Counters
from checker.engines.spark.cluster import FOLDER, Base, Cluster, ClusterState
from checker.engines.spark.java import find_java
from checker.engines.spark.local import LocalRun
from checker.engines.spark.master import check_master
from checker.engines.spark.session import Session, open_session
from checker.engines.spark.store import Store
from checker.exploration import PathLink
from checker.liveness.graph import Graph
from checker.problems import UsageProblem

_PARTITIONS: Final = "spark.default.parallelism"


class SparkRun:
    """One exploration by the Spark engine."""

    def __init__(self, task: Task, wide: int) -> None:
        self.task = task
        self.conf = dict(task.settings.spark_conf)
        for key in self.conf:
            if not key.startswith("spark."):
                raise UsageProblem(f"'{key}' is no setting of Spark", "Spark's settings begin with 'spark.'")
        self.master = self.conf.get("spark.master", task.settings.spark_master)
        self.partitions = _partitions(self.conf)
        check_master(self.master)
        # A missing Java is told now, and not after an hour's work.
        self.java = find_java(os.environ)
        self.local = LocalRun(task, wide)
        self.symmetric = self.local.symmetric
        self.level = 0
        self.frontier = 0
        self.session: Session | None = None
        self.cluster: Cluster | None = None
        self._base: Base | None = None
        """Where the local run was saved last."""

    # --- levels ----------------------------------------------------------------------------------------------------

    def first(self) -> Level:
        level = self.local.first()
        self.frontier = level.frontier
        return level

    def next(self) -> Level:
        if self.cluster is None:
            if self.frontier < self.task.settings.spark_from:
                level = self.local.next()
                self.frontier = level.frontier
                self.level += 1
                return level
            # Edges are written row by row.
            columns = not self.task.graph and self.local.by_columns()
            self.cluster = self._cluster(self.level, self.partitions, columns)
            self.cluster.hand_over()
        return self.cluster.next()

    def _cluster(self, level: int, partitions: int | None, columns: bool) -> Cluster:
        self.session = open_session(self.master, self.conf, self.java)
        partitions = partitions or max(1, self.session.context.defaultParallelism)
        return Cluster(self.task, self.local, self.session, level, partitions, columns, self.conf.get(FOLDER))

    # --- checkpoints -----------------------------------------------------------------------------------------------

    @property
    def eager(self) -> bool:
        """The local run is saved before it is handed over. After that each level is: its files are there anyway."""
        return self.cluster is not None or self.frontier >= self.task.settings.spark_from

    def save(self, store: Store, level: int) -> Saved:
        """What another run needs to go on from this level."""
        if self.cluster is not None:
            assert self._base is not None
            return self.cluster.save(self._base)
        saved = self.local.save(store, level)
        self._base = Base(level, saved.files)
        return saved

    def restore(self, store: Store, level: int) -> None:
        """Be as the run was that was saved after this level, by this engine or by the embedded one."""
        head = unpack_head(store, level)
        if isinstance(head, ClusterState):
            self._base = head.base
            self.local.restore(store, head.base.level, waiting=False)
            self.cluster = self._cluster(head.handed_over, head.partitions, head.columns)
            self.cluster.restore(head)
            return
        assert isinstance(head, Head)
        self._base = Base(level, (*head.states, *head.graph))
        self.local.restore(store, level)
        self.frontier, self.level = self.local.waiting, level

    # --- afterwards ------------------------------------------------------------------------------------------------

    def path(self, key: int) -> tuple[PathLink, ...]:
        return self.local.path(key) if self.cluster is None else self.cluster.findings.path(key)

    def graph(self) -> Graph:
        return self.local.graph() if self.cluster is None else self.cluster.findings.graph()

    def answers(self, key: str) -> bytearray:
        return self.local.answers(key) if self.cluster is None else self.cluster.findings.answers(key)

    def stats(self) -> Mapping[str, object]:
        total = Counters()
        total.add(self.local.counters())
        for counters in self.cluster.counters.values() if self.cluster is not None else ():
            total.add(counters)
        effort = Effort() if self.cluster is None else self.cluster.effort()
        return {
            "rule evaluations": total.evaluations,
            "interpreter calls": total.calls,
            "hit rate": round(total.hits / total.evaluations, 4) if total.evaluations else 0.0,
            "tree nodes": total.nodes,
            "spark_levels": self.cluster.jobs if self.cluster is not None else 0,
            "partitions": self.cluster.partitions if self.cluster is not None else 0,
            "tasks": self.cluster.tasks if self.cluster is not None else 0,
            CPU_ELSEWHERE: round(effort.cpu_s, 3),
            MEMORY_ELSEWHERE: round(effort.memory_mb, 1),
            "workers": len(self.cluster.counters) if self.cluster is not None else 0,
        }

    def close(self) -> None:
        self.local.close()
        if self.cluster is not None:
            self.cluster.close()
        elif self.session is not None:
            self.session.close()


def _partitions(conf: Mapping[str, str]) -> int | None:
    """The number of partitions that the user wants; None: as many as there are cores."""
    wanted = conf.get(_PARTITIONS)
    if wanted is not None and (not wanted.isdecimal() or int(wanted) < 1):
        raise UsageProblem(f"{_PARTITIONS} must be a number above 0, got '{wanted}'")
    return None if wanted is None else int(wanted)
