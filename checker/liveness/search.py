"""The search for a fair lasso: by plain Python where the graph is small, by columns where it is large.

Both find the same.
"""

from __future__ import annotations

from checker.liveness.components import Component, fair_components
from checker.liveness.graph import Graph
from checker.liveness.lasso import Lasso, build_lasso

LARGE = 100_000
"""States and edges from which numpy and scipy are worth their start: plain Python needs as long for so many."""


def find_lasso(graph: Graph, among: bytearray, heads: bytearray, large: int | None = LARGE) -> Lasso | None:
    """The fair lasso whose cycle stays `among` these states and begins at the least possible state of `heads`.

    `among` and `heads` hold one truth value per state; `large` None: always plain Python.
    """
    if large is not None and graph.states + len(graph.targets) > large:
        found = _by_columns(graph, among, heads)
    else:
        found = _plainly(graph, among, heads)
    if found is None:
        return None
    head, component = found
    return build_lasso(graph, head, component)


def _plainly(graph: Graph, among: bytearray, heads: bytearray) -> tuple[int, Component] | None:
    best: tuple[int, Component] | None = None
    for component in fair_components(graph, (s for s in range(graph.states) if among[s])):
        head = next((s for s in component.states if heads[s]), None)
        if head is not None and (best is None or head < best[0]):
            best = head, component
    return best


def _by_columns(graph: Graph, among: bytearray, heads: bytearray) -> tuple[int, Component] | None:
    import numpy as np

    from checker.liveness.columns import least_fair_component

    return least_fair_component(graph, np.frombuffer(among, dtype=np.bool_), np.frombuffer(heads, dtype=np.bool_))
