"""Lines of a model as reports quote them, and the names of its files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePath


def file_names(sources: Mapping[str, str]) -> dict[str, str]:
    """The names of files in a report: the last part where that is unique; a single file has none."""
    # Beside the files there are the options of the command, `--option max_actions`, which no step executes.
    if sum(not name.startswith("--") for name in sources) == 1:
        return dict.fromkeys(sources, "")
    short = {path: PurePath(path).name for path in sources}
    return {path: name if list(short.values()).count(name) == 1 else path for path, name in short.items()}


def is_guard_or_head(row: str) -> bool:
    """Whether a step shows more than this line: it is a guard that held, or the head of a block."""
    return row.startswith("require ") or row in ("atomic:", "serial:", "parallel:", "oneof:")


@lru_cache(4)
def _rows(text: str) -> list[str]:
    """The lines of a model, cached: a step may have executed thousands."""
    return text.split("\n")


def source_row(sources: Mapping[str, str], file: str, line: int) -> str:
    """A line of a model without its indentation and without the comment at its end."""
    rows = _rows(sources.get(file, ""))
    row = rows[line - 1].strip() if 1 <= line <= len(rows) else ""
    quote = ""
    for position, character in enumerate(row):
        if quote:
            quote = "" if character == quote and row[position - 1] != "\\" else quote
        elif character in "\"'":
            quote = character
        elif character == "#":
            return row[:position].rstrip()
    return row
