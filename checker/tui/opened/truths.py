"""Truth values of properties along a path."""

from __future__ import annotations

import time
from collections.abc import Iterable

from checker.core.property import Looks
from checker.core.trace import Why
from checker.properties import properties_of
from checker.search.contract.assertion_answers import Assertions
from checker.traces.why import why
from checker.tui.opened.opened_paths import Path
from checker.tui.opened.property_row import PropertyRow, TruthMark
from interpreter import Machine, ModelError, Program, State

_REMEMBERED = 50_000


def property_rows(program: Program) -> tuple[PropertyRow, ...]:
    """The properties of a model, in the order in which they are shown."""
    return tuple(PropertyRow(one.name, one.kind, next(iter(one.watches), None)) for one in properties_of(program, None))


class Truths:
    """Evaluates properties along paths, and caches the truth values."""

    def __init__(self, machine: Machine) -> None:
        program = machine.program
        self.machine = machine
        self.properties = property_rows(program)
        self._assertions = Assertions(machine, machine.view, lambda rule, view: machine.run(rule, view).result)
        self._known: dict[tuple[PropertyRow, State | None, State], tuple[TruthMark, str | None]] = {}

    def known(self, prop: PropertyRow, path: Path, index: int) -> TruthMark | None:
        """The truth value, if nothing has to be evaluated for it."""
        states = self._states_of(prop, path, index)
        if states is None:
            return TruthMark.NOTHING
        if prop.of_dead_ends and index + 1 < len(path.states):
            return TruthMark.NOTHING if path.trace.entries[index + 1].crash else TruthMark.TRUE
        found = self._known.get((prop, *states))
        return None if found is None else found[0]

    def truth(self, prop: PropertyRow, path: Path, index: int) -> TruthMark:
        """The truth value for the step that leads to entry `index`, and the state after it."""
        found = self.known(prop, path, index)
        return self._evaluated(prop, path, index)[0] if found is None else found

    def instance(self, prop: PropertyRow, path: Path, index: int) -> str | None:
        """The instance that decided, for an assertion in a role."""
        if prop.of_dead_ends or self.truth(prop, path, index) is TruthMark.NOTHING:
            return None
        return self._evaluated(prop, path, index)[1]

    def fill(self, path: Path, indices: Iterable[int], deadline: float) -> bool:
        """Evaluate what is not known yet until a deadline (`time.perf_counter`). False if that was too early."""
        for index in indices:
            for prop in self.properties:
                if self.known(prop, path, index) is None:
                    if time.perf_counter() > deadline:
                        return False
                    self._evaluated(prop, path, index)
        return True

    def why(self, prop: PropertyRow, path: Path, index: int) -> Why | None:
        """Why it is false there."""
        if prop.watch is None or self.truth(prop, path, index) is not TruthMark.FALSE:
            return None
        return why(self.machine, prop.watch, path.states[: index + 1], 0)

    def _states_of(self, prop: PropertyRow, path: Path, index: int) -> tuple[State | None, State] | None:
        """The states that the property is evaluated on; None if it has no truth value for this step."""
        state = path.state(index)
        if state is None or prop.watch is None:
            return None
        if prop.watch.looks is not Looks.STEPS:
            return None, state
        return None if index == 0 or path.trace.entries[index].crash else (path.states[index - 1], state)

    def _evaluated(self, prop: PropertyRow, path: Path, index: int) -> tuple[TruthMark, str | None]:
        states = self._states_of(prop, path, index)
        assert states is not None
        if (prop, *states) not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[prop, *states] = self._answer(prop, *states)
        return self._known[prop, *states]

    def _answer(self, prop: PropertyRow, before: State | None, state: State) -> tuple[TruthMark, str | None]:
        assert prop.watch is not None
        if prop.watch.predicate is None:
            expansion = self.machine.steps(state)
            alive = bool(expansion.failures) or any(not step.crashes for step in expansion.steps)
            return (TruthMark.TRUE if alive else TruthMark.FALSE), None
        try:
            if before is None:
                answer = self._assertions.holds(prop.watch.predicate, state)
            else:
                answer = self._assertions.holds_between(prop.watch.predicate, before, state)
        except ModelError:
            return TruthMark.FAILS, None
        return (TruthMark.TRUE if answer.value else TruthMark.FALSE), answer.instance
