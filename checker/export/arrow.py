"""Parquet by pyarrow, which not everybody has: columns in, whole files out."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from checker.problems import EnvironmentProblem


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


def write_table(path: Path, columns: Mapping[str, Sequence[Any]], metadata: Mapping[bytes, bytes]) -> None:
    """Write columns as a file, with something about them beside."""
    pa, _ = arrow()
    write_file(path, pa.table(dict(columns)).replace_schema_metadata(dict(metadata)))


def write_file(path: Path, table: Any) -> None:
    """Write a table. Whoever looks for the name finds all of the file or none."""
    _, parquet = arrow()
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        parquet.write_table(table, unfinished)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
