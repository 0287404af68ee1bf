"""Histories from files: NDJSON with Jepsen's fields, Jepsen's EDN, and the columns of its `history.txt`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from checker.conformance.edn import EdnError, members
from checker.conformance.history import NOT_OBSERVED, History, Operation
from checker.conformance.log_files import LogLine, Place, bad_line, json_lines, kind_of, text_lines
from checker.core.problems import UsageProblem

_COLUMNS: Final = re.compile(r"(?:INFO\s+jepsen\.util\s+-\s+)?(\S+)\s+:(\w+)\s+:([\w-]+)\s+(.*?)\s*")
_TYPES: Final = ("invoke", "ok", "fail", "info")
_FIELDS: Final = (
    "a record has the fields process, type (invoke, ok, fail or info), f (the operation), and value, or the "
    "parameters by name"
)
_MOST_OF_EDN: Final = 1 << 28


def read_history(paths: Sequence[str]) -> History:
    """The history in some files; those of several are put in order by their field `time`. Raises `UsageProblem`."""
    records = [record for path in paths for record in _records(path)]
    if len(paths) > 1:
        records.sort(key=_time)
    operations: list[Operation] = []
    open_ones: dict[str, Operation] = {}
    events = set_aside = 0
    for place, data in records:
        process, kind = _process(place, data), _field(place, data, "type", str)
        if kind not in _TYPES:
            place.refuse(f"type is {kind!r}", "it is one of " + ", ".join(_TYPES))
        if process == "nemesis":
            set_aside += 1
            continue
        function = _field(place, data, "f", str)
        events += 1
        if kind == "invoke":
            if process in open_ones:
                before = open_ones[process].place
                place.refuse(
                    f"process {process} invokes '{function}' before its operation of {before} has a response",
                    "a process does one operation at a time: give each thread or task a process of its own",
                )
            one = Operation(len(operations), process, function, data, place, events)
            operations.append(one)
            open_ones[process] = one
        else:
            _answer(open_ones.pop(process, None), place, process, function, kind, data, events)
    return History(tuple(paths), tuple(operations), events, set_aside)


def _answer(
    one: Operation | None, place: Place, process: str, function: str, kind: str, data: dict[str, Any], event: int
) -> None:
    """Note the response of an operation."""
    if one is None:
        place.refuse(
            f"process {process} has a response to '{function}', an operation that never began",
            "each ok, fail or info needs a record of type invoke before it, with the same process",
        )
    if one.function != function:
        place.refuse(f"a response to '{function}', but process {process} invoked '{one.function}' in {one.place}")
    one.response = place
    one.answered = event
    if kind == "info" or "timed-out" in (data.get("value"), data.get("error")):
        # It may still take effect, at any later time.
        one.ending = "unknown"
        return
    one.ended = event
    one.ending = "failed" if kind == "fail" else "ok"
    one.result = data.get("result", data.get("value", NOT_OBSERVED))


def _records(path: str) -> Iterator[LogLine]:
    first = next((line for _, line in text_lines(path)), "").lstrip()
    if first.startswith(("{:", "#", "[", "(", ";")) or re.match(r"\{\s*:", first):
        return _from_edn(path)
    if first.startswith("{"):
        return json_lines(path)
    if not first or _COLUMNS.fullmatch(first.rstrip("\r\n")):
        return _from_columns(path)
    # The reader of JSON says what is wrong with the first line.
    return json_lines(path)


def _from_edn(path: str) -> Iterator[LogLine]:
    try:
        if Path(path).stat().st_size > _MOST_OF_EDN:
            raise UsageProblem(f"{path} has more than {_MOST_OF_EDN >> 20} MB", "write it as NDJSON")
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as failure:
        raise UsageProblem(f"{path} cannot be read: {failure.strerror}") from None
    except UnicodeDecodeError as failure:
        Place(path, bad_line(path)).refuse(f"this line is no text in UTF-8: {failure.reason}")
    try:
        for line, value in members(text):
            if not isinstance(value, dict):
                Place(path, line).refuse(
                    f"this is no map but {kind_of(value)}", "a history in EDN has a map for each record"
                )
            yield LogLine(Place(path, line), {str(key): one for key, one in value.items()})
    except EdnError as failure:
        Place(path, failure.line).refuse(f"this is no EDN: {failure.reason}")


def _from_columns(path: str) -> Iterator[LogLine]:
    for number, line in text_lines(path):
        match = _COLUMNS.fullmatch(line.rstrip("\r\n"))
        place = Place(path, number)
        if match is None:
            place.refuse("this line has not the columns of a history", "they are process, :type, :f and value")
        process, kind, function, rest = match.groups()
        try:
            values = [value for _, value in [*members(f"({rest})")]]
        except EdnError as failure:
            place.refuse(f"the value is no EDN: {failure.reason}")
        data = {"process": process.lstrip(":"), "type": kind, "f": function, "value": values[0] if values else None}
        if len(values) > 1:
            data["error"] = values[1]
        yield LogLine(place, data)


def _time(record: LogLine) -> tuple[float, bool]:
    time = record.data.get("time")
    if isinstance(time, bool) or not isinstance(time, int | float):
        record.place.refuse(
            "no number in the field 'time'", "several files are put in order by it: give each record one"
        )
    # At the same time an operation has begun before another one has ended.
    return time, record.data.get("type") != "invoke"


def _process(place: Place, data: dict[str, Any]) -> str:
    process = data.get("process")
    if isinstance(process, bool) or not isinstance(process, int | str):
        place.refuse(
            "no 'process' that is a number or a name" if "process" in data else "the field 'process' is missing",
            _FIELDS,
        )
    return str(process)


def _field(place: Place, data: dict[str, Any], name: str, kind: type) -> Any:
    if name not in data:
        place.refuse(f"the field '{name}' is missing", _FIELDS)
    if not isinstance(data[name], kind):
        place.refuse(f"the field '{name}' is {kind_of(data[name])}", _FIELDS)
    return data[name]
