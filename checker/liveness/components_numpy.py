"""Fair components (language page, 10.4) with numpy and scipy, for large graphs.

The method is that of `components`, for all strongly connected components of a round at once. Sets of obligations are
pairs (component, number of the obligation), which are few, since states share needs and edges share marks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from checker.liveness.components import Component
from checker.liveness.graph import Graph, Obligation, Obligations, Strength

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Labels = NDArray[np.int32]


class _Tables:
    """The obligations of the graph by number: those that each mark takes and offers, and those of each need."""

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


@dataclass(frozen=True, slots=True)
class _Round:
    """The result of a round: states that are fair components by themselves (`alone`), and those of others (`fair`).

    `of_state` and `of_edge` are the components of the states and edges that were examined.
    """

    alone: Numbers
    fair: Numbers
    labels: Labels
    states: Numbers
    of_state: Numbers
    edges: Numbers
    of_edge: Numbers

    def component(self, state: int) -> Component:
        """The component of a state of `fair`."""
        chosen = self.labels[state]
        own, along = self.states[self.of_state == chosen], self.edges[self.of_edge == chosen]
        return Component(tuple(own.tolist()), tuple(along.tolist()))


def _only(need: Obligations, strength: Strength) -> Obligations:
    return frozenset(o for o in need if o.strength == strength)


class FairComponents:
    """The fair components of one graph, which must not change. Parameters `edges` are ascending numbers of edges."""

    def __init__(self, graph: Graph, ask: Callable[[], None] = lambda: None) -> None:
        """`ask` is called between operations on arrays; what it raises ends the search."""
        self._ask = ask
        tables = _Tables(graph)
        self._states = graph.states
        self._least = graph.least
        self._size = len(tables.numbers) or 1
        self._tables = tables
        # There are many edges, so arrays with an entry for each have the smallest types.
        first = np.frombuffer(graph.first, dtype=np.uint64).astype(np.int64)
        self._targets = np.frombuffer(graph.targets, dtype=np.uint32)
        ask()
        self._sources = np.repeat(np.arange(graph.states, dtype=np.uint32), np.diff(first))
        self._marks = np.frombuffer(graph.marks, dtype=np.uint32)
        # A mask of all edges takes memory, and few graphs have crash steps.
        crashes = np.array([mark.order.crashes for mark in graph.mark_table], dtype=np.bool_)
        self._usable: Mask | None = ~crashes[self._marks] if crashes.any() else None
        self._needs = np.frombuffer(graph.needs, dtype=np.uint32).astype(np.int64)
        self._free = np.array([not need for need in graph.need_table], dtype=np.bool_)
        self._whole: tuple[Labels, Numbers] | None = None

    def least(self, among: Mask, heads: Mask) -> tuple[int, Component] | None:
        """The least state of `heads` in a fair component of the states `among`, and that component."""
        best: tuple[int, Component] | None = None
        for found in self._rounds(among):
            self._ask()
            if (head := self._better(found.alone[heads[found.alone]], best)) is not None:
                best = head, Component((head,), ())
            if (head := self._better(found.fair[heads[found.fair]], best)) is not None:
                best = head, found.component(head)
        return best

    def fair_states(self, among: Mask) -> Mask:
        """All states in fair components of the states `among`."""
        fair = np.zeros(self._states, dtype=np.bool_)
        for found in self._rounds(among):
            fair[found.alone] = fair[found.fair] = True
        return fair

    def _rounds(self, among: Mask) -> Iterator[_Round]:
        """The fair components of the states `among`, round by round."""
        states = np.flatnonzero(among)
        component, edges = self._first_round(among, states)
        while len(states):
            self._ask()
            of_edge = component[self._sources[edges]].astype(np.int64)
            busy = np.zeros(len(states) + 1, dtype=np.bool_)
            busy[of_edge] = True
            inner = busy[component[states]]
            # A state without an edge to itself is a fair component if it has no obligations.
            alone = states[~inner]
            alone = alone[self._free[self._needs[alone]]]
            states = states[inner]
            of_state = component[states].astype(np.int64)
            self._ask()
            bad_state, bad_edge, bad, good = self._judged(states, edges, of_state, of_edge, len(busy))
            self._ask()
            yield _Round(alone, states[good[of_state]], component, states, of_state, edges, of_edge)
            states = states[bad[of_state] & ~bad_state]
            edges = edges[bad[of_edge] & ~bad_edge]
            left = np.zeros(self._states, dtype=np.bool_)
            left[states] = True
            edges = edges[left[self._sources[edges]] & left[self._targets[edges]]]
            component, edges = self._strong(states, edges)

    def _better(self, states: Numbers, best: tuple[int, Component] | None) -> int | None:
        """The least of some states, if it is less than the best known one."""
        if not len(states):
            return None
        head = self._least(map(int, states))
        return head if best is None or self._least(sorted((head, best[0]))) == head else None

    def _first_round(self, among: Mask, states: Numbers) -> tuple[Labels, Numbers]:
        """The strongly connected components of some states; those of all states are cached."""
        if len(states) < self._states:
            inside = among[self._sources] & among[self._targets]
            return self._strong(states, np.flatnonzero(inside if self._usable is None else inside & self._usable))
        if self._whole is None:
            usable = self._usable
            edges = np.arange(len(self._targets)) if usable is None else np.flatnonzero(usable)
            self._whole = self._strong(states, edges)
        return self._whole

    def _strong(self, states: Numbers, edges: Numbers) -> tuple[Labels, Numbers]:
        """The number of the component of each state (valid only for `states`), and the edges within components."""
        self._ask()
        index = np.zeros(self._states, dtype=np.int32)
        index[states] = np.arange(len(states), dtype=np.int32)
        lengths = np.bincount(index[self._sources[edges]], minlength=len(states))
        begin = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        ones = np.ones(len(edges), dtype=np.int8)
        shape = (len(states), len(states))
        matrix: Any = csr_matrix((ones, index[self._targets[edges]], begin), shape=shape)
        self._ask()
        _, labels = connected_components(matrix, directed=True, connection="strong")
        self._ask()
        component = np.full(self._states, -1, dtype=np.int32)
        component[states] = labels
        self._ask()
        return component, edges[component[self._sources[edges]] == component[self._targets[edges]]]

    def _judged(
        self, states: Numbers, edges: Numbers, of_state: Numbers, of_edge: Numbers, count: int
    ) -> tuple[Mask, Mask, Mask, Mask]:
        """The states and edges that are in no fair cycle, the components that have some, and the fair components."""
        tables, size = self._tables, self._size
        needs, marks = self._needs[states], self._marks[edges]
        lacks = _lacking(_pairs(of_edge, marks, tables.takes, size), size)
        self._ask()
        bad_state = _spread(of_state, needs, tables.strong, lacks)
        self._ask()
        bad_edge = _spread(of_edge, marks, tables.offers, lacks)
        self._ask()
        bad = np.zeros(count, dtype=np.bool_)
        bad[of_state[bad_state]] = True
        bad[of_edge[bad_edge]] = True
        good = ~bad
        good[_skipped(of_state, needs, tables.weak, lacks, size)] = False
        return bad_state, bad_edge, bad, good


def _pairs(owners: Numbers, kinds: NDArray[Any], rows: tuple[Numbers, Numbers], size: int) -> Numbers:
    """The pairs owner * size + obligation, sorted and once each, for rows selected by kind."""
    distinct = np.unique(owners * len(rows[0]) + kinds)
    components, obligations, _ = _expand(distinct, rows)
    return np.unique(components * size + obligations)


def _expand(distinct: Numbers, rows: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers, Numbers]:
    """For each packed (owner, kind) and each obligation of the kind: owner, obligation, index in `distinct`."""
    first, numbers = rows
    owners, kinds = np.divmod(distinct, len(first))
    lengths = first[kinds + 1] - first[kinds]
    index = np.repeat(np.arange(len(distinct), dtype=np.int64), lengths)
    begin = np.cumsum(lengths) - lengths
    offset = np.arange(len(index), dtype=np.int64) - begin[index]
    return owners[index], numbers[first[kinds[index]] + offset], index


def _lacking(taken: Numbers, size: int) -> Callable[[Numbers, Numbers], Mask]:
    """A function that returns which pairs (component, obligation) are not taken."""

    def lacks(components: Numbers, obligations: Numbers) -> Mask:
        return ~np.isin(components * size + obligations, taken)

    return lacks


def _spread(owners: Numbers, kinds: NDArray[Any], rows: tuple[Numbers, Numbers], lacks: Callable[..., Mask]) -> Mask:
    """Which items (component `owners`, row `kinds`) ask for an obligation that their component lacks."""
    distinct, back = np.unique(owners * len(rows[0]) + kinds, return_inverse=True)
    components, obligations, index = _expand(distinct, rows)
    bad = np.zeros(len(distinct), dtype=np.bool_)
    bad[index[lacks(components, obligations)]] = True
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
