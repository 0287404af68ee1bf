"""What an assertion answers in a state or for a step, from what its rules answer (language page, 7.5 and 10.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from interpreter import Machine, State
from interpreter.running.view import PairView, View
from interpreter.step import Failure, Outcome, Result, Rule

Decide = Callable[[Rule, View], Result]
"""Runs an assertion's rule, or remembers what it came to."""


class Answer(NamedTuple):
    """`instance`: the one that decided, for an assertion in a role."""

    value: bool
    instance: str | None = None


class Assertions:
    """The assertions of a program, put to what `view` shows of states.

    All methods raise `ModelError` where the assertion fails.
    """

    def __init__(self, machine: Machine, view: Callable[[State], View], decide: Decide) -> None:
        self.machine = machine
        self.view = view
        self.decide = decide

    def holds(self, assertion: int, state: State) -> Answer:
        """The value in a state: in a role, `exists` asks for some instance, the others for all."""
        wanted = self.machine.program.assertions[assertion].kind == "exists"
        return self._decide(assertion, state, self.view(state), wanted)

    def holds_between(self, assertion: int, before: State, after: State) -> Answer:
        """The value for a step, which may not have changed anything: then it is true."""
        if self.machine.alike.states(before, after):
            return Answer(True)
        return self._decide(assertion, after, PairView(self.view(before), self.view(after)), wanted=False)

    def _decide(self, assertion: int, state: State, view: View, wanted: bool) -> Answer:
        """Ask rule by rule until one gives the wanted answer."""
        for rule in self.machine.assertion_rules(assertion, state):
            result = self.decide(rule, view)
            if isinstance(result, Failure):
                raise result.error
            assert isinstance(result, Outcome) and result.value is not None
            if result.value is wanted:
                return Answer(wanted, None if rule.instance is None else f"{rule.instance[0]}#{rule.instance[1]}")
        return Answer(not wanted)
