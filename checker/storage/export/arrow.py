"""Parquet by pyarrow, which not everybody has: tables in, whole files out."""

from __future__ import annotations

import itertools
import os
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from checker.core.problems import EnvironmentProblem


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
    """Write a table, which comes piece by piece. Whoever looks for the name finds all of the file or none."""
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
            # Who hears of a full disk wants to know which one.
            raise OSError(failure.errno, os.strerror(failure.errno), str(path)) from failure
        raise
