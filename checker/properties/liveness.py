"""What the two kinds of liveness assertions share: they look at the graph, and a violation is a fair lasso."""

from __future__ import annotations

from abc import abstractmethod

from checker.exploration import Finding, PathLink
from checker.liveness.fairness import sentences
from checker.liveness.graph import Graph
from checker.liveness.lasso import Lasso
from checker.properties.base import Evidence, Looks, Phase, Property, Watch
from checker.report import ExitCode
from fizz import Options


class Liveness(Property):
    phase = Phase.LIVENESS
    exit_code = ExitCode.LIVENESS

    def watch(self, options: Options) -> Watch | None:
        if options.liveness == "off":
            return None
        return Watch(self.key, Looks.STATES, self.assertion, records=True)

    def conclude(self, evidence: Evidence) -> Finding | None:
        graph, answer = evidence.graph(), evidence.answers(self.key)
        if evidence.options.liveness == "nondeterministic":
            return self._conclude_eventual(evidence, graph, answer)
        lasso = self.lasso(graph, answer)
        if lasso is None:
            return None
        return Finding(
            self.key,
            evidence.path(lasso.head),
            tuple(PathLink(graph.mark(e).order, graph.key(graph.targets[e])) for e in lasso.cycle),
            stutter=lasso.stutter,
            fairness=sentences(graph, lasso),
        )

    def _conclude_eventual(self, evidence: Evidence, graph: Graph, answer: bytearray) -> Finding | None:
        state = self.lost(graph, answer)
        if state is None:
            return None
        return Finding(self.key, evidence.path(state), fairness=(self.lost_because,))

    @abstractmethod
    def lasso(self, graph: Graph, answer: bytearray) -> Lasso | None:
        """A fair lasso that violates the property (language page, 10.4); `answer` is its predicate in each state."""

    @abstractmethod
    def lost(self, graph: Graph, answer: bytearray) -> int | None:
        """With `liveness: nondeterministic` (10.5): the least state from which the property can no longer come true."""

    lost_because: str


def opposite(answer: bytearray) -> bytearray:
    """Where the predicate is false."""
    return answer.translate(bytes([1] + [0] * 255))
