"""`JudgedStates`: the assertions that states and steps of a run violate, asked once for what they may read.

An assertion that runs as a function of Python reads no more than the slots that its text names; where these have the
values of a state before, the answer is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from checker.conformance.model_steps import ModelSteps
from checker.core.property import Predicate, Property
from checker.search.contract.assertion_answers import Answer, Assertions
from checker.traces.model_walk import Questions
from interpreter import Machine, Rule, State, Step
from interpreter.execute.view import View
from interpreter.state.state import Layout
from interpreter.state.step import Failure, Outcome, Result

_MOST_REMEMBERED: Final = 5_000
_SOON: Final = 16
"""After so many states it is worth to make functions of assertions."""


class _Asked(NamedTuple):
    """A rule of an assertion in states of one layout. `read`: what it may read; `known`: the answers by that."""

    rule: Rule
    read: Callable[[tuple[int, ...]], Any]
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
    """Assertions whose answers in states are remembered by what they may read."""

    def __init__(self, steps: ModelSteps) -> None:
        machine = steps.machine
        super().__init__(machine, machine.view, self._decided)
        self._steps = steps
        self._states = 0
        self._asked: dict[tuple[int, Layout], list[_Asked] | None] = {}

    def _decided(self, rule: Rule, view: View) -> Result:
        return self.machine.run(rule, view).result

    def holds(self, predicate: Predicate, state: State) -> Answer:
        """The value in a state."""
        self._states += 1
        asked = self._rules(predicate, state) if self._states > _SOON and not state.layout.cells else None
        if asked is None:
            return super().holds(predicate, state)
        wanted, values = predicate.some, state.values
        for rule, read, known in asked:
            key = read(values)
            value = known.get(key)
            if value is None:
                if len(known) >= _MOST_REMEMBERED:
                    known.clear()
                value = known[key] = self._value(rule, state)
            if value is wanted:
                return Answer(wanted, None if rule.instance is None else f"{rule.instance[0]}#{rule.instance[1]}")
        return Answer(not wanted)

    def _value(self, rule: Rule, state: State) -> bool:
        found = self._steps.functions.results(rule, state, noted=False)
        result = self.machine.run(rule, self.view(state)).result if found is None else found[0]
        if isinstance(result, Failure):
            raise result.error
        assert isinstance(result, Outcome) and result.value is not None
        return result.value

    def _rules(self, predicate: Predicate, state: State) -> list[_Asked] | None:
        """The rules of an assertion in states of a layout; None: it may read more than slots by their names."""
        key = (predicate.assertion, state.layout)
        if key not in self._asked:
            found: list[_Asked] | None = []
            for rule in self.machine.assertion_rules(predicate.assertion, state):
                positions = self._steps.functions.reads(rule, state.layout) if type(self.machine) is Machine else None
                if positions is None:
                    found = None
                    break
                assert found is not None
                found.append(_Asked(rule, itemgetter(*positions) if positions else _nothing, {}))
            self._asked[key] = found
        return self._asked[key]


def _nothing(values: tuple[int, ...]) -> None:
    """What a rule reads that reads nothing."""
