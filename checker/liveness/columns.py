"""Fair components (language page, 10.4) by columns: numpy and scipy, for graphs of many states.

The same method as `components`, for all strongly connected components of a round at once. Sets of obligations are
handled as pairs (component, number of the obligation); since states share their needs and edges their marks, the
pairs are few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from checker.liveness.components import Component
from checker.liveness.graph import Graph, Obligation, Obligations, Strength

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class _Tables:
    """The graph's obligations by number: which mark takes and offers what, which need asks for what."""

    def __init__(self, graph: Graph) -> None:
        self.numbers: dict[Obligation, int] = {}
        self.takes = self._rows([mark.takes for mark in graph.mark_table])
        self.offers = self._rows([mark.offers for mark in graph.mark_table])
        self.strong = self._rows([_only(need, Strength.STRONG) for need in graph.need_table])
        self.weak = self._rows([_only(need, Strength.WEAK) for need in graph.need_table])

    def _rows(self, sets: Sequence[Obligations]) -> tuple[Numbers, Numbers]:
        """Compressed rows: where the numbers of each set begin, and the numbers."""
        first = [0]
        numbers: list[int] = []
        for obligations in sets:
            numbers += (self.numbers.setdefault(o, len(self.numbers)) for o in sorted(obligations))
            first.append(len(numbers))
        return np.array(first, dtype=np.int64), np.array(numbers, dtype=np.int64)


def _only(need: Obligations, strength: Strength) -> Obligations:
    return frozenset(o for o in need if o.strength == strength)


def least_fair_component(graph: Graph, among: Mask, heads: Mask) -> tuple[int, Component] | None:
    """The least state of `heads` that lies in a fair component of the states `among`, and that component."""
    tables = _Tables(graph)
    size = len(tables.numbers) or 1
    # Of edges there are many: what has an entry for each of them stays as narrow as it can.
    first = np.frombuffer(graph.first, dtype=np.uint64).astype(np.int64)
    targets = np.frombuffer(graph.targets, dtype=np.uint32)
    sources = np.repeat(np.arange(graph.states, dtype=np.uint32), np.diff(first))
    marks = np.frombuffer(graph.marks, dtype=np.uint32)
    needs = np.frombuffer(graph.needs, dtype=np.uint32).astype(np.int64)
    states = np.flatnonzero(among)
    edges = np.flatnonzero(among[sources] & among[targets])
    best: tuple[int, Component] | None = None
    while len(states):
        component, count = _strong(graph.states, states, sources[edges], targets[edges])
        inside = component[sources]
        inside = inside == component[targets]
        edges = edges[inside[edges]]
        of_state = component[states].astype(np.int64)
        of_edge = component[sources[edges]].astype(np.int64)

        taken = _pairs(of_edge, marks[edges], tables.takes, size)
        lacks = _lacking(taken, size)
        bad_state = _spread(of_state, needs[states], tables.strong, lacks)
        bad_edge = _spread(of_edge, marks[edges], tables.offers, lacks)
        bad = np.zeros(count, dtype=np.bool_)
        bad[of_state[bad_state]] = True
        bad[of_edge[bad_edge]] = True

        good = ~bad
        good[_skipped(of_state, needs[states], tables.weak, lacks, size)] = False
        fitting = states[good[of_state] & heads[states]]
        if len(fitting) and (best is None or fitting[0] < best[0]):
            chosen = component[fitting[0]]
            inner, along = states[of_state == chosen], edges[of_edge == chosen]
            best = int(fitting[0]), Component(tuple(inner.tolist()), tuple(along.tolist()))

        states = states[bad[of_state] & ~bad_state]
        edges = edges[bad[of_edge] & ~bad_edge]
        left = np.zeros(graph.states, dtype=np.bool_)
        left[states] = True
        edges = edges[left[sources[edges]] & left[targets[edges]]]
    return best


def _strong(
    size: int, states: Numbers, sources: NDArray[np.uint32], targets: NDArray[np.uint32]
) -> tuple[NDArray[np.int32], int]:
    """The component number of each state (of all `size`.

    Only those of `states` mean something), and how many there are.
    """
    place = np.zeros(size, dtype=np.int32)
    place[states] = np.arange(len(states), dtype=np.int32)
    ones = np.ones(len(sources), dtype=np.int8)
    matrix: Any = csr_matrix((ones, (place[sources], place[targets])), shape=(len(states), len(states)))
    count, labels = connected_components(matrix, directed=True, connection="strong")
    component = np.full(size, -1, dtype=np.int32)
    component[states] = labels
    return component, int(count)


def _pairs(owners: Numbers, kinds: Numbers, rows: tuple[Numbers, Numbers], size: int) -> Numbers:
    """The pairs owner * size + obligation, sorted and once each, for rows selected by kind."""
    distinct = np.unique(owners * len(rows[0]) + kinds)
    components, obligations, _ = _expand(distinct, rows)
    return np.unique(components * size + obligations)


def _expand(distinct: Numbers, rows: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers, Numbers]:
    """For each (owner, kind) in packed form and each obligation of the kind.

    The owner, the obligation, the place in `distinct`.
    """
    first, numbers = rows
    owners, kinds = np.divmod(distinct, len(first))
    lengths = first[kinds + 1] - first[kinds]
    place = np.repeat(np.arange(len(distinct), dtype=np.int64), lengths)
    begin = np.cumsum(lengths) - lengths
    offset = np.arange(len(place), dtype=np.int64) - begin[place]
    return owners[place], numbers[first[kinds[place]] + offset], place


def _lacking(taken: Numbers, size: int) -> Callable[[Numbers, Numbers], Mask]:
    """A function that tells for pairs (component, obligation) which are not taken."""

    def lacks(components: Numbers, obligations: Numbers) -> Mask:
        return ~np.isin(components * size + obligations, taken)

    return lacks


def _spread(owners: Numbers, kinds: Numbers, rows: tuple[Numbers, Numbers], lacks: Callable[..., Mask]) -> Mask:
    """Which items (component `owners`, row `kinds`) ask for an obligation that their component lacks."""
    distinct, back = np.unique(owners * len(rows[0]) + kinds, return_inverse=True)
    components, obligations, place = _expand(distinct, rows)
    bad = np.zeros(len(distinct), dtype=np.bool_)
    bad[place[lacks(components, obligations)]] = True
    return np.asarray(bad[back], dtype=np.bool_)


def _skipped(
    owners: Numbers, kinds: Numbers, rows: tuple[Numbers, Numbers], lacks: Callable[..., Mask], size: int
) -> Numbers:
    """The components in which some weak name is available in every state and is not taken."""
    distinct = np.unique(owners * len(rows[0]) + kinds)
    kinds_of = np.bincount(distinct // len(rows[0]))
    components, obligations, _ = _expand(distinct, rows)
    pairs, occurrences = np.unique(components * size + obligations, return_counts=True)
    pair_components, pair_obligations = np.divmod(pairs, size)
    everywhere = occurrences == kinds_of[pair_components]
    return np.asarray(pair_components[everywhere & lacks(pair_components, pair_obligations)], dtype=np.int64)
