"""The states that a run has found on Spark, level by level, and paths read from their files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from checker.core.exploration import PathLink
from checker.core.problems import EnvironmentProblem
from checker.search.checkpoints.codec import unpack_orders
from checker.search.checkpoints.key_columns import WIDTH, indexes_of, key_array, key_column, partition_of
from checker.search.spark.assignment import found_file
from checker.search.spark.local import LocalRun
from checker.storage.part_store import PartStore
from interpreter.state.step import StepOrder

KEYS: Final = 0
_SOURCES, _ORDERS, _ORDER_TABLE = 1, 2, 3
CRASHES: Final = 4
ANSWERS: Final = 5
"""The parts of a file of found states, those with answers last."""


class Findings:
    """The levels up to `handed_over` were found by the local run, and the one handed over was expanded on Spark."""

    def __init__(self, store: PartStore, local: LocalRun, handed_over: int, partitions: int) -> None:
        self.store = store
        self.local = local
        self.handed_over = handed_over
        self.partitions = partitions
        self.local_graph = local.expanded_graph()
        self.levels: tuple[tuple[int, ...], ...] = ()
        """The partitions that found states, for each level after the one handed over."""

    def add_level(self, partitions: Sequence[int]) -> None:
        """Add a level, with new states in these partitions."""
        self.levels = (*self.levels, tuple(partitions))

    # --- paths -----------------------------------------------------------------------------------------------------

    def path(self, key: int) -> tuple[PathLink, ...]:
        """The links from Init to a state that was found. Raises `EnvironmentProblem` if the files have no such path."""
        links: list[PathLink] = []
        # The source of a state is one level above it, so one pass over the levels is enough.
        for index in reversed(range(len(self.levels))):
            step = self._step_to(key, index)
            if step is not None:
                source, order = step
                links.append(PathLink(order, key))
                key = source
        try:
            return (*self.local.path(key), *reversed(links))
        except KeyError:
            text = f"the files in {self.store.place} do not go together: nothing leads to a state that was found"
            raise EnvironmentProblem(text, "begin anew, in another folder") from None

    def _step_to(self, key: int, index: int) -> tuple[int, StepOrder] | None:
        """The source and the step by which a state was found, if that was on this level."""
        partition = partition_of(key, self.partitions)
        if partition not in self.levels[index]:
            return None
        name = self._found(index, partition)
        with self.store.reading(name):
            at, there = indexes_of(key_array(self._view(name, KEYS)), key_column([key]))
            if not there[0]:
                return None
            row = int(at[0])
            source = bytes(self._view(name, _SOURCES)[WIDTH * row : WIDTH * (row + 1)])
            number = bytes(self._view(name, _ORDERS)[4 * row : 4 * (row + 1)])
            (order,) = unpack_orders(self.store.read(name, _ORDER_TABLE), number)
        return int.from_bytes(source, "big"), order

    def _view(self, name: str, part: int) -> memoryview:
        """One part. Each checkpoint has a path through other files of all levels: none stays open, or is copied."""
        (found,) = self.store.views([name], part)
        return found

    def _found(self, index: int, partition: int) -> str:
        return found_file(self.handed_over + 1 + index, self.partitions, partition)
