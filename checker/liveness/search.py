"""The search for a fair lasso: by plain Python where the graph is small, by columns where it is large.

Both find the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from checker.liveness.components import Component, fair_components
from checker.liveness.graph import Graph
from checker.liveness.lasso import Lasso, build_lasso

if TYPE_CHECKING:
    from checker.liveness.columns import FairComponents

LARGE = 100_000
"""States and edges from which numpy and scipy are worth their start: plain Python needs as long for so many."""


class FairSearch:
    """The search for fair lassos in one graph that does not change any more.

    `large`: the states and edges from which it goes by columns; None: always plain Python. `ask` is
    called now and then; what it raises ends the search.
    """

    def __init__(self, graph: Graph, large: int | None = LARGE, ask: Callable[[], None] = lambda: None) -> None:
        self.graph = graph
        self._ask = ask
        self._plain = large is None or graph.states + len(graph.targets) <= large
        self._columns: FairComponents | None = None

    def lasso(self, among: bytearray, heads: bytearray) -> Lasso | None:
        """The fair lasso whose cycle stays `among` these states and begins at the least possible state of `heads`.

        Both hold one truth value per state.
        """
        found = self._plainly(among, heads) if self._plain else self._by_columns(among, heads)
        if found is None:
            return None
        head, component = found
        return build_lasso(self.graph, head, component, self._ask)

    def _plainly(self, among: bytearray, heads: bytearray) -> tuple[int, Component] | None:
        found: dict[int, Component] = {}
        for component in fair_components(self.graph, (s for s in range(self.graph.states) if among[s]), self._ask):
            found.update((s, component) for s in component.states if heads[s])
        if not found:
            return None
        head = self.graph.least(sorted(found))
        return head, found[head]

    def _by_columns(self, among: bytearray, heads: bytearray) -> tuple[int, Component] | None:
        import numpy as np

        if self._columns is None:
            from checker.liveness.columns import FairComponents

            self._columns = FairComponents(self.graph, self._ask)
        return self._columns.least(np.frombuffer(among, dtype=np.bool_), np.frombuffer(heads, dtype=np.bool_))
