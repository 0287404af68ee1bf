"""Builds the shares of the graph from the files of the levels, in four passes.

`survey` reports the kinds of states, which then get numbers; `scatter` sends each edge to the partition of its target;
`resolve` finds the target by its key and sends its number back; `link` writes that down at the source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from checker.liveness.graph import LiveStep
from checker.search.checkpoints.key_columns import WIDTH, Keys, halves_of, key_array, key_column, partitions_of
from checker.search.contract.key_order import order_of_halves
from checker.search.contract.level_counts import lacks_steps
from checker.search.spark.assignment import edges_file, found_file
from checker.search.spark.edge_file import GraphShape, unpack_shapes
from checker.search.spark.findings import ANSWERS, CRASHES, KEYS
from checker.search.spark.liveness.share import Array, Numbers, PassResult, Share, answers_array, by_owner
from checker.storage.part_store import PartStore
from fizz.base.data import demand

_SENT: Final = WIDTH + 4 + 4
"""The bytes of an edge that is sent: the key of its target, the number of its source, its mark."""

Kind = tuple[tuple[LiveStep, ...], int]
"""What states have in common for the tables of the graph: steps, and how many of them lead into it."""


class LevelFiles(NamedTuple):
    """A level of one partition: whether it found states (None: they are the driver's), and whether it has edges."""

    level: int
    found: bool | None
    expanded: bool


@dataclass(frozen=True, slots=True)
class GraphSources:
    """The levels of one partition, and the columns of answers. `numbers`: need and marks for each kind of state."""

    levels: tuple[LevelFiles, ...]
    columns: tuple[str, ...]
    numbers: tuple[tuple[int, tuple[int, ...]], ...] = ()

    def needs(self, partitions: int, partition: int) -> tuple[str, ...]:
        """The names under which the levels have left states and edges; some may have none."""
        return tuple(name(one.level, partitions, partition) for one in self.levels for name in (found_file, edges_file))


@dataclass(frozen=True, slots=True)
class _Rows:
    """States in order: needs, flags, degrees; marks and keys of the targets for each edge."""

    needs: Array
    quiet: Array
    cut: Array
    degree: Numbers
    marks: Array
    targets: Keys


def survey(share: Share, inbound: Sequence[bytes], given: GraphSources, store: PartStore) -> PassResult:
    """Report the kinds of states."""
    kinds: dict[Kind, None] = {}
    for level in given.levels:
        for shape in _shapes(share, level, store):
            kinds[_kind(shape, level)] = None
    return PassResult(reply=tuple(kinds))


def _shapes(share: Share, level: LevelFiles, store: PartStore) -> tuple[GraphShape, ...]:
    name = edges_file(level.level, share.partitions, share.partition)
    if not store.has(name):
        return ()
    data = store.read(name, 0)
    with store.reading(name):
        return unpack_shapes(data)


def _kind(shape: GraphShape, level: LevelFiles) -> Kind:
    # A state that was not expanded keeps the names of its steps, and has no edges.
    return shape.steps, shape.inside if level.expanded else 0


def scatter(share: Share, inbound: Sequence[bytes], given: GraphSources, store: PartStore) -> PassResult:
    """Put the states in order, and send each edge to the partition of its target."""
    numbers: dict[Kind, int] = {}
    rows = [_begun(share)]
    keys: list[Keys] = [share["begun.keys"]]
    # States of the driver have their ranks from it.
    crashes: list[Array] = [np.zeros(len(share["begun.keys"]), dtype=np.uint32)]
    answers = {column: [share[f"begun.{answers_array(column)}"]] for column in given.columns}
    firsts: list[int] = []
    for level in given.levels:
        rows.append(_rows(share, level, store, given, numbers))
        if level.found is not None:
            firsts.append(sum(map(len, keys)))
        if level.found:
            name = found_file(level.level, share.partitions, share.partition)
            with store.reading(name):
                keys.append(key_array(store.read(name, KEYS)))
                crashes.append(np.frombuffer(store.read(name, CRASHES), dtype=np.uint32))
                demand(len(crashes[-1]) == len(keys[-1]), "a number of crashes for each state")
                for index, column in enumerate(given.columns):
                    answers[column].append(np.frombuffer(store.read(name, ANSWERS + index), dtype=np.uint8))
                    demand(len(answers[column][-1]) == len(keys[-1]), "an answer for each state")
    degree = np.concatenate([row.degree for row in rows])
    # Not every partition has edges from a level, so that they are missing is not noticed before.
    demand(len(degree) == sum(map(len, keys)), "the edges of each state")
    marks = np.concatenate([row.marks for row in rows])
    targets = np.concatenate([row.targets for row in rows])
    owners = partitions_of(targets, share.partitions)
    parts = by_owner(owners, share.partitions)
    sources = np.repeat(np.arange(len(degree), dtype=np.uint32), degree)
    arrays: dict[str, Array] = {
        "needs": np.concatenate([row.needs for row in rows]),
        "quiet": np.concatenate([row.quiet for row in rows]),
        "cut": np.concatenate([row.cut for row in rows]),
        "keys": np.concatenate(keys),
        "crashes": np.concatenate(crashes),
        "firsts": np.array(firsts, dtype=np.int64),
        "columns": np.array(given.columns),
        **{answers_array(column): np.concatenate(parts) for column, parts in answers.items()},
        "out.first": np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degree)]),
        "out.marks": marks,
        "out.order": np.concatenate(parts).astype(np.uint32),
        "out.counts": np.array([len(part) for part in parts], dtype=np.int64),
    }
    post = [targets[part].tobytes() + sources[part].tobytes() + marks[part].tobytes() for part in parts]
    return PassResult(arrays, post, (len(degree), len(marks)))


