"""`JudgedStates`: the assertions that states and steps of a run violate, asked once for what they may read.

An assertion that runs as a function of Python reads no more than the slots that its text names; where these have the
values of a state before, or of a step, the answer is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from checker.conformance.model_steps import ModelSteps
from checker.core.property import Predicate, Property
from checker.search.contract.assertion_answers import Answer, Assertions, first_to_decide, value_of
from checker.traces.model_walk import Questions
from interpreter import Machine, Rule, State, Step
from interpreter.execute.view import PairView
from interpreter.state.state import Layout

_MOST_REMEMBERED: Final = 5_000
_SOON: Final = 16
"""After so many states it is worth to make functions of assertions."""


class _Asked(NamedTuple):
    """A rule of an assertion in states of one layout. `reads`: what it may read of each state; `known`: the answers by
    that."""

    rule: Rule
    reads: list[Callable[[tuple[int, ...]], Any]]
    known: dict[Any, bool]


class JudgedStates:
    """What states and steps violate. Methods raise `ModelError`."""

    def __init__(self, steps: ModelSteps, properties: Sequence[Property]) -> None:
        machine = steps.machine
        self._assertions = _Remembered(steps)
        self._questions = Questions(machine, [one for one in properties if one.kind != "exists"], self._assertions)

    def violated(self, before: State | None, step: Step | None, state: State) -> list[str]:
        """The assertions that a state violates, and those that the step to it does."""
        said = [one.property.name for one in self._questions.of_state(state)]
        if before is not None and step is not None:
            said += [one.property.name for one in self._questions.of_step(before, step)]
        return said


class _Remembered(Assertions):
    """Assertions whose answers in states and for steps are remembered by what they may read."""

    def __init__(self, steps: ModelSteps) -> None:
        machine = steps.machine
        super().__init__(machine, machine.view, lambda rule, view: machine.run(rule, view).result)
        self._steps = steps
        self._states = 0
        self._asked: dict[tuple[int, tuple[Layout, ...]], list[_Asked] | None] = {}

    def _decided(self, predicate: Predicate, state: State, before: State | None = None) -> Answer:
        self._states += 1
        states = (state,) if before is None else (state, before)
        asked = self._rules(predicate, states) if self._states > _SOON else None
        if asked is None:
            return super()._decided(predicate, state, before)
        return first_to_decide(predicate.some, ((one.rule, self._known(one, states)) for one in asked))

    def _known(self, asked: _Asked, states: tuple[State, ...]) -> bool:
        """The value of a rule in a state, or for a step to the first of two."""
        rule, reads, known = asked
        key = tuple([read(state.values) for read, state in zip(reads, states, strict=True)])
        value = known.get(key)
        if value is None:
            if len(known) >= _MOST_REMEMBERED:
                known.clear()
            value = known[key] = self._value(rule, *states)
        return value

    def _value(self, rule: Rule, state: State, before: State | None = None) -> bool:
        found = self._steps.functions.results(rule, state, before, noted=False)
        if found is None:
            view = self.view(state) if before is None else PairView(self.view(before), self.view(state))
            found = [self.decide(rule, view)]
        return value_of(found[0])

    def _rules(self, predicate: Predicate, states: tuple[State, ...]) -> list[_Asked] | None:
        """The rules of an assertion in states of these layouts; None: it may read more than slots by their names."""
        layouts = tuple([state.layout for state in states])
        key = (predicate.assertion, layouts)
        if key not in self._asked:
            found: list[_Asked] | None = []
            for rule in self.machine.assertion_rules(predicate.assertion, states[0]):
                positions = self._steps.functions.reads(rule, *layouts) if type(self.machine) is Machine else None
                if positions is None:
                    found = None
                    break
                assert found is not None
                found.append(_Asked(rule, [itemgetter(*each) if each else _nothing for each in positions], {}))
            self._asked[key] = found
        return self._asked[key]


def _nothing(values: tuple[int, ...]) -> None:
    """What a rule reads that reads nothing."""
