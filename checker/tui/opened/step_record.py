"""Steps as a report records them, with their changes; and the states that follow from these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from checker.core.report import PropertyReport, title_of
from checker.core.trace import Change, TraceEntry
from checker.traces.changes import SORTED_NAMES, THREADS
from checker.traces.threads import equal, settled

_Lines = tuple[tuple[str, str], ...]


class StepRecord(NamedTuple):
    """A recorded step. `fails`: the model failed in it; or, if the step itself does not fail, after it."""

    label: str
    changes: tuple[Change, ...]
    fails: bool = False


def violation_sentence(p: PropertyReport) -> str:
    """`Fine is violated (always, 4 steps)`"""
    title = title_of(p.kind)
    if title is not None:
        what, kind = f"{p.kind}: {title}", ""
    else:
        instance = f" for {p.instance}" if p.instance else ""
        what, kind = f"{p.name} is violated{instance}", f"{p.kind}, "
    steps = "" if p.steps is None else f" ({kind}{p.steps} {'step' if p.steps == 1 else 'steps'})"
    return what + steps


def with_states(entries: Iterable[TraceEntry]) -> Iterator[TraceEntry]:
    """Entries with the states and threads that follow from their changes."""
    state: _Lines = ()
    for entry in entries:
        before = [text for place, text in state if place.startswith(THREADS)]
        threads = _listed(THREADS, state, entry.changes)
        stayed = {origin for _, origin in threads}
        gone = [number for number in range(len(before)) if number not in stayed]
        moved = gone[:1] if entry.kind == "continue" else []
        # The thread that moved has the first of the new texts, unless it has ended.
        left = iter(moved)
        origins = [next(left, None) if origin is None else origin for _, origin in threads]
        state = _after(state, entry.changes)
        yield replace(
            entry,
            state=state,
            movers=equal(before, before[moved[0]]) if moved else (),
            origins=settled([text for text, _ in threads], origins, moved),
        )


def _after(before: _Lines, changes: Sequence[Change]) -> _Lines:
    """A state after these changes, ordered: variables, fields by instances, threads, messages."""
    found = {place: text for place, text in before if not place.startswith(SORTED_NAMES)}
    for one in changes:
        if one.place.startswith(SORTED_NAMES):
            continue
        if one.new is None:
            found.pop(one.place, None)
        else:
            found[one.place] = one.new
    instances: dict[str, list[tuple[str, str]]] = {}
    variables = []
    for place, text in found.items():
        if "#" in place:
            instances.setdefault(place.partition(".")[0], []).append((place, text))
        else:
            variables.append((place, text))
    fields = [line for lines in instances.values() for line in sorted(lines)]
    rest = [line for prefix in SORTED_NAMES for line in _sorted(prefix, before, changes)]
    return (*variables, *fields, *rest)


def _sorted(prefix: str, before: _Lines, changes: Sequence[Change]) -> Iterator[tuple[str, str]]:
    return ((f"{prefix}{number}", text) for number, (text, _) in enumerate(_listed(prefix, before, changes)))


def _listed(prefix: str, before: _Lines, changes: Sequence[Change]) -> list[tuple[str, int | None]]:
    """The texts of things that are named by their index (threads, messages), each with its index before, None if new.

    Those that went are removed, those that came inserted.
    """
    texts = [text for place, text in before if place.startswith(prefix)]
    listed: list[tuple[str, int | None]] = [(text, number) for number, text in enumerate(texts)]
    of_these = [one for one in changes if one.place.startswith(prefix)]
    for one in of_these:
        if one.old in texts:
            number = texts.index(one.old)
            del texts[number], listed[number]
    for one in of_these:
        if one.new is not None:
            listed.insert(int(one.place.removeprefix(prefix)), (one.new, None))
    return listed
