"""`ModelSteps`: the steps of a state that may explain an event, of a candidate and with the choices that it names.

A rule that can be is run as a function of Python, once it was asked a few times; else it is remembered by what it
reads, or run by the interpreter with the choices that were observed. The steps are the same, and so are their lines,
but for their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from checker.search.memo.memo import Memory
from checker.search.memo.run_choice import REMEMBERED, THRESHOLDS
from interpreter import Machine, State, Step, StepKind
from interpreter.direct.observed_rules import ObservedRules
from interpreter.execute.execution import Admits
from interpreter.observed_steps import observed_steps
from interpreter.state.state import Layout
from interpreter.state.step import NO_OUTCOME, Candidate, Failure, Outcome, Result, Rule

_SOON: Final = 4
"""After so many evaluations of a routine it is worth to make a function of it."""


class ModelSteps:
    """The steps of states of one machine, regardless of limits. All methods raise `ModelError` where the model fails.

    `soon`: after how many evaluations a routine is made a function.
    """

    def __init__(self, machine: Machine, soon: float | None = None) -> None:
        self.machine = machine
        # Outcomes of functions that record would have no lines.
        never = {name: getattr(REMEMBERED, name) for name in ("recording", "learning", "hopeless", "unnoted")}
        self.memory = Memory(machine, thresholds=replace(THRESHOLDS, **never))
        self._soon = _SOON if soon is None else soon
        self._asked: Counter[int] = Counter()
        self._direct: dict[int, bool] = {}
        """Whether a routine is run as a function."""
        self._functions: ObservedRules | None = None
        self._starts: dict[Layout, dict[str, Candidate]] = {}

    @property
    def functions(self) -> ObservedRules:
        """Rules as functions of Python."""
        if self._functions is None:
            self._functions = ObservedRules(self.machine)
        return self._functions

    def all(self, state: State) -> Iterator[Step]:
        """All steps of a state."""
        for candidate in self.machine.candidates(state, limits=False):
            yield from self.of(state, candidate)

    def start(self, state: State, actor: str) -> Candidate | None:
        """The start of an action, named as `Node#0.Vote`; None if there is no such action or instance."""
        known = self._starts.get(state.layout)
        if known is None:
            candidates = self.machine.possible.starts_in(state.layout)
            known = self._starts[state.layout] = {candidate.name: candidate for candidate in candidates}
        return known.get(actor)

    def named(self, state: State, name: str) -> Iterator[Step]:
        """The steps of the candidate with this name."""
        candidate = self.start(state, name)
        if candidate is not None:
            yield from self.of(state, candidate)
            return
        for one in self.machine.candidates(state, limits=False):
            if one.name == name:
                yield from self.of(state, one)

    def of(self, state: State, candidate: Candidate, admits: Admits | None = None) -> Iterable[Step]:
        """The steps of a candidate whose choices are admitted; None: all of them are."""
        rule, machine = candidate.rule, self.machine
        if rule.kind is StepKind.CRASH_ROLE:
            return machine.steps_of(state, candidate, NO_OUTCOME)
        found = self._directly(rule, state, admits)
        if found is not None:
            return self._taken(state, candidate, found)
        if admits is not None:
            return observed_steps(machine, state, candidate, admits)
        return self._remembered(state, candidate)

    def _taken(self, state: State, candidate: Candidate, results: Sequence[Result]) -> list[Step]:
        """The steps with the outcomes among some results."""
        steps: list[Step] = []
        for result in results:
            if isinstance(result, Outcome):
                steps += self.machine.steps_of(state, candidate, result)
        return steps

    def _remembered(self, state: State, candidate: Candidate) -> Iterator[Step]:
        """The steps of a rule that is run if nothing is known of what it reads."""
        machine, rule = self.machine, candidate.rule
        for result in self.memory.results(rule, self.memory.view(state)):
            if isinstance(result, Failure):
                raise result.error
            if isinstance(result, Outcome):
                yield from machine.steps_of(state, candidate, self.memory.joined(state, result))

    def interpreted(self, state: State, step: Step, admits: Admits | None) -> Step:
        """A step of a state as the interpreter takes it, with its lines in order. `admits`: what led to the step."""
        if step.rule.kind is not StepKind.START or not self._goes_directly(step.rule):
            return step
        candidates = self.machine.candidates(state, limits=False)
        candidate = next(one for one in candidates if one.order == step.order.candidate)
        found = observed_steps(self.machine, state, candidate, admits or (lambda word, number: True))
        return next((one for one in found if one.order == step.order), step)

    def is_direct(self, rule: Rule) -> bool:
        """Whether a rule costs so little that its steps are not worth being kept."""
        return rule.kind is StepKind.START and self._goes_directly(rule)

    def _goes_directly(self, rule: Rule) -> bool:
        known = self._direct.get(rule.subject)
        if known is None:
            machine = self.machine
            if self._asked[rule.subject] <= self._soon:
                return False
            supported = type(machine) is Machine and machine.code.decisions is None and self.functions.supports(rule)
            known = self._direct[rule.subject] = supported
        return known

    def _directly(self, rule: Rule, state: State, admits: Admits | None) -> Sequence[Result] | None:
        """The results of a function of Python; None: there is none, or it leaves this state to the interpreter."""
        if rule.kind is not StepKind.START:
            return None
        if not self._goes_directly(rule):
            self._asked[rule.subject] += 1
            return None
        return self.functions.admitted(rule, state, admits)
