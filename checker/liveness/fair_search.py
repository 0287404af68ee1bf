"""The search for a fair lasso: by plain Python where the graph is small, by columns where it is large.

Both find the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from checker.liveness.components import Component, fair_components
from checker.liveness.graph import Graph
from checker.liveness.lasso import Lasso, build_lasso

if TYPE_CHECKING:
    from checker.liveness.components_numpy import FairComponents

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

    def fair_states(self, among: bytearray, of: bytearray) -> bytearray:
        """Which states of `of` a fair cycle goes through that stays `among` these states. All hold truth values."""
        if self._plain:
            found = bytearray(self.graph.states)
            for component in fair_components(self.graph, _members(among), self._ask):
                for state in component.states:
                    found[state] = of[state]
            return found
        import numpy as np

        fair = self._by_numpy().fair_states(np.frombuffer(among, dtype=np.bool_))
        return bytearray((fair & np.frombuffer(of, dtype=np.bool_)).tobytes())

    def _plainly(self, among: bytearray, heads: bytearray) -> tuple[int, Component] | None:
        found: dict[int, Component] = {}
        for component in fair_components(self.graph, _members(among), self._ask):
            found.update((s, component) for s in component.states if heads[s])
        if not found:
            return None
        head = self.graph.least(sorted(found))
        return head, found[head]

    def _by_columns(self, among: bytearray, heads: bytearray) -> tuple[int, Component] | None:
        import numpy as np

        return self._by_numpy().least(np.frombuffer(among, dtype=np.bool_), np.frombuffer(heads, dtype=np.bool_))

    def _by_numpy(self) -> FairComponents:
        if self._columns is None:
            from checker.liveness.components_numpy import FairComponents

            self._columns = FairComponents(self.graph, self._ask)
        return self._columns


def _members(states: bytearray) -> Iterator[int]:
    return (state for state, is_member in enumerate(states) if is_member)
