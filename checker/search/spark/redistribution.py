"""What some partitions have found, divided anew among another number of them, in two jobs.

The tasks of the first split what each partition has; those of the second put together what comes for each of the new
ones. Then states and edges are in files as if there had always been as many partitions, to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from checker.search.checkpoints.key_columns import Keys, key_array, partitions_of
from checker.search.columns.code_tables import Ints
from checker.search.spark.assignment import Inbound, TaskItem, edges_file, found_file, outbound_file
from checker.search.spark.batches import divided, joined
from checker.search.spark.findings import ANSWERS
from checker.search.spark.key_files import KeyFile, write_keys
from checker.search.spark.level_columns import FoundEdges, FoundStates
from checker.search.spark.liveness.share import by_owner
from checker.storage.part_store import PartStore
from fizz.base.data import bundle, demand, pack, unbundle, unpack

_CHUNK: Final = 1 << 26
"""So many bytes are gathered before they are written."""
_EDGE_PARTS: Final = 3

Work = Callable[[str, list[TaskItem]], list[Any]]
"""Runs tasks as a job of this title; their results."""


def moved_file(number: int, partitions: int, sender: int) -> str:
    """The file of what a partition sends to so many new ones, or of what the driver sends to the old ones."""
    return f"moved-{number}-{partitions}-{sender}"


class LevelThere(NamedTuple):
    """What a partition has of a level: states (not of the level that was handed over), and edges from its states."""

    level: int
    states: bool
    edges: bool


class SplitDone(NamedTuple):
    """What a task has sent: files with levels, and how many candidates to each of the new partitions."""

    moved: tuple[str, ...]
    candidates: tuple[int, ...]


class MergeDone(NamedTuple):
    """What a new partition has of each level, and the file of the keys found there."""

    levels: tuple[LevelThere, ...]
    keys: KeyFile | None


@dataclass(frozen=True, slots=True)
class SplitTask:
    """Split what one of `before` partitions has for `partitions` new ones. `answers`: how many a state has recorded.

    `handed_over`: the file with the keys of the states that the driver handed over. `inbound`: the files with
    candidates for this partition, which were sent from `level`.
    """

    before: int
    partitions: int
    partition: int
    levels: tuple[LevelThere, ...]
    answers: int
    handed_over: str
    inbound: tuple[str, ...]
    level: int

    def perform(self, store: PartStore) -> SplitDone:
        """All it writes is a function of its files: every attempt writes the same."""
        moved: list[str] = []
        boxes: list[list[bytes]] = [[] for _ in range(self.partitions)]
        for count, there in enumerate(self.levels, 1):
            for box, piece in zip(boxes, self._split(store, there), strict=True):
                box.append(piece)
            if count == len(self.levels) or sum(len(piece) for box in boxes for piece in box) > _CHUNK:
                moved.append(moved_file(len(moved), self.partitions, self.partition))
                store.fleeting().write(moved[-1], [bundle(list(filter(None, box))) for box in boxes])
                boxes = [[] for _ in range(self.partitions)]
        return SplitDone(tuple(moved), self._divide_candidates(store))

    def _split(self, store: PartStore, there: LevelThere) -> list[bytes]:
        """A level, for each new partition; no bytes for one that has nothing of it."""
        states: FoundStates | None = None
        edges: FoundEdges | None = None
        if there.states:
            name = found_file(there.level, self.before, self.partition)
            parts = [store.read(name, part) for part in range(ANSWERS + self.answers)]
            with store.reading(name):
                states = FoundStates.of(parts)
                keys = states.keys
        else:
            name = self.handed_over
            data = store.read(name, self.partition)
            with store.reading(name):
                keys = key_array(data)
        if there.edges:
            name = edges_file(there.level, self.before, self.partition)
            parts = [store.read(name, part) for part in range(_EDGE_PARTS)]
            with store.reading(name):
                edges = FoundEdges.of(parts)
                demand(len(edges.numbers) == len(keys), "the edges of each state")
        owned = by_owner(partitions_of(keys, self.partitions), self.partitions)
        return [_packed(there.level, keys, states, edges, own) if len(own) else b"" for own in owned]

    def _divide_candidates(self, store: PartStore) -> tuple[int, ...]:
        boxes: list[list[bytes]] = [[] for _ in range(self.partitions)]
        counts = [0] * self.partitions
        for name in self.inbound:
            data = store.read(name, self.partition)
            with store.reading(name):
                for partition, (some, count) in enumerate(divided(data, self.partitions)):
                    boxes[partition] += some
                    counts[partition] += count
        if any(boxes):
            store.write(outbound_file(self.level, self.partitions, self.partition), [joined(box) for box in boxes])
        return tuple(counts)


@dataclass(frozen=True, slots=True)
class MergeTask:
    """Put together what was sent to one of the new partitions. `keys`: the file for the keys, not yet counted."""

    partitions: int
    partition: int
    moved: tuple[str, ...]
    keys: KeyFile

    def perform(self, store: PartStore) -> MergeDone:
        """All it writes is a function of its files: every attempt writes the same."""
        levels: dict[int, list[_Piece]] = {}
        for name in self.moved:
            data = store.read(name, self.partition)
            with store.reading(name):
                for piece in map(_unpacked, unbundle(data)):
                    levels.setdefault(piece.level, []).append(piece)
        there: list[LevelThere] = []
        keys: list[Keys] = []
        for level in sorted(levels):
            some = levels.pop(level)
            order = np.argsort(np.concatenate([piece.keys for piece in some]))
            states = [piece.states for piece in some if piece.states is not None]
            edges = [piece.edges for piece in some if piece.edges is not None]
            if states:
                found = FoundStates.joined(states).take(order)
                keys.append(found.keys)
                store.write(found_file(level, self.partitions, self.partition), found.parts())
            if edges:
                parts = FoundEdges.joined(edges).take(order).parts()
                store.write(edges_file(level, self.partitions, self.partition), parts)
            there.append(LevelThere(level, bool(states), bool(edges)))
        file = self.keys._replace(keys=sum(map(len, keys)))
        return MergeDone(tuple(there), write_keys(store, file, keys) if keys else None)


class _Piece(NamedTuple):
    """Some states of a level, and the edges from there, on the way from an old partition to a new one."""

    level: int
    keys: Keys
    states: FoundStates | None
    edges: FoundEdges | None


def _packed(level: int, keys: Keys, states: FoundStates | None, edges: FoundEdges | None, own: Ints) -> bytes:
    """Some of the states of a level, and the edges from there, in bytes."""
    return bundle(
        [
            pack(int, level),
            b"" if states is not None else keys[own].tobytes(),
            b"" if states is None else bundle(states.take(own).parts()),
            b"" if edges is None else bundle(edges.take(own).parts()),
        ]
    )


def _unpacked(data: bytes) -> _Piece:
    level, alone, states, edges = unbundle(data, 4)
    found = FoundStates.of(unbundle(states)) if states else None
    keys = key_array(alone) if found is None else found.keys
    return _Piece(unpack(int, level), keys, found, FoundEdges.of(unbundle(edges)) if edges else None)


class Divided(NamedTuple):
    """What the driver knows of partitions after they were divided anew; see the fields of `Cluster` and `Findings`."""

    levels: tuple[tuple[int, ...], ...]
    keys: list[KeyFile | None]
    inbound: list[Inbound]
    written: list[str]


@dataclass(frozen=True, slots=True)
class Redistribution:
    """The driver's side. `levels`, `inbound`: see `Cluster` and `Findings`; `edges`: the names of files with edges.

    `waiting`: the keys of the states that were handed over, if there are edges.
    """

    store: PartStore
    work: Work
    before: int
    partitions: int
    handed_over: int
    levels: Sequence[Sequence[int]]
    level: int
    inbound: Sequence[Inbound]
    edges: frozenset[str]
    waiting: Keys
    answers: int

    def divide(self) -> Divided:
        """Do it. All files that there were stay."""
        sent = moved_file(0, self.partitions, self.before)
        owned = by_owner(partitions_of(self.waiting, self.before), self.before)
        self.store.write(sent, [np.sort(self.waiting[own]).tobytes() for own in owned])
        splits = [
            SplitTask(
                self.before,
                self.partitions,
                partition,
                tuple(self._levels_of(partition)),
                self.answers,
                sent,
                inbound.names,
                self.level,
            )
            for partition, inbound in enumerate(self.inbound)
        ]
        split: list[SplitDone] = self.work("fizzpy: dividing anew, split", list(map(_item, splits)))
        moved = tuple(name for done in split for name in done.moved)
        merges = [
            MergeTask(
                self.partitions,
                partition,
                moved,
                KeyFile(self.partitions, partition, self.handed_over + 1, self.level, 0),
            )
            for partition in range(self.partitions)
        ]
        merged: list[MergeDone] = self.work("fizzpy: dividing anew, merge", list(map(_item, merges)))
        for name in (sent, *moved):
            self.store.remove(name)
        return Divided(
            tuple(self._partitions_with(level, merged) for level in range(self.handed_over + 1, self.level + 1)),
            [done.keys for done in merged],
            [self._inbound(partition, split) for partition in range(self.partitions)],
            [
                name(there.level, self.partitions, partition)
                for partition, done in enumerate(merged)
                for there in done.levels
                for name, is_there in ((found_file, there.states), (edges_file, there.edges))
                if is_there
            ],
        )

    def _inbound(self, partition: int, split: Sequence[SplitDone]) -> Inbound:
        found = Inbound()
        for sender, done in enumerate(split):
            found = found.with_sent((outbound_file(self.level, self.partitions, sender),), done.candidates[partition])
        return found

    def _levels_of(self, partition: int) -> Iterator[LevelThere]:
        for level, among in enumerate([(), *self.levels], self.handed_over):
            edges = edges_file(level, self.before, partition) in self.edges
            if partition in among or edges:
                yield LevelThere(level, partition in among, edges)

    @staticmethod
    def _partitions_with(level: int, merged: Sequence[MergeDone]) -> tuple[int, ...]:
        """The new partitions that have states of a level."""
        return tuple(
            partition
            for partition, done in enumerate(merged)
            if any(there.level == level and there.states for there in done.levels)
        )


def _item(task: SplitTask | MergeTask) -> TaskItem:
    return TaskItem.of(task.partition, task)
