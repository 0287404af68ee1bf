"""The fair end of a random walk: the little graph of what it walked, in which fair lassos are looked for."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from checker.engines.assertions import Assertions
from checker.liveness.asking import lasso_of
from checker.liveness.fairness import sentences
from checker.liveness.graph import Graph, LiveStep, Mark, Obligations, available, marks_of, obligation_of
from checker.liveness.lasso import Lasso
from checker.properties.liveness import Liveness
from fizz.light import dataclass
from interpreter import Machine, State, Step, StepKind
from interpreter.step import StepOrder


@dataclass(frozen=True, slots=True)
class WalkedLasso:
    """A violation of liveness: after `prefix` steps of the walk for ever the steps of the cycle, or nothing at all."""

    property: Liveness
    prefix: int
    cycle: tuple[tuple[State, Step], ...]
    stutter: bool
    fairness: tuple[str, ...]


@dataclass(slots=True)
class _Visited:
    """A state of the fair phase: when the walk first stood there, what fairness asks of it, which steps were drawn."""

    state: State
    position: int
    marks: dict[StepOrder, Mark]
    need: Obligations
    answers: dict[str, bool]
    drawn: dict[StepOrder, tuple[Step, int]]


def is_fair(machine: Machine, step: Step) -> bool:
    """Is it a step of a fair action, of a thread, or a delivery, and no crash?"""
    if step.crashes:
        return False
    return step.rule.kind is StepKind.DELIVER or machine.fair_name(step.rule) is not None


class FairPhase:
    """Judges the cycles of a walk (language page, 10.4), each time it comes back to a state by a new step.

    The states and steps met are a part of the whole graph, and what is available in each state is known in full. So
    a fair lasso that is found is real; that none is found says nothing.
    """

    def __init__(self, machine: Machine, assertions: Assertions, properties: Sequence[Liveness]) -> None:
        self.machine = machine
        self.assertions = assertions
        self.properties = properties
        self._visited: list[_Visited] = []
        self._numbers: dict[State, int] = {}
        self._at: int | None = None
        self._drawn: Step | None = None

    def arrive(self, position: int, state: State, steps: Sequence[Step]) -> list[WalkedLasso]:
        """The walk stands in a state, after so many steps; `steps` are all steps there are. Raises `ModelError`."""
        known = state in self._numbers
        if not known:
            self._numbers[state] = len(self._visited)
            self._visited.append(self._visit(position, state, [step for step in steps if not step.crashes]))
        number = self._numbers[state]
        news = not known and not self._visited[number].need
        if self._at is not None and self._drawn is not None:
            drawn = self._visited[self._at].drawn
            news |= known and self._drawn.order not in drawn
            drawn[self._drawn.order] = (self._drawn, number)
        self._at = number
        return self._lassos() if news else []

    def leave(self, step: Step) -> None:
        """The walk goes on by this step."""
        self._drawn = step

    def _visit(self, position: int, state: State, steps: Sequence[Step]) -> _Visited:
        fair_name = self.machine.fair_name
        live = [LiveStep(step.order, obligation_of(fair_name(step.rule)), step.outcome.fair) for step in steps]
        marks = {mark.order: mark for mark in marks_of(live)}
        answers = {p.key: self._holds(p, state) for p in self.properties}
        return _Visited(state, position, marks, available(live), answers, {})

    def _holds(self, p: Liveness, state: State) -> bool:
        assert p.assertion is not None
        return self.assertions.holds(p.assertion, state).value

    def _lassos(self) -> list[WalkedLasso]:
        graph = self._graph()
        found = []
        for p in self.properties:
            answers = bytearray(visited.answers[p.key] for visited in self._visited)
            lasso = lasso_of(graph, answers, everywhere=p.settles)
            if lasso is not None:
                found.append(self._walked(graph, p, lasso))
        return found

    def _graph(self) -> Graph:
        """States by the time of the first visit; of the edges only those that were walked."""
        graph = Graph(lambda number: self.machine.key(self._visited[number].state))
        for visited in self._visited:
            graph.needs.append(len(graph.need_table))
            graph.need_table.append(visited.need)
            graph.quiet.append(not visited.state.threads)
            graph.cut.append(False)
            for order in sorted(visited.drawn):
                graph.marks.append(len(graph.mark_table))
                graph.mark_table.append(visited.marks[order])
                graph.targets.append(visited.drawn[order][1])
            graph.first.append(len(graph.targets))
        return graph

    def _walked(self, graph: Graph, p: Liveness, lasso: Lasso) -> WalkedLasso:
        sources = array("I", (s for s in range(graph.states) for _ in graph.edges(s)))
        cycle = tuple(
            (self._visited[sources[e]].state, self._visited[sources[e]].drawn[graph.mark(e).order][0])
            for e in lasso.cycle
        )
        return WalkedLasso(p, self._visited[lasso.head].position, cycle, lasso.stutter, sentences(graph, lasso))
