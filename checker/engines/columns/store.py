"""What is kept of all states found: keys in order, and how each was reached. Sixteen bytes of key, eight of link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from checker.engines.columns.packing import Rows
from checker.engines.columns.tables import Ints, Mask, Words
from checker.engines.columns.visited import Visited
from checker.exploration import PathLink
from interpreter.step import StepOrder

_PARENT_BITS = 40
_PARENT_MASK = (1 << _PARENT_BITS) - 1


@dataclass(slots=True)
class Batch:
    """Targets of steps, of one packing: keys, the number of the source, the step's order, starts on the way there.

    `twin`: the step is a crash. `origin`: the row of the source in its frontier. `live`: the kind of step for liveness.
    `moves`: the renaming that makes the stored image of a row, under symmetry; the keys are those of the images.
    """

    rows: Rows
    high: Words
    low: Words
    parents: Ints
    orders: NDArray[np.int32]
    starts: Ints
    twin: Mask
    origin: Ints
    live: Ints
    moves: Ints | None = None

    def take(self, rows: Ints) -> Batch:
        return Batch(
            self.rows.take(rows),
            self.high.take(rows),
            self.low.take(rows),
            self.parents.take(rows),
            self.orders.take(rows),
            self.starts.take(rows),
            self.twin.take(rows),
            self.origin.take(rows),
            self.live.take(rows),
            None if self.moves is None else self.moves.take(rows),
        )

    @staticmethod
    def joined(batches: Sequence[Batch]) -> Batch:
        """One batch of all rows."""
        if len(batches) == 1:
            return batches[0]
        words = [np.concatenate(columns) for columns in zip(*[b.rows.words for b in batches], strict=True)]
        return Batch(
            Rows(words),
            np.concatenate([b.high for b in batches]),
            np.concatenate([b.low for b in batches]),
            np.concatenate([b.parents for b in batches]),
            np.concatenate([b.orders for b in batches]),
            np.concatenate([b.starts for b in batches]),
            np.concatenate([b.twin for b in batches]),
            np.concatenate([b.origin for b in batches]),
            np.concatenate([b.live for b in batches]),
            None if batches[0].moves is None else np.concatenate([b.moves for b in batches if b.moves is not None]),
        )


class Store:
    """All states found, numbered by (level, key)."""

    def __init__(self) -> None:
        self.visited = Visited()
        self.high: list[Words] = []
        self.low: list[Words] = []
        self.parents: list[NDArray[np.int64]] = []
        self.orders: list[NDArray[np.int32]] = []
        self.first: list[int] = [0]

    def __len__(self) -> int:
        return self.first[-1]

    def fresh(self, batch: Batch, ranks: Ints) -> Batch:
        """The states of a batch that were not found before, once each, sorted by key, with their least parents.

        The parent is the least by (order of step, key of source); sources are numbered by key.
        """
        order = np.argsort(batch.high, kind="stable")
        high, low = batch.high[order], batch.low[order]
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = high[1:] != high[:-1]
        if (low[1:][~new[1:]] != low[:-1][~new[1:]]).any():
            order = np.lexsort((batch.low, batch.high))
            high, low = batch.high[order], batch.low[order]
            new[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
        groups = np.flatnonzero(new)
        links = (ranks[batch.orders] << _PARENT_BITS) | batch.parents
        least = np.minimum.reduceat(links[order], groups)
        starts = np.minimum.reduceat(batch.starts[order], groups)
        unknown = np.flatnonzero(~self.visited.contains(high[groups], low[groups]))
        kept = order[groups[unknown]]
        by_rank = np.argsort(ranks)
        found = batch.take(kept)
        found.parents = least[unknown] & _PARENT_MASK
        found.orders = by_rank[least[unknown] >> _PARENT_BITS].astype(np.int32)
        found.starts = starts[unknown]
        return found

    def add(self, batches: Sequence[Batch]) -> list[Ints]:
        """Number new states by key; the numbers of each batch's rows."""
        if not batches:
            return []
        high = np.concatenate([b.high for b in batches])
        low = np.concatenate([b.low for b in batches])
        order = np.lexsort((low, high))
        base = len(self)
        numbers = np.empty(len(order), dtype=np.int64)
        numbers[order] = base + np.arange(len(order))
        self.append(
            high[order],
            low[order],
            np.concatenate([b.parents for b in batches])[order],
            np.concatenate([b.orders for b in batches])[order],
        )
        ends = np.cumsum([len(b.rows) for b in batches])
        return np.split(numbers, ends[:-1])

    def append(self, high: Words, low: Words, parents: Ints, orders: NDArray[np.int32]) -> None:
        """The states of a level, sorted by key."""
        self.visited.add(high, low, len(self))
        self.high.append(high)
        self.low.append(low)
        self.parents.append(parents)
        self.orders.append(orders)
        self.first.append(len(self) + len(high))

    def append_all(self, high: Words, low: Words, parents: Ints, orders: NDArray[np.int32]) -> None:
        """States of several levels, by number.

        What matters of levels here is that keys ascend in each: two that happen to go on ascending may be one.
        """
        falls = (high[1:] < high[:-1]) | ((high[1:] == high[:-1]) & (low[1:] < low[:-1]))
        bounds = [0, *(np.flatnonzero(falls) + 1).tolist(), len(high)]
        for begin, end in pairwise(bounds):
            self.append(high[begin:end], low[begin:end], parents[begin:end], orders[begin:end])

    def since(self, number: int) -> tuple[Words, Words, Ints, NDArray[np.int32]]:
        """The states from a number on: halves of keys, parents, orders."""
        level = int(np.searchsorted(np.array(self.first), number, side="right")) - 1
        skip = number - self.first[level]
        high, low, parents, orders = (
            np.concatenate([np.zeros(0, dtype=kind), *column[level:]])[skip:]
            for column, kind in (
                (self.high, np.uint64),
                (self.low, np.uint64),
                (self.parents, np.int64),
                (self.orders, np.int32),
            )
        )
        return high, low, parents, orders

    # --- asking ----------------------------------------------------------------------------------------------------

    def key(self, number: int) -> int:
        """The key of a state."""
        level, row = self._place(number)
        return (int(self.high[level][row]) << 64) | int(self.low[level][row])

    def halves(self, numbers: Ints) -> tuple[Words, Words]:
        """The halves of the keys of some states."""
        least = int(numbers.min())
        high, low, _, _ = self.since(least)
        return high[numbers - least], low[numbers - least]

    def number(self, key: int) -> int:
        """The number of a state."""
        high, low = key >> 64, key & ((1 << 64) - 1)
        for level, column in enumerate(self.high):
            row = int(np.searchsorted(column, np.uint64(high)))
            while row < len(column) and int(column[row]) == high:
                if int(self.low[level][row]) == low:
                    return self.first[level] + row
                row += 1
        raise KeyError(f"{key:032x}")

    def _place(self, number: int) -> tuple[int, int]:
        level = int(np.searchsorted(np.array(self.first), number, side="right")) - 1
        return level, number - self.first[level]

    def path(self, key: int, orders: Sequence[StepOrder]) -> tuple[PathLink, ...]:
        """The links from Init to a state."""
        links: list[PathLink] = []
        number = self.number(key)
        while number >= 0:
            level, row = self._place(number)
            links.append(PathLink(orders[int(self.orders[level][row])], self.key(number)))
            number = int(self.parents[level][row])
        return tuple(reversed(links))
