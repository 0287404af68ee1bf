"""The set of visited keys: a few sorted runs of 128-bit keys, merged as they grow.

Sorted runs with binary search beat a hash table made of arrays over a whole run: the keys asked for come sorted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.columns.tables import Mask, Words

Numbers = NDArray[np.uint32]


class Visited:
    """Keys as pairs of halves (high, low), with the states' numbers. A run is at least twice as long as the next."""

    def __init__(self) -> None:
        self._runs: list[tuple[Words, Words, Numbers]] = []

    def __len__(self) -> int:
        return sum(len(high) for high, _, _ in self._runs)

    def contains(self, high: Words, low: Words) -> Mask:
        """Which of the keys, sorted by their high halves, were added before."""
        found = np.zeros(len(high), dtype=np.bool_)
        for run_high, run_low, _ in self._runs:
            at = np.searchsorted(run_high, high)
            np.minimum(at, len(run_high) - 1, out=at)
            same = run_high[at] == high
            if same.any():
                exact = same & (run_low[at] == low)
                # Two states may share a high half; the odds are those of a 64-bit collision, the answer is still exact.
                for row in np.flatnonzero(same & ~exact):
                    exact[row] = _scan(run_high, run_low, int(at[row]), high[row], low[row]) is not None
                found |= exact
        return found

    def numbers_of(self, high: Words, low: Words) -> NDArray[np.int64]:
        """The numbers of keys that were all added, in any order."""
        order = np.argsort(high)
        sorted_high, sorted_low = high[order], low[order]
        found = np.full(len(high), -1, dtype=np.int64)
        for run_high, run_low, numbers in self._runs:
            at = np.searchsorted(run_high, sorted_high)
            np.minimum(at, len(run_high) - 1, out=at)
            same = run_high[at] == sorted_high
            exact = same & (run_low[at] == sorted_low)
            found[order[exact]] = numbers[at[exact]]
            for row in np.flatnonzero(same & ~exact):
                place = _scan(run_high, run_low, int(at[row]), sorted_high[row], sorted_low[row])
                if place is not None:
                    found[order[row]] = numbers[place]
        return found

    def add(self, high: Words, low: Words, first: int) -> None:
        """Add keys that are not in the set, sorted by (high, low); they are numbered from `first` on."""
        if not len(high):
            return
        self._runs.append((high, low, np.arange(first, first + len(high), dtype=np.uint32)))
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            longer, shorter = self._runs[-2:]
            at = np.searchsorted(longer[0], shorter[0])
            merged = [np.insert(a, at, b) for a, b in zip(longer[:2], shorter[:2], strict=True)]
            self._runs[-2:] = [(merged[0], merged[1], np.insert(longer[2], at, shorter[2]))]


def _scan(run_high: Words, run_low: Words, at: int, high: np.uint64, low: np.uint64) -> int | None:
    """The place of a key among those of equal high halves."""
    while at < len(run_high) and run_high[at] == high:
        if run_low[at] == low:
            return at
        at += 1
    return None
