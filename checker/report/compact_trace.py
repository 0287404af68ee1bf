"""A counterexample in brief, as plain data: one line a step, the end, why it is false. Printers only lay it out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from checker.core.trace import MAY_STOP, Change, EntryKind, Held, Trace, TraceEntry
from checker.report.compact_value import brief
from checker.report.compact_why import BriefWhy, brief_why
from checker.report.difference import differences
from checker.report.model_rows import file_names, is_guard_or_head, source_row
from checker.report.thread_names import NamedThread, ThreadNames, ThreadStep, thread_names_of
from checker.report.thread_text import is_thread, read_thread, thread_changes

_INSTANCE = re.compile(r"[^\W\d]\w*#\d+")
_CHOICE_OF_NAME = re.compile(r"Any:(?=[^\W\d]\w* ?=)")
# A change is shown as a whole up to this length of both texts, and by its parts beyond it.
_WHOLE = 24
_MESSAGE = "message-"


@dataclass(frozen=True, slots=True)
class BriefChange:
    """One change: the place, without the instance that moves, and what happened there: `0→1`, `+ milk`, `- milk`."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class BriefStep:
    """One step.

    `mover`: the thread, message or instance that moves. `joined`: the step before was of the same thread, so that the
    name stands there. `calls`: the funcs in which the thread stood, the outermost first. `lines`: the executed lines
    as (file, line), if the step was not all of its action. `struck`: the line after which the thread was lost.
    """

    number: int
    kind: EntryKind
    mover: str
    joined: bool
    calls: tuple[str, ...]
    choices: tuple[str, ...]
    lines: tuple[tuple[str, int], ...]
    changes: tuple[BriefChange, ...]
    crash: bool
    struck: tuple[str, int] | None
    fails: bool
    in_cycle: bool


@dataclass(frozen=True, slots=True)
class BriefReason:
    """Why a counterexample is one.

    `sentences`: what goes on for ever, and why that is fair. `blocked`: for a deadlock, the false guards with what they
    block; `limited`: the actions that only a limit prevents.
    """

    sentences: tuple[str, ...]
    why: BriefWhy | None
    blocked: tuple[tuple[str, int, str, tuple[Held, ...]], ...]
    limited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BriefTrace:
    """A counterexample in brief.

    `chosen`: the choices of Init. `end`: the state at the end, a line (owners, text) for each variable, instance,
    thread and message; unless there is no step, without what no step changed.
    """

    steps: tuple[BriefStep, ...]
    chosen: tuple[str, ...]
    end: tuple[tuple[str, str], ...]
    reason: BriefReason
    waiting: tuple[int, str] | None


def brief_trace(trace: Trace, sources: Mapping[str, str]) -> BriefTrace:
    """The counterexample in brief. `sources`: the texts of the model by file."""
    threads = thread_names_of(trace)
    return BriefTrace(
        tuple(brief_step(trace, number, threads, sources) for number in range(1, len(trace.entries))),
        tuple(map(choice_in_brief, trace.entries[0].choices)),
        _end(trace, threads, sources),
        brief_reason(trace, sources),
        None if trace.waiting is None else (trace.waiting.step, trace.waiting.sentence),
    )


def brief_reason(trace: Trace, sources: Mapping[str, str]) -> BriefReason:
    """Why it is a counterexample. Looks into no step."""
    stuck = trace.stuck
    return BriefReason(
        _for_ever(trace),
        None if trace.why is None else brief_why(trace.why, sources),
        () if stuck is None else _blocked(stuck.held, sources),
        () if stuck is None else stuck.limited,
    )


# --- steps ------------------------------------------------------------------------------------------------------------


def brief_step(
    trace: Trace, number: int, threads: ThreadNames, sources: Mapping[str, str], changes: bool = True
) -> BriefStep:
    """A step in brief; without `changes` only who moves, for which no value is looked into."""
    entry, step = trace.entries[number], threads.steps[number]
    instance = _instance_of(entry)
    same = step.mover is not None and step.mover == threads.steps[number - 1].mover and entry.kind == "continue"
    lines = [line for line in dict.fromkeys(entry.lines) if not is_guard_or_head(source_row(sources, *line))]
    lines = lines or list(dict.fromkeys(entry.lines))
    whole = entry.kind in ("start", "deliver") and (step.mover is None or _after(step) is None)
    return BriefStep(
        number,
        entry.kind,
        _mover(entry, threads, step),
        same and number != trace.cycle_start,
        _calls(step) if entry.kind == "continue" else (),
        (*map(choice_in_brief, entry.choices), *(_arguments(entry) if entry.kind == "deliver" else ())),
        () if whole or entry.crash else tuple(lines),
        tuple(_changes(entry, threads, number, instance)) if changes else (),
        entry.crash,
        lines[-1] if entry.crash and lines else None,
        entry.fails,
        trace.cycle_start is not None and number >= trace.cycle_start,
    )


