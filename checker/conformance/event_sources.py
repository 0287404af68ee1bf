"""The events of logs, in the order that is known: all one after the other, or of each process by itself."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

from checker.conformance.event_map import ByMessage, EventMap
from checker.conformance.log_files import LogLine, NoJson, Place, json_lines, json_value
from checker.conformance.log_groups import LogGroup
from checker.conformance.observed_event import Observed
from checker.conformance.spans import SPANS, spans
from checker.core.problems import UsageProblem
from checker.storage.user_paths import read_user_file, refuse_no_file
from fizz.base.light import dataclass

_MOST_BYTES: Final = 1 << 30
"""The longest file that is one object."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """An event, and how many events of which processes are before it."""

    event: Observed
    needs: tuple[tuple[int, int], ...]


class EventCounts:
    """How many lines were read, how many of them are ignored, and how many receive what is sent in no log."""

    def __init__(self) -> None:
        self.lines = 0
        self.ignored = 0
        self.unsent = 0


def log_events(group: LogGroup, event_map: EventMap, counts: EventCounts) -> Iterator[Observed]:
    """The events of a group, one file after the other, without those that are ignored. Raises `UsageProblem`."""
    for line in group_lines(group, event_map, counts):
        event = event_of(line, event_map)
        if event is None:
            counts.ignored += 1
        else:
            yield event


def group_lines(group: LogGroup, event_map: EventMap, counts: EventCounts) -> Iterator[LogLine]:
    """The events of a group as they are in the logs. Raises `UsageProblem`."""
    if group.lines is None:
        yield from log_lines(group.files, event_map, counts)
        return
    for part in group.lines:
        for line in part.read():
            counts.lines += 1
            yield event_map.opened(line)


def log_lines(paths: Sequence[str], event_map: EventMap, counts: EventCounts) -> Iterator[LogLine]:
    """The events of all files as they are in the logs. Raises `UsageProblem`."""
    for path in paths:
        for line in _lines(path):
            counts.lines += 1
            yield event_map.opened(line)


def event_of(line: LogLine, event_map: EventMap) -> Observed | None:
    """What a line says; None if it is ignored. Raises `UsageProblem`."""
    return event_map.observed(line, _process(line, event_map))


def _process(line: LogLine, event_map: EventMap) -> str:
    if event_map.process is None:
        return _stem(line.place.file)
    process = line.data.get(event_map.process)
    if isinstance(process, bool) or not isinstance(process, int | str):
        line.place.refuse(
            f"the field '{event_map.process}', which names the process, is missing or no name",
            f"name the field with `process:` in {event_map.path}; without it each file is a process",
        )
    return str(process)


@lru_cache(16)
def _stem(file: str) -> str:
    """The process of a file that is one."""
    return Path(file).stem


def by_process(
    events: Iterator[Observed], event_map: EventMap, counts: EventCounts
) -> tuple[list[str], list[list[Ordered]]]:
    """The names of the processes, and the events of each in its order. Raises `UsageProblem`."""
    lists: dict[str, list[Observed]] = {}
    for event in events:
        lists.setdefault(event.process, []).append(event)
    order = event_map.order
    if order.sequence is not None:
        for process, members in lists.items():
            lists[process] = _in_sequence(members, order.sequence)
    names = list(lists)
    position = {process: number for number, process in enumerate(names)}
    needs: dict[int, dict[int, int]] = {}

    def need(event: Observed, process: str, count: int) -> None:
        if process != event.process and process in position and count:
            mine = needs.setdefault(id(event), {})
            mine[position[process]] = max(mine.get(position[process], 0), count)

    if order.messages is not None:
        sent = _sent(lists, order.messages, event_map.path)
        for members in lists.values():
            for event in members:
                received = event.data.get(order.messages.receive)
                if received is None:
                    continue
                source = sent.get(json.dumps(received))
                if source is None:
                    # Of one process alone the order is known anyway.
                    counts.unsent += len(lists) > 1
                else:
                    need(event, *source)
    if order.clock is not None:
        field = order.clock
        clocks = {process: [_of(event, field, dict) for event in members] for process, members in lists.items()}
        owns = {
            process: _rising(
                [_ticks(event, clock, process) for event, clock in zip(lists[process], theirs, strict=True)]
            )
            for process, theirs in clocks.items()
        }
        for process, members in lists.items():
            for event, clock in zip(members, clocks[process], strict=True):
                for other in clock:
                    need(event, other, bisect_right(owns.get(other, ()), _ticks(event, clock, other)))
    if order.time is not None:
        times = {
            process: [_of(e, order.time.field, (int, float)) for e in members] for process, members in lists.items()
        }
        latest = {process: _rising(theirs) for process, theirs in times.items()}
        for process, members in lists.items():
            for event, time in zip(members, times[process], strict=True):
                for other, theirs in latest.items():
                    need(event, other, bisect_left(theirs, time - order.time.skew))
    ordered = [
        [Ordered(event, tuple(needs.get(id(event), {}).items())) for event in lists[process]] for process in names
    ]
    return names, ordered


def _in_sequence(events: list[Observed], field: str) -> list[Observed]:
    found = sorted(events, key=lambda event: _of(event, field, (int, float)))
    for one, two in pairwise(found):
        if one.data[field] == two.data[field]:
            two.place.refuse(f"'{field}' is {two.data[field]}, as in {one.place} of the same process")
    return found


def _sent(lists: dict[str, list[Observed]], messages: ByMessage, path: str) -> dict[str, tuple[str, int]]:
    """By the id of a message, which process first sends it by which of its events. Raises `UsageProblem`."""
    sent: dict[str, tuple[str, int]] = {}
    for process, members in lists.items():
        for number, event in enumerate(members, 1):
            # Many loggers write null for what is not there.
            if event.data.get(messages.send) is not None:
                name = json.dumps(event.data[messages.send])
                sender, before = sent.setdefault(name, (process, number))
                if sender != process:
                    event.place.refuse(
                        f"the message {name} is sent by two processes, in {lists[sender][before - 1].place} too",
                        "the ids of messages are unique: put the sender into them",
                    )
    for field in (messages.send, messages.receive):
        if lists and not any(field in event.data for members in lists.values() for event in members):
            raise UsageProblem(
                f"no event has the field '{field}', by which {path} orders events", "name the fields with `messages:`"
            )
    return sent


def _rising(times: Sequence[Any]) -> list[Any]:
    """The times of a process, each no more than those after it: an event is before what a later one is before."""
    return list(accumulate(reversed(times), min))[::-1]


def _ticks(event: Observed, clock: dict[str, Any], process: str) -> Any:
    """The time of a process in a vector clock."""
    time = clock.get(process, 0)
    if isinstance(time, bool) or not isinstance(time, int | float):
        event.place.refuse(f"the clock of '{process}' is {json.dumps(time)[:40]}, which is no number")
    return time


def _of(event: Observed, field: str, kind: Any) -> Any:
    value = event.data.get(field)
    if isinstance(value, bool) or not isinstance(value, kind):
        event.place.refuse(f"the field '{field}', by which events are ordered, is missing or of another type")
    return value


def _lines(path: str) -> Iterator[LogLine]:
    """The objects of a file; a span of OpenTelemetry is one."""
    for line in _objects(path):
        if SPANS in line.data:
            yield from spans(line)
        else:
            yield line


def _objects(path: str) -> Iterator[LogLine]:
    try:
        refuse_no_file(path, "a file of events")
        with Path(path).open(encoding="utf-8-sig") as file:
            first = file.readline(4096).strip()
    except (OSError, UnicodeDecodeError):
        first = ""
    if first != "{":
        return json_lines(path)
    # One object over many lines, as a file of spans may be.
    try:
        data = json_value(read_user_file(path, "a file of events", _MOST_BYTES))
    except NoJson as failure:
        Place(path, failure.line).refuse(f"this is no JSON: {failure.reason}", "a log has one object in each line")
    return iter([LogLine(Place(path, 1), data)])


def refuse_no_files(paths: Sequence[str]) -> None:
    """Raise `UsageProblem` if a file is named twice."""
    twice = sorted({path for path in paths if list(paths).count(path) > 1})
    if twice:
        raise UsageProblem(f"the log {twice[0]} is given twice")
