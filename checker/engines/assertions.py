"""What an assertion answers in a state or for a step, from what its rules answer (language page, 7.5 and 10.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from checker.engines.read_tree import Result
from interpreter import Machine, State
from interpreter.running.view import PairView, View
from interpreter.state import Layout
from interpreter.step import Failure, Outcome, Rule

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
        self._visible: dict[Layout, tuple[int, ...]] = {}

    def holds(self, assertion: int, state: State) -> Answer:
        """The value in a state: in a role, `exists` asks for some instance, the others for all."""
        wanted = self.machine.program.assertions[assertion].kind == "exists"
        return self._decide(assertion, state, self.view(state), wanted)

    def holds_between(self, assertion: int, before: State, after: State) -> Answer:
        """The value for a step, which may not have changed anything: then it is true."""
        if self._unchanged(before, after):
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

    def _unchanged(self, before: State, after: State) -> bool:
        """Are state variables, instances and their fields equal?"""
        if before.layout.cells or after.layout.cells:
            return self._texts(before) == self._texts(after)
        if before.layout is after.layout:
            return all(before.values[i] == after.values[i] for i in self._positions(before.layout))
        return self._values(before) == self._values(after)

    def _positions(self, layout: Layout) -> tuple[int, ...]:
        if layout not in self._visible:
            kinds = ("heap", "role", "field")
            self._visible[layout] = tuple(i for i, slot in enumerate(layout.slots) if slot[0] in kinds)
        return self._visible[layout]

    def _values(self, state: State) -> list[object]:
        return [(state.layout.slots[i], state.values[i]) for i in self._positions(state.layout)]

    def _texts(self, state: State) -> list[object]:
        """The visible values in full, whether a thread shares parts of them or not."""
        places: dict[int, str] = {}

        def resolve(place: str, reference: int) -> int | str:
            k = int(self.machine.values.payload(reference)[0])
            if k in places:
                return f'{{"$ref":"{places[k]}"}}'
            places[k] = place
            return state.get(("cell", k))

        texts: list[object] = []
        for i in self._positions(state.layout):
            slot = state.layout.slots[i]
            texts.append((slot, self.machine.values.encode(str(slot), state.values[i], resolve)))
        return texts