def _begun(share: Share) -> _Rows:
    """The states that the driver has expanded."""
    names = ("needs", "quiet", "cut", "degree", "marks", "targets")
    return _Rows(*[share[f"begun.{name}"] for name in names])


def _rows(share: Share, level: LevelFiles, store: PartStore, given: GraphSources, numbers: dict[Kind, int]) -> _Rows:
    """The states of one level, by key."""
    shapes = _shapes(share, level, store)
    known = [given.numbers[numbers.setdefault(_kind(shape, level), len(numbers))] for shape in shapes]
    # With an entry even if there are no states, so that it can be indexed by none.
    table = shapes or (GraphShape((), 0, False, False),)
    lengths = np.array([len(marks) for _, marks in known] or [0], dtype=np.int64)
    name = edges_file(level.level, share.partitions, share.partition)
    with store.reading(name):
        shape_of = np.frombuffer(store.read(name, 1) if shapes else b"", dtype=np.uint32)
        targets = key_array(store.read(name, 2)) if shapes and level.expanded else key_column(())
        degree = lengths[shape_of]
        demand(not level.expanded or int(degree.sum()) == len(targets), "a target for each edge")
    offset = np.arange(int(degree.sum()), dtype=np.int64) - np.repeat(np.cumsum(degree) - degree, degree)
    begin = np.cumsum(lengths) - lengths
    flat = np.array([mark for _, marks in known for mark in marks], dtype=np.uint32)
    return _Rows(
        np.array([need for need, _ in known] or [0], dtype=np.uint32)[shape_of],
        np.array([shape.quiet for shape in table], dtype=np.bool_)[shape_of],
        np.array([lacks_steps(shape.cut, level.expanded) for shape in table], dtype=np.bool_)[shape_of],
        degree,
        flat[np.repeat(begin[shape_of], degree) + offset],
        targets,
    )


def resolve(share: Share, inbound: Sequence[bytes], given: Any, store: PartStore) -> PassResult:
    """Find the targets of the edges that end here, and send their numbers back."""
    counts = np.array([len(data) // _SENT for data in inbound], dtype=np.int64)
    targets: list[Array] = []
    ends: list[Array] = []
    marks: list[Array] = []
    find = _finder(share)
    for partition, (data, count) in enumerate(zip(inbound, counts.tolist(), strict=True)):
        targets.append(find(key_array(memoryview(data)[: WIDTH * count])))
        sources = np.frombuffer(data, dtype=np.uint32, offset=WIDTH * count, count=count)
        ends.append(sources.astype(np.uint64) * np.uint64(share.partitions) + np.uint64(partition))
        marks.append(np.frombuffer(data, dtype=np.uint32, offset=(WIDTH + 4) * count, count=count))
    owners = np.concatenate(targets)
    by_target = np.argsort(owners, kind="stable")
    order = np.empty(len(owners), dtype=np.uint32)
    order[by_target] = np.arange(len(owners), dtype=np.uint32)
    arrays: dict[str, Array] = {
        "into.first": np.searchsorted(owners[by_target], np.arange(share.states + 1)).astype(np.int64),
        "into.ends": np.concatenate(ends)[by_target],
        "into.marks": np.concatenate(marks)[by_target],
        "into.order": order,
        "into.counts": counts,
    }
    return PassResult(arrays, [part.astype(np.uint32).tobytes() for part in targets])


def _finder(share: Share) -> Callable[[Keys], Numbers]:
    """A function from keys of states of this share to their numbers."""
    high, low = halves_of(share["keys"])
    order = np.lexsort((low, high))
    high, low = high[order], low[order]

    def find(keys: Keys) -> Numbers:
        wanted_high, wanted_low = halves_of(keys)
        by_key = order_of_halves(wanted_high)
        at = np.searchsorted(high, wanted_high[by_key])
        while True:
            demand(not len(at) or int(at.max()) < len(high), "a state of each key")
            # Keys that share their high half follow each other.
            beside = low[at] != wanted_low[by_key]
            if not beside.any():
                break
            at[beside] += 1
        numbers = np.empty(len(by_key), dtype=np.int64)
        numbers[by_key] = order[at]
        return numbers

    return find


def link(share: Share, inbound: Sequence[bytes], given: Any, store: PartStore) -> PassResult:
    """Write down the targets of the edges that begin here."""
    order, counts = share["out.order"], share["out.counts"]
    found = np.empty(len(order), dtype=np.uint64)
    ends = np.cumsum(counts)
    for partition, (begin, end, data) in enumerate(zip(ends - counts, ends, inbound, strict=True)):
        numbers = np.frombuffer(data, dtype=np.uint32).astype(np.uint64)
        found[order[begin:end]] = numbers * np.uint64(share.partitions) + np.uint64(partition)
    return PassResult({"out.ends": found})
