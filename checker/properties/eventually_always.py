"""`eventually always assertion`: from some moment on true for ever."""

from __future__ import annotations

from checker.liveness.eventual import never_settled
from checker.liveness.graph import Graph
from checker.liveness.lasso import Lasso
from checker.liveness.search import find_lasso
from checker.properties.liveness import Liveness, opposite


class EventuallyAlways(Liveness):
    kind = "eventually always"
    lost_because = (
        "no fair steps lead from here to a state after which the assertion is true whenever no thread is under way"
    )

    def lasso(self, graph: Graph, answer: bytearray) -> Lasso | None:
        everywhere = bytearray(b"\1") * graph.states
        return find_lasso(graph, everywhere, opposite(answer))

    def lost(self, graph: Graph, answer: bytearray) -> int | None:
        return never_settled(graph, answer)
