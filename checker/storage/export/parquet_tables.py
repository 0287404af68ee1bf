"""Makes the tables of an export from its parts: those of complete levels, with a type for each column, and verdicts."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.core.report import Report
from checker.storage.export import PARTS, parts_folder
from checker.storage.export.level_parts import (
    KINDS,
    MOST_ROWS,
    OURS,
    PREFIXES,
    ROWS,
    STATES,
    TRANSITION,
    TRANSITIONS,
    Columns,
    Kinds,
    column_names,
)
from checker.storage.file_store import FileStore
from fizz.base.data import demand, inflate, unpack
from fizz.base.plain_files import NotAFile, read_regular

PROPERTIES: Final = "properties"
_PART: Final = re.compile(r"(rows|steps)-(\d+)(?:-(\d+))?-(\d+)")
_LONGEST_PATH: Final = 1 << 16
MOST_CELLS: Final = 1 << 25
"""The most cells of a table in memory at a time."""
_OWNER: Final = "checkpoints"
"""The file with the path of the checkpoints that an unfinished export belongs to."""


def prepare(folder: str, kept_in: str | None) -> None:
    """Make an empty folder for the export. Raises `Problem`."""
    arrow()
    path = Path(folder)
    owner = None if kept_in is None else str(Path(kept_in).absolute())
    try:
        if owner is not None and _owner(path) == owner:
            _clear(path)
        if path.is_dir() and any(path.iterdir()):
            raise UsageProblem(f"the folder {folder} is not empty", "name a new one: --export DIR")
        (path / PARTS).mkdir(parents=True)
        if owner is not None:
            (path / PARTS / _OWNER).write_text(owner)
    except OSError as failure:
        raise EnvironmentProblem(
            f"the folder {folder} cannot be used: {failure.strerror}", "name another one"
        ) from None


def _owner(path: Path) -> str | None:
    """The path of the checkpoints that an unfinished export belongs to; None if there is no such export."""
    try:
        return read_regular(path / PARTS / _OWNER, _LONGEST_PATH).decode()
    except (FileNotFoundError, NotADirectoryError, NotAFile, UnicodeDecodeError):
        return None


def finish(
    folder: str,
    kept_in: str | None,
    reached: int,
    variables: Sequence[str],
    ask: Callable[[], None] = lambda: None,
    most_cells: int = MOST_CELLS,
) -> None:
    """Make the tables: of the states of levels up to `reached`, and of the steps from levels before it.

    `ask` is called before each piece of a file, which has at most `most_cells` cells; what it raises leaves no tables.
    """
    try:
        _finish(folder, kept_in, reached, variables, ask, most_cells)
    except BaseException:
        discard(folder, kept_in)
        raise


def discard(folder: str, kept_in: str | None) -> None:
    """Remove an unfinished export, unless it belongs to a run that may resume."""
    if kept_in is None:
        _clear(Path(folder))


def _clear(path: Path) -> None:
    for name in (*PREFIXES, PROPERTIES, PARTS):
        shutil.rmtree(path / name, ignore_errors=True)


def _finish(
    folder: str,
    kept_in: str | None,
    reached: int,
    variables: Sequence[str],
    ask: Callable[[], None],
    most_cells: int,
) -> None:
    parts = FileStore(parts_folder(folder, kept_in), ask=ask)
    found = {table: sorted(_counted(parts, table, reached)) for table in (STATES, TRANSITIONS)}
    columns = _types(parts, [name for *_, name in found[STATES]], variables)
    for table, files in found.items():
        for number, (level, _, _, name) in enumerate(files):
            target = Path(folder) / table / f"level-{level:05}-{number:06}.parquet"
            write_file(target, _read(parts, name, columns if table == STATES else None, most_cells))


def _counted(parts: FileStore, table: str, reached: int) -> Iterator[tuple[int, int, int, str]]:
    """The files of a table, without those of incomplete levels: level, partition, number, name."""
    for path in parts.folder.iterdir():
        match = _PART.fullmatch(path.name)
        if match is not None and match.group(1) == PREFIXES[table]:
            level, partition, number = (int(group or -1) for group in match.groups()[1:])
            if level < reached or (level == reached and table == STATES):
                yield level, partition, number, path.name


def _types(parts: FileStore, files: Sequence[str], variables: Sequence[str]) -> dict[str, Any]:
    """The columns of all states, variables first, each with the type of all its values, or None for JSON texts."""
    pa, _ = arrow()
    kinds: dict[str, set[str]] = {}
    for file in files:
        data = parts.read(file, KINDS)
        with parts.reading(file):
            for name, found in unpack(Kinds, data):
                kinds.setdefault(name, set()).update(found)
    types = {"int": pa.int64(), "bool": pa.bool_(), "string": pa.string()}
    ranks = {name: rank for rank, name in enumerate(column_names(variables).values())}

    def position(name: str) -> tuple[int, int, list[object]]:
        # Node#10 comes after Node#9.
        pieces: list[object] = re.split(r"(\d+)", name)
        pieces[1::2] = [(len(str(digits)), digits) for digits in pieces[1::2]]
        return (2 if name in OURS else name not in ranks, ranks.get(name, 0), pieces)

    def kind(found: set[str]) -> Any:
        # A column of None alone may have any type.
        alone = found - {"none"} or {"string"}
        return types.get(next(iter(alone))) if len(alone) == 1 else None

    return {name: kind(kinds[name]) for name in sorted(kinds, key=position)}


def _read(parts: FileStore, name: str, columns: dict[str, Any] | None, most_cells: int) -> Iterator[Any]:
    """The rows of a file in pieces; with `columns` they are states, which get all columns in their types."""
    pa, _ = arrow()
    kinds, data = parts.read(name, KINDS), parts.read(name, ROWS)
    try:
        with parts.reading(name):
            if columns is None:
                yield _table(data, _steps())
                return
            variables = [column for column, _ in unpack(Kinds, kinds)]
            types = {"state": pa.string(), "level": pa.int64(), **dict.fromkeys(variables, pa.string())}
            rows = _table(data, types)
            # Files may have different columns.
            at_once = max(1, most_cells // (len(OURS) + len(columns)))
            for begin in range(0, len(rows), at_once):
                parts.ask()
                yield _typed(rows.slice(begin, at_once), columns)
    except pa.ArrowException as failure:
        raise EnvironmentProblem(f"the file {parts.folder / name} is damaged: {failure}", "export anew") from None


def _table(data: bytes, types: dict[str, Any]) -> Any:
    """The table of a file, with exactly the columns of `types`. Raises one of `UNREADABLE`."""
    pa, _ = arrow()
    columns = unpack(Columns, inflate(data))
    demand(sorted(name for name, _ in columns) == sorted(types), "the columns of the table")
    demand(0 < len(columns[0][1]) <= MOST_ROWS, "as many rows as are written")
    return pa.table({name: pa.array(column, types[name]) for name, column in columns})


def _steps() -> dict[str, Any]:
    """The columns of transitions, with their types."""
    pa, _ = arrow()
    return {name: {"level": pa.int64(), "crash": pa.bool_()}.get(name, pa.string()) for name in TRANSITION}


def _typed(table: Any, columns: dict[str, Any]) -> Any:
    """States with all columns, in their types."""
    pa, _ = arrow()
    made = {name: table.column(name) for name in OURS[:2]}
    for name, kind in columns.items():
        if name not in table.column_names:
            made[name] = pa.nulls(len(table), kind or pa.string())
        elif kind is None:
            made[name] = table.column(name)
        else:
            coded = table.column(name).combine_chunks().dictionary_encode()
            values = pa.array([json.loads(text) for text in coded.dictionary.to_pylist()], kind)
            made[name] = values.take(coded.indices)
    return pa.table(made)


def write_verdicts(folder: str, report: Report) -> None:
    """Write the table of properties: name, kind, verdict, length of the counterexample, deciding instance.

    This finishes the export.
    """
    pa, _ = arrow()
    rows = report.properties
    columns = {
        "name": pa.array([p.name for p in rows], pa.string()),
        "kind": pa.array([p.kind for p in rows], pa.string()),
        "verdict": pa.array([p.verdict for p in rows], pa.string()),
        "steps": pa.array([p.steps for p in rows], pa.int64()),
        "instance": pa.array([p.instance for p in rows], pa.string()),
    }
    write_file(Path(folder) / PROPERTIES / "properties.parquet", [pa.table(columns)])
    shutil.rmtree(Path(folder) / PARTS)


# --- Parquet ---------------------------------------------------------------------------------------------------------


def arrow() -> tuple[ModuleType, ModuleType]:
    """pyarrow and its Parquet part. Raises `EnvironmentProblem` without them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise EnvironmentProblem(
            "the export needs pyarrow, which is not installed here", "pip install 'fizzpy[export]'"
        ) from None
    return pyarrow, pyarrow.parquet


def write_file(path: Path, tables: Iterable[Any]) -> None:
    """Write a table, given in pieces, atomically: a reader of the path finds the whole file or none."""
    _, parquet = arrow()
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        pieces = iter(tables)
        first = next(pieces)
        with parquet.ParquetWriter(unfinished, first.schema) as writer:
            for piece in itertools.chain([first], pieces):
                writer.write_table(piece)
        unfinished.replace(path)
    except BaseException as failure:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        if isinstance(failure, OSError) and failure.errno is not None and failure.filename is None:
            # The message about a full disk names the file.
            raise OSError(failure.errno, os.strerror(failure.errno), str(path)) from failure
        raise
