"""`GraphSearch`: the demands of properties, searched in a graph that is whole in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from checker.core.demand import QUIET, AlwaysReachable, FairRun, NoLasso, ReachedState, StateSet
from checker.core.exploration import PathLink
from checker.liveness.eventual import lost_states
from checker.liveness.fair_search import FairSearch
from checker.liveness.graph import Graph
from checker.liveness.lasso import Lasso, sentences
from checker.liveness.short_cycles import MOST_NODES
from checker.liveness.stem import shortest_stem

Answers = Callable[[str], bytearray]
"""The answers that the watch of a key has recorded, one for each state."""


class GraphSearch:
    """Implements `ExploredStates` for a graph in this process."""

    def __init__(
        self, graph: Graph, answers: Answers, ask: Callable[[], None] = lambda: None, most: int = MOST_NODES
    ) -> None:
        """`ask` is called now and then; what it raises ends the search. `most`: see `ShortCycles`."""
        self.graph = graph
        self.answers = answers
        self._ask = ask
        self._search = FairSearch(graph, ask=ask, most=most)

    def lasso(self, demand: NoLasso) -> FairRun | None:
        found = self.found(demand)
        return None if found is None else fair_run(self.graph, found)

    def found(self, demand: NoLasso) -> Lasso | None:
        """As `lasso`, by the numbers of states and edges."""
        cycle, stem = self.members(demand.cycle), demand.stem
        if stem is None:
            return self._search.lasso(cycle, self.members(demand.touches))
        fair = self._search.fair_states(cycle, self.members(demand.touches & stem.along))
        found = shortest_stem(
            self.graph, self.members(stem.begins & stem.along), self.members(stem.along), fair, self._ask
        )
        if found is None:
            return None
        head = bytearray(self.graph.states)
        head[found.end] = True
        lasso = self._search.lasso(cycle, head)
        assert lasso is not None
        return replace(lasso, stem=found.edges)

    def lost(self, demand: AlwaysReachable) -> ReachedState | None:
        graph, stem = self.graph, demand.after
        lost = lost_states(graph, self.members(demand.goal), demand.for_ever, demand.by_any, self._ask)
        if stem is None:
            return ReachedState(graph.key(graph.least(_members(lost))), ()) if any(lost) else None
        begins, along = self.members(stem.begins & stem.along), self.members(stem.along)
        found = shortest_stem(graph, begins, along, lost, self._ask, crashes=False)
        return None if found is None else ReachedState(graph.key(found.begin), links(graph, found.edges))

    def members(self, states: StateSet) -> bytearray:
        """The members of a set: a truth value for each state."""

        def column(key: str) -> int:
            return int.from_bytes(self.graph.quiet if key == QUIET.key else self.answers(key), "little")

        count = self.graph.states
        return bytearray(states.over(column, int.from_bytes(b"\1" * count, "little")).to_bytes(count, "little"))


def _members(states: bytearray) -> list[int]:
    return [number for number, is_member in enumerate(states) if is_member]


def fair_run(graph: Graph, lasso: Lasso) -> FairRun:
    """A lasso of a graph, by keys."""
    begin = graph.source(lasso.stem[0]) if lasso.stem else lasso.head
    return FairRun(
        graph.key(begin), links(graph, lasso.stem), links(graph, lasso.cycle), lasso.stutter, sentences(graph, lasso)
    )


def links(graph: Graph, edges: tuple[int, ...]) -> tuple[PathLink, ...]:
    """The links of a walk along some edges."""
    return tuple(PathLink(graph.mark(e).order, graph.key(graph.targets[e])) for e in edges)