def _instance_of(entry: TraceEntry) -> str:
    """The instance that moves; empty if none does."""
    found = _INSTANCE.match(entry.actor or "")
    return found[0] if found else ""


def _mover(entry: TraceEntry, threads: ThreadNames, step: ThreadStep) -> str:
    if entry.kind == "crash-role":
        return entry.label.removeprefix("crash-role ")
    return (entry.actor or entry.label) if step.mover is None else threads.name(step.mover)


def _after(step: ThreadStep) -> str | None:
    """The mover's text after the step; None if it is over."""
    return next((text for member, text in step.after if member == step.mover), None)


def _calls(step: ThreadStep) -> tuple[str, ...]:
    """The funcs in which the mover stood before the step."""
    text = next((text for member, text in step.before if member == step.mover), None)
    position = None if text is None else read_thread(text, {})
    return () if position is None else position.calls[1:]


def choice_in_brief(choice: str) -> str:
    """`key=key2` for `Any:key="key2"`."""
    name, joint, value = _CHOICE_OF_NAME.sub("", choice, count=1).partition("=")
    return f"{name}={brief(value)}" if joint and choice.startswith("Any:") else choice


def _arguments(entry: TraceEntry) -> list[str]:
    """The arguments of a delivered message."""
    gone = next((c.old for c in entry.changes if c.place.startswith(_MESSAGE) and c.new is None and c.old), "")
    inner = gone.partition("(")[2].removesuffix(")")
    return [brief(inner)] if inner else []


def _changes(entry: TraceEntry, threads: ThreadNames, number: int, instance: str) -> list[BriefChange]:
    """What a step changed; locals only where nothing else did."""
    found: list[Change] = []
    for change in entry.changes:
        if change.place.startswith(_MESSAGE):
            found += _of_message(change, entry.kind == "deliver")
        elif not is_thread(change.place):
            found += _parts(change)
    lost = [one.place for one in threads.changes(number) if one.new is None] if entry.kind == "crash-role" else []
    shown = _together(found, instance) + [BriefChange("loses", name) for name in lost]
    return shown or ([] if entry.fails else _locals(entry, threads, number))


def _of_message(change: Change, delivered: bool) -> list[Change]:
    """A message that was sent, or is lost. The one that is delivered is named by the step itself."""
    if change.new is not None:
        return [Change("sends", "", change.new.partition(": ")[2] or change.new)]
    return [] if delivered or change.old is None else [Change("loses", "", change.old.partition(": ")[2] or change.old)]


def _parts(change: Change) -> list[Change]:
    """The change, or the parts of it that changed if that is shorter."""
    if change.old is None or change.new is None or len(change.old) + len(change.new) <= _WHOLE:
        return [change]
    parts = differences(change)
    size = sum(len(part.place) + len(part.old or "") + len(part.new or "") for part in parts)
    return parts if size < len(change.place) + len(change.old) + len(change.new) else [change]


def _together(changes: Iterable[Change], instance: str) -> list[BriefChange]:
    """Changes as texts; what happened alike to several instances of a role is one change."""
    found: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        owner = _INSTANCE.match(change.place)
        rest = change.place[len(owner[0]) :] if owner else change.place
        found.setdefault((rest, _text(change)), []).append(owner[0] if owner else "")
    return [
        BriefChange(rest.removeprefix(".") if owners == [instance] else f"{names_together(owners)}{rest}", text)
        for (rest, text), owners in found.items()
    ]


def _text(change: Change) -> str:
    old = None if change.old is None else brief(change.old)
    new = None if change.new is None else brief(change.new)
    if old is None:
        return f"+ {new}"
    if new is None:
        return f"- {old}"
    if not change.old:
        return new
    gap = " " if " " in old + new else ""
    return f"{old}{gap}→{gap}{new}"


def names_together(owners: Sequence[str]) -> str:
    """`Node#0,1,2` for instances of one role, otherwise names between commas."""
    roles = {owner.partition("#")[0] for owner in owners}
    if len(owners) < 2 or len(roles) > 1 or not all(map(_INSTANCE.fullmatch, owners)):
        return ", ".join(owners)
    return f"{roles.pop()}#{','.join(owner.partition('#')[2] for owner in owners)}"


