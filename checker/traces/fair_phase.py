"""The fair end of a random walk: the graph of the states and steps it met, searched for fair lassos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import NamedTuple

from checker.core.demand import QUIET, NoLasso, Recorded, Stem
from checker.core.property import Property
from checker.core.trace import WaitingPair
from checker.liveness.graph import FairnessMark, Graph, LiveStep, Obligation, Obligations, mark_of, obligation_of
from checker.liveness.graph_search import GraphSearch
from checker.liveness.lasso import Lasso, sentences
from checker.search.contract.assertion_answers import Assertions
from checker.traces.offers import Offers
from fizz.base.light import dataclass
from interpreter import Machine, State, Step
from interpreter.state.step import Rule, StepOrder


@dataclass(frozen=True, slots=True)
class WalkedLasso:
    """A violation: `prefix` steps of the walk, the steps of the stem, then for ever the cycle, or nothing."""

    of: Property
    prefix: int
    stem: tuple[tuple[State, Step], ...]
    cycle: tuple[tuple[State, Step], ...]
    stutter: bool
    fairness: tuple[str, ...]
    waiting: WaitingPair | None


class _Pending(NamedTuple):
    """The walk was on a stem: `position` when it was first seen in a state, `since` when that stem began."""

    position: int
    since: int


@dataclass(slots=True)
class _Visited:
    """A state of the fair phase: when the walk first reached it, what fairness asks of it, which steps were drawn.

    `pending`: for each property whose stem the walk was on in this state, when that was first.
    """

    state: State
    position: int
    marks: dict[StepOrder, FairnessMark]
    need: Obligations
    answers: dict[str, int]
    drawn: dict[StepOrder, tuple[Step, int]]
    pending: dict[str, _Pending] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judged:
    """A demand of a property about lassos, which the end of a walk can violate. `number`: another for each demand."""

    of: Property
    demand: NoLasso
    number: int

    @property
    def pending(self) -> str:
        """The key of the states in which the walk was on a stem. No watch has it."""
        return f"(demand {self.number} is pending)"

    @property
    def of_the_phase(self) -> NoLasso:
        """The demand on lassos of the fair phase, where a stem may have begun before."""
        stem = self.demand.stem
        return self.demand if stem is None else replace(self.demand, stem=Stem(Recorded(self.pending), stem.along))


class FairPhase:
    """Judges the cycles of a walk (language page, 10.4), each time it returns to a state by a new step.

    The states and steps met are a part of the whole graph, and all available steps of each state are known. So every
    fair lasso found is real; if none is found, that proves nothing.
    """

    def __init__(self, machine: Machine, assertions: Assertions, judged: Sequence[Judged]) -> None:
        self.machine = machine
        self.assertions = assertions
        self.judged = judged
        self._recorded = {w.key: w.predicate for one in judged for w in one.of.watches if w.records}
        self._stems = {one.pending: one.demand.stem for one in judged if one.demand.stem is not None}
        self._pending: dict[str, int] = {}
        self._visited: list[_Visited] = []
        self._numbers: dict[State, int] = {}
        self._at: int | None = None
        self._drawn: Step | None = None

    def pass_by(self, position: int, state: State) -> None:
        """The walk reaches a state after `position` steps, in the fair phase or before. Raises `ModelError`."""
        if self._stems:
            answers = self._answers(state)
            for key, stem in self._stems.items():
                begins, along = (one.over(answers.__getitem__, 1) for one in (stem.begins, stem.along))
                if not along:
                    self._pending.pop(key, None)
                elif begins:
                    self._pending.setdefault(key, position)

    def arrive(self, position: int, state: State, offers: Offers) -> list[WalkedLasso]:
        """The walk is in a state after `position` steps; `offers` are its steps. Raises `ModelError`."""
        known = state in self._numbers
        if not known:
            self._numbers[state] = len(self._visited)
            self._visited.append(self._visit(position, state, offers))
        number = self._numbers[state]
        visited = self._visited[number]
        news = not known and not visited.need
        for key in self._pending.keys() - visited.pending.keys():
            visited.pending[key] = _Pending(position, self._pending[key])
            news = True
        if self._at is not None and self._drawn is not None:
            drawn = self._visited[self._at].drawn
            news |= known and self._drawn.order not in drawn
            drawn[self._drawn.order] = (self._drawn, number)
        self._at = number
        return self._lassos() if news else []

    def leave(self, step: Step, offers: Offers) -> None:
        """The walk continues with this step, one of those on offer."""
        self._drawn = step
        if self._at is not None:
            marks = self._visited[self._at].marks
            if step.order not in marks:
                marks[step.order] = mark_of(self._live(step), map(self._live, offers.moves_of(step)))

    def _live(self, step: Step) -> LiveStep:
        return LiveStep(step.order, self._obligation(step.rule), step.outcome.fair)

    def _obligation(self, rule: Rule) -> Obligation | None:
        return obligation_of(self.machine.fair_name(rule))

    def _visit(self, position: int, state: State, offers: Offers) -> _Visited:
        names = (self._obligation(offer.candidate.rule) for offer in offers.offers if offer.moves)
        need = frozenset(name for name in names if name is not None)
        return _Visited(state, position, {}, need, self._answers(state), {})

    def _answers(self, state: State) -> dict[str, int]:
        """The recorded answers in a state by key, 1 or 0."""
        asked = ((key, predicate) for key, predicate in self._recorded.items() if predicate is not None)
        answers = {key: int(self.assertions.holds(predicate, state).value) for key, predicate in asked}
        return answers | {QUIET.key: int(not state.threads)}

    def _lassos(self) -> list[WalkedLasso]:
        graph = self._graph()
        search = GraphSearch(graph, self._column)
        found = ((one, search.found(one.of_the_phase)) for one in self.judged)
        return [self._walked(graph, one, lasso) for one, lasso in found if lasso is not None]

    def _column(self, key: str) -> bytearray:
        if key in self._stems:
            return bytearray(key in visited.pending for visited in self._visited)
        return bytearray(visited.answers[key] for visited in self._visited)

    def _graph(self) -> Graph:
        """The graph of the states in the order of their first visit, with the edges that were walked."""
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

    def _walked(self, graph: Graph, one: Judged, lasso: Lasso) -> WalkedLasso:
        begin = self._visited[graph.source(lasso.stem[0]) if lasso.stem else lasso.head]
        prefix, waiting = begin.position, None
        if one.demand.stem is not None:
            # The stem may have begun long before the fair phase, where p was true: it is there that p waits.
            prefix, since = begin.pending[one.pending]
            waiting = WaitingPair(since, one.demand.stem.name)
        stem, cycle = self._steps(graph, lasso.stem), self._steps(graph, lasso.cycle)
        return WalkedLasso(one.of, prefix, stem, cycle, lasso.stutter, sentences(graph, lasso), waiting)

    def _steps(self, graph: Graph, edges: tuple[int, ...]) -> tuple[tuple[State, Step], ...]:
        sources = [self._visited[graph.source(e)] for e in edges]
        return tuple((one.state, one.drawn[graph.mark(e).order][0]) for one, e in zip(sources, edges, strict=True))
