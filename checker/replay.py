"""From the links of a finding back to the story: every step is taken again, and what it did is written down (language page, 12.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from checker.exploration import Finding, PathLink
from checker.trace import Change, EntryKind, Trace, TraceEntry
from fizz import Span
from interpreter import Machine
from interpreter.machine import step_name
from interpreter.state import State
from interpreter.step import Outcome, Step, StepFailure, StepKind

_KINDS: dict[StepKind, EntryKind] = {
    StepKind.START: "start",
    StepKind.CONTINUE: "continue",
    StepKind.DELIVER: "deliver",
    StepKind.CRASH_ROLE: "crash-role",
}
_SORTED_PLACES = ("thread-", "message-")


def replay(machine: Machine, finding: Finding) -> Trace | None:
    """The trace of a finding; None if it has no path, as an `exists` that was never met."""
    if not finding.path:
        return None
    first, *links = finding.path
    start = _init(machine, first)
    if start is None:
        return None
    entry, state = start
    entries = [entry]
    for link in (*links, *finding.cycle):
        entry, state = _follow(machine, state, link)
        entries.append(entry)
    return Trace(
        tuple(entries),
        cycle_start=len(finding.path) if finding.cycle else None,
        stutter=finding.stutter,
        fairness=finding.fairness,
    )


def _init(machine: Machine, link: PathLink) -> tuple[TraceEntry, State] | None:
    """Entry 0; None where Init itself failed and there is no state."""
    way = next((way for way in machine.initial()[0] if way.forks == link.order.forks), None)
    if way is None or link.key is None:
        return None
    state = tuple(machine.describe(way.state))
    entry = TraceEntry(
        label=step_name("Init", way.outcome.choices),
        kind="init",
        actor="Init",
        choices=way.outcome.choices,
        crash=False,
        changes=tuple(Change(place, None, text) for place, text in state),
        labels=way.outcome.labels,
        state=state,
        file=_file(way.outcome.lines),
        line=_line(way.outcome.lines),
        lines=_all_lines(way.outcome.lines),
    )
    return entry, way.state


def _follow(machine: Machine, state: State, link: PathLink) -> tuple[TraceEntry, State]:
    """The step that a link names, and the state after it."""
    expansion = machine.steps(state)
    if link.key is None:
        failure = next(failure for failure in expansion.failures if failure.order == link.order)
        return _failed(machine, state, failure), state
    # Under symmetry the stored state may be another image than the one in hand: then the key tells the step (11.3).
    step = next((s for s in expansion.steps if s.order == link.order and machine.key(s.target) == link.key), None)
    if step is None:
        step = next(s for s in expansion.steps if machine.key(s.target) == link.key)
    return _entry(machine, state, step), step.target


def _entry(machine: Machine, state: State, step: Step) -> TraceEntry:
    outcome, kind = step.outcome, step.rule.kind
    after = tuple(machine.describe(step.target))
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
        thread=_seat(step, outcome),
        labels=outcome.labels,
        returns=tuple((label, machine.values.text(number)) for label, number in outcome.returns),
        state=after,
        file=_file(outcome.lines),
        line=_line(outcome.lines),
        lines=_all_lines(outcome.lines),
    )


def _failed(machine: Machine, state: State, failure: StepFailure) -> TraceEntry:
    """A step that ended in a mistake of the model: nothing comes of it."""
    rule = next(c.rule for c in machine.candidates(state) if c.order == failure.order.candidate)
    return TraceEntry(
        label=failure.name,
        kind=_KINDS[rule.kind],
        actor=machine.actor(rule),
        choices=failure.failure.choices,
        crash=False,
        changes=(),
        thread=failure.name.partition("[")[0] if rule.kind is StepKind.CONTINUE else None,
        state=tuple(machine.describe(state)),
        file=_file(failure.failure.lines),
        line=_line(failure.failure.lines),
        lines=_all_lines(failure.failure.lines),
    )


def _file(lines: Sequence[Span]) -> str | None:
    return lines[0].file if lines else None


def _line(lines: Sequence[Span]) -> int | None:
    return lines[0].line if lines else None


def _all_lines(lines: Sequence[Span]) -> tuple[tuple[str, int], ...]:
    """The source lines of the executed statements, each once."""
    return tuple(dict.fromkeys((span.file, span.line) for span in lines))


def _seat(step: Step, outcome: Outcome) -> str | None:
    """The name of the thread that moved: in the state before, or where it was born, in the state after."""
    if step.rule.kind is StepKind.CONTINUE:
        return f"thread-{step.order.candidate[1]}"
    if outcome.thread is None or step.crashes or outcome.thread not in step.target.threads:
        return None
    return f"thread-{step.target.threads.index(outcome.thread)}"


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
    """Changes among things that are named by their place in a sorted list: what only changed its place did not change."""
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
