"""Rows of plain values as a file: CSV or Parquet, by the end of its name."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final

from checker.core.problems import UsageProblem
from checker.storage.export.parquet_tables import arrow

ENDINGS: Final = (".csv", ".parquet")


def refuse_ending(option: str, path: str) -> None:
    """Refuse a file of another kind, and Parquet without pyarrow. Raises `Problem`."""
    ending = PurePath(path).suffix.lower()
    if ending not in ENDINGS:
        raise UsageProblem(f"{option}: '{path}' is neither a .csv nor a .parquet file", "end its name with one of both")
    if ending == ".parquet":
        arrow()


def rows_as_file(path: str, rows: Sequence[Mapping[str, object]]) -> bytes:
    """The contents of the file: a column for each name in the first row."""
    names = list(rows[0]) if rows else []
    if PurePath(path).suffix.lower() == ".csv":
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue().encode()
    pa, parquet = arrow()
    columns = {name: _column([row[name] for row in rows]) for name in names}
    data = pa.BufferOutputStream()
    parquet.write_table(pa.table(columns), data)
    written: bytes = data.getvalue().to_pybytes()
    return written


def _column(values: list[object]) -> list[object]:
    """The values of a column in one type: texts, if some are texts and others are not."""
    texts = any(isinstance(value, str) for value in values)
    return [None if value is None else str(value) for value in values] if texts else values
