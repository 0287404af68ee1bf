"""What a run has found on Spark, read back from the files of its partitions: paths, answers, the graph for liveness."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from checker.engines.spark.assignment import edges_file, found_file
from checker.engines.spark.codec import unpack_orders
from checker.engines.spark.keys import (
    WIDTH,
    Keys,
    key_array,
    key_column,
    key_number,
    partition_of,
    partitions_of,
    places,
)
from checker.engines.spark.local import LocalRun
from checker.engines.spark.partition import Shape
from checker.engines.spark.store import Store
from checker.exploration import PathLink
from checker.liveness.graph import Graph
from interpreter.step import StepOrder

_KEYS, _SOURCES, _ORDERS, _ORDER_TABLE, _ANSWERS = range(5)

Numbers = NDArray[np.int64]


class Findings:
    """The levels up to `handed_over` are those of the local run; the numbers of its states go on in the later ones.

    The states of the level handed over are the last `waiting` ones of the local run.
    """

    def __init__(self, store: Store, local: LocalRun, handed_over: int, partitions: int) -> None:
        self.store = store
        self.local = local
        self.handed_over = handed_over
        self.partitions = partitions
        self.waiting = 0
        self.local_graph = local.expanded_graph()
        self._local_keys = local.keys()
        self.levels: tuple[tuple[int, ...], ...] = ()
        """The partitions that found states, for each level after the one handed over."""

    def add_level(self, partitions: Sequence[int]) -> None:
        """One more level was taken in, with new states in these partitions."""
        self.levels = (*self.levels, tuple(partitions))

    # --- paths -----------------------------------------------------------------------------------------------------

    def path(self, key: int) -> tuple[PathLink, ...]:
        """The links from Init to a state that was found."""
        links: list[PathLink] = []
        # The source of a state is one level above it, so one way up is enough.
        for index in reversed(range(len(self.levels))):
            step = self._step_to(key, index)
            if step is not None:
                source, order = step
                links.append(PathLink(order, key))
                key = source
        return (*self.local.path(key), *reversed(links))

    def _step_to(self, key: int, index: int) -> tuple[int, StepOrder] | None:
        """The source and the step by which a state was found, if that was on this level."""
        partition = partition_of(key, self.partitions)
        if partition not in self.levels[index]:
            return None
        name = self._found(index, partition)
        at, there = places(key_array(self.store.map(name, _KEYS)), key_column([key]))
        if not there[0]:
            return None
        place = int(at[0])
        source = bytes(self.store.map(name, _SOURCES)[WIDTH * place : WIDTH * (place + 1)])
        number = bytes(self.store.map(name, _ORDERS)[4 * place : 4 * (place + 1)])
        (order,) = unpack_orders(self.store.read(name, _ORDER_TABLE), number)
        return int.from_bytes(source, "big"), order

    def _found(self, index: int, partition: int) -> str:
        return found_file(self.handed_over + 1 + index, partition)

    # --- the graph -------------------------------------------------------------------------------------------------

    def answers(self, key: str) -> bytearray:
        """The recorded answers of a watch, by number of state."""
        column = _ANSWERS + self.local.recorded.index(key)
        answers = bytearray(self.local.answers(key))
        for index, partitions in enumerate(self.levels):
            parts = [self.store.read(self._found(index, p), column) for p in partitions]
            together = np.frombuffer(b"".join(parts), dtype=np.uint8)
            answers += together[np.argsort(self._keys_found(index), kind="stable")].tobytes()
        return answers

    def graph(self) -> Graph:
        """The whole graph, in this process. The last level taken in was not expanded, as far as anybody was told."""
        graph = self.local_graph
        assert graph is not None
        before, handed_over = np.split(self._local_keys, [len(self._local_keys) - self.waiting])
        by_partition = np.argsort(partitions_of(handed_over, self.partitions), kind="stable")
        levels = [handed_over[by_partition], *(self._keys_found(index) for index in range(len(self.levels)))]
        keys = np.concatenate([before, *(np.sort(level) for level in levels)])
        numbers = _Numbers(keys)
        graph.key = lambda state: key_number(keys, state)
        partitions = [tuple(range(self.partitions)), *self.levels]
        last = len(levels) - 1
        for index, (level, among) in enumerate(zip(levels, partitions, strict=True)):
            self._add_level(graph, self.handed_over + index, level, among, numbers, expanded=index < last)
        return graph

    def _keys_found(self, index: int) -> Keys:
        """The keys of a level, partition by partition."""
        columns = [key_array(self.store.map(self._found(index, p), _KEYS)) for p in self.levels[index]]
        return np.concatenate([key_column(()), *columns])

    def _add_level(
        self, graph: Graph, level: int, keys: Keys, partitions: Sequence[int], numbers: _Numbers, expanded: bool
    ) -> None:
        rows = [row for partition in partitions for row in self._rows(level, partition, numbers)]
        for place in np.argsort(keys, kind="stable").tolist():
            shape, targets = rows[place]
            # A state that was not expanded keeps its names, and leads nowhere.
            graph.add_state(shape.steps, targets if expanded else (), shape.quiet, shape.cut or not expanded)

    def _rows(self, level: int, partition: int, numbers: _Numbers) -> Iterator[tuple[Shape, list[int]]]:
        """Shape and targets of the states of one partition and level, by key."""
        name = edges_file(level, partition)
        if not self.store.has(name):
            return
        shapes: tuple[Shape, ...] = pickle.loads(self.store.read(name, 0))
        targets = numbers.of(key_array(self.store.read(name, 2))).tolist()
        begin = 0
        for number in array("I", self.store.read(name, 1)):
            shape = shapes[number]
            yield shape, targets[begin : begin + shape.inside]
            begin += shape.inside


class _Numbers:
    """The numbers of states, by key."""

    def __init__(self, keys: Keys) -> None:
        self._order: Numbers = np.argsort(keys, kind="stable")
        self._sorted = keys[self._order]

    def of(self, keys: Keys) -> Numbers:
        """The numbers of states that were found; for others, which only uncounted steps lead to, some number."""
        at, _ = places(self._sorted, keys)
        return self._order[at]
