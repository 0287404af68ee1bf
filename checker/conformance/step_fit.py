"""Which steps of a state an event may be; and why others are not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from checker.conformance.event_map import Silent
from checker.conformance.model_steps import ModelSteps
from checker.conformance.observed_choices import ChoicePlaces, nearest
from checker.conformance.observed_event import NO_VALUE, Observed
from checker.conformance.state_places import NoSuchPlace, StatePlace, is_value, text_of
from checker.conformance.thread_locals import kept_before
from checker.traces.guards import Guards
from fizz.base.near_names import near_hint
from interpreter import Machine, Rule, State, Step, StepKind
from interpreter.execute.execution import Admits
from interpreter.observed_steps import observed_steps
from interpreter.state.step import Candidate
from interpreter.values.observed import same, to_plain

_MOST_REMEMBERED: Final = 10_000
_MOST_STEPS: Final = 100_000
_REASONS: Final = 6
_NO_STEPS: Final[tuple[Step, ...]] = ()


class StepFit:
    """The steps of states that events and silence explain. Limits of the model on starts do not count."""

    def __init__(self, machine: Machine, silent: Silent, steps: ModelSteps | None = None) -> None:
        self.machine = machine
        self.steps = steps or ModelSteps(machine)
        self.silent = silent
        self._places: dict[str | None, dict[str, StatePlace]] = {}
        self._choices: dict[tuple[str, ...], ChoicePlaces] = {}
        self._moves: dict[tuple[State, object], tuple[Step, ...]] = {}
        self._silent: dict[State, tuple[Step, ...]] = {}
        program = machine.program
        self._routines = frozenset(routine.name for routine in program.routines)
        keys = [action.key for action in program.actions]
        keys += [action.key for role in program.roles for action in role.actions]
        self.actions = tuple(keys)
        self._guards: Guards | None = None
        self.met_before: frozenset[str] = frozenset()
        """Role instances that were in states of another machine, which this one took the place of."""
        self._some_start_silently = bool(silent.steps - {"continue", "deliver"})

    def moves(self, state: State, event: Observed) -> tuple[Step | None, ...]:
        """The steps that an event may be; None if it is none, and true of the state."""
        if not self._are_so(state, event, event.before):
            return _NO_STEPS
        if not event.is_step:
            return (None,) if self._are_so(state, event, event.after) else _NO_STEPS
        return tuple([step for step in self._moves_of(state, event) if self._fits(state, step, event)])

    # --- silent steps ----------------------------------------------------------------------------------------------

    def silent_steps(self, state: State) -> tuple[Step, ...]:
        """The steps of which no event tells."""
        if not self.silent.most or not self._may_be_silent(state):
            return ()
        known = self._silent.get(state)
        if known is None:
            if len(self._silent) >= _MOST_REMEMBERED:
                self._silent.clear()
            candidates = self.machine.candidates(state, limits=False)
            crashes = "crash" in self.silent.steps
            # A crash of a thread is the twin of a step.
            asked = (
                one for one in candidates if crashes or self._is_named(one.rule.kind, self.machine.actor(one.rule))
            )
            found = (step for candidate in asked for step in self.steps.of(state, candidate))
            known = self._silent[state] = tuple(step for step in found if self._is_silent(step))
        return known

    def _may_be_silent(self, state: State) -> bool:
        """Whether there can be any, without looking at the steps."""
        words = self.silent.steps
        if (state.threads and "continue" in words) or (state.messages and "deliver" in words):
            return True
        return self._some_start_silently

    def _is_silent(self, step: Step) -> bool:
        return "crash" in self.silent.steps if step.crashes else self._is_named(step.rule.kind, step.actor)

    def is_silent(self, rule: Rule) -> bool:
        """Whether the steps of a rule that are no crashes are silent."""
        return self._is_named(rule.kind, self.machine.actor(rule))

    @property
    def fits_columns(self) -> bool:
        """Whether rules tell which steps are silent: all deliveries are, or none, and crashes are not."""
        words = self.silent.steps
        return "crash" not in words and ("deliver" in words or not self.machine.code.channels.count)

    def _is_named(self, kind: StepKind, actor: str | None) -> bool:
        """Whether the map lists such a step as silent: a start only by its name."""
        words = self.silent.steps
        word = {StepKind.CONTINUE: "continue", StepKind.DELIVER: "deliver"}.get(kind)
        return word in words or key_of(actor) in words or actor in words

    # --- steps of events -------------------------------------------------------------------------------------------

    def _moves_of(self, state: State, event: Observed) -> Sequence[Step]:
        """The steps of the action or the crash that an event names, whatever it says of values but choices."""
        candidate = None
        if event.actor is not None and event.label is None:
            candidate = self.steps.start(state, event.actor)
            if candidate is None:
                return ()
            if self.steps.is_direct(candidate.rule):
                return list(self._of_start(state, event, candidate))
        choices = tuple([(name, type(value).__name__, str(value)) for name, value in event.choices])
        key = (state, (event.actor, event.crashes, event.label, choices))
        known = self._moves.get(key)
        if known is None:
            if len(self._moves) >= _MOST_REMEMBERED:
                self._moves.clear()
            if candidate is not None:
                found = self._of_start(state, event, candidate)
            elif event.actor is None:
                found = (step for step in self.steps.named(state, f"crash-role {event.crashes}") if step.crashes)
            else:
                found = self._at_label(state, event, self._admits(event))
            known = self._moves[key] = tuple(islice(found, _MOST_STEPS))
        return known

    def _of_start(self, state: State, event: Observed, candidate: Candidate) -> Iterator[Step]:
        """The steps of an action that are no crash, with the choices that an event names."""
        return (step for step in self.steps.of(state, candidate, self._admits(event)) if not step.crashes)

    def _at_label(self, state: State, event: Observed, admits: Admits | None) -> Iterator[Step]:
        """The steps of an action that pass the label that an event names, with its choices."""
        for candidate in self.machine.candidates(state, limits=False):
            if self.machine.actor(candidate.rule) == event.actor:
                found = self.steps.of(state, candidate, admits)
                yield from (step for step in found if not step.crashes and self._is_at(step, str(event.label)))

    def _is_at(self, step: Step, wanted: str) -> bool:
        """Whether a step passes a label, given with or without its action or func; there may be dots in it."""
        behind = f".{wanted}"
        return any(
            label == wanted or (label.endswith(behind) and label.removesuffix(behind) in self._routines)
            for label in step.outcome.labels
        )

    def _choice_places(self, event: Observed) -> ChoicePlaces:
        names = tuple([name for name, _ in event.choices])
        known = self._choices.get(names)
        if known is None:
            known = self._choices[names] = ChoicePlaces(self.machine.values, names)
        return known

    def _admits(self, event: Observed) -> Admits | None:
        """Which alternatives an event admits; None: all."""
        if not event.choices:
            return None
        return self._choice_places(event).admits([value for _, value in event.choices])

    def interpreted(self, state: State, step: Step, event: Observed | None) -> Step:
        """A step that explains an event, or is silent, with the lines that it runs in their order."""
        return self.steps.interpreted(state, step, None if event is None else self._admits(event))

    # --- what fits -------------------------------------------------------------------------------------------------

    def _fits(self, state: State, step: Step, event: Observed) -> bool:
        """Whether all is so that an event says of a step, but for what was before it."""
        if event.choices:
            labels = step.outcome.choices
            for word in self._choice_places(event).words:
                # What is chosen agrees; but is it chosen at all?
                if not any(label.startswith(word) for label in labels) and not self._was_chosen(
                    state, step, event, word
                ):
                    return False
        if event.returns is not NO_VALUE:
            values = [number for _, number in step.outcome.returns]
            if not any(same(self.machine.values, number, event.returns) for number in values):
                return False
        return self._are_so(step.target, event, event.after)

    def _was_chosen(self, state: State, step: Step, event: Observed, word: str) -> bool:
        """Whether a local of the thread has what an event names of a choice, which an earlier step made."""
        places = self._choice_places(event)
        number = kept_before(self.machine.values, state, step, places.variable(word))
        return number is not None and places.admits([value for _, value in event.choices])(word, number)

    def _are_so(self, state: State, event: Observed, pairs: Sequence[tuple[str, Any]]) -> bool:
        """Whether the values at some places are what an event says."""
        if not pairs:
            return True
        places = self._places.get(event.instance)
        if places is None:
            places = self._places[event.instance] = {}
        for name, value in pairs:
            place = places.get(name)
            if place is None:
                place = places[name] = StatePlace(self.machine, event.instance, name)
            if not place.is_there(state, value):
                return False
        return True

    # --- why not ---------------------------------------------------------------------------------------------------

    def _why_not(self, state: State, step: Step, event: Observed) -> str:
        """What an event says that is not so of a step; empty if all is."""
        if event.choices:
            for (name, word), (_, value) in zip(self._choice_places(event).chosen, event.choices, strict=True):
                if not any(label.startswith(word) for label in step.outcome.choices):
                    said = self._not_chosen(state, step, event, word, f"{name}={json.dumps(value, default=str)}")
                    if said:
                        return said
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

    def _not_chosen(self, state: State, step: Step, event: Observed, word: str, said: str) -> str:
        """Why a choice that a step does not make is none of an earlier step either; empty if it is."""
        if self._was_chosen(state, step, event, word):
            return ""
        variable = self._choice_places(event).variable(word)
        number = kept_before(self.machine.values, state, step, variable)
        if number is not None:
            return f"{variable} is {self.machine.values.text(number)} since an earlier step of the action, not {said}"
        if event.label is None:
            return (
                f"it does not choose {said}; if a later step of the action does, give the event the label of that step"
            )
        return f"it does not choose {said}, and no local {variable} has it from an earlier step"

    def _not_so(self, state: State, event: Observed) -> str:
        """What an event that is no step says of a state and is not so; empty if all is."""
        return self._differs(state, event, (*event.before, *event.after), "here")

    def _differs(self, state: State, event: Observed, pairs: Sequence[tuple[str, Any]], when: str) -> str:
        """The first of some places whose value is another one; empty if there is none."""
        for place, value in pairs:
            try:
                there = StatePlace(self.machine, event.instance, place).at(state)
            except NoSuchPlace as failure:
                return f"{when} {failure}"
            if not is_value(self.machine.values, there, value):
                return f"{place} is {text_of(self.machine.values, there)} {when}, not {json.dumps(value, default=str)}"
        return ""

    def is_near(self, state: State, event: Observed) -> bool:
        """Whether an event that fits nothing is of a step that there is, but for the values that it says."""
        return any(not one.is_step or bool(self._moves_of(state, one)) for one in event.readings)

    def instances_met(self) -> frozenset[str]:
        """The role instances that were in some state."""
        layouts = self.machine.transitions.layouts.known.values()
        live = {pair for layout in layouts for pair in layout.live.items()}
        return self.met_before.union(f"{role}#{number}" for role, numbers in live for number in numbers)

    def reasons(self, state: State, event: Observed) -> list[str]:
        """Why an event is nothing that fits a state, with all that it may be."""
        return list(dict.fromkeys(reason for one in event.readings for reason in self._reasons(state, one)))

    def _reasons(self, state: State, event: Observed) -> list[str]:
        """Why an event is no step of a state: the guards of its action, or what it says and is not so."""
        if event.instance is not None and event.instance not in self.instances_met():
            return [f"{event.instance} was in no state of the search"]
        if not event.is_step:
            return [self._not_so(state, event) or "it fits here, but then nothing explains what comes next"]
        moves = self._moves_of(state, event)
        if not moves and event.choices and event.actor is not None:
            missed = self._missed(state, event)
            if missed:
                return [f"{event.actor}: {reason}" for reason in nearest(missed, _REASONS)]
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

    def _missed(self, state: State, event: Observed) -> dict[str, int]:
        """Why alternatives of the choices that an event names are not those, and in how many parts they agree.

        None if there is one that is: then something else is why it has no step.
        """
        missed: dict[str, int] = {}
        places = self._choice_places(event)
        missing = places.missing([value for _, value in event.choices], missed)
        there: set[str] = set()

        def admits(word: str, number: int) -> bool:
            admitted = missing(word, number)
            if admitted:
                there.add(word)
            return admitted

        candidate = None if event.label is not None else self.steps.start(state, str(event.actor))
        if candidate is not None:
            found = observed_steps(self.machine, state, candidate, admits)
        else:
            found = self._at_label(state, event, admits) if event.label is not None else iter(())
        list(islice(found, _MOST_STEPS))
        return {} if there.issuperset(places.words) else missed


def _guard_text(guard: Any) -> str:
    facts = "; ".join(f"{text} is {value}" for text, value in guard.facts[:3])
    return f"{guard.text} (line {guard.line}){f': {facts}' if facts else ''}"


def key_of(actor: str | None) -> str:
    """The action of an actor: of `Node#0.Vote` it is `Node.Vote`."""
    role, _, action = (actor or "").rpartition(".")
    return f"{role.partition('#')[0]}.{action}" if role else action
