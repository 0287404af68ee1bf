"""A run of a model, step by step, and the properties that its states and steps violate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

from checker.core.property import Looks, Property, Watch
from checker.core.trace import TraceEntry
from checker.search.contract.assertion_answers import Answer, Assertions
from checker.search.contract.bounds import starts_after
from checker.traces.replay import init_entry, step_entry
from interpreter import Machine, State, Step
from interpreter.state.step import InitialState

_REMEMBERED = 20_000
"""States whose answers are cached: many walks meet the same states."""


@dataclass(slots=True)
class Walk:
    """A run: its initial state and its steps so far. `starts` counts the actions it started."""

    machine: Machine
    start: InitialState
    steps: list[Step] = field(default_factory=list)
    starts: int = 0

    @property
    def state(self) -> State:
        return self.state_after(len(self.steps))

    def state_after(self, steps: int) -> State:
        """The state after so many steps of the run."""
        return self.steps[steps - 1].target if steps else self.start.state

    def states(self, steps: int | None = None) -> list[State]:
        """The states after Init and after each step, or after the first `steps` steps."""
        return [self.state_after(number) for number in range((len(self.steps) if steps is None else steps) + 1)]

    def take(self, step: Step) -> None:
        """Continue with a step of the last state."""
        self.steps.append(step)
        self.starts = starts_after(self.starts, step.rule.kind)

    def entries(self, steps: int | None = None) -> list[TraceEntry]:
        """The entries of the trace: Init, then each step, or each of the first `steps` steps."""
        taken = self.steps if steps is None else self.steps[:steps]
        entries = [init_entry(self.machine, self.start.outcome, self.start.state)]
        for number, step in enumerate(taken):
            entries.append(step_entry(self.machine, self.state_after(number), step, step.target))
        return entries


class Said(NamedTuple):
    """A property with a watch that was hit; `instance` is the one that decided, for an assertion in a role."""

    property: Property
    watch: Watch
    instance: str | None = None


class Questions:
    """Evaluates the watches of properties on single states and steps, without liveness. Methods raise `ModelError`."""

    def __init__(self, machine: Machine, properties: Sequence[Property], assertions: Assertions | None = None) -> None:
        options = machine.program.options
        self.assertions = assertions or Assertions(
            machine, machine.view, lambda rule, view: machine.run(rule, view).result
        )
        self.state_watches: list[tuple[Property, Watch]] = []
        self.step_watches: list[tuple[Property, Watch]] = []
        self._dead_ends: list[tuple[Property, Watch]] = []
        watched = [(p, watch) for p in properties if p.checked(options) for watch in p.watches]
        for of, watch in watched:
            match watch.looks:
                case Looks.STATES:
                    if of.decided_by(watch):
                        self.state_watches.append((of, watch))
                case Looks.STEPS:
                    self.step_watches.append((of, watch))
                case Looks.DEAD_ENDS:
                    self._dead_ends.append((of, watch))
                case _:
                    assert_never(watch.looks)
        self._known: dict[State, tuple[Said, ...]] = {}

    def of_state(self, state: State) -> tuple[Said, ...]:
        """What is violated in a state, and the `exists` that it meets."""
        if state not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            said = (self._said(p, w, self.assertions.holds, state) for p, w in self.state_watches)
            self._known[state] = tuple(one for one in said if one is not None)
        return self._known[state]

    def of_step(self, before: State, step: Step) -> tuple[Said, ...]:
        """What a step violates; a crash violates nothing."""
        if step.crashes:
            return ()
        said = (self._said(p, w, self.assertions.holds_between, before, step.target) for p, w in self.step_watches)
        return tuple(one for one in said if one is not None)

    def of_dead_end(self) -> tuple[Said, ...]:
        """The properties that a state without steps violates."""
        return tuple(Said(p, watch) for p, watch in self._dead_ends)

    def _said(self, p: Property, watch: Watch, ask: Callable[..., Answer], *states: State) -> Said | None:
        answer = ask(watch.predicate, *states)
        return Said(p, watch, answer.instance) if answer.value is watch.seeks else None
