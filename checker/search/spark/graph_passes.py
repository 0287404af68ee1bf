"""`SparkCrew`: passes as Spark jobs, over shares of the graph in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from checker.liveness.graph import Graph
from checker.search.checkpoints.key_columns import partitions_of
from checker.search.spark.assignment import TaskItem
from checker.search.spark.findings import Findings
from checker.search.spark.graph_building import GraphSources, LevelFiles
from checker.search.spark.graph_task import (
    PassOutcome,
    PassTask,
    StoredArrays,
    contents_of,
    core_file,
    post_file,
    share_file,
    write_arrays,
)
from checker.search.spark.liveness.share import Array, Share, answers_array, bit_tables
from checker.storage.part_store import PartStore

Work = Callable[[str, list[TaskItem]], list[Any]]
"""Runs tasks as a job of this title; their results."""

_FROM_DRIVER: Final = 0


class SparkCrew:
    """The partitions of a run that has ended, and where their arrays are."""

    def __init__(self, store: PartStore, findings: Findings, work: Work) -> None:
        self.store = store
        self.partitions = findings.partitions
        self.columns = findings.local.recorded
        self._findings = findings
        self.jobs = _FROM_DRIVER
        self._work = work
        self._where: list[dict[str, str]] = [{} for _ in range(self.partitions)]
        self._post: list[PassOutcome | None] = [None] * self.partitions
        self._brought: list[str] = []
        assert findings.local_graph is not None
        self.tables: Graph = findings.local_graph
        self._write_begun(findings)
        self.size = self._build(findings)

    # --- the graph -------------------------------------------------------------------------------------------------

    def _write_begun(self, findings: Findings) -> None:
        """Write what the driver has found itself to the shares."""
        for partition, arrays in enumerate(begun_shares(findings)):
            self._write(partition, arrays)

    def _write(self, partition: int, arrays: Mapping[str, Array]) -> None:
        name = share_file(_FROM_DRIVER, partition)
        write_arrays(self.store, name, arrays)
        self._where[partition] |= dict.fromkeys(arrays, name)

    def _build(self, findings: Findings) -> int:
        """Make the shares; how many states and edges there are."""
        sources = [self._sources(findings, partition) for partition in range(self.partitions)]
        kinds = self._each("survey", sources)
        numbered = [
            GraphSources(
                source.levels, source.columns, tuple(self.tables.shape(steps, inside) for steps, inside in kinds_found)
            )
            for source, kinds_found in zip(sources, kinds, strict=True)
        ]
        sizes = self._each("scatter", numbered)
        tables = share_file(_FROM_DRIVER, self.partitions)
        arrays = bit_tables(self.tables)
        write_arrays(self.store, tables, arrays)
        for where in self._where:
            where |= dict.fromkeys(arrays, tables)
        self.make("resolve")
        self.make("link")
        return sum(states + edges for states, edges in sizes)

    def _sources(self, findings: Findings, partition: int) -> GraphSources:
        last = len(findings.levels)
        handed_over = LevelFiles(findings.handed_over, None, last > 0)
        later = [
            LevelFiles(findings.handed_over + 1 + index, partition in among, index + 1 < last)
            for index, among in enumerate(findings.levels)
        ]
        return GraphSources((handed_over, *later), self.columns)

    def close(self) -> None:
        """Remove all files of the search that are still there."""
        files = {name for where in self._where for name in where.values()}
        files |= {post_file(self.jobs, partition) for partition in range(self.partitions)}
        for name in (*files, *self._brought):
            self.store.remove(name)

    # --- passes ----------------------------------------------------------------------------------------------------

    def make(self, name: str, given: object = None) -> list[Any]:
        return self._each(name, [given] * self.partitions)

    def _each(self, name: str, given: Sequence[object]) -> list[Any]:
        return list(self._pass(name, dict(enumerate(given))).values())

    def go_on(self, name: str, given: object = None) -> Mapping[int, Any]:
        waiting = [partition for partition in range(self.partitions) if self._waits(partition)]
        return self._pass(name, dict.fromkeys(waiting, given))

    @property
    def post(self) -> bool:
        return any(map(self._waits, range(self.partitions)))

    def _waits(self, partition: int) -> bool:
        return any(done is not None and done.post[partition] for done in self._post if done and done.post)

    def share(self, partition: int) -> Share:
        return Share(partition, self.partitions, StoredArrays(self.store, self._where[partition]))

    def cost(self, level: int, crashes: int, begun: int) -> tuple[int, int]:
        """See `Crew`."""
        if level:
            return self._findings.handed_over + level, crashes
        return self._findings.local.costs_by_rank[begun]

    def brought(self) -> list[Mapping[str, Array]]:
        """The arrays that the latest pass has left for the driver; they are read once."""
        found: list[Mapping[str, Array]] = []
        for name in self._brought:
            where = dict.fromkeys((content.name for content in contents_of(self.store, name)), name)
            found.append(StoredArrays(self.store, where))
        return found

    def _pass(self, name: str, given: Mapping[int, object]) -> dict[int, Any]:
        inbound = self._inbound()
        before = self.jobs
        self.jobs += 1
        items = [
            PassTask(self.jobs, name, partition, self.partitions, self._where[partition], inbound[partition], what)
            for partition, what in given.items()
        ]
        packed = [TaskItem.of(item.partition, item, item.needs) for item in items]
        answers: list[PassOutcome] = self._work(f"fizzpy: liveness, {name}", packed)
        sent = [partition for partition, done in enumerate(self._post) if done is not None and any(done.post)]
        self._post = [None] * self.partitions
        for partition, done in zip(given, answers, strict=True):
            self._take(partition, done)
        for partition in sent:
            self.store.remove(post_file(before, partition))
        for file in self._brought:
            self.store.remove(file)
        self._brought = [core_file(self.jobs, partition) for partition in given if name == "pick"]
        return {partition: done.reply for partition, done in zip(given, answers, strict=True)}

    def _inbound(self) -> list[tuple[str | None, ...]]:
        """For each partition the files with post for it, by sender."""
        return [
            tuple(
                post_file(self.jobs, sender) if done is not None and done.post and done.post[partition] else None
                for sender, done in enumerate(self._post)
            )
            for partition in range(self.partitions)
        ]

    def _take(self, partition: int, done: PassOutcome) -> None:
        """Note the files that a pass has left, and remove those that will not be read any more."""
        self._post[partition] = done
        where = self._where[partition]
        old = {where[name] for name in done.arrays if name in where}
        where |= dict.fromkeys(done.arrays, share_file(self.jobs, partition))
        for name in old - set(where.values()):
            self.store.remove(name)


def begun_shares(findings: Findings) -> list[dict[str, Array]]:
    """What the local run has found, by partition: all its states, and the edges of those that it has expanded."""
    graph, local, partitions = findings.local_graph, findings.local, findings.partitions
    assert graph is not None
    keys = local.keys()
    owners = partitions_of(keys, partitions)
    first = np.frombuffer(graph.first, dtype=np.uint64).astype(np.int64)
    targets = keys[np.frombuffer(graph.targets, dtype=np.uint32)]
    marks = np.frombuffer(graph.marks, dtype=np.uint32)
    degree = np.diff(first)
    per_state = {
        "needs": np.frombuffer(graph.needs, dtype=np.uint32),
        "quiet": np.frombuffer(graph.quiet, dtype=np.bool_),
        "cut": np.frombuffer(graph.cut, dtype=np.bool_),
        "degree": degree,
    }
    of_edge = np.repeat(owners[: len(degree)], degree)
    ranks = np.array(local.ranks(), dtype=np.uint64)
    columns = {name: np.frombuffer(local.answers(name), dtype=np.uint8) for name in local.recorded}
    found: list[dict[str, Array]] = []
    for partition in range(partitions):
        states = np.flatnonzero(owners == partition)
        expanded = states[states < len(degree)]
        edges = of_edge == partition
        arrays: dict[str, Array] = {"begun": ranks[states], "begun.keys": keys[states]}
        arrays |= {f"begun.{name}": column[expanded] for name, column in per_state.items()}
        arrays |= {"begun.marks": marks[edges], "begun.targets": targets[edges]}
        arrays |= {f"begun.{answers_array(name)}": column[states] for name, column in columns.items()}
        found.append(arrays)
    return found
