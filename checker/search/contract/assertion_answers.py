"""The answer of an assertion in a state or for a step, from those of its rules (language page, 7.5 and 10.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from checker.core.property import Predicate
from interpreter import Machine, State
from interpreter.execute.view import PairView, View
from interpreter.state.step import Failure, Outcome, Result, Rule

Decide = Callable[[Rule, View], Result]
"""Runs an assertion's rule, or looks up its remembered result."""


class Answer(NamedTuple):
    """`instance`: the one that decided, for an assertion in a role."""

    value: bool
    instance: str | None = None


class Assertions:
    """Evaluates the assertions of a program on views of states.

    All methods raise `ModelError` where the assertion fails.
    """

    def __init__(self, machine: Machine, view: Callable[[State], View], decide: Decide) -> None:
        self.machine = machine
        self.view = view
        self.decide = decide

    def holds(self, predicate: Predicate, state: State) -> Answer:
        """The value in a state."""
        return self._decided(predicate, state)

    def holds_between(self, predicate: Predicate, before: State, after: State) -> Answer:
        """The value for a step; true for one that changes nothing."""
        if self.machine.alike.states(before, after):
            return Answer(True)
        return self._decided(predicate, after, before)

    def _decided(self, predicate: Predicate, state: State, before: State | None = None) -> Answer:
        """The value in a state, or for a step to it."""
        view = self.view(state) if before is None else PairView(self.view(before), self.view(state))
        rules = self.machine.assertion_rules(predicate.assertion, state)
        return first_to_decide(predicate.some, ((rule, value_of(self.decide(rule, view))) for rule in rules))


def first_to_decide(wanted: bool, values: Iterable[tuple[Rule, bool]]) -> Answer:
    """The answer of an assertion whose rules have these values, asked rule by rule until one is as `wanted`."""
    for rule, value in values:
        if value is wanted:
            return Answer(wanted, None if rule.instance is None else f"{rule.instance[0]}#{rule.instance[1]}")
    return Answer(not wanted)


def value_of(result: Result) -> bool:
    """The value of an assertion that had this result. Raises `ModelError` if it failed."""
    if isinstance(result, Failure):
        raise result.error
    assert isinstance(result, Outcome) and result.value is not None
    return result.value
