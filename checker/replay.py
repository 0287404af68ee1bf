"""From the links of a finding back to the story.

Every step is taken again, and what it did is written down (language page, 12.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checker.exploration import Finding, PathLink
from checker.trace import Change, EntryKind, Trace, TraceEntry
from checker.why import stuck, why
from fizz import Span
from interpreter import Machine
from interpreter.machine import step_name
from interpreter.state import State
from interpreter.step import Expansion, Outcome, Rule, Step, StepFailure, StepKind

_KINDS: dict[StepKind, EntryKind] = {
    StepKind.START: "start",
    StepKind.CONTINUE: "continue",
    StepKind.DELIVER: "deliver",
    StepKind.CRASH_ROLE: "crash-role",
}
_SORTED_PLACES = ("thread-", "message-")


def replay(machine: Machine, finding: Finding, assertion: int | None = None) -> Trace | None:
    """The trace of a finding; None if it has no path, as an `exists` that was never met.

    `assertion`: the one that it violates; the trace then says why. Without one and without an error it is a deadlock.

    Under symmetry the story is told of concrete states: at each stage the first step is taken whose target has the next
    link's key for its least image. A model that breaks its own symmetry may have no such step; then the stored images
    are told, as they were found.
    """
    told = story(machine, finding)
    if told is None:
        return None
    idle = idle_sentences(machine, told.states[-1]) if finding.stutter and told.states else ()
    return Trace(
        told.entries,
        cycle_start=len(finding.path) if finding.cycle else None,
        stutter=finding.stutter,
        fairness=finding.fairness + idle,
        why=None if assertion is None else why(machine, assertion, told.states, len(finding.cycle)),
        stuck=stuck(machine, told.states[-1]) if assertion is None and finding.error is None else None,
    )


@dataclass(frozen=True, slots=True)
class Story:
    """A path as it is told: an entry for Init and for each step, and the states after them."""

    entries: tuple[TraceEntry, ...]
    states: tuple[State, ...]


def story(machine: Machine, finding: Finding) -> Story | None:
    """The path of a finding, told of states as `replay` tells it; None if it has no path."""
    tellers = (_Concrete(machine), _Stored(machine)) if finding.reduced else (_Stored(machine),)
    for teller in tellers if finding.path else ():
        try:
            return Story(tuple(teller.entries(finding)), tuple(teller.states))
        except _NoSuchStep:
            continue
    return None


def idle_sentences(machine: Machine, state: State) -> tuple[str, ...]:
    """Who could change something in a state where the run stops."""
    steps = [step for step in machine.steps(state).steps if step.target != state]
    names = dict.fromkeys(step.actor for step in steps if step.rule.kind is StepKind.START and step.actor)
    if not names:
        return ()
    return (f"{', '.join(names)} could start here, but without the word `fair` nothing forces that",)


class _NoSuchStep(Exception):
    """A link that no step fits: Init failed, or the model breaks the symmetry it declares."""


class _Teller:
    """Follows links from state to state. `states` are those that it has told of."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.states: list[State] = []

    def entries(self, finding: Finding) -> Iterator[TraceEntry]:
        """An entry for Init and for each link after it."""
        first, *links = finding.path
        way = next((way for way in self.machine.initial()[0] if way.forks == first.order.forks), None)
        if way is None or first.key is None:
            raise _NoSuchStep
        state = self.told(way.state, finding)
        self.states.append(state)
        yield init_entry(self.machine, way.outcome, state)
        for link in (*links, *finding.cycle):
            expansion = self.machine.steps(state)
            if link.key is None:
                yield failed_entry(self.machine, state, self.failure(expansion, link))
                return
            step = self.step(expansion, link)
            target = self.told(step.target, finding)
            yield step_entry(self.machine, state, step, target)
            state = target
            self.states.append(state)

    def step(self, expansion: Expansion, link: PathLink) -> Step:
        """The step that a link means."""
        raise NotImplementedError

    def failure(self, expansion: Expansion, link: PathLink) -> StepFailure:
        """The failed step that a link means."""
        raise NotImplementedError

    def told(self, state: State, finding: Finding) -> State:
        """What is told in place of a state that Init or a step made."""
        raise NotImplementedError