def _locals(entry: TraceEntry, threads: ThreadNames, number: int) -> list[BriefChange]:
    """What a step changed in the locals of threads, without the values that its choices have."""
    chosen = set(map(choice_in_brief, entry.choices))
    found = []
    for change in threads.changes(number):
        if change.new is None:
            continue
        if change.old is None:
            position = read_thread(change.new, {})
            parts = differences(Change("", "{}", position.values)) if position and position.values else []
        else:
            parts = [part for part in thread_changes(change, {}) if part.place != change.place]
        for part in parts:
            name = part.place.removeprefix(change.place).removeprefix(".")
            if part.new is not None and part.old is None and f"{name}={brief(part.new)}" not in chosen:
                found.append(BriefChange(name, f"= {brief(part.new)}"))
            elif part.old is not None and part.new is not None:
                found.append(BriefChange(name, _text(part)))
    return found


# --- the end ----------------------------------------------------------------------------------------------------------


def _end(trace: Trace, threads: ThreadNames, sources: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    last = trace.entries[-1]
    changed = {change.place for entry in trace.entries[1:] for change in entry.changes}
    fixed = {place for place, _ in last.state} - changed if trace.steps else set()
    called = dict(enumerate(threads.names(len(trace.entries) - 1)))
    described = []
    for owner, lines in groupby(last.state, key=lambda line: line[0].partition(".")[0]):
        shown = [(place, text) for place, text in lines if is_thread(place) or place not in fixed]
        if shown:
            described.append(_described(owner, shown, called, sources))
    found: dict[tuple[bool, str], list[str]] = {}
    for number, (owner, text) in enumerate(described):
        # What is no instance keeps a line of its own.
        found.setdefault(("#" in owner, text) if "#" in owner else (False, f"{number}\0{text}"), []).append(owner)
    return tuple((names_together(owners), text.rpartition("\0")[2]) for (_, text), owners in found.items())


def _described(
    owner: str, lines: list[tuple[str, str]], called: Mapping[int, str], sources: Mapping[str, str]
) -> tuple[str, str]:
    if is_thread(owner):
        position = read_thread(lines[0][1], file_names(sources))
        name = called.get(int(owner.removeprefix("thread-")), owner)
        inside = f"in {' > '.join(position.calls[1:])} " if position and len(position.calls) > 1 else ""
        return name, f"{inside}before {position.where} {brief(position.values)}".rstrip() if position else lines[0][1]
    if "#" in owner:
        return owner, ", ".join(f"{place.partition('.')[2]} = {brief(text)}" for place, text in lines if text)
    return owner, f"= {brief(lines[0][1])}"


def _for_ever(trace: Trace) -> tuple[str, ...]:
    if trace.stutter:
        return ("for ever", *(sentence.removesuffix(MAY_STOP) for sentence in trace.fairness))
    if trace.cycle_start is None:
        return ()
    first, last = trace.cycle_start, trace.steps
    again = f"step {first}" if first == last else f"steps {first}-{last}"
    return (f"{again} for ever", *trace.fairness)


def _blocked(held: Sequence[Held], sources: Mapping[str, str]) -> tuple[tuple[str, int, str, tuple[Held, ...]], ...]:
    ordered = sorted(held, key=lambda one: (one.file, one.line))
    return tuple(
        (file, line, source_row(sources, file, line), tuple(same))
        for (file, line), same in groupby(ordered, key=lambda one: (one.file, one.line))
    )


def two_at_once(trace: Trace) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Of each role the first instance of which a thread moved while another was unfinished, and the actions of both.

    Threads of delivered messages do not count: no option of an instance limits them.
    """
    found: dict[str, dict[str, None]] = {}
    delivered: set[NamedThread] = set()
    for entry, step in zip(trace.entries, thread_names_of(trace).steps, strict=True):
        if entry.kind == "deliver" and step.mover is not None:
            delivered.add(step.mover)
        instance = _instance_of(entry)
        if not instance or not entry.actor or entry.kind not in ("start", "continue") or step.mover in delivered:
            continue
        others = [m for m, _ in step.before if m != step.mover and m not in delivered]
        names = [m.action for m in others if m.action.startswith(f"{instance}.")]
        if names:
            both = (name.partition(".")[2] for name in (*names, entry.actor))
            found.setdefault(instance, {}).update(dict.fromkeys(both))
    first = {instance.partition("#")[0]: instance for instance in reversed(found)}
    return tuple((instance, tuple(names)) for instance, names in found.items() if instance in first.values())
