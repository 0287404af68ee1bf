"""The driver's side of a run: local until the frontier is wide, from then on one Spark job a level."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from checker.core.demand import ExploredStates
from checker.core.effort import CPU_OF_OTHERS, MEMORY_OF_OTHERS, NOT_IN_CPU, Effort
from checker.core.exploration import PathLink
from checker.core.level import Level
from checker.core.problems import UsageProblem
from checker.search.checkpoints.lasting_run import Saved, unpack_head
from checker.search.checkpoints.records import Head
from checker.search.contract.protocol import Task
from checker.search.memo.trie import Counters
from checker.search.spark.assignment import WorkerConfig
from checker.search.spark.carrier import EXCHANGE, exchange_wanted
from checker.search.spark.cluster import Base, Cluster, ClusterState, demand_sound
from checker.search.spark.java import find_java
from checker.search.spark.liveness.partitioned_search import SMALL
from checker.search.spark.local import LocalRun
from checker.search.spark.master import check_master, cores_asked, refuse_connect
from checker.search.spark.spark_connection import SparkConnection, open_session
from checker.storage.checkpoint.folder import level_file
from checker.storage.file_store import FileStore
from checker.storage.user_paths import RUN_FOLDER

_PARTITIONS: Final = "spark.default.parallelism"
_CORE: Final = "spark.fizzpy.core"
"""The setting for how many states and edges of the graph for liveness the driver may hold."""


class SparkRun:
    """One exploration by the Spark engine. `together`: the runs of one check, to which this one is added."""

    def __init__(self, task: Task, wide: int | None, together: list[SparkRun]) -> None:
        self.task = task
        self.conf = dict(task.settings.spark_conf)
        for key in self.conf:
            if not key.startswith("spark."):
                raise UsageProblem(f"'{key}' is no setting of Spark", "Spark's settings begin with 'spark.'")
        self.master = self.conf.get("spark.master", task.settings.spark_master)
        self.partitions = _number(self.conf, _PARTITIONS, 1)
        most = _number(self.conf, _CORE, 0)
        self.most = SMALL if most is None else most
        kept_in = task.settings.kept_in
        self.exchange = exchange_wanted(self.conf.get(EXCHANGE), self.conf.get(RUN_FOLDER), kept_in)
        refuse_connect(self.master, self.conf)
        check_master(self.master)
        # A missing Java is reported now, and not after an hour's work.
        self.java = find_java(os.environ)
        self.local = LocalRun(task, wide)
        self.symmetric = self.local.symmetric
        self.level = 0
        self.frontier = 0
        self.session: SparkConnection | None = None
        self.cluster: Cluster | None = None
        self._base: Base | None = None
        """Where the local run was saved last."""
        self.handed_over = False
        """Whether a cluster was asked for."""
        self._together = together
        together.append(self)

    @property
    def exact(self) -> bool:
        return self.cluster is None and self.local.exact

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
            columns = self.local.by_columns()
            self.cluster = self._cluster(self.level, self.partitions, columns, self.local.worker_config(columns))
            self.cluster.hand_over()
        return self.cluster.next()

    def _cluster(self, level: int, partitions: int | None, columns: bool, worker_config: WorkerConfig) -> Cluster:
        self.handed_over = True
        self.session = open_session(self.master, self.conf, self.java, self.task.patience, self.task.say)
        if self.task.watched and self.session.started is not None and self.session.web_ui is not None:
            self.task.say(f"Spark's web UI is at {self.session.web_ui}")
        partitions = partitions or self.session.cores(cores_asked(self.master, self.conf))
        folder = self.conf.get(RUN_FOLDER)
        return Cluster(
            self.task, self.local, self.session, level, partitions, columns, worker_config, folder, self.exchange
        )

    # --- checkpoints -----------------------------------------------------------------------------------------------

    @property
    def eager(self) -> bool:
        """The local run is saved before it is handed over. After that each level is: its files are there anyway."""
        return self.cluster is not None or self.frontier >= self.task.settings.spark_from

    @property
    def found(self) -> int:
        """How many states were found so far."""
        return self.local.found if self.cluster is None else self.cluster.found

    def save(self, store: FileStore, level: int) -> Saved:
        """What another run needs to go on from this level."""
        if self.cluster is not None:
            assert self._base is not None
            return self.cluster.save(self._base)
        saved = self.local.save(store, level)
        self._base = Base(level, saved.files)
        return saved

    def restore(self, store: FileStore, level: int) -> None:
        """Take the state of the run that was saved after this level, by this engine or by the embedded one."""
        head = unpack_head(store, level, Head, ClusterState)
        if isinstance(head, ClusterState):
            with store.reading(level_file(level)):
                demand_sound(head)
            partitions = self.partitions or head.partitions
            if partitions != head.partitions:
                self.task.say(
                    f"the checkpoint has {head.partitions} partitions; they are divided anew into {partitions}"
                )
            self._base = head.base
            self.local.restore(store, head.base.level, waiting=False)
            self.cluster = self._cluster(head.handed_over, partitions, head.columns, head.worker_config)
            self.cluster.restore(head)
            return
        self._base = Base(level, head.files)
        self.local.restore(store, level)
        self.frontier, self.level = self.local.waiting, level

    # --- afterwards ------------------------------------------------------------------------------------------------

    def path(self, key: int) -> tuple[PathLink, ...]:
        return self.local.path(key) if self.cluster is None else self.cluster.findings.path(key)

    def search(self) -> ExploredStates:
        return self.local.search() if self.cluster is None else self.cluster.search(self.most)

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
            "levels by columns": self.cluster.jobs if self.cluster is not None and self.cluster.columns else 0,
            "partitions": self.cluster.partitions if self.cluster is not None else 0,
            "tasks": self.cluster.tasks if self.cluster is not None else 0,
            CPU_OF_OTHERS: round(effort.cpu_s, 3),
            MEMORY_OF_OTHERS: round(effort.memory_mb, 1),
            NOT_IN_CPU: None if self.session is None else self.session.unseen(),
            "liveness_passes": self.cluster.crew.jobs
            if self.cluster is not None and self.cluster.crew is not None
            else 0,
            "spark web UI": self.session.web_ui if self.session is not None else None,
            "workers": len(self.cluster.counters) if self.cluster is not None else 0,
            "lessons": self.cluster.exchange.shared_results if self.cluster is not None else 0,
            "lessons not told": self.cluster.exchange.not_shared if self.cluster is not None else 0,
        }

    def close(self) -> None:
        self.local.close()
        if self._together[0] is self:
            self._report_local()
        if self.cluster is not None:
            self.cluster.close()
        elif self.session is not None:
            self.session.close(self.task.patience)

    def _report_local(self) -> None:
        """Tell the user if Spark was asked for, and not used."""
        if self.local.found and not any(run.handed_over for run in self._together):
            least = self.task.settings.spark_from
            self.task.say(
                f"no level was run as a job of Spark: never did {least:,} states wait, and this process has explored "
                "them all (--spark-from N hands over earlier)"
            )
        self._together.clear()


def _number(conf: Mapping[str, str], name: str, least: int) -> int | None:
    """A setting that is a number from `least` on; None if it is not set."""
    wanted = conf.get(name)
    if wanted is not None and (not wanted.isdecimal() or int(wanted) < least):
        raise UsageProblem(f"{name} is no number that will do: '{wanted}'", f"give a whole number from {least} on")
    return None if wanted is None else int(wanted)
