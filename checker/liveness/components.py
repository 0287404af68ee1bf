"""Fair components (language page, 10.4) in plain Python: for small graphs, and the oracle of `components_numpy`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from checker.liveness.graph import Graph, Obligation, Obligations, Strength


@dataclass(frozen=True, slots=True)
class Component:
    """Strongly connected states and their inner edges, by number: a walk along all of them is a fair cycle."""

    states: tuple[int, ...]
    edges: tuple[int, ...]


def fair_components(graph: Graph, among: Iterable[int], ask: Callable[[], None] = lambda: None) -> Iterator[Component]:
    """All fair components of the graph's part `among`: every fair cycle in that part is in one of them.

    Method: find strongly connected components and remove the states and edges that no fair cycle can have, until
    nothing changes (Emerson and Lei, 1987, for strong fairness).
    """
    dropped = _without_crashes(graph)
    regions = [list(among)]
    while regions:
        region = regions.pop()
        ask()
        for states in strong_components(graph, region, dropped):
            inside = set(states)
            edges = [e for s in states for e in graph.edges(s) if not dropped[e] and graph.targets[e] in inside]
            taken = frozenset(o for e in edges for o in graph.mark(e).takes)
            bad_states = {s for s in states if any(strong not in taken for strong in strong_needs(graph, s))}
            bad_edges = [e for e in edges if not graph.mark(e).offers <= taken]
            if bad_states or bad_edges:
                for e in bad_edges:
                    dropped[e] = True
                regions.append([s for s in states if s not in bad_states])
            elif whole_weak(graph, states) <= taken:
                yield Component(tuple(sorted(states)), tuple(sorted(edges)))


def _without_crashes(graph: Graph) -> bytearray:
    """The edges that no cycle has, those of crashes: a truth value for each edge."""
    crashing = graph.crash_marks
    return bytearray(map(crashing.__contains__, graph.marks)) if crashing else bytearray(len(graph.targets))


def strong_needs(graph: Graph, state: int) -> list[Obligation]:
    """The strong names available in a state."""
    return [o for o in graph.need(state) if o.strength == Strength.STRONG]


def whole_weak(graph: Graph, states: Iterable[int]) -> Obligations:
    """The weak names that are available in every one of these states."""
    needs = {graph.needs[s] for s in states}
    common = frozenset.intersection(*(graph.need_table[n] for n in needs))
    return frozenset(o for o in common if o.strength == Strength.WEAK)


def strong_components(graph: Graph, region: Iterable[int], dropped: bytearray) -> Iterator[list[int]]:
    """The strongly connected components of a part of the graph without dropped edges (Tarjan, 1972; iterative)."""
    inside = set(region)
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    for root in sorted(inside):
        if root in order:
            continue
        walk = [(root, iter(graph.edges(root)))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while walk:
            state, edges = walk[-1]
            for edge in edges:
                target = graph.targets[edge]
                if dropped[edge] or target not in inside:
                    continue
                if target not in order:
                    order[target] = low[target] = len(order)
                    stack.append(target)
                    on_stack.add(target)
                    walk.append((target, iter(graph.edges(target))))
                    break
                if target in on_stack:
                    low[state] = min(low[state], order[target])
            else:
                walk.pop()
                if walk:
                    parent = walk[-1][0]
                    low[parent] = min(low[parent], low[state])
                if low[state] == order[state]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == state:
                            break
                    yield component
