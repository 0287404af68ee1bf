"""The source as rows: the lines that a step executed, and where each thread is after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from checker.core.trace import TraceEntry
from checker.tui.path_text import PathText


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A line of source. `executed` by the step; `threads` go on here."""

    number: int
    text: str
    executed: bool
    threads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file for one step. `first`: the index of the row to show. `others`: other files with executed lines."""

    file: str
    rows: tuple[SourceRow, ...]
    first: int
    others: tuple[str, ...] = ()


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
    return Sheet(file, rows, wanted[0], tuple(others))


def _ended_in(entry: TraceEntry) -> str | None:
    """The file of the last executed line: guards, which say least, come first."""
    return entry.lines[-1][0] if entry.lines else entry.file
