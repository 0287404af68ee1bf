"""The lasso that shows a liveness violation (language page, 12.4), the same for every engine, and why it is fair."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, Protocol, assert_never

from checker.core.trace import MAY_STOP
from checker.liveness.components import Component, whole_weak
from checker.liveness.graph import Graph, Obligation, Obligations, Strength
from checker.liveness.short_cycles import MOST_NODES, Inside, ShortCycles

_BETWEEN: Final = 65_536
"""How many edges are marked between two questions whether the run is to end."""


@dataclass(frozen=True, slots=True)
class Lasso:
    """A fair run: the path to `head`, then for ever the edges of `cycle`, or no step (`stutter`).

    With a `stem`: the path to its beginning, then its edges to `head`.
    """

    head: int
    cycle: tuple[int, ...]
    stutter: bool
    stem: tuple[int, ...] = ()


class Aim(Enum):
    """The purpose of the last edge of a walk."""

    TAKE = "take the obligation"
    LEAVE = "lead to a state where the name is not available"
    HOME = "lead to the head"


class Wanted(NamedTuple):
    """The last edge that a walk is to have."""

    aim: Aim
    obligation: Obligation | None = None


class ComponentPaths(Inside, Protocol):
    """Shortest walks inside a fair component."""

    def shortest(self, begin: int, wanted: Wanted) -> list[int]:
        """The edges of a shortest walk with a wanted last edge; of several the least by the order of its steps."""
        ...


def build_lasso(
    graph: Graph, head: int, component: Component, ask: Callable[[], None] = lambda: None, most: int = MOST_NODES
) -> Lasso:
    """The lasso from `head` through its fair component. `most`: see `ShortCycles`."""
    offered = frozenset(o for e in component.edges for o in graph.mark(e).offers)
    strong = frozenset(o for s in component.states for o in graph.need(s) if o.strength == Strength.STRONG)
    asked = strong | offered | whole_weak(graph, component.states)
    return lasso_along(_Inside(graph, head, component, ask), asked, most)


def lasso_along(paths: ComponentPaths, asked: Obligations, most: int = MOST_NODES) -> Lasso:
    """The lasso from the head that takes the obligations `asked` of the component. `most`: see `ShortCycles`."""
    if not paths.graph.need(paths.head):
        return Lasso(paths.head, (), True)
    short = ShortCycles(paths, most)
    cycle = short.shortest() or short.without_padding(_built(paths, asked))
    return Lasso(paths.head, tuple(cycle), False)


def _built(paths: ComponentPaths, asked: Obligations) -> list[int]:
    """A fair cycle joined from shortest walks, obligation by obligation."""
    walk = _Walk(paths)
    for obligation in sorted(asked):
        if obligation not in walk.taken:
            walk.extend(Wanted(Aim.TAKE, obligation))
    # `asked` has the weak names that are available in the whole component. Another one may be available in all states
    # of this shorter walk: then the walk must also visit a state where it is not.
    while forced := walk.forced_weak():
        walk.extend(Wanted(Aim.LEAVE, forced))
    return walk.closed()


class _Walk:
    """A walk inside a component that begins at its head and grows by shortest pieces."""

    def __init__(self, paths: ComponentPaths) -> None:
        self.paths = paths
        self.edges: list[int] = []
        self.taken: set[Obligation] = set()

    @property
    def end(self) -> int:
        return self.paths.graph.targets[self.edges[-1]] if self.edges else self.paths.head

    def extend(self, wanted: Wanted) -> None:
        """Append a shortest walk that ends with a wanted edge."""
        piece = self.paths.shortest(self.end, wanted)
        self.edges += piece
        for edge in piece:
            self.taken |= self.paths.graph.mark(edge).takes

    def closed(self) -> list[int]:
        """The edges of the walk and of the shortest walk back to the head."""
        home = [] if self.end == self.paths.head else self.paths.shortest(self.end, Wanted(Aim.HOME))
        return self.edges + home

    def forced_weak(self) -> Obligation | None:
        """The first weak name that is available in every state of the closed walk and not taken by its edges."""
        edges, graph = self.closed(), self.paths.graph
        taken: Obligations = frozenset(o for e in edges for o in graph.mark(e).takes)
        visited = [self.paths.head, *(graph.targets[e] for e in edges)]
        return min(whole_weak(graph, visited) - taken, default=None)


class _Inside:
    """Shortest walks inside a component of a graph in this process."""

    def __init__(self, graph: Graph, head: int, component: Component, ask: Callable[[], None]) -> None:
        self.graph = graph
        self._ask = ask
        self.head = head
        self.allowed = bytearray(len(graph.targets))
        for count, edge in enumerate(component.edges):
            self.allowed[edge] = True
            if not count % _BETWEEN:
                ask()

    def edges(self, state: int) -> Iterator[int]:
        """See `Inside`."""
        return (edge for edge in self.graph.edges(state) if self.allowed[edge])

    def shortest(self, begin: int, wanted: Wanted) -> list[int]:
        """See `ComponentPaths`. Breadth first with edges in step order finds walks in that order."""
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
            case _:
                assert_never(wanted.aim)


# --- why it is fair ---------------------------------------------------------------------------------------------------


def sentences(graph: Graph, lasso: Lasso) -> tuple[str, ...]:
    """Why a lasso is fair: a sentence for each name available on the cycle, then one for each fair choice on it."""
    if lasso.stutter:
        return (f"no fair action and no unfinished thread can take a step here{MAY_STOP}",)
    states = [lasso.head, *(graph.targets[e] for e in lasso.cycle)]
    taken = {o for e in lasso.cycle for o in graph.mark(e).takes}
    names = sorted({o for s in states for o in graph.need(s)})
    said = [_name(name, name in taken) for name in names]
    if not whole_weak(graph, states) <= taken:
        raise AssertionError("the cycle is not fair")
    said += _choices(o for o in sorted(taken) if o.strength == Strength.ALTERNATIVE)
    return tuple(said) or ("no fair action and no unfinished thread can take a step in the cycle",)


def _name(name: Obligation, taken: bool) -> str:
    if name.thread:
        return f"every unfinished thread that can go on does: {name.name} goes on in the cycle"
    if taken:
        word = "strongly" if name.strength == Strength.STRONG else "weakly"
        return f"{name.name} is {word} fair, and the cycle takes it"
    return f"{name.name} is weakly fair, and it is not available in every state of the cycle"


def _choices(alternatives: Iterable[Obligation]) -> list[str]:
    values: dict[tuple[str, str], list[str]] = {}
    for alternative in alternatives:
        values.setdefault((alternative.location, alternative.name), []).append(alternative.value)
    said = []
    for (location, instance), taken in values.items():
        where = f"{location} in {instance}" if instance else location
        said.append(f"the fair choice at {where} takes all that it offers: {', '.join(taken)}")
    return said
