"""`liveness: nondeterministic` (language page, 10.5): questions of reachability along fair steps."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

from checker.liveness.graph import Graph

# A cut state may lead anywhere, so it counts as good: what is then still found to be bad is bad beyond the bound too.


def never_again(graph: Graph, answer: bytearray, ask: Callable[[], None] = lambda: None) -> int | None:
    """For `always eventually`.

    The least state from which fair edges reach no quiet state where the predicate is true.
    """
    back = _Backwards(graph, lambda edge, source: _fair(graph, edge, source), ask)
    goal = (s for s in range(graph.states) if graph.cut[s] or (graph.quiet[s] and answer[s]))
    return _least_missing(graph, back.reach(goal))


def never_settled(graph: Graph, answer: bytearray, ask: Callable[[], None] = lambda: None) -> int | None:
    """For `eventually always`: the least state from which fair edges reach no state that is safe for ever.

    Safe for ever are the states from which no steps lead to a quiet state where the predicate is false.
    """
    anywhere = _Backwards(graph, lambda edge, source: True, ask)
    doomed = anywhere.reach(s for s in range(graph.states) if graph.quiet[s] and not answer[s])
    back = _Backwards(graph, lambda edge, source: _fair(graph, edge, source), ask)
    return _least_missing(graph, back.reach(s for s in range(graph.states) if graph.cut[s] or not doomed[s]))


def _fair(graph: Graph, edge: int, source: int) -> bool:
    return graph.targets[edge] != source and graph.mark(edge).fair


def _least_missing(graph: Graph, reached: bytearray) -> int | None:
    return None if all(reached) else graph.least(s for s in range(graph.states) if not reached[s])


class _Backwards:
    """The selected edges, turned round."""

    def __init__(self, graph: Graph, selected: Callable[[int, int], bool], ask: Callable[[], None]) -> None:
        self._ask = ask
        self.states = graph.states
        count = array("Q", bytes(8 * (graph.states + 1)))
        chosen = bytearray(len(graph.targets))
        for source in range(graph.states):
            ask()
            for edge in graph.edges(source):
                if selected(edge, source):
                    chosen[edge] = True
                    count[graph.targets[edge] + 1] += 1
        for state in range(graph.states):
            count[state + 1] += count[state]
        self.first = array("Q", count)
        self.sources = array("I", bytes(4 * count[-1]))
        for source in range(graph.states):
            ask()
            for edge in graph.edges(source):
                if chosen[edge]:
                    target = graph.targets[edge]
                    self.sources[count[target]] = source
                    count[target] += 1

    def reach(self, goal: Iterable[int]) -> bytearray:
        """Which states reach the goal, in zero or more steps."""
        reached = bytearray(self.states)
        stack = []
        for state in goal:
            reached[state] = True
            stack.append(state)
        while stack:
            self._ask()
            state = stack.pop()
            for place in range(self.first[state], self.first[state + 1]):
                source = self.sources[place]
                if not reached[source]:
                    reached[source] = True
                    stack.append(source)
        return reached
