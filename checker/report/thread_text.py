"""The display text of a thread, shortened: its calls, location and locals; and what a step changed in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from checker.core.trace import Change
from checker.report.difference import differences, find

_FRAME = re.compile(r"(?P<name>\S+) at (?P<where>line \d+|\S+:\d+)(?: (?P<values>\{.*\}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ThreadPosition:
    """Where a thread is: the functions from the action inwards, and the innermost one's location and locals."""

    calls: tuple[str, ...]
    where: str
    values: str

    @property
    def call_chain(self) -> str:
        return " > ".join(self.calls)

    def text(self, whole: bool = True) -> str:
        """`Send > put at line 9 {v = 1}`; not `whole`, without the action: `in put at line 9 {v = 1}`."""
        inner = f"in {' > '.join(self.calls[1:])} " if len(self.calls) > 1 else ""
        return f"{f'{self.call_chain} ' if whole else inner}at {self.where} {self.values}".rstrip()


def is_thread(place: str) -> bool:
    return place.startswith("thread-")


def read_thread(text: str, names: Mapping[str, str]) -> ThreadPosition | None:
    """Read `Node#0.Send at spec.fizz:14 {k = 1} in store at ...`; None if the text is not of that form.

    `names` says how each file is to be called; an empty name leaves only the line.
    """
    for path, name in names.items():
        text = text.replace(f" at {path}:", f" at {name}:" if name else " at line ")
    frames = [_FRAME.fullmatch(part) for part in _frames(text)]
    calls = [frame["name"] for frame in frames if frame]
    last = frames[-1]
    if last is None or len(calls) < len(frames):
        return None
    return ThreadPosition(tuple(calls), last["where"], last["values"] or "")


def _frames(text: str) -> Iterator[str]:
    start = position = 0
    while (position := find(text, position, " ", nested=True)) < len(text):
        if text.startswith(" in ", position):
            yield text[start:position]
            start = position + len(" in ")
        position += 1
    yield text[start:]


def thread_changes(change: Change, names: Mapping[str, str]) -> list[Change]:
    """What a step changed in a thread that came, went or moved.

    The place of the change is a number, `thread-0`, or the name of the thread, which already says its action.
    """
    before = None if change.old is None else read_thread(change.old, names)
    after = None if change.new is None else read_thread(change.new, names)
    if before is None and after is None:
        return [change]
    numbered = is_thread(change.place)
    if before is None or after is None or before.calls != after.calls:
        old = None if before is None else replace(before, values="").text(numbered)
        return [Change(change.place, old, None if after is None else after.text(numbered))]
    moved = [Change(change.place, before.where, after.where)] if before.where != after.where else []
    return moved + differences(Change(change.place, before.values or "{}", after.values or "{}"))
