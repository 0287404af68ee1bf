"""The source as rows: which lines a step executed, and which thread stands where after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from checker.view.viewer.telling import Telling


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A line of source. `executed` by the step; `threads` go on here."""

    number: int
    text: str
    executed: bool
    threads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file as a step sees it. `first` is the row to look at, from 0."""

    file: str
    rows: tuple[SourceRow, ...]
    first: int


def sheet(telling: Telling, index: int, sources: Mapping[str, str]) -> Sheet:
    """The file in which a step happened; of a step without a place that of the step before."""
    entry = telling.entries[index]
    standing = telling.standing(index)
    file = entry.file
    earlier = index
    while file is None and earlier > 0:
        earlier -= 1
        file = telling.entries[earlier].file
    if file is None:
        file = next(iter(sources), "")
    executed = {line for name, line in entry.lines if name == file}
    if not executed and entry.file is not None and entry.line is not None:
        executed = {entry.line}
    rows = tuple(
        SourceRow(number, text, number in executed, tuple(standing.get((file, number), ())))
        for number, text in enumerate(sources.get(file, "").split("\n"), start=1)
    )
    wanted = [row.number - 1 for row in rows if row.executed] or [row.number - 1 for row in rows if row.threads] or [0]
    return Sheet(file, rows, wanted[0])
