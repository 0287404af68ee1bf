"""The lasso that shows a liveness violation (language page, 12.4): the same edges whatever engine made the graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from checker.liveness.components import Component, whole_weak
from checker.liveness.graph import Graph, Obligation, Obligations, Strength
from checker.liveness.short_cycles import MOST_NODES, Inside, ShortCycles


@dataclass(frozen=True, slots=True)
class Lasso:
    """A fair run: the path to `head`, then for ever the edges of `cycle`, or nothing at all (`stutter`).

    With a `stem` it is the path to where that begins, and then these edges up to `head`.
    """

    head: int
    cycle: tuple[int, ...]
    stutter: bool
    stem: tuple[int, ...] = ()


class Aim(Enum):
    """What the last edge of a walk is to do."""

    TAKE = "take the obligation"
    LEAVE = "lead to a state where the name is not available"
    HOME = "lead to the head"


class Wanted(NamedTuple):
    """Which edge a walk is to end with."""

    aim: Aim
    obligation: Obligation | None = None


class ComponentPaths(Inside, Protocol):
    """The ways inside a fair component."""

    def shortest(self, begin: int, wanted: Wanted) -> list[int]:
        """The edges of a shortest walk that ends as wanted; among several the least by the order of its steps."""
        ...


def build_lasso(graph: Graph, head: int, component: Component, ask: Callable[[], None] = lambda: None) -> Lasso:
    """The lasso from `head` through its fair component."""
    offered = frozenset(o for e in component.edges for o in graph.mark(e).offers)
    strong = frozenset(o for s in component.states for o in graph.need(s) if o.strength == Strength.STRONG)
    asked = strong | offered | whole_weak(graph, component.states)
    return lasso_along(_Inside(graph, head, component, ask), asked)


def lasso_along(ways: ComponentPaths, asked: Obligations) -> Lasso:
    """The lasso that takes all that the component asks for."""
    if not ways.graph.need(ways.head):
        return Lasso(ways.head, (), True)
    short = ShortCycles(ways, MOST_NODES)
    cycle = short.shortest() or short.without_padding(_built(ways, asked))
    return Lasso(ways.head, tuple(cycle), False)


def _built(ways: ComponentPaths, asked: Obligations) -> list[int]:
    """A fair cycle that is put together from shortest walks, obligation by obligation."""
    walk = _Walk(ways)
    for obligation in sorted(asked):
        if obligation not in walk.taken:
            walk.extend(Wanted(Aim.TAKE, obligation))
    # So far the weak names count that are available in the whole component. Another one may be available all along
    # this shorter walk: then the walk also has to visit a state where it is not.
    while forced := walk.forced_weak():
        walk.extend(Wanted(Aim.LEAVE, forced))
    return walk.closed()


class _Walk:
    """A walk inside a component that begins at its head and grows by shortest pieces."""

    def __init__(self, ways: ComponentPaths) -> None:
        self.ways = ways
        self.edges: list[int] = []
        self.taken: set[Obligation] = set()

    @property
    def end(self) -> int:
        return self.ways.graph.targets[self.edges[-1]] if self.edges else self.ways.head

    def extend(self, wanted: Wanted) -> None:
        """Go on, by a shortest walk, to an edge that is wanted, and take it."""
        piece = self.ways.shortest(self.end, wanted)
        self.edges += piece
        for edge in piece:
            self.taken |= self.ways.graph.mark(edge).takes

    def closed(self) -> list[int]:
        """The edges of the walk and of its shortest way home."""
        home = [] if self.end == self.ways.head else self.ways.shortest(self.end, Wanted(Aim.HOME))
        return self.edges + home

    def forced_weak(self) -> Obligation | None:
        """The first weak name that is available in every state of the closed walk and that none of its edges takes."""
        edges, graph = self.closed(), self.ways.graph
        taken: Obligations = frozenset(o for e in edges for o in graph.mark(e).takes)
        visited = [self.ways.head, *(graph.targets[e] for e in edges)]
        return min(whole_weak(graph, visited) - taken, default=None)


class _Inside:
    """The ways inside a component of a graph that is here."""

    def __init__(self, graph: Graph, head: int, component: Component, ask: Callable[[], None]) -> None:
        self.graph = graph
        self._ask = ask
        self.head = head
        self.allowed = bytearray(len(graph.targets))
        for edge in component.edges:
            self.allowed[edge] = True

    def edges(self, state: int) -> Iterator[int]:
        """See `Inside`."""
        return (edge for edge in self.graph.edges(state) if self.allowed[edge])

    def shortest(self, begin: int, wanted: Wanted) -> list[int]:
        """See `ComponentPaths`. Breadth first, edges in step order: the walks to each state are found in that order."""
        origin: dict[int, int] = {}
        queue = deque([begin])
        seen = {begin}
        while queue:
            state = queue.popleft()
            self._ask()
            for edge in self.edges(state):
                if self._fits(edge, wanted):
                    piece = [edge]
                    while state != begin:
                        piece.append(origin[state])
                        state = self.graph.source(origin[state])
                    return piece[::-1]
                target = self.graph.targets[edge]
                if target not in seen:
                    seen.add(target)
                    origin[target] = edge
                    queue.append(target)
        raise AssertionError("the component is strongly connected and takes what it is asked for")

    def _fits(self, edge: int, wanted: Wanted) -> bool:
        match wanted.aim:
            case Aim.TAKE:
                return wanted.obligation in self.graph.mark(edge).takes
            case Aim.LEAVE:
                return wanted.obligation not in self.graph.need(self.graph.targets[edge])
            case Aim.HOME:
                return self.graph.targets[edge] == self.head
