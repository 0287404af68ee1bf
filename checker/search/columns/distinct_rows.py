"""Rows that are equal in some columns, each once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from checker.search.columns.code_tables import Ints, Words

_FEW: Final = 1 << 18


def distinct_rows(columns: Sequence[Ints] | Sequence[Words], count: int) -> tuple[Ints, Ints]:
    """Which of `count` rows are equal in all columns: for each row the index of what it has, and a row for each."""
    if not columns:
        return np.zeros(count, dtype=np.int64), np.zeros(min(count, 1), dtype=np.int64)
    examples, indexes = numbered(columns[0])
    for column in columns[1:]:
        _, own = numbered(column)
        # Both are below the number of rows.
        examples, indexes = numbered(indexes * (int(own.max(initial=0)) + 1) + own)
    return indexes, examples


def numbered(column: Ints | Words) -> tuple[Ints, Ints]:
    """A row for each value of a column, and for each row the index of its value."""
    most = int(column.max(initial=0))
    if most > _FEW:
        _, examples, indexes = np.unique(column, True, True)
        return examples, indexes
    # Without sorting: a row for each number, the first one is written last.
    rows = np.full(most + 1, -1, dtype=np.int64)
    rows[column[::-1]] = np.arange(len(column) - 1, -1, -1)
    there = rows >= 0
    return rows[there], (np.cumsum(there) - 1)[column]
