"""Which steps of a state an event may be, remembered by state and what the event says; and why others are not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from checker.conformance.event_map import NO_VALUE, Observed, Silent
from checker.conformance.observed_choices import ObservedChoices, chosen_name
from checker.conformance.state_places import NoSuchPlace, agrees, text_of, value_at
from checker.search.memo.memo import Memory
from checker.traces.guards import Guards
from fizz.base.near_names import near_hint
from interpreter import Machine, State, Step, StepKind
from interpreter.observed_steps import observed_steps
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
        self._fitting: dict[tuple[State, object], tuple[Step | None, ...]] = {}
        self._moves: dict[tuple[State, str], tuple[Step, ...]] = {}
        self._silent: dict[State, tuple[Step, ...]] = {}
        program = machine.program
        keys = [action.key for action in program.actions]
        keys += [action.key for role in program.roles for action in role.actions]
        self.actions = tuple(keys)
        self._guards: Guards | None = None

    def moves(self, state: State, event: Observed) -> tuple[Step | None, ...]:
        """The steps that an event may be; None if it is none, and true of the state."""
        known = self._fitting.get((state, event.key))
        if known is None:
            if len(self._fitting) >= _MOST_REMEMBERED:
                self._fitting.clear()
            if event.is_step:
                moves = self._moves_of(state, event)
                known = tuple(step for step in moves if not self._why_not(state, step, event))
            else:
                known = () if self._not_so(state, event) else (None,)
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
        """The steps of the action or the crash that an event names, whatever it says of values but choices."""
        if event.choices and event.actor is not None:
            return tuple(self._chosen(state, event, ObservedChoices(self.machine.values, event.choices)))
        return self._all_moves(state, event)

    def _chosen(self, state: State, event: Observed, choices: ObservedChoices) -> Iterator[Step]:
        """The steps of an action with the choices that an event names."""
        for candidate in self.machine.candidates(state, limits=False):
            if event.label is None and candidate.name != event.actor:
                continue
            if self.machine.actor(candidate.rule) != event.actor:
                continue
            for step in observed_steps(self.machine, state, candidate, choices.admits):
                if not step.crashes and (event.label is None or _is_at(step, event.label)):
                    yield step

    def _all_moves(self, state: State, event: Observed) -> tuple[Step, ...]:
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
                found = [step for step in found if _is_at(step, event.label)]
            known = self._moves[key] = tuple(found)
        return known

    # --- why not ---------------------------------------------------------------------------------------------------

    def _why_not(self, state: State, step: Step, event: Observed) -> str:
        """What an event says that is not so of a step; empty if all is."""
        for name, value in event.choices:
            word = f"Any:{chosen_name(name)}="
            # What is chosen agrees; but is it chosen at all?
            if not any(label.startswith(word) for label in step.outcome.choices):
                return f"it does not choose {name}={json.dumps(value, default=str)}"
        for what, where, pairs in (("before", state, event.before), ("after", step.target, event.after)):
            said = self._differs(where, event, pairs, f"{what} it")
            if said:
                return said
        if event.returns is not NO_VALUE:
            values = [number for _, number in step.outcome.returns]
            if not any(same(self.machine.values, number, event.returns) for number in values):
                shown: list[Any] = [to_plain(self.machine.values, number) for number in values]
                return f"it returns {shown[0] if shown else None!r}, not {event.returns!r}"
        return ""

    def _not_so(self, state: State, event: Observed) -> str:
        """What an event that is no step says of a state and is not so; empty if all is."""
        return self._differs(state, event, (*event.before, *event.after), "here")

    def _differs(self, state: State, event: Observed, pairs: Sequence[tuple[str, Any]], when: str) -> str:
        """The first of some places whose value is another one; empty if there is none."""
        for place, value in pairs:
            try:
                there = value_at(self.machine, state, event.instance, place)
            except NoSuchPlace as failure:
                return f"{when} {failure}"
            if not agrees(self.machine, there, value):
                return f"{place} is {text_of(self.machine.values, there)} {when}, not {json.dumps(value, default=str)}"
        return ""

    def reasons(self, state: State, event: Observed) -> list[str]:
        """Why an event is nothing that fits a state, with all that it may be."""
        return list(dict.fromkeys(reason for one in event.readings for reason in self._reasons(state, one)))

    def _reasons(self, state: State, event: Observed) -> list[str]:
        """Why an event is no step of a state: the guards of its action, or what it says and is not so."""
        if not event.is_step:
            return [self._not_so(state, event) or "it fits here, but then nothing explains what comes next"]
        moves = self._moves_of(state, event)
        if not moves and event.choices and event.actor is not None:
            choices = ObservedChoices(self.machine.values, event.choices, keep=True)
            list(islice(self._chosen(state, event, choices), _MOST_STEPS))
            if choices.missed:
                return [f"{event.actor}: {reason}" for reason in choices.nearest(_REASONS)]
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


def _is_at(step: Step, wanted: str) -> bool:
    """Whether a step passes a label, given with or without its action."""
    return any(wanted in (label, label.rpartition(".")[2]) for label in step.outcome.labels)


def key_of(actor: str | None) -> str:
    """The action of an actor: of `Node#0.Vote` it is `Node.Vote`."""
    role, _, action = (actor or "").rpartition(".")
    return f"{role.partition('#')[0]}.{action}" if role else action
