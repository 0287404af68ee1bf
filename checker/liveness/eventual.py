"""`liveness: nondeterministic` (language page, 10.5) and `probabilistic`: reachability along fair steps, or any."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

from checker.liveness.graph import Graph

# A cut state may lead anywhere, so it counts as good: then a violation is also one beyond the bound.


def lost_states(
    graph: Graph, goal: bytearray, for_ever: bool, by_any: bool = False, ask: Callable[[], None] = lambda: None
) -> bytearray:
    """The states from which fair steps reach no state of the goal: a truth value for each state, as in `goal`.

    `for_ever`: no state from which no steps lead out of the goal. `by_any`: any steps but crashes count as fair ones.
    """
    crashing = graph.crash_marks

    def is_any(edge: int, source: int) -> bool:
        return graph.marks[edge] not in crashing

    def is_fair(edge: int, source: int) -> bool:
        return graph.targets[edge] != source and graph.mark(edge).fair

    if for_ever:
        anywhere = _Backwards(graph, is_any, ask)
        doomed = anywhere.reach(s for s in range(graph.states) if not goal[s])
        goal = bytearray(not one for one in doomed)
    back = _Backwards(graph, is_any if by_any else is_fair, ask)
    reached = back.reach(s for s in range(graph.states) if graph.cut[s] or goal[s])
    return bytearray(not one for one in reached)


class _Backwards:
    """The selected edges, reversed."""

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
        """The states that reach the goal, in zero or more steps: a truth value for each."""
        reached = bytearray(self.states)
        stack = []
        for state in goal:
            reached[state] = True
            stack.append(state)
        while stack:
            self._ask()
            state = stack.pop()
            for source in self.sources[self.first[state] : self.first[state + 1]]:
                if not reached[source]:
                    reached[source] = True
                    stack.append(source)
        return reached
