"""The lasso that shows a liveness violation (language page, 12.4): the same edges whatever engine made the graph."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from checker.liveness.components import Component, whole_weak
from checker.liveness.graph import Graph, Obligation, Obligations, Strength


@dataclass(frozen=True, slots=True)
class Lasso:
    """A fair run: the path to `head`, then for ever the edges of `cycle`, or nothing at all (`stutter`)."""

    head: int
    cycle: tuple[int, ...]
    stutter: bool


def build_lasso(graph: Graph, head: int, component: Component) -> Lasso:
    """The lasso from `head` through its fair component."""
    if not graph.need(head):
        return Lasso(head, (), True)
    walk = _Walk(graph, head, component)
    offered = frozenset(o for e in component.edges for o in graph.mark(e).offers)
    strong = frozenset(o for s in component.states for o in graph.need(s) if o.strength == Strength.STRONG)
    for obligation in sorted(strong | offered | whole_weak(graph, component.states)):
        if obligation not in walk.taken:
            walk.take(obligation)
    # So far the weak names count that are available in the whole component. Another one may be available all along
    # this shorter walk: then the walk also has to visit a state where it is not.
    while forced := walk.forced_weak():
        walk.leave(forced)
    return Lasso(head, tuple(walk.closed()), False)


class _Walk:
    """A walk inside a component that begins at `head` and grows by shortest pieces."""

    def __init__(self, graph: Graph, head: int, component: Component) -> None:
        self.graph = graph
        self.head = head
        self.allowed = bytearray(len(graph.targets))
        for edge in component.edges:
            self.allowed[edge] = True
        self.edges: list[int] = []
        self.taken: set[Obligation] = set()

    @property
    def end(self) -> int:
        return self.graph.targets[self.edges[-1]] if self.edges else self.head

    def take(self, obligation: Obligation) -> None:
        """Go on, by a shortest walk, to an edge that takes the obligation, and take it."""
        self._extend(self._shortest(lambda edge: obligation in self.graph.mark(edge).takes))

    def leave(self, weak: Obligation) -> None:
        """Go on to a state where the name is not available."""
        self._extend(self._shortest(lambda edge: weak not in self.graph.need(self.graph.targets[edge])))

    def closed(self) -> list[int]:
        """The edges of the walk and of its shortest way home."""
        home = [] if self.end == self.head else self._shortest(lambda edge: self.graph.targets[edge] == self.head)
        return self.edges + home

    def forced_weak(self) -> Obligation | None:
        """The first weak name that is available in every state of the closed walk and that none of its edges takes."""
        edges = self.closed()
        taken: Obligations = frozenset(o for e in edges for o in self.graph.mark(e).takes)
        visited = [self.head, *(self.graph.targets[e] for e in edges)]
        return min(whole_weak(self.graph, visited) - taken, default=None)

    def _extend(self, edges: list[int]) -> None:
        self.edges += edges
        for edge in edges:
            self.taken |= self.graph.mark(edge).takes

    def _shortest(self, wanted: Callable[[int], bool]) -> list[int]:
        """A shortest walk from the end whose last edge is wanted; among several the least by the order of its steps.

        Breadth first with edges in step order finds the walks to each state in that very order.
        """
        origin: dict[int, int] = {}
        queue = deque([self.end])
        seen = {self.end}
        while queue:
            state = queue.popleft()
            for edge in self.graph.edges(state):
                if not self.allowed[edge]:
                    continue
                if wanted(edge):
                    piece = [edge]
                    while state != self.end:
                        piece.append(origin[state])
                        state = self._source(origin[state])
                    return piece[::-1]
                target = self.graph.targets[edge]
                if target not in seen:
                    seen.add(target)
                    origin[target] = edge
                    queue.append(target)
        raise AssertionError("the component is strongly connected and takes what it is asked for")

    def _source(self, edge: int) -> int:
        return bisect_right(self.graph.first, edge) - 1
