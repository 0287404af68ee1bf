"""What a partition keeps of a level, in columns that can be split and joined: states found, and edges from there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from checker.search.checkpoints.codec import pack_numbered
from checker.search.checkpoints.key_columns import Keys, key_array
from checker.search.columns.code_tables import Ints
from checker.search.spark.edge_file import EdgeFile, GraphShape, unpack_shapes
from checker.search.spark.liveness.share import Array
from fizz.base.data import demand, unpack
from interpreter.state.step import StepOrder

Entry = TypeVar("Entry", StepOrder, GraphShape)


class FoundStates(NamedTuple):
    """The states of a file of states found (see `found_file`). `orders`: a table; `numbers`: indexes into it."""

    keys: Keys
    sources: Keys
    orders: tuple[StepOrder, ...]
    numbers: Ints
    crashes: Array
    answers: tuple[Array, ...]

    @classmethod
    def of(cls, parts: Sequence[bytes]) -> FoundStates:
        """What `parts` gave, which is not empty. What it raises for anything else is in `UNREADABLE`."""
        keys, sources, numbers, table, crashes, *answers = parts
        found = cls(
            key_array(keys),
            key_array(sources),
            unpack(tuple[StepOrder, ...], table),
            np.frombuffer(numbers, dtype=np.uint32).astype(np.int64),
            np.frombuffer(crashes, dtype=np.uint32),
            tuple(np.frombuffer(column, dtype=np.uint8) for column in answers),
        )
        columns = (found.sources, found.numbers, found.crashes, *found.answers)
        demand(all(len(column) == len(found.keys) for column in columns), "as many in each column")
        demand(int(found.numbers.max()) < len(found.orders), "an order of each state")
        return found

    @classmethod
    def joined(cls, some: Sequence[FoundStates]) -> FoundStates:
        """The states of several, one after the other."""
        orders, numbers = _one_table([(one.orders, one.numbers) for one in some])
        keys, sources, crashes = (
            np.concatenate(column)
            for column in zip(*[(one.keys, one.sources, one.crashes) for one in some], strict=True)
        )
        answers = tuple(np.concatenate(column) for column in zip(*[one.answers for one in some], strict=True))
        return cls(keys, sources, orders, numbers, crashes, answers)

    def take(self, rows: Ints) -> FoundStates:
        """Some of the states, in the order of `rows`."""
        return FoundStates(
            self.keys[rows],
            self.sources[rows],
            self.orders,
            self.numbers[rows],
            self.crashes[rows],
            tuple(column[rows] for column in self.answers),
        )

    def parts(self) -> list[bytes]:
        """The parts of a file with these states."""
        table, numbers = pack_numbered(self.orders, self.numbers)
        columns = [column.tobytes() for column in (self.crashes, *self.answers)]
        return [self.keys.tobytes(), self.sources.tobytes(), numbers, table, *columns]


class FoundEdges(NamedTuple):
    """The edges of a file of edges (see `edges_file`): of each state its shape, by number, and the targets of all."""

    shapes: tuple[GraphShape, ...]
    numbers: Ints
    targets: Keys

    @classmethod
    def of(cls, parts: Sequence[bytes]) -> FoundEdges:
        """What `parts` gave, which is not empty. What it raises for anything else is in `UNREADABLE`."""
        shapes, numbers, targets = parts
        found = cls(unpack_shapes(shapes), np.frombuffer(numbers, dtype=np.uint32).astype(np.int64), key_array(targets))
        demand(int(found.numbers.max()) < len(found.shapes), "a shape of each state")
        demand(int(found._degrees().sum()) == len(found.targets), "a target for each edge")
        return found

    @classmethod
    def joined(cls, some: Sequence[FoundEdges]) -> FoundEdges:
        """The edges of several, one after the other."""
        shapes, numbers = _one_table([(one.shapes, one.numbers) for one in some])
        return cls(shapes, numbers, np.concatenate([one.targets for one in some]))

    def take(self, rows: Ints) -> FoundEdges:
        """The edges of some states, in the order of `rows`."""
        degrees = self._degrees()
        begins = np.cumsum(degrees) - degrees
        taken = degrees[rows]
        within = np.arange(int(taken.sum()), dtype=np.int64) - np.repeat(np.cumsum(taken) - taken, taken)
        return FoundEdges(self.shapes, self.numbers[rows], self.targets[np.repeat(begins[rows], taken) + within])

    def parts(self) -> list[bytes]:
        """The parts of a file with these edges."""
        used, numbers = np.unique(self.numbers, return_inverse=True)
        file = EdgeFile()
        file.add([self.shapes[number] for number in used.tolist()], numbers, self.targets)
        return file.parts()

    def _degrees(self) -> Ints:
        """How many edges each state has."""
        return np.array([shape.inside for shape in self.shapes], dtype=np.int64)[self.numbers]


def _one_table(some: Sequence[tuple[Sequence[Entry], Ints]]) -> tuple[tuple[Entry, ...], Ints]:
    """One table of the entries of several, and the indexes into these, one after the other, as indexes into it."""
    table: dict[Entry, int] = {}
    numbers = [
        np.array([table.setdefault(entry, len(table)) for entry in entries], dtype=np.int64)[indexes]
        for entries, indexes in some
    ]
    return tuple(table), np.concatenate(numbers)
