"""The set of visited keys: a few sorted runs of 128-bit keys, merged as they grow.

Sorted runs with binary search beat a hash table made of arrays over a whole run: the keys that are asked for come sorted.
"""

from __future__ import annotations

import numpy as np

from checker.engines.columns.tables import Mask, Words


class Visited:
    """Keys as pairs of halves (high, low). Runs are kept at least twice as long as the next one."""

    def __init__(self) -> None:
        self._runs: list[tuple[Words, Words]] = []

    def __len__(self) -> int:
        return sum(len(high) for high, _ in self._runs)

    def contains(self, high: Words, low: Words) -> Mask:
        """Which of the keys, sorted by their high halves, were added before."""
        found = np.zeros(len(high), dtype=np.bool_)
        for run_high, run_low in self._runs:
            at = np.searchsorted(run_high, high)
            np.minimum(at, len(run_high) - 1, out=at)
            same = run_high[at] == high
            if same.any():
                exact = same & (run_low[at] == low)
                # Two states may share a high half; the odds are those of a 64-bit collision, the answer is still exact.
                for row in np.flatnonzero(same & ~exact):
                    exact[row] = self._scan(run_high, run_low, int(at[row]), high[row], low[row])
                found |= exact
        return found

    @staticmethod
    def _scan(run_high: Words, run_low: Words, at: int, high: np.uint64, low: np.uint64) -> bool:
        while at < len(run_high) and run_high[at] == high:
            if run_low[at] == low:
                return True
            at += 1
        return False

    def add(self, high: Words, low: Words) -> None:
        """Add keys that are not in the set, sorted by (high, low)."""
        if not len(high):
            return
        self._runs.append((high, low))
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            (high_a, low_a), (high_b, low_b) = self._runs[-2:]
            self._runs[-2:] = [_merged(high_a, low_a, high_b, low_b)]


def _merged(high_a: Words, low_a: Words, high_b: Words, low_b: Words) -> tuple[Words, Words]:
    at = np.searchsorted(high_a, high_b)
    return np.insert(high_a, at, high_b), np.insert(low_a, at, low_b)