class _Stored(_Teller):
    """Tells of the states as they were stored: the step is the one of the same order.

    Where variables are excluded from identity, a step may lead to another state than the one that was kept under its
    key; what is known of the kept ones are those that the story has met.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._kept: dict[int, State] = {}

    def step(self, expansion: Expansion, link: PathLink) -> Step:
        for step in expansion.steps:
            if step.order == link.order:
                return step
        raise _NoSuchStep

    def failure(self, expansion: Expansion, link: PathLink) -> StepFailure:
        for failure in expansion.failures:
            if failure.order == link.order:
                return failure
        raise _NoSuchStep

    def told(self, state: State, finding: Finding) -> State:
        state = self.machine.canonical(state) if finding.reduced else state
        return self._kept.setdefault(self.machine.key(state), state)


class _Concrete(_Teller):
    """Tells of concrete states, of which the stored ones are images."""

    def step(self, expansion: Expansion, link: PathLink) -> Step:
        for step in expansion.steps:
            if self.machine.key(self.machine.canonical(step.target)) == link.key:
                return step
        raise _NoSuchStep

    def failure(self, expansion: Expansion, link: PathLink) -> StepFailure:
        if not expansion.failures:
            raise _NoSuchStep
        return expansion.failures[0]

    def told(self, state: State, finding: Finding) -> State:
        return state


def init_entry(machine: Machine, outcome: Outcome, state: State) -> TraceEntry:
    """Init and the state it leads to."""
    lines = tuple(machine.describe(state))
    return TraceEntry(
        label=step_name("Init", outcome.choices),
        kind="init",
        actor="Init",
        file=outcome.lines[0].file if outcome.lines else None,
        line=outcome.lines[0].line if outcome.lines else None,
        choices=outcome.choices,
        crash=False,
        changes=tuple(Change(place, None, text) for place, text in lines),
        labels=outcome.labels,
        lines=_all_lines(outcome.lines),
        state=lines,
    )


def step_entry(machine: Machine, state: State, step: Step, target: State) -> TraceEntry:
    """A step from `state`; `target` is the state it leads to, or the image of it that is stored."""
    outcome, kind = step.outcome, step.rule.kind
    place = _place(machine, step.rule, outcome.lines)
    after = tuple(machine.describe(target))
    actor = step.actor
    if kind is StepKind.CRASH_ROLE and step.rule.instance is not None:
        actor = f"{step.rule.instance[0]}#{step.rule.instance[1]}"
    return TraceEntry(
        label=step.name,
        kind=_KINDS[kind],
        actor=actor,
        choices=outcome.choices,
        crash=step.crashes,
        changes=tuple(changes(machine.describe(state), after)),
        thread=_seat(step, target),
        labels=outcome.labels,
        returns=tuple((label, machine.values.text(number)) for label, number in outcome.returns),
        state=after,
        file=None if place is None else place.file,
        line=None if place is None else place.line,
        lines=_all_lines(outcome.lines),
    )


def failed_entry(machine: Machine, state: State, failure: StepFailure) -> TraceEntry:
    """A step that ended in a mistake of the model: nothing comes of it."""
    rule = next(c.rule for c in machine.candidates(state) if c.order == failure.order.candidate)
    place = _place(machine, rule, failure.failure.lines)
    return TraceEntry(
        label=failure.name,
        kind=_KINDS[rule.kind],
        actor=machine.actor(rule),
        choices=failure.failure.choices,
        crash=False,
        changes=(),
        thread=failure.name.partition("[")[0] if rule.kind is StepKind.CONTINUE else None,
        fails=True,
        state=tuple(machine.describe(state)),
        file=None if place is None else place.file,
        line=None if place is None else place.line,
        lines=_all_lines(failure.failure.lines),
    )


def _place(machine: Machine, rule: Rule, lines: Sequence[Span]) -> Span | None:
    """The first statement that a step executed; if there is none, where it begins. A role crash has no place."""
    if lines:
        return lines[0]
    return None if rule.kind is StepKind.CRASH_ROLE else machine.place(rule)


def _all_lines(lines: Sequence[Span]) -> tuple[tuple[str, int], ...]:
    """The source lines of the executed statements, each once."""
    return tuple(dict.fromkeys((span.file, span.line) for span in lines))


def _seat(step: Step, target: State) -> str | None:
    """The name of the thread that moved: in the state before, or where it was born, in the state after."""
    if step.rule.kind is StepKind.CONTINUE:
        return f"thread-{step.order.candidate[1]}"
    thread = step.outcome.thread
    if thread is None or step.crashes or thread not in target.threads:
        return None
    return f"thread-{target.threads.index(thread)}"


def changes(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[Change]:
    """The lines that differ, in the order of the state before, new places last."""
    old, new = dict(before), dict(after)
    found = [
        Change(place, old.get(place), new.get(place))
        for place in old | new
        if not place.startswith(_SORTED_PLACES) and old.get(place) != new.get(place)
    ]
    for prefix in _SORTED_PLACES:
        found += _moved(
            [line for line in before if line[0].startswith(prefix)],
            [line for line in after if line[0].startswith(prefix)],
        )
    return found


def _moved(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> list[Change]:
    """Changes among things that are named by their place in a sorted list.

    What only changed its place did not change.
    """
    old = _without(before, Counter(text for _, text in after))
    new = _without(after, Counter(text for _, text in before))
    if len(old) == len(new) == 1:
        return [Change(new[0][0], old[0][1], new[0][1])]
    gone = [Change(place, text, None) for place, text in old]
    return gone + [Change(place, None, text) for place, text in new]


def _without(lines: list[tuple[str, str]], texts: Counter[str]) -> list[tuple[str, str]]:
    """The lines that are left when each text is taken away as often as it occurs."""
    left = []
    for place, text in lines:
        if texts[text]:
            texts[text] -= 1
        else:
            left.append((place, text))
    return left
