"""`JudgedStates`: the assertions that states and steps of a run violate, asked once for what they may read.

An assertion that runs as a function of Python reads no more than the slots that its text names; where these have the
values of a state before, or of a step, the answer is the same. So where nothing was violated, only those assertions are
asked that may read what a step has changed, and those about steps that may read what the step before it has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from operator import itemgetter, ne
from typing import Any, Final, NamedTuple

from checker.conformance.model_steps import ModelSteps
from checker.core.property import Predicate, Property
from checker.search.contract.assertion_answers import Answer, Assertions, first_to_decide, value_of
from checker.traces.model_walk import Questions
from interpreter import Machine, ModelError, Rule, State, Step
from interpreter.execute.view import PairView
from interpreter.state.state import Layout

_MOST_REMEMBERED: Final = 5_000
_SOON: Final = 16
"""After so many states it is worth to make functions of assertions."""


class _Asked(NamedTuple):
    """A rule of an assertion in states of one layout. `reads`: what it may read of each state; `known`: the answers by
    that. `positions`: of all that it may read, of any of the states."""

    rule: Rule
    positions: frozenset[int]
    reads: Sequence[Callable[[tuple[int, ...]], Any]]
    known: dict[Any, bool]


class _Watched(NamedTuple):
    """A rule that violates an assertion where its value is `seeks`; of an assertion about a state, or about a step."""

    asked: _Asked
    seeks: bool
    of_step: bool


class _Readers(NamedTuple):
    """The rules of all assertions in states of one layout, and which of them may read the slot at a position.

    Sets of rules are bits of a number: `by_position` for each slot, `of_steps` those of assertions about steps.
    """

    watched: list[_Watched]
    by_position: list[int]
    of_steps: int


class JudgedStates:
    """What states and steps violate. Methods raise `ModelError`."""

    def __init__(self, steps: ModelSteps, properties: Sequence[Property]) -> None:
        machine = steps.machine
        self._alike = machine.alike
        self._assertions = _Remembered(steps)
        self._questions = Questions(machine, properties, self._assertions)
        self._readers: dict[Layout, _Readers | None] = {}
        self._holding: dict[State, int] = {}
        """States that violate nothing, each with the rules that may hold for the step to it and not for one like it
        that changes nothing they read."""

    def violated(self, before: State | None, step: Step | None, state: State) -> list[str]:
        """The assertions that a state violates, and those that the step to it does."""
        if before is not None and before in self._holding and self._still_hold(before, step, state):
            return []
        said = [one.property.name for one in self._questions.of_state(state)]
        if before is not None and step is not None:
            said += [one.property.name for one in self._questions.of_step(before, step)]
        if not said:
            self._note(state, -1)
        return said

    def _note(self, state: State, unsettled: int) -> None:
        if len(self._holding) >= _MOST_REMEMBERED:
            self._holding.clear()
        self._holding[state] = unsettled

    def _still_hold(self, before: State, step: Step | None, state: State) -> bool:
        """Whether all assertions hold because they did before, and what has changed violates none.

        False: ask all assertions.
        """
        if step is None or state == before:
            return state == before
        readers = self._readers_in(state) if before.layout is state.layout else None
        if readers is None or self._alike.states(before, state):
            return False
        changed = 0
        for those in compress(readers.by_position, map(ne, before.values, state.values)):
            changed |= those
        unsettled = readers.of_steps & changed
        asked = changed & ~readers.of_steps
        if step.crashes:
            unsettled = -1
        else:
            asked |= unsettled | (self._holding[before] & readers.of_steps)
        try:
            while asked:
                lowest = asked & -asked
                asked ^= lowest
                one = readers.watched[lowest.bit_length() - 1]
                states = (state, before) if one.of_step else (state,)
                if self._assertions.known(one.asked, states) is one.seeks:
                    return False
        except ModelError:
            # Which assertion fails first is for all of them to say.
            return False
        self._note(state, unsettled)
        return True

    def _readers_in(self, state: State) -> _Readers | None:
        """Who reads what in states of this layout; None: that is not known of all assertions, or not yet."""
        if state.layout not in self._readers:
            if not self._assertions.are_functions:
                return None
            self._readers[state.layout] = self._found_in(state)
        return self._readers[state.layout]

    def _found_in(self, state: State) -> _Readers | None:
        watched: list[_Watched] = []
        by_position = [0] * len(state.layout.slots)
        of_steps = 0
        questions = self._questions
        for watches, states in ((questions.state_watches, (state,)), (questions.step_watches, (state, state))):
            for _, watch in watches:
                assert watch.predicate is not None and watch.seeks is not None
                rules = self._assertions.rules(watch.predicate, *states)
                if rules is None or watch.predicate.some is not watch.seeks:
                    return None
                for one in rules:
                    bit = 1 << len(watched)
                    of_steps |= bit if len(states) > 1 else 0
                    watched.append(_Watched(one, watch.seeks, len(states) > 1))
                    for position in one.positions:
                        by_position[position] |= bit
        return _Readers(watched, by_position, of_steps)


class _Remembered(Assertions):
    """Assertions whose answers in states and for steps are remembered by what they may read."""

    def __init__(self, steps: ModelSteps) -> None:
        machine = steps.machine
        super().__init__(machine, machine.view, lambda rule, view: machine.run(rule, view).result)
        self._steps = steps
        self._states = 0
        self._asked: dict[tuple[int, tuple[Layout, ...]], list[_Asked] | None] = {}

    @property
    def are_functions(self) -> bool:
        """Whether so much was asked that functions are made."""
        return self._states > _SOON

    def _decided(self, predicate: Predicate, state: State, before: State | None = None) -> Answer:
        self._states += 1
        states = (state,) if before is None else (state, before)
        asked = self.rules(predicate, *states) if self.are_functions else None
        if asked is None:
            return super()._decided(predicate, state, before)
        return first_to_decide(predicate.some, ((one.rule, self.known(one, states)) for one in asked))

    def known(self, asked: _Asked, states: tuple[State, ...]) -> bool:
        """The value of a rule in a state, or for a step to the first of two."""
        known = asked.known
        key = tuple([read(state.values) for read, state in zip(asked.reads, states, strict=True)])
        value = known.get(key)
        if value is None:
            if len(known) >= _MOST_REMEMBERED:
                known.clear()
            value = known[key] = self._value(asked.rule, *states)
        return value

    def _value(self, rule: Rule, state: State, before: State | None = None) -> bool:
        found = self._steps.functions.results(rule, state, before, noted=False)
        if found is None:
            view = self.view(state) if before is None else PairView(self.view(before), self.view(state))
            found = [self.decide(rule, view)]
        return value_of(found[0])

    def rules(self, predicate: Predicate, *states: State) -> list[_Asked] | None:
        """The rules of an assertion in states of these layouts; None: it may read more than slots by their names.

        Of an assertion about steps: a state and the one before it.
        """
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
                reads = [itemgetter(*each) if each else _nothing for each in positions]
                found.append(_Asked(rule, frozenset().union(*positions), reads, {}))
            self._asked[key] = found
        return self._asked[key]


def _nothing(values: tuple[int, ...]) -> None:
    """What a rule reads that reads nothing."""
