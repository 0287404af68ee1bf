"""Which steps of a state an event may be, remembered by state and what the event says; and why others are not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from checker.conformance.event_map import NO_VALUE, Observed, Silent
from checker.conformance.state_places import NoSuchPlace, agrees, text_of, text_of_observed, value_at
from checker.search.memo.memo import Memory
from checker.traces.guards import Guards
from fizz.base.near_names import near_hint
from interpreter import Machine, State, Step, StepKind
from interpreter.state.step import NO_OUTCOME, Failure, Outcome
from interpreter.values.observed import same, to_plain

_MOST_REMEMBERED: Final = 20_000
_MOST_STEPS: Final = 100_000
_REASONS: Final = 6


class StepFit:
    """The steps of states that events and silence explain. Limits of the model on starts do not count."""

    def __init__(self, machine: Machine, silent: Silent) -> None:
        self.machine = machine
        self.memory = Memory(machine)
        self.silent = silent
        self._fitting: dict[tuple[State, object], tuple[Step, ...]] = {}
        self._moves: dict[tuple[State, str], tuple[Step, ...]] = {}
        self._silent: dict[State, tuple[Step, ...]] = {}
        program = machine.program
        keys = [action.key for action in program.actions]
        keys += [action.key for role in program.roles for action in role.actions]
        self.actions = tuple(keys)
        self._guards: Guards | None = None

    def steps(self, state: State, event: Observed) -> tuple[Step, ...]:
        """The steps that an event may be."""
        known = self._fitting.get((state, event.key))
        if known is None:
            if len(self._fitting) >= _MOST_REMEMBERED:
                self._fitting.clear()
            moves = self._moves_of(state, event)
            known = tuple(step for step in moves if not self._why_not(state, step, event))
            self._fitting[state, event.key] = known
        return known

    def silent_steps(self, state: State) -> tuple[Step, ...]:
        """The steps of which no event tells."""
        if not self.silent.most or not self._may_be_silent(state):
            return ()
        known = self._silent.get(state)
        if known is None:
            if len(self._silent) >= _MOST_REMEMBERED:
                self._silent.clear()
            known = self._silent[state] = tuple(step for step in self._all(state) if self._is_silent(step))
        return known

    def _may_be_silent(self, state: State) -> bool:
        """Whether there can be any, without looking at the steps."""
        words = self.silent.steps
        if ("continue" in words and state.threads) or ("deliver" in words and state.messages):
            return True
        return bool(words - {"continue", "deliver"})

    def _all(self, state: State, of: str | None = None) -> Iterator[Step]:
        """The steps of a state. Raises `ModelError` where the model fails."""
        machine, memory = self.machine, self.memory
        view = memory.view(state)
        for candidate in machine.candidates(state, limits=False):
            if of not in (None, candidate.name):
                continue
            if candidate.rule.kind is StepKind.CRASH_ROLE:
                yield from machine.steps_of(state, candidate, NO_OUTCOME)
                continue
            for result in memory.results(candidate.rule, view):
                if isinstance(result, Failure):
                    raise result.error
                if isinstance(result, Outcome):
                    yield from machine.steps_of(state, candidate, memory.joined(state, result))

    def _is_silent(self, step: Step) -> bool:
        words = self.silent.steps
        if step.crashes:
            return "crash" in words
        # A start is silent only if it is named.
        word = {StepKind.CONTINUE: "continue", StepKind.DELIVER: "deliver"}.get(step.rule.kind)
        return word in words or key_of(step.actor) in words or step.actor in words

    def _moves_of(self, state: State, event: Observed) -> tuple[Step, ...]:
        """The steps of the action or the crash that an event names, whatever it says of values."""
        name = event.actor if event.actor is not None else f"crash-role {event.crashes}"
        key = (state, f"{name}/{event.label or ''}")
        known = self._moves.get(key)
        if known is None:
            if len(self._moves) >= _MOST_REMEMBERED:
                self._moves.clear()
            if event.label is None:
                found = [step for step in islice(self._all(state, name), _MOST_STEPS) if step.name.startswith(name)]
                found = [step for step in found if step.crashes == (event.actor is None)]
            else:
                found = [step for step in self._all(state) if step.actor == event.actor and not step.crashes]
                found = [step for step in found if any(_has(label, event.label) for label in step.outcome.labels)]
            known = self._moves[key] = tuple(found)
        return known

    # --- why not ---------------------------------------------------------------------------------------------------

    def _why_not(self, state: State, step: Step, event: Observed) -> str:
        """What an event says that is not so of a step; empty if all is."""
        for name, value in event.choices:
            labels = [label for label in step.outcome.choices if label.startswith(f"Any:{name}=")]
            texts = (text_of_observed(self.machine, value), str(value))
            if not any(label.partition("=")[2] in texts for label in labels):
                return f"it chooses {', '.join(labels) or 'nothing'}, not {name}={texts[0]}"
        for what, where, pairs in (("before", state, event.before), ("after", step.target, event.after)):
            for place, value in pairs:
                try:
                    there = value_at(self.machine, where, event.instance, place)
                except NoSuchPlace as failure:
                    return f"{what} it {failure}"
                if not agrees(self.machine, there, value):
                    return f"{place} is {text_of(self.machine, there)} {what} it, not {json.dumps(value, default=str)}"
        if event.returns is not NO_VALUE:
            values = [number for _, number in step.outcome.returns]
            if not any(same(self.machine.values, number, event.returns) for number in values):
                shown: list[Any] = [to_plain(self.machine.values, number) for number in values]
                return f"it returns {shown[0] if shown else None!r}, not {event.returns!r}"
        return ""

    def reasons(self, state: State, event: Observed) -> list[str]:
        """Why an event is no step of a state: the guards of its action, or what it says and is not so."""
        moves = self._moves_of(state, event)
        if moves:
            why = [self._why_not(state, step, event) for step in moves]
            found = [f"{step.name}: {reason}" for step, reason in zip(moves, why, strict=True) if reason]
            fitting = [step.name for step, reason in zip(moves, why, strict=True) if not reason]
            found += [f"{name} fits here, but then nothing explains what comes next" for name in fitting]
            extra = [f"and {len(found) - _REASONS:,} more ways"] if len(found) > _REASONS else []
            return [*dict.fromkeys(found[:_REASONS]), *extra]
        if self._guards is None:
            self._guards = Guards(self.machine)
        candidates = self.machine.candidates(state, limits=False)
        for candidate in candidates:
            if event.label is None and candidate.name == event.actor:
                disabled = self._guards.one(candidate, state)
                guards = () if disabled is None else disabled.guards
                return [f"{event.actor} has no step: {_guard_text(guard)}" for guard in guards] or [
                    f"{event.actor} has no step"
                ]
        if event.label is not None:
            return [f"{event.actor} has no step with the label '{event.label}'"]
        if event.actor is None:
            return [f"{event.crashes} can not crash here: it is not there, has no @state, or crash_on_yield is false"]
        names = [candidate.name for candidate in candidates]
        return [f"there is no action {event.actor} here", *filter(None, [near_hint(str(event.actor), names)])]


def _guard_text(guard: Any) -> str:
    facts = "; ".join(f"{text} is {value}" for text, value in guard.facts[:3])
    return f"{guard.text} (line {guard.line}){f': {facts}' if facts else ''}"


def _has(label: str, wanted: str) -> bool:
    return label == wanted or label.rpartition(".")[2] == wanted


def key_of(actor: str | None) -> str:
    """The action of an actor: of `Node#0.Vote` it is `Node.Vote`."""
    role, _, action = (actor or "").rpartition(".")
    return f"{role.partition('#')[0]}.{action}" if role else action
