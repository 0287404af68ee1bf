"""The set of visited keys: a few sorted runs of 128-bit keys, merged as they grow.

Sorted runs with binary search beat a hash table made of arrays over a whole run: the keys asked for come sorted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.columns.shelf import Shelf, in_memory, on_shelf
from checker.engines.columns.tables import Ints, Mask, Words

Numbers = NDArray[np.uint32]

_PIECE: Final = 1 << 20
"""So many keys are merged at a time where the result goes to the disk."""


class Run(NamedTuple):
    """Keys in halves, sorted, and the numbers of their states."""

    high: Words
    low: Words
    numbers: Numbers


class Visited:
    """Keys with the states' numbers. A run is at least twice as long as the next."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._runs: list[Run] = []

    def __len__(self) -> int:
        return sum(len(run.high) for run in self._runs)

    @property
    def bytes(self) -> int:
        """What the runs take in memory."""
        return in_memory(column for run in self._runs for column in run)

    def contains(self, high: Words, low: Words) -> Mask:
        """Which of the keys, sorted by their high halves, were added before."""
        found = np.zeros(len(high), dtype=np.bool_)
        for run in self._runs:
            found[_places(run, high, low)[0]] = True
        return found

    def numbers_of(self, high: Words, low: Words) -> NDArray[np.int64]:
        """The numbers of keys, in any order; -1 for those that were not added."""
        order = np.argsort(high)
        sorted_high, sorted_low = high.take(order), low.take(order)
        found = np.full(len(high), -1, dtype=np.int64)
        for run in self._runs:
            rows, places = _places(run, sorted_high, sorted_low)
            found[order[rows]] = run.numbers[places]
        return found

    def since(self, number: int) -> tuple[Words, Words]:
        """The halves of the keys of all states from a number on, by number."""
        high = np.zeros(len(self) - number, dtype=np.uint64)
        low = np.zeros_like(high)
        for run in self._runs:
            rows = np.flatnonzero(run.numbers >= number)
            places = run.numbers[rows].astype(np.int64) - number
            high[places], low[places] = run.high[rows], run.low[rows]
        return high, low

    def keys_of(self, numbers: list[int]) -> list[int]:
        """The keys of some states, as whole numbers."""
        keys: dict[int, int] = {}
        for run in self._runs:
            for place in np.flatnonzero(np.isin(run.numbers, np.array(numbers, dtype=np.uint32))).tolist():
                keys[int(run.numbers[place])] = (int(run.high[place]) << 64) | int(run.low[place])
        return [keys[number] for number in numbers]

    def add(self, high: Words, low: Words, first: int) -> None:
        """Add keys that are not in the set, sorted by (high, low); they are numbered from `first` on."""
        if not len(high):
            return
        self._runs.append(Run(high, low, np.arange(first, first + len(high), dtype=np.uint32)))
        while len(self._runs) > 1 and len(self._runs[-2].high) < 2 * len(self._runs[-1].high):
            shorter, longer = self._runs.pop(), self._runs.pop()
            at = np.searchsorted(longer.high, shorter.high)
            # One column after the other, so that only one of them is there twice for a while.
            columns: list[Any] = list(longer)
            fewer: list[Any] = list(shorter)
            del longer
            for i, column in enumerate(fewer):
                columns[i] = self._woven(columns[i], column, at)
            self._runs.append(Run(*columns))

    def _woven(self, longer: NDArray[Any], shorter: NDArray[Any], at: Ints) -> NDArray[Any]:
        written = self._shelf.write(_pieces(longer, shorter, at), longer.dtype) if on_shelf(longer) else None
        return _insert(longer, shorter, at) if written is None else written

    def spill(self) -> None:
        """Put all runs on the shelf."""
        for i, run in enumerate(self._runs):
            self._runs[i] = Run(*[self._shelf.put(column) for column in run])


def _places(run: Run, high: Words, low: Words) -> tuple[Ints, Ints]:
    """Of keys sorted by their high halves those that are in a run, and where."""
    at = np.searchsorted(run.high, high)
    np.minimum(at, len(run.high) - 1, out=at)
    rows = np.flatnonzero(run.high.take(at) == high)
    places = at.take(rows)
    exact = run.low.take(places) == low.take(rows)
    if not exact.all():
        # Two states may share a high half; the odds are those of a 64-bit collision, the answer is still exact.
        for i in np.flatnonzero(~exact).tolist():
            place = _scan(run, int(places[i]), high[rows[i]], low[rows[i]])
            if place is not None:
                places[i], exact[i] = place, True
        rows, places = rows[exact], places[exact]
    return rows, places


def _scan(run: Run, at: int, high: np.uint64, low: np.uint64) -> int | None:
    """The place of a key among those of equal high halves."""
    while at < len(run.high) and run.high[at] == high:
        if run.low[at] == low:
            return at
        at += 1
    return None


def _insert(longer: NDArray[Any], shorter: NDArray[Any], at: Ints) -> NDArray[Any]:
    """Put each of `shorter` in front of the element of `longer` that is at its place."""
    own = at + np.arange(len(shorter))
    theirs = np.ones(len(longer) + len(shorter), dtype=np.bool_)
    theirs[own] = False
    made = np.empty(len(theirs), dtype=longer.dtype)
    made[own] = shorter
    made[theirs] = longer
    return made


def _pieces(longer: NDArray[Any], shorter: NDArray[Any], at: Ints) -> Iterator[NDArray[Any]]:
    """What `_insert` makes, piece by piece."""
    for begin in range(0, len(longer), _PIECE):
        end = min(begin + _PIECE, len(longer))
        last = end == len(longer)
        first, stop = np.searchsorted(at, [begin, end]).tolist()
        stop = len(shorter) if last else stop
        yield _insert(longer[begin:end], shorter[first:stop], at[first:stop] - begin)
