"""The source as rows: the lines that a step executed, and where each thread is after it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from checker.core.trace import TraceEntry
from checker.report.model_rows import source_row
from checker.tui.path_text import PathText

_FUNC = re.compile(r"(?:(?:atomic|serial|parallel|oneof|fair|weak|strong)\W.*?)?\b(?:func|def)\s+(\w+)\s*\(")
_ACTION = re.compile(r"(?:\w+(?:<\w+>)?\s+)*action\s+\w+")
_DEEPEST_CALL = 20


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A line of source. `executed` by the step; `threads` go on here."""

    number: int
    text: str
    executed: bool
    threads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file for one step.

    `first`: the index of the row to show. `others`: other files with executed lines. `calls`: the lines (file, number,
    text) that called the funcs in which the step ended, the outermost first.
    """

    file: str
    rows: tuple[SourceRow, ...]
    first: int
    others: tuple[str, ...] = ()
    calls: tuple[tuple[str, int, str], ...] = ()


def sheet(path_text: PathText, index: int, sources: Mapping[str, str]) -> Sheet:
    """The file in which a step ended; for a step without a location that of the step before."""
    entry = path_text.entries[index]
    positions = path_text.thread_positions(index)
    files = (_ended_in(path_text.entries[earlier]) for earlier in range(index, -1, -1))
    file = next((one for one in files if one is not None), next(iter(sources), ""))
    executed = {line for name, line in entry.lines if name == file}
    if not executed and entry.file == file and entry.line is not None:
        executed = {entry.line}
    rows = tuple(
        SourceRow(number, text, number in executed, tuple(positions.get((file, number), ())))
        for number, text in enumerate(sources.get(file, "").split("\n"), start=1)
    )
    wanted = [row.number - 1 for row in rows if row.executed] or [row.number - 1 for row in rows if row.threads] or [0]
    others = dict.fromkeys(name for name, _ in entry.lines if name != file)
    return Sheet(file, rows, wanted[0], tuple(others), tuple(_calls(path_text, index, sources)))


def _calls(path_text: PathText, index: int, sources: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """The lines that called the funcs in which a step ended: the last ones that its thread executed before."""
    lines = _lines_of_thread(path_text, index)
    found: list[tuple[str, int, str]] = []
    while lines and len(found) < _DEEPEST_CALL:
        name = _func_around(*lines[-1], sources)
        if name is None:
            break
        calling = re.compile(rf"(?<![\w]){re.escape(name)}\(")
        while lines:
            file, number = lines.pop()
            text = source_row(sources, file, number)
            if calling.search(text) and not _FUNC.match(text) and _func_around(file, number, sources) != name:
                found.insert(0, (file, number, text))
                lines.append((file, number))
                break
    return found


def _lines_of_thread(path_text: PathText, index: int) -> list[tuple[str, int]]:
    """The lines executed by the thread of a step since it began, up to and with the step."""
    mover = path_text.thread_names.steps[index].mover
    found: list[tuple[str, int]] = []
    for earlier in range(index, 0, -1):
        entry = path_text.entries[earlier]
        if earlier == index or path_text.thread_names.steps[earlier].mover == mover:
            found[:0] = entry.lines
            if mover is None or entry.kind in ("start", "deliver"):
                break
    return found


def _func_around(file: str, number: int, sources: Mapping[str, str]) -> str | None:
    """The func in which a line stands; None for a line of an action."""
    rows = sources.get(file, "").split("\n")[:number]
    margin = _margin(rows[-1]) if rows else 0
    for row in reversed(rows[:-1]):
        if row.strip() and _margin(row) < margin:
            margin = _margin(row)
            func = _FUNC.match(row.strip())
            if func is not None:
                return func[1]
            if _ACTION.match(row.strip()):
                return None
    return None


def _margin(row: str) -> int:
    return len(row) - len(row.lstrip())


def _ended_in(entry: TraceEntry) -> str | None:
    """The file of the last executed line: guards, which say least, come first."""
    return entry.lines[-1][0] if entry.lines else entry.file
