"""The shortest stem, from a state where it may begin to a state where it may end (language page, 10.8)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from checker.liveness.graph import Graph

_FIRST: Final = 256
_MOST: Final = 1 << 18
"""So many costs are asked for together at first, and at most: a walk may end soon."""


class Walked(NamedTuple):
    """A walk in a graph: from a state along some edges to another one."""

    begin: int
    edges: tuple[int, ...]
    end: int


Cost = tuple[int, int, int]
"""The cost of a run: its steps, the crash steps among them, the key of the state where the stem begins."""


def shortest_stem(
    graph: Graph,
    begins: bytearray,
    along: bytearray,
    ends: bytearray,
    ask: Callable[[], None] = lambda: None,
    crashes: bool = True,
) -> Walked | None:
    """A walk from a state of `begins` through states of `along` to one of `ends`; None if there is none.

    Each has a truth value for each state; `along` includes the states where the walk begins and ends. The whole run
    counts: the fewest steps to the beginning of the walk and on it, then the fewest crash steps, then the least key of
    its end, then of its beginning. `crashes`: whether the walk may have crash steps.
    """
    return None if not any(ends) else _Walks(graph, along, ends, ask, crashes).shortest(begins)


class _Walks:
    """Walks from many states at once, by the cost of the whole run (Dijkstra's algorithm)."""

    def __init__(self, graph: Graph, along: bytearray, ends: bytearray, ask: Callable[[], None], crashes: bool) -> None:
        self.graph = graph
        self.along = along
        self.ends = ends
        self._ask = ask
        self._barred = frozenset[int]() if crashes else graph.crash_marks
        self._crashing = graph.crash_marks
        self._best: dict[int, Cost] = {}
        self._came: dict[int, int] = {}
        self._waiting: list[tuple[Cost, int]] = []

    def shortest(self, begins: bytearray) -> Walked | None:
        """The walk of least cost from one of these states."""
        found: list[tuple[int, Cost, int]] = []
        for cost, state in self._in_turn(begins):
            if found and cost[:2] > found[0][1][:2]:
                break
            if self.ends[state]:
                found.append((self.graph.key(state), cost, state))
            self._go_on(cost, state)
        return self._walked(min(found)[2]) if found else None

    def _in_turn(self, begins: bytearray) -> Iterator[tuple[Cost, int]]:
        """The states that walks reach, each once, by their cost.

        States are numbered level by level: beginnings of walks are added when the search reaches their level.
        """
        starts = self._starts(begins)
        following = next(starts, None)
        done: set[int] = set()
        while following is not None or self._waiting:
            self._ask()
            while following is not None and not (self._waiting and following[0][0] > self._waiting[0][0][0]):
                self._offer(*following, None)
                following = next(starts, None)
            cost, state = heapq.heappop(self._waiting)
            if state not in done:
                done.add(state)
                yield cost, state

    def _starts(self, begins: bytearray) -> Iterator[tuple[Cost, int]]:
        """The states where walks may begin, with their cost."""
        states = (state for state in range(self.graph.states) if begins[state])
        many = _FIRST
        while some := [*islice(states, many)]:
            yield from zip(self.graph.costs_of(some), some, strict=True)
            many = min(2 * many, _MOST)

    def _go_on(self, cost: Cost, state: int) -> None:
        graph = self.graph
        for edge in graph.edges(state):
            mark = graph.marks[edge]
            if mark not in self._barred and self.along[graph.targets[edge]]:
                self._offer((cost[0] + 1, cost[1] + (mark in self._crashing), cost[2]), graph.targets[edge], edge)

    def _offer(self, cost: Cost, state: int, edge: int | None) -> None:
        """A walk to a state. Of equal costs the one of least (order of the last step, key of its source) counts."""
        known = self._best.get(state)
        if known is not None and known < cost:
            return
        if known == cost:
            came = self._came.get(state)
            if came is not None and edge is not None and self._by_order(edge) < self._by_order(came):
                self._came[state] = edge
            return
        self._best[state] = cost
        if edge is None:
            self._came.pop(state, None)
        else:
            self._came[state] = edge
        heapq.heappush(self._waiting, (cost, state))

    def _by_order(self, edge: int) -> tuple[object, int]:
        return self.graph.mark(edge).order, self.graph.key(self.graph.source(edge))

    def _walked(self, end: int) -> Walked:
        edges: list[int] = []
        state = end
        while (edge := self._came.get(state)) is not None:
            edges.append(edge)
            state = self.graph.source(edge)
        return Walked(state, tuple(reversed(edges)), end)
