"""The set of visited keys: a few sorted runs of 128-bit keys, merged as they grow.

Sorted runs with binary search are faster than a hash table of arrays: the keys to be looked up are sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import Ints, Mask, Words
from checker.search.columns.spill_file import SpillFiles, in_memory, on_disk
from checker.search.contract.key_order import order_of_halves

Numbers = NDArray[np.uint32]


class SortedRun(NamedTuple):
    """The high halves of keys, sorted, what else is known of each, and the numbers of their states."""

    high: Words
    rest: Words
    numbers: Numbers


class VisitedKeys:
    """Keys with the states' numbers. A run is at least twice as long as the next.

    Of a key its high half is stored, and a `rest` that distinguishes it from those of the same high half: the low half,
    or what the owner of the set stores of each state.
    """

    def __init__(self, spill_files: SpillFiles) -> None:
        self._spill_files = spill_files
        self._runs: list[SortedRun] = []

    def __len__(self) -> int:
        return sum(len(run.high) for run in self._runs)

    @property
    def bytes(self) -> int:
        """What the runs take in memory."""
        return in_memory(column for run in self._runs for column in run)

    def contains(self, high: Words, rest: Words) -> tuple[Mask, bool]:
        """Which of the keys, sorted by their high halves, were added before.

        And whether one of them shares its high half with another key that was added.
        """
        found = np.zeros(len(high), dtype=np.bool_)
        shared = False
        for run in self._runs:
            rows, _, alone = _find(run, high, rest)
            found[rows] = True
            shared |= not alone
        return found, shared

    def numbers_of(self, high: Words, rest: Words | None) -> NDArray[np.int64]:
        """The numbers of keys, in any order; -1 for those that were not added. `rest` None: high halves say enough."""
        order = order_of_halves(high)
        sorted_high, sorted_rest = high.take(order), None if rest is None else rest.take(order)
        found = np.full(len(high), -1, dtype=np.int64)
        for run in self._runs:
            rows, indexes, _ = _find(run, sorted_high, sorted_rest)
            found[order[rows]] = run.numbers[indexes]
        return found

    def since(self, number: int) -> tuple[Words, Words]:
        """High half and rest of all keys from a number on, by number."""
        return self.between(number, len(self))

    def between(self, begin: int, end: int) -> tuple[Words, Words]:
        """High half and rest of the keys from a number on to before another one, by number."""
        high = np.zeros(end - begin, dtype=np.uint64)
        rest = np.zeros_like(high)
        for run in self._runs:
            rows = np.flatnonzero((run.numbers >= begin) & (run.numbers < end))
            indexes = run.numbers[rows].astype(np.int64) - begin
            high[indexes], rest[indexes] = run.high[rows], run.rest[rows]
        return high, rest

    def by_number(self, number: int) -> tuple[Words, Words, Numbers]:
        """High half, rest and number of those keys whose numbers are not below this one, by number."""
        parts = []
        for run in self._runs:
            rows = np.flatnonzero(run.numbers >= number)
            parts.append((run.high[rows], run.rest[rows], run.numbers[rows]))
        nothing = np.zeros(0, dtype=np.uint64)
        parts.append((nothing, nothing, np.zeros(0, dtype=np.uint32)))
        high, rest, numbers = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.argsort(numbers)
        return high[order], rest[order], numbers[order]

    def narrow(self, part: Callable[[Words], slice]) -> None:
        """Keep that part of the keys which is given of sorted high halves. They keep their numbers."""
        for i, (high, rest, numbers) in enumerate(self._runs):
            own = part(high)
            self._runs[i] = SortedRun(high[own].copy(), rest[own].copy(), numbers[own].copy())
        self._runs = [run for run in self._runs if len(run.high)]

    def some(self, numbers: list[int]) -> tuple[Words, Words]:
        """High half and rest of a few keys."""
        high = np.zeros(len(numbers), dtype=np.uint64)
        rest = np.zeros_like(high)
        wanted = np.array(numbers, dtype=np.uint32)
        for run in self._runs:
            for index in np.flatnonzero(np.isin(run.numbers, wanted)).tolist():
                at = wanted == run.numbers[index]
                high[at], rest[at] = run.high[index], run.rest[index]
        return high, rest

    def rests(self) -> Iterator[tuple[Words, Numbers]]:
        """The rests of all keys with their numbers, in pieces; others may replace them."""
        for i, run in enumerate(self._runs):
            # A spill file can only be read.
            rest = run.rest if run.rest.flags.writeable else run.rest.copy()
            self._runs[i] = run._replace(rest=rest)
            size = self._spill_files.sizes.merged
            for begin in range(0, len(rest), size):
                yield rest[begin : begin + size], run.numbers[begin : begin + size]

    def add(self, high: Words, rest: Words, first: int) -> None:
        """Add keys that are not in the set, sorted by their high halves; they are numbered from `first` on."""
        if not len(high):
            return
        self._runs.append(SortedRun(high, rest, np.arange(first, first + len(high), dtype=np.uint32)))
        while len(self._runs) > 1 and len(self._runs[-2].high) < 2 * len(self._runs[-1].high):
            shorter, longer = self._runs.pop(), self._runs.pop()
            # Half of what numpy gives: there are no more keys than numbers of states.
            at = np.searchsorted(longer.high, shorter.high).astype(np.uint32)
            # One column after the other, and nothing else holds it, so that it may grow where it is.
            columns: list[Any] = list(longer)
            fewer: list[Any] = list(shorter)
            del longer, shorter
            made = [self._woven(columns.pop(0), fewer.pop(0), at) for _ in range(len(columns))]
            self._runs.append(SortedRun(*made))

    def _woven(self, longer: NDArray[Any], shorter: NDArray[Any], at: Numbers) -> NDArray[Any]:
        size, count = self._spill_files.sizes.merged, len(longer)
        if on_disk(longer):
            pieces = (piece for _, piece in _pieces(longer, shorter, at, size))
            written = self._spill_files.write(pieces, longer.dtype)
            if written is not None:
                return written
        try:
            longer.resize(count + len(shorter))
            made = longer
        except ValueError:
            # It is a view, or something else holds it after all.
            made = np.empty(count + len(shorter), dtype=longer.dtype)
        # From behind, so that nothing is overwritten which is still to be moved.
        for place, piece in _pieces(longer[:count], shorter, at, size, backwards=True):
            made[place : place + len(piece)] = piece
        return made

    def spill(self) -> None:
        """Write all runs to spill files."""
        for i, run in enumerate(self._runs):
            self._runs[i] = SortedRun(*[self._spill_files.put(column) for column in run])


def _find(run: SortedRun, high: Words, rest: Words | None) -> tuple[Ints, Ints, bool]:
    """Of keys sorted by high half those in a run, with their indexes; and whether no other key has such a half."""
    at = np.searchsorted(run.high, high)
    np.minimum(at, len(run.high) - 1, out=at)
    rows = np.flatnonzero(run.high.take(at) == high)
    indexes = at.take(rows)
    if rest is None:
        return rows, indexes, True
    exact = run.rest.take(indexes) == rest.take(rows)
    if exact.all():
        return rows, indexes, True
    # Two keys may share a high half; the odds are those of a 64-bit collision, and they are distinguished all the same.
    for i in np.flatnonzero(~exact).tolist():
        index = _scan(run, int(indexes[i]), high[rows[i]], rest[rows[i]])
        if index is not None:
            indexes[i], exact[i] = index, True
    return rows[exact], indexes[exact], False


def _scan(run: SortedRun, at: int, high: np.uint64, rest: np.uint64) -> int | None:
    """The index of a key among those of equal high halves."""
    while at < len(run.high) and run.high[at] == high:
        if run.rest[at] == rest:
            return at
        at += 1
    return None


def _insert(longer: NDArray[Any], shorter: NDArray[Any], at: Numbers) -> NDArray[Any]:
    """Insert each of `shorter` in front of the element of `longer` that is at its index."""
    own = at + np.arange(len(shorter))
    theirs = np.ones(len(longer) + len(shorter), dtype=np.bool_)
    theirs[own] = False
    made = np.empty(len(theirs), dtype=longer.dtype)
    made[own] = shorter
    made[theirs] = longer
    return made


def _pieces(
    longer: NDArray[Any], shorter: NDArray[Any], at: Numbers, size: int, backwards: bool = False
) -> Iterator[tuple[int, NDArray[Any]]]:
    """What `_insert` makes, so many of the longer column at a time, each with its place."""
    begins = range(0, len(longer), size)
    for begin in reversed(begins) if backwards else begins:
        end = min(begin + size, len(longer))
        first, stop = np.searchsorted(at, np.array([begin, end], dtype=at.dtype)).tolist()
        stop = len(shorter) if end == len(longer) else stop
        yield begin + first, _insert(longer[begin:end], shorter[first:stop], at[first:stop] - np.uint32(begin))
