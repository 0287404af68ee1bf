"""One run of a model, step by step, and what the properties say of its states and steps as they are met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from checker.core.property import Looks, Property, Watch
from checker.core.trace import TraceEntry
from checker.search.contract.assertion_answers import Answer, Assertions
from checker.search.contract.bounds import starts_after
from checker.traces.replay import init_entry, step_entry
from interpreter import Machine, State, Step
from interpreter.state.step import InitialState

_REMEMBERED = 20_000
"""States whose answers are kept: walks begin alike, and short ones meet the same states again and again."""


@dataclass(slots=True)
class Walk:
    """A run under way: where it began, what it did, where it stands. `starts` counts the actions it started."""

    machine: Machine
    start: InitialState
    steps: list[Step] = field(default_factory=list)
    starts: int = 0

    @property
    def state(self) -> State:
        return self.state_after(len(self.steps))

    def state_after(self, steps: int) -> State:
        """The state after so many steps."""
        return self.steps[steps - 1].target if steps else self.start.state

    def states(self, steps: int | None = None) -> list[State]:
        """The states of the story: after Init, and after each step."""
        return [self.state_after(number) for number in range((len(self.steps) if steps is None else steps) + 1)]

    def take(self, step: Step) -> None:
        """Go on by a step of the state where the run stands."""
        self.steps.append(step)
        self.starts = starts_after(self.starts, step.rule.kind)

    def entries(self, steps: int | None = None) -> list[TraceEntry]:
        """The story up to here, or of so many steps: Init, then an entry for each step."""
        taken = self.steps if steps is None else self.steps[:steps]
        told = [init_entry(self.machine, self.start.outcome, self.start.state)]
        for number, step in enumerate(taken):
            told.append(step_entry(self.machine, self.state_after(number), step, step.target))
        return told


class Said(NamedTuple):
    """A property that found what it looks out for; `instance` is the one that decided, for an assertion in a role."""

    property: Property
    instance: str | None


class Questions:
    """What the properties look out for, asked of single states and steps. All methods raise `ModelError`.

    Of liveness there is nothing to be said of a single state.
    """

    def __init__(self, machine: Machine, properties: Sequence[Property]) -> None:
        options = machine.program.options
        watched = [(p, watch) for p in properties if p.checked(options) for watch in p.watches]
        self.assertions = Assertions(machine, machine.view, lambda rule, view: machine.run(rule, view).result)
        self._of_states = [(p, w) for p, w in watched if w.looks is Looks.STATES and w.seeks is not None]
        self._of_steps = [(p, w) for p, w in watched if w.looks is Looks.STEPS]
        self._dead_ends = [p for p, w in watched if w.looks is Looks.DEAD_ENDS]
        self._known: dict[State, tuple[Said, ...]] = {}

    def of_state(self, state: State) -> tuple[Said, ...]:
        """Violations of `always`, and what `exists` asks for."""
        if state not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            said = (self._said(p, w, self.assertions.holds, state) for p, w in self._of_states)
            self._known[state] = tuple(one for one in said if one is not None)
        return self._known[state]

    def of_step(self, before: State, step: Step) -> tuple[Said, ...]:
        """Violations of `transition`; crashes break none."""
        if step.crashes:
            return ()
        said = (self._said(p, w, self.assertions.holds_between, before, step.target) for p, w in self._of_steps)
        return tuple(one for one in said if one is not None)

    def of_dead_end(self) -> tuple[Said, ...]:
        """What a state without steps violates."""
        return tuple(Said(p, None) for p in self._dead_ends)

    def _said(self, p: Property, watch: Watch, ask: Callable[..., Answer], *states: State) -> Said | None:
        answer = ask(watch.predicate, *states)
        return Said(p, answer.instance) if answer.value is watch.seeks else None
