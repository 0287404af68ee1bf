"""`always eventually assertion`: true again and again."""

from __future__ import annotations

from checker.liveness.eventual import never_again
from checker.liveness.graph import Graph
from checker.liveness.lasso import Lasso
from checker.liveness.search import find_lasso
from checker.properties.liveness import Liveness, opposite


class AlwaysEventually(Liveness):
    kind = "always eventually"
    lost_because = "no fair steps lead from here to a state in which the assertion is true and no thread is under way"

    def lasso(self, graph: Graph, answer: bytearray) -> Lasso | None:
        false = opposite(answer)
        return find_lasso(graph, false, false)

    def lost(self, graph: Graph, answer: bytearray) -> int | None:
        return never_again(graph, answer)
