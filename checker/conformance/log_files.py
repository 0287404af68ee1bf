"""The lines of a log: objects of JSON, one a line, each with its place. Read one by one: a log may have millions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from checker.core.problems import UsageProblem
from checker.storage.user_paths import refuse_no_file

_LONGEST: Final = 1 << 20
"""The most characters of one line."""
_HINT: Final = "a log has one object of JSON in each line (NDJSON)"


class Place(NamedTuple):
    """A line of a file, counted from 1. `part`: which of the events on it, if there may be several."""

    file: str
    line: int
    part: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}{self.part and f', {self.part}'}"

    def refuse(self, reason: str, hint: str | None = None) -> NoReturn:
        """Raise `UsageProblem` with this place."""
        raise UsageProblem(f"{self}: {reason}", hint)


class LogLine(NamedTuple):
    """An object in a log."""

    place: Place
    data: dict[str, Any]


def text_lines(path: str) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers. Raises `UsageProblem` for what cannot be read."""
    return ((number, line) for _, number, line in byte_lines(path))


def bad_line(path: str) -> int:
    """The number of the first line of a file that is no text in UTF-8. Raises `OSError`."""
    with Path(path).open("rb") as file:
        return next((number for number, raw in enumerate(file, 1) if raw.decode(errors="replace").encode() != raw), 1)


def byte_lines(path: str) -> Iterator[tuple[int, int, str]]:
    """As `text_lines`, with where each line begins in bytes: (offset, number, line)."""
    try:
        # It may be read again, to show what was rejected: a pipe would not do.
        refuse_no_file(path, "a file of events")
        with Path(path).open("rb") as file:
            offset = number = 0
            while raw := file.readline(_LONGEST + 1):
                number += 1
                if len(raw) > _LONGEST:
                    Place(path, number).refuse(f"a line of more than {_LONGEST:,} bytes", _HINT)
                if not raw.isspace():
                    yield offset, number, decoded(raw, number)
                offset += len(raw)
    except UnicodeDecodeError as failure:
        Place(path, number).refuse(f"this line is no text in UTF-8: {failure.reason}", _HINT)
    except OSError as failure:
        raise UsageProblem(f"{path} cannot be read: {failure.strerror}") from None


def decoded(raw: bytes, number: int) -> str:
    """The text of a line; the first one may begin with a mark of the byte order. Raises `UnicodeDecodeError`."""
    return raw.decode("utf-8-sig" if number == 1 else "utf-8")


def json_lines(path: str) -> Iterator[LogLine]:
    """The objects of a log in NDJSON, in the order of the file. Raises `UsageProblem`."""
    for number, line in text_lines(path):
        yield json_line(Place(path, number), line)


def json_line(place: Place, line: str) -> LogLine:
    """The object in a line. Raises `UsageProblem`."""
    try:
        data = json_value(line.strip())
    except NoJson as failure:
        column = f", column {failure.column}" if failure.column else ""
        place.refuse(f"this line is no JSON: {failure.reason}{column}", _HINT)
    if type(data) is not dict:
        place.refuse(f"this line is no object but {kind_of(data)}", _HINT)
    return LogLine(place, data)


class NoJson(Exception):
    """A text that is no JSON: why, and where, counted from 1; a column of 0 if the place is not known."""

    def __init__(self, reason: str, line: int = 1, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


def json_value(text: str) -> Any:
    """The value that a text of JSON is. Raises `NoJson`."""
    try:
        return _DECODE(text)
    except json.JSONDecodeError as failure:
        raise NoJson(failure.msg, failure.lineno, failure.colno) from None
    except RecursionError:
        raise NoJson("it is nested too deep") from None
    except ValueError:
        # Python refuses to convert longer ones.
        raise NoJson(f"a number of more than {sys.get_int_max_str_digits():,} digits") from None


def _no_number(text: str) -> NoReturn:
    raise NoJson(f"{text} is no number of JSON; write null or a string")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise NoJson(f"the key '{next(name for name in names if names.count(name) > 1)}' is given twice")
    return found


_DECODE: Final = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_object).decode


def kind_of(value: object) -> str:
    """What a value of JSON is, with an article."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
    return "an object"
