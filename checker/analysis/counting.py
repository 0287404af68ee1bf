"""Counts how often the steps and assertions of an exploration executed each statement, and how guards decided."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from checker.analysis.visit import StateObserver, Visit, VisitedState
from checker.core.property import Looks, Predicate, Watch
from checker.search.contract.assertion_answers import Assertions, Decide
from fizz import Span
from interpreter import ModelError, Program
from interpreter.execute.decisions import NO, YES, Decision, deciding_statements, decisions
from interpreter.execute.view import View
from interpreter.state.step import Outcome, Result, Rule, StepKind, verdict_of
from interpreter.values.budget import METER

_MOST_KEPT = 100_000


@dataclass(slots=True)
class _Sums:
    """How often each statement was executed and each decision made, and the execution paths and steps of routines."""

    lines: Counter[Span] = field(default_factory=Counter)
    decided: Counter[Decision] = field(default_factory=Counter)
    paths: Counter[int] = field(default_factory=Counter)
    steps: Counter[int] = field(default_factory=Counter)

    def take(self, other: _Sums) -> None:
        """Add the other sums and clear them."""
        for mine, others in (
            (self.lines, other.lines),
            (self.decided, other.decided),
            (self.paths, other.paths),
            (self.steps, other.steps),
        ):
            mine.update(others)  # type: ignore[arg-type]
            others.clear()


class _Counter(StateObserver):
    """Counts while states are visited. `sums`: those of complete levels."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.sums = _Sums()
        self._new = _Sums()

    def keep(self, visit: Visit) -> None:
        """Add the counts of this level."""
        self._sum_up()
        self.sums.take(self._new)

    @abstractmethod
    def _sum_up(self) -> None:
        """Add the cached counts to those of this level."""


class StepCounter(_Counter):
    """Counts the execution paths of steps and of Init, including those that are given up.

    `exercised`: the parts of expressions that were evaluated on complete levels.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.exercised: frozenset[Span] = frozenset()
        self._counts: dict[int, tuple[Result, int]] = {}

    def begin(self, visit: Visit) -> None:
        """Count the execution paths of Init."""
        init = self.program.init
        if init is not None:
            machine = visit.machine
            view = machine.view(machine.transitions.empty)
            self._add([path.result for path in machine.paths(Rule(StepKind.INIT, init), view)])

    def keep(self, visit: Visit) -> None:
        super().keep(visit)
        if len(visit.machine.parts.exercised) > len(self.exercised):
            self.exercised = frozenset(visit.machine.parts.exercised)

    def see(self, visit: Visit, visited: VisitedState) -> None:
        """Count the execution paths from one state."""
        for rule, results in visited.steps:
            self._add(results)
            if rule.kind is StepKind.START:
                self._new.paths[rule.subject] += len(results)
                self._new.steps[rule.subject] += sum(isinstance(result, Outcome) for result in results)

    def _add(self, results: Sequence[Result]) -> None:
        for result in METER.attended(results):
            _, count = self._counts.get(id(result), (result, 0))
            self._counts[id(result)] = (result, count + 1)
            if len(self._counts) > _MOST_KEPT:
                self._sum_up()

    def _sum_up(self) -> None:
        for result, count in self._counts.values():
            for span in result.lines:
                self._new.lines[span] += count
            for decision in decisions(result.lines):
                self._new.decided[decision] += count
        self._counts.clear()


class AssertionCounter(_Counter):
    """Counts in how many evaluations of assertions each statement and part was executed, and each decision made."""

    def __init__(self, program: Program, watches: Iterable[Watch]) -> None:
        super().__init__(program)
        # A predicate of several watches is evaluated once.
        self._asked = {watch.predicate: watch.looks for watch in watches if watch.predicate is not None}
        self.asked = [program.assertions[number] for number in dict.fromkeys(one.assertion for one in self._asked)]
        self._loops = {span for span, one in deciding_statements(program).items() if one.word == "for"}
        self._evaluations: dict[tuple[int, ...], tuple[list[Result], int]] = {}
        self._assertions: Assertions | None = None

    def see(self, visit: Visit, visited: VisitedState) -> None:
        """Evaluate the assertions in a state, and for the steps from it."""
        if self._assertions is None:
            self._assertions = Assertions(visit.machine, visit.expander.memory.view, self._decider(visit))
        for predicate, looks in self._asked.items():
            # A failure of the model is reported with the verdict, not here.
            with suppress(ModelError):
                if looks is Looks.STATES:
                    self._assertions.holds(predicate, visited.state)
                else:
                    self._see_steps(self._assertions, predicate, visited)

    def _see_steps(self, assertions: Assertions, predicate: Predicate, visited: VisitedState) -> None:
        for target in visited.targets:
            assertions.holds_between(predicate, visited.state, target)

    def _decider(self, visit: Visit) -> Decide:
        def decide(rule: Rule, view: View) -> Result:
            results = visit.expander.memory.results(rule, view)
            verdict = verdict_of(results)
            # Results after the one with the verdict do not count: the assertion has returned.
            self._add(list(results[: [id(result) for result in results].index(id(verdict)) + 1]))
            return verdict

        return decide

    def _add(self, results: list[Result]) -> None:
        key = tuple(map(id, results))
        _, count = self._evaluations.get(key, (results, 0))
        self._evaluations[key] = (results, count + 1)
        if len(self._evaluations) > _MOST_KEPT:
            self._sum_up()

    def _sum_up(self) -> None:
        for results, count in self._evaluations.values():
            lines = {span for result in results for span in result.lines}
            decided = {decision for result in results for decision in decisions(result.lines)}
            # A loop whose turns are evaluated one by one has also an execution path without any turn.
            decided -= {Decision(span, NO) for span, branch in decided if branch == YES and span in self._loops}
            for span in lines:
                self._new.lines[span] += count
            for decision in decided:
                self._new.decided[decision] += count
        self._evaluations.clear()
