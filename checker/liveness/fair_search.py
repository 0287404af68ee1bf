"""The search for a fair lasso: in plain Python for small graphs, with numpy for large ones. Both find the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from checker.liveness.components import Component, fair_components
from checker.liveness.graph import Graph
from checker.liveness.lasso import Lasso, build_lasso
from checker.liveness.short_cycles import MOST_NODES

if TYPE_CHECKING:
    from checker.liveness.components_numpy import FairComponents

LARGE = 100_000
"""The number of states and edges for which plain Python takes as long as importing numpy and scipy."""


class FairSearch:
    """The search for fair lassos in one graph, which must not change.

    `large`: the number of states and edges from which it uses numpy; None: always plain Python. `ask` is called
    regularly; what it raises ends the search. `most`: see `ShortCycles`.
    """

    def __init__(
        self,
        graph: Graph,
        large: int | None = LARGE,
        ask: Callable[[], None] = lambda: None,
        most: int = MOST_NODES,
    ) -> None:
        self.graph = graph
        self._ask = ask
        self._most = most
        self._plain = large is None or graph.states + len(graph.targets) <= large
        self._components: FairComponents | None = None

    def lasso(self, among: bytearray, heads: bytearray) -> Lasso | None:
        """The fair lasso whose cycle stays `among` these states and begins at the least possible state of `heads`.

        Both have a truth value for each state.
        """
        found = self._plainly(among, heads) if self._plain else self._with_numpy(among, heads)
        if found is None:
            return None
        head, component = found
        return build_lasso(self.graph, head, component, self._ask, self._most)

    def fair_states(self, among: bytearray, of: bytearray) -> bytearray:
        """The states of `of` on fair cycles that stay `among` these states. All have a truth value for each state."""
        if self._plain:
            found = bytearray(self.graph.states)
            for component in fair_components(self.graph, _members(among), self._ask):
                for state in component.states:
                    found[state] = of[state]
            return found
        import numpy as np

        fair = self._numpy().fair_states(np.frombuffer(among, dtype=np.bool_))
        return bytearray((fair & np.frombuffer(of, dtype=np.bool_)).tobytes())

    def _plainly(self, among: bytearray, heads: bytearray) -> tuple[int, Component] | None:
        found: dict[int, Component] = {}
        for component in fair_components(self.graph, _members(among), self._ask):
            found.update((s, component) for s in component.states if heads[s])
        if not found:
            return None
        head = self.graph.least(sorted(found))
        return head, found[head]

    def _with_numpy(self, among: bytearray, heads: bytearray) -> tuple[int, Component] | None:
        import numpy as np

        return self._numpy().least(np.frombuffer(among, dtype=np.bool_), np.frombuffer(heads, dtype=np.bool_))

    def _numpy(self) -> FairComponents:
        if self._components is None:
            from checker.liveness.components_numpy import FairComponents

            self._components = FairComponents(self.graph, self._ask)
        return self._components


def _members(states: bytearray) -> Iterator[int]:
    return (state for state, is_member in enumerate(states) if is_member)
