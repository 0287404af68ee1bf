"""Makes the tables of an export from its parts: those of complete levels, with a type for each column, and verdicts."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.core.report import Report
from checker.storage.export import PARTS, parts_store
from checker.storage.export.level_parts import (
    HEAD,
    KEY_BYTES,
    MOST_ROWS,
    OURS,
    PREFIXES,
    STATES,
    TRANSITIONS,
    StepTitle,
    Titles,
    ValueTexts,
    column_names,
)
from checker.storage.export.nested_types import NONE, Shape, Typed, joined, shape_of, typed
from checker.storage.file_store import FileStore
from checker.storage.user_paths import is_address
from fizz.base.data import demand, inflate, unpack
from fizz.base.plain_files import NotAFile, read_regular

if TYPE_CHECKING:
    import pyarrow

PROPERTIES: Final = "properties"
_PART: Final = re.compile(r"(rows|steps)-(\d+)(?:-(\d+))?-(\d+)")
_LONGEST_PATH: Final = 1 << 16
_FILE_BYTES: Final = 1 << 28
"""So many bytes in memory make a file: a tenth of it, or less, on the disk."""
_GROUP_ROWS: Final = 1 << 17
"""The rows that are written together, as one row group."""
_KEYS: Final = ("state", "source", "target")
"""The columns of keys."""
_TITLES: Final = ("action", "label", "kind")
"""The columns of steps that are texts of their titles."""
_FRAME: Final = ("function", "self", "position", "locals", "scopes")
_MESSAGE: Final = ("channel", "receiver", "function", "arguments")
MOST_CELLS: Final = 1 << 25
"""The most cells of a table in memory at a time."""
_OWNER: Final = "checkpoints"
"""The file with the path of the checkpoints that an unfinished export belongs to."""


def prepare(folder: str, kept_in: str | None) -> None:
    """Make an empty folder for the export. Raises `Problem`."""
    arrow()
    path = Path(folder)
    owner = kept_in if kept_in is None or is_address(kept_in) else str(Path(kept_in).absolute())
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
    parts = parts_store(folder, kept_in)
    parts.ask = ask
    found = {table: sorted(_counted(parts, table, reached)) for table in (STATES, TRANSITIONS)}
    types = _types(parts, [name for *_, name in found[STATES]], variables)
    for table, files in found.items():
        pieces = (
            piece
            for level, _, _, name in files
            for piece in (
                _states(parts, name, level, types, most_cells)
                if table == STATES
                else _steps(parts, name, level, most_cells)
            )
        )
        write_table(Path(folder) / table, pieces, most_cells)


def _counted(parts: FileStore, table: str, reached: int) -> Iterator[tuple[int, int, int, str]]:
    """The files of a table, without those of incomplete levels: level, partition, number, name."""
    for name in parts.names():
        match = _PART.fullmatch(name)
        if match is not None and match.group(1) == PREFIXES[table]:
            level, partition, number = (int(group or -1) for group in match.groups()[1:])
            if level < reached or (level == reached and table == STATES):
                yield level, partition, number, name


def _head(parts: FileStore, name: str, kind: Any) -> Any:
    data = parts.read(name, HEAD)
    with parts.reading(name):
        return unpack(kind, inflate(data))


def _types(parts: FileStore, files: Sequence[str], variables: Sequence[str]) -> dict[str, Typed]:
    """The columns of all states, variables first, each with the type of all its values."""
    pa, _ = arrow()
    shapes: dict[str, Shape] = {}
    known: dict[tuple[str, str], Shape] = {}
    for file in files:
        parts.ask()
        head = _head(parts, file, ValueTexts)
        with parts.reading(file):
            for name, texts in head:
                # Most texts of a column are in many files.
                new = [text for text in texts if (name, text) not in known]
                known.update({(name, text): NONE for text in new})
                shapes[name] = joined([shapes.get(name, NONE), *(shape_of(_value(name, text)) for text in new)])
    ranks = {name: rank for rank, name in enumerate(column_names(variables).values())}

    def position(name: str) -> tuple[int, int, list[object]]:
        # Node#10 comes after Node#9.
        pieces: list[object] = re.split(r"(\d+)", name)
        pieces[1::2] = [(len(str(digits)), digits) for digits in pieces[1::2]]
        return (2 if name in OURS else name not in ranks, ranks.get(name, 0), pieces)

    return {name: typed(shapes[name], pa) for name in sorted(shapes, key=position)}


def _value(column: str, text: str) -> Any:
    """The decoded value of a column; threads and messages with names for their members."""
    value = json.loads(text)
    match column:
        case "threads":
            return [[_struct(_FRAME, frame) for frame in thread] for thread in value]
        case "messages":
            return [_struct(_MESSAGE, message) for message in value]
    return value


def _absent(column: str) -> list[Any] | None:
    """What a state has that does not have a column: there are no threads then, or no messages."""
    return [] if column in OURS[2:] else None


def _struct(names: Sequence[str], members: Sequence[Any]) -> dict[str, Any]:
    return {"$struct": dict(zip(names, members, strict=True))}


def _states(
    parts: FileStore, name: str, level: int, types: Mapping[str, Typed], most_cells: int
) -> Iterator[pyarrow.Table]:
    """The states of a file in pieces, with all columns in their types."""
    pa, _ = arrow()
    head = _head(parts, name, ValueTexts)
    keys = _columns(parts, name, 0, KEY_BYTES)
    texts = {column: (number, texts) for number, (column, texts) in enumerate(head, 1)}
    _demand(parts, name, texts.keys() <= types.keys(), "the columns of the table")
    columns: dict[str, tuple[Any, Any]] = {}
    for column, (number, values) in texts.items():
        kind, convert = types[column]
        indexes = _indexes(parts, name, number, len(keys), len(values) + 1)
        # The first one is that of states which do not have it.
        with parts.reading(name):
            made_values = [_absent(column), *(convert(_value(column, text)) for text in values)]
            columns[column] = pa.array(made_values, kind), indexes
    at_once = max(1, most_cells // (len(OURS) + len(types)))
    for begin in range(0, len(keys), at_once):
        parts.ask()
        end = min(begin + at_once, len(keys))
        made = {"state": _hex(keys[begin:end]), "level": pa.array(np.full(end - begin, level, dtype=np.int64))}
        for column, (kind, _) in types.items():
            held = columns.get(column)
            if held is None:
                made[column] = pa.array([_absent(column)] * (end - begin), kind)
            else:
                made[column] = held[0].take(pa.array(held[1][begin:end]))
        yield pa.table(made)


def _steps(parts: FileStore, name: str, level: int, most_cells: int) -> Iterator[pyarrow.Table]:
    """The steps of a file in pieces."""
    pa, _ = arrow()
    titles = [StepTitle(*title) for title in _head(parts, name, Titles)]
    sources, targets = (_columns(parts, name, number, KEY_BYTES) for number in range(2))
    indexes = _indexes(parts, name, 2, len(sources), len(titles))
    _demand(parts, name, len(targets) == len(sources), "as many targets as sources")
    texts = {name: pa.array([getattr(title, name) for title in titles], pa.string()) for name in _TITLES}
    crashes = pa.array([title.crash for title in titles], pa.bool_())
    at_once = max(1, most_cells // (4 + len(texts)))
    for begin in range(0, len(sources), at_once):
        parts.ask()
        end = min(begin + at_once, len(sources))
        chosen = pa.array(indexes[begin:end].astype(np.int32))
        yield pa.table(
            {
                "source": _hex(sources[begin:end]),
                "target": _hex(targets[begin:end]),
                "level": pa.array(np.full(end - begin, level, dtype=np.int64)),
                **{name: pa.DictionaryArray.from_arrays(chosen, values) for name, values in texts.items()},
                "crash": crashes.take(chosen),
            }
        )


def _columns(parts: FileStore, name: str, number: int, width: int) -> np.ndarray:
    """A column of bytes in a file: (rows, width) uint8."""
    data = parts.read(name, HEAD + 1 + number)
    _demand(parts, name, len(data) % width == 0 and len(data) <= width * MOST_ROWS, "whole rows")
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, width)


def _indexes(parts: FileStore, name: str, number: int, rows: int, texts: int) -> np.ndarray:
    """A column of indexes below `texts`, one for each row."""
    found = _columns(parts, name, number, 4).view(np.uint32)[:, 0]
    _demand(parts, name, len(found) == rows and int(found.max(initial=0)) < max(1, texts), "indexes of texts")
    return found


def _demand(parts: FileStore, name: str, holds: bool, what: str) -> None:
    """Raise `EnvironmentProblem` about a damaged file unless what must hold of it does."""
    with parts.reading(name):
        demand(holds, what)


def _hex(keys: np.ndarray) -> pyarrow.Array:
    """Keys as hexadecimal texts."""
    pa, _ = arrow()
    digits = keys.tobytes().hex().encode()
    offsets = np.arange(0, 2 * KEY_BYTES * (len(keys) + 1), 2 * KEY_BYTES, dtype=np.int32)
    return pa.StringArray.from_buffers(len(keys), pa.py_buffer(offsets), pa.py_buffer(digits))


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
    write_table(Path(folder) / PROPERTIES, [pa.table(columns)])
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


def write_table(folder: Path, pieces: Iterable[pyarrow.Table], most_cells: int = MOST_CELLS) -> None:
    """Write a table as files of some tens of megabytes, and an empty one, `_SUCCESS`, when all of them are there."""
    pieces = iter(pieces)
    for number in itertools.count():
        first = next(pieces, None)
        if first is None:
            break
        write_file(folder / f"part-{number:05}.parquet", _some(first, pieces, most_cells))
    if folder.is_dir():
        (folder / "_SUCCESS").touch()


def _some(first: pyarrow.Table, pieces: Iterator[pyarrow.Table], most_cells: int) -> Iterator[pyarrow.Table]:
    """The next pieces of a table, for one file, joined as far as they are small: a level may have one state."""
    pa, _ = arrow()
    most_rows = min(_GROUP_ROWS, most_cells // first.num_columns)
    waiting, size, rows = [first], first.nbytes, len(first)
    while size < _FILE_BYTES and (piece := next(pieces, None)) is not None:
        if rows + len(piece) > most_rows:
            yield pa.concat_tables(waiting)
            waiting, rows = [], 0
        waiting.append(piece)
        size += piece.nbytes
        rows += len(piece)
    yield pa.concat_tables(waiting)


def write_file(path: Path, tables: Iterable[Any]) -> None:
    """Write a table, given in pieces, atomically: a reader of the path finds the whole file or none."""
    _, parquet = arrow()
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        pieces = iter(tables)
        first = next(pieces)
        # Keys hardly repeat, and hexadecimal texts are half as long compressed.
        repeated = [name for name in first.column_names if name not in _KEYS]
        with parquet.ParquetWriter(
            unfinished, first.schema, use_dictionary=repeated, compression="zstd", compression_level=1
        ) as writer:
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
