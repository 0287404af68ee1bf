"""Which values rows admit, where a rule has a path for each value of a choice with a condition.

The paths for different values are in different units. A value is admitted in a row if the row has any path for it; so
the number of a value among the alternatives is a count of units before it that are not empty. For one state at a time
that is `checker/search/memo/in_place.py`.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from checker.search.columns.code_tables import Ints, Mask
from checker.search.columns.remembered import Branch

Prefix = tuple[int, ...]


class Admitted:
    """`levels`: how many choices come before one with a path for each value. `count`: of rows."""

    def __init__(self, count: int, levels: Set[int]) -> None:
        self._count = count
        self._levels = sorted(levels)
        self._found: dict[Prefix, Mask] = {}
        self._before: dict[Prefix, tuple[int, Ints]] = {}
        """By first choices, how many values less than the one that was asked for last are admitted, and that value."""

    def add(self, branches: Sequence[Branch], units: Sequence[Ints], which: Ints | None) -> None:
        """Note the bundles of units with these first choices. `which`: of these rows (None: of each)."""
        self._before.clear()
        for branch, column in zip(branches, units, strict=True):
            for level in self._levels:
                if branch is None or len(branch) <= level or not branch[level]:
                    continue
                rows = column != 0 if which is None else _any_of(which, column, self._count)
                known = self._found.get(branch[: level + 1])
                self._found[branch[: level + 1]] = rows if known is None else known | rows

    def without(self, branch: Branch, column: Ints, none: Sequence[int]) -> Ints:
        """The bundles of a unit, but for those of `none`, that no value is admitted, in rows that admit one."""
        for level in self._levels:
            if branch is None or len(branch) <= level or branch[level]:
                continue
            rows = np.isin(column, none)
            if rows.any():
                siblings = [mask for prefix, mask in self._found.items() if prefix[:-1] == branch[:level]]
                rows &= np.any([mask for mask in siblings if len(mask)], axis=0) if siblings else False
                column = np.where(rows, 0, column)
        return column

    def numbers(self, branch: Branch, bases: Sequence[int]) -> Ints:
        """The numbers of the values of a unit among the alternatives of each row: of all levels, by `bases`, in one."""
        total = np.zeros(self._count, dtype=np.int64)
        for level, base in zip(self._levels, bases, strict=True):
            total *= base
            if branch is not None and len(branch) > level:
                total += self._admitted_before(branch[:level], branch[level])
        return total

    def _admitted_before(self, chosen: Prefix, value: int) -> Ints:
        """How many values less than this are admitted in each row. Mostly values are asked for in their order."""
        last, counts = self._before.get(chosen, (1, None))
        if counts is None or last > value:
            last, counts = 1, np.zeros(self._count, dtype=np.int64)
        for before in range(last, value):
            known = self._found.get((*chosen, before))
            if known is not None:
                counts += known
        self._before[chosen] = value, counts
        return counts


def _any_of(which: Ints, column: Ints, count: int) -> Mask:
    found = np.zeros(count, dtype=np.bool_)
    found[which[column != 0]] = True
    return found
