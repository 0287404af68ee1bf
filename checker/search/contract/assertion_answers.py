"""The answer of an assertion in a state or for a step, from those of its rules (language page, 7.5 and 10.3)."""

from __future__ import annotations

from collections.abc import Callable
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
        return self._decide(predicate, state, self.view(state))

    def holds_between(self, predicate: Predicate, before: State, after: State) -> Answer:
        """The value for a step; true for one that changes nothing."""
        if self.machine.alike.states(before, after):
            return Answer(True)
        return self._decide(predicate, after, PairView(self.view(before), self.view(after)))

    def _decide(self, predicate: Predicate, state: State, view: View) -> Answer:
        """Ask rule by rule until one decides."""
        wanted = predicate.some
        for rule in self.machine.assertion_rules(predicate.assertion, state):
            result = self.decide(rule, view)
            if isinstance(result, Failure):
                raise result.error
            assert isinstance(result, Outcome) and result.value is not None
            if result.value is wanted:
                return Answer(wanted, None if rule.instance is None else f"{rule.instance[0]}#{rule.instance[1]}")
        return Answer(not wanted)
