"""Which logs are a run of their own: each file, the files of a folder, or the events with one value of a key."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from checker.conformance.event_map import EventMap
from checker.conformance.log_files import LogLine, Place, byte_lines, decoded, json_line
from checker.conformance.spans import SPANS
from checker.core.problems import UsageProblem

_ENDINGS: Final = (".ndjson", ".jsonl", ".json", ".log")


@dataclass(frozen=True, slots=True)
class FileLines:
    """Some lines of a file: where they begin, in bytes, and their numbers."""

    file: str
    offsets: array[int]
    numbers: array[int]

    def read(self) -> Iterator[LogLine]:
        """The objects in them. Raises `UsageProblem`."""
        try:
            with Path(self.file).open("rb") as file:
                for offset, number in zip(self.offsets, self.numbers, strict=True):
                    file.seek(offset)
                    yield json_line(Place(self.file, number), decoded(file.readline(), number))
        except (OSError, UnicodeDecodeError) as failure:
            raise UsageProblem(f"{self.file} cannot be read any more: {failure}") from None


@dataclass(frozen=True, slots=True)
class LogGroup:
    """Logs that are one run. `lines`: only these, whose key has the text `key`. `problem`: they cannot be read."""

    files: tuple[str, ...]
    key: str | None = None
    lines: tuple[FileLines, ...] | None = None
    problem: UsageProblem | None = None

    @property
    def title(self) -> str:
        """What it is called: its files, with the key."""
        return ", ".join(self.files) + ("" if self.key is None else f" [{self.key}]")


def logs_in(paths: Sequence[str]) -> tuple[list[str], bool]:
    """The logs that are named, those in folders by name, and whether there is a folder. Raises `UsageProblem`."""
    found: list[str] = []
    folders = [path for path in paths if Path(path).is_dir()]
    for path in paths:
        if path not in folders:
            found.append(path)
            continue
        inside = [one for one in Path(path).rglob("*") if one.suffix.lower() in _ENDINGS and one.is_file()]
        inside = [one for one in inside if not any(part.startswith(".") for part in one.relative_to(path).parts)]
        if not inside:
            raise UsageProblem(f"the folder {path} has no logs", f"their names end in {', '.join(_ENDINGS)}")
        found += sorted(str(one) for one in inside)
    return found, bool(folders)


def parts_of_each(groups: Sequence[LogGroup], field: str, event_map: EventMap) -> list[LogGroup]:
    """The groups of each of some runs; one whose logs cannot be read does not end the others."""
    found: list[LogGroup] = []
    for group in groups:
        try:
            found += partitioned(group.files, field, event_map) or [group]
        except UsageProblem as problem:
            if len(groups) == 1:
                raise
            found.append(LogGroup(group.files, problem=problem))
    return found


def partitioned(files: Sequence[str], field: str, event_map: EventMap) -> list[LogGroup]:
    """The groups of the events of some files that have the same value of a field, the first met first.

    Raises `UsageProblem` if an event that is not ignored has none.
    """
    groups: dict[str, dict[str, tuple[array[int], array[int]]]] = {}
    for file in files:
        for line, offset in _with_offsets(file):
            opened = event_map.opened(line)
            if opened.data.get(event_map.event) in event_map.ignored:
                continue
            key = _key(opened, field)
            offsets, numbers = groups.setdefault(key, {}).setdefault(file, (array("q"), array("q")))
            offsets.append(offset)
            numbers.append(line.place.line)
    return [
        LogGroup(tuple(inside), key, tuple([FileLines(file, *lines) for file, lines in inside.items()]))
        for key, inside in groups.items()
    ]


def _with_offsets(file: str) -> Iterator[tuple[LogLine, int]]:
    """The objects of a file, and where their lines begin."""
    for offset, number, text in byte_lines(file):
        line = json_line(Place(file, number), text)
        if SPANS in line.data:
            line.place.refuse("spans are not partitioned", "export a line for each event")
        yield line, offset


def _key(line: LogLine, field: str) -> str:
    value: Any = line.data
    for part in field.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if value is None or isinstance(value, dict | list):
        line.place.refuse(
            f"the field '{field}', by which the log is partitioned, is missing or no plain value",
            "name the field with --partition, as it is in the event; events of kinds in `ignore:` need none",
        )
    return str(value)
