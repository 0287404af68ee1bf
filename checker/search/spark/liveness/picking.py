"""Selected states with the edges among them, brought to the driver as a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from checker.core.demand import EVERYWHERE, StateSet
from checker.liveness.graph import Graph, GraphPart
from checker.search.checkpoints.key_columns import Keys, halves_of, key_number
from checker.search.contract.ranks import order_of_all, rank
from checker.search.spark.liveness.share import (
    Array,
    Mask,
    Numbers,
    PassResult,
    Share,
    answers_array,
    members,
)


class Picked(NamedTuple):
    """A selection of states: those of a set, or, if an array is named, those with this label in it."""

    states: StateSet = EVERYWHERE
    array: str = ""
    label: int = 0


def pick(share: Share, inbound: Sequence[bytes], picked: Picked) -> PassResult:
    """Bring the selected states and their outgoing edges; report how many they are."""
    states = np.flatnonzero(_wanted(share, picked))
    edges, _ = share.out.of(states)
    ranks, begun = share["keys"][states], share["begun"]
    handed = states < len(begun)
    high, low = halves_of(ranks)
    high[handed], low[handed] = 0, begun[states[handed]]
    levels = np.searchsorted(share["firsts"], states, side="right")
    brought: dict[str, Array] = {
        "address": share.own[states],
        "level": np.where(handed, 0, levels),
        "crashes": share["crashes"][states],
        "high": high,
        "low": low,
        "keys": ranks,
        "degree": share.out.first[states + 1] - share.out.first[states],
        "ends": share.out.ends[edges],
        "marks": share.out.marks[edges],
        **{name: share[name][states] for name in ("needs", "quiet", "cut")},
        **{name: share[name][states] for name in map(answers_array, share["columns"].tolist())},
    }
    return PassResult(reply=(len(states), len(edges)), brought=brought)


def _wanted(share: Share, picked: Picked) -> Mask:
    if not picked.array:
        return members(share, picked.states)
    labels = share.own if picked.array == "own" else share[picked.array]
    return np.asarray(labels == np.asarray(picked.label, dtype=labels.dtype), dtype=np.bool_)


@dataclass(slots=True)
class Core:
    """A part of the graph in this process. Its states are numbered in the order of their rank in the whole graph."""

    graph: Graph
    columns: Mapping[str, bytearray]
    levels: Numbers
    crashes: Array
    high: Array
    low: Array

    def rank(self, state: int) -> tuple[int, int, int]:
        """The rank of a state in the whole graph (see `Share.rank`)."""
        key = (int(self.high[state]) << 64) | int(self.low[state])
        return rank(int(self.levels[state]), int(self.crashes[state]), key)

    def answers(self, column: str) -> bytearray:
        return self.columns[column]


def core_of(
    parts: Sequence[Mapping[str, Array]],
    tables: Graph,
    columns: Sequence[str],
    cost: Callable[[int, int, int], tuple[int, int]],
) -> Core:
    """The selected states of all partitions, without edges to other states. `cost` is that of the crew."""

    def column(name: str) -> Any:
        return np.concatenate([part[name] for part in parts])

    addresses = column("address")
    order = order_of_all(column("level"), column("crashes"), (column("high"), column("low")))
    numbers = np.empty(len(order), dtype=np.uint32)
    numbers[order] = np.arange(len(order), dtype=np.uint32)
    by_address = np.argsort(addresses)
    known, number_of = addresses[by_address], numbers[by_address]
    edges = list(_edges(parts, known, number_of))
    degrees = np.concatenate([degree for degree, _, _ in edges])
    targets, marks = (np.concatenate([edge[part] for edge in edges]) for part in (1, 2))
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degrees[order])])
    begin = (np.cumsum(degrees) - degrees)[order]
    source = np.repeat(np.arange(len(order), dtype=np.int64), degrees[order])
    moved = begin[source] + np.arange(len(source), dtype=np.int64) - first[source]
    keys: Keys = column("keys")[order]
    graph = Graph(lambda state: key_number(keys, state))
    graph.set_tables(tables.mark_table, tables.need_table)
    needs, quiet, cut = (column(name)[order] for name in ("needs", "quiet", "cut"))
    states = (first[1:].astype(np.uint64), targets[moved], marks[moved], needs, quiet, cut)
    graph.add_part(GraphPart._make(part.tobytes() for part in states))
    answers = {name: bytearray(column(answers_array(name))[order].astype(np.uint8).tobytes()) for name in columns}
    levels, crashes, high, low = (column(name)[order] for name in ("level", "crashes", "high", "low"))
    graph.cost = lambda state: cost(int(levels[state]), int(crashes[state]), int(low[state]))
    return Core(graph, answers, levels, crashes, high, low)


def _edges(
    parts: Sequence[Mapping[str, Array]], known: Array, numbers: Array
) -> Iterator[tuple[Numbers, Array, Array]]:
    """For each part the degrees of its states, and the targets and marks of its edges."""
    for part in parts:
        ends, degree = part["ends"], part["degree"]
        owners = np.repeat(np.arange(len(degree), dtype=np.int64), degree)
        at = np.minimum(np.searchsorted(known, ends), max(0, len(known) - 1))
        inside = known[at] == ends if len(known) else np.zeros(0, dtype=np.bool_)
        kept = np.bincount(owners[inside], minlength=len(degree)).astype(np.int64)
        yield kept, numbers[at[inside]], part["marks"][inside]
