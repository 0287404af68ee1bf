"""What is kept of all states found: what distinguishes them, and how each was reached. Some 26 bytes a state."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise, takewhile
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from checker.core.exploration import PathLink
from checker.core.level import KeysCollide
from checker.search.columns.batch import Batch, counts
from checker.search.columns.code_tables import Ints, Mask, Words, distinct, halves
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.spill_file import SpillFiles, in_memory
from checker.search.columns.visited_keys import Numbers, VisitedKeys
from checker.search.contract.bounds import fewest_starts
from checker.search.contract.key_order import order_of_halves
from checker.search.contract.parents import crashes_after, least_parents
from checker.search.contract.ranks import least_of_level, order_of_level
from fizz.base.data import demand
from interpreter.state.step import StepOrder

_NONE: Final = (1 << 32) - 1
"""The parent of an initial state, as it is stored."""
_PAGE_BITS: Final = 16
_PAGE: Final = 1 << _PAGE_BITS
_MOST_PAGES: Final = 16
"""So many pages of so many keys, by number, are held for those who ask for keys one by one."""


class StateStore:
    """All states found, numbered by (level, key).

    If each fits one word, and all are of one packing, the states themselves are stored instead of the low halves of
    their keys: then they are compared, and not their keys alone. This ends when two of them share a high half; until
    then the high half identifies a state.
    """

    def __init__(self, spill_files: SpillFiles | None = None) -> None:
        self.spill_files = spill_files or SpillFiles()
        self.packing: Packing | None = None
        """How the states are packed, where they are stored themselves."""
        self.visited = VisitedKeys(self.spill_files)
        self.parents: list[NDArray[np.uint32]] = []
        self.orders: list[NDArray[Any]] = []
        """The numbers of step orders, which are few, in as few bytes as those of a level need."""
        self.first: list[int] = [0]
        self._pages: dict[int, tuple[Words, Words]] = {}
        self._paged = 0
        """How many states were found when the pages were taken out."""

    @property
    def exact(self) -> bool:
        """Whether states are compared, and not their keys alone."""
        return self.packing is not None

    def __len__(self) -> int:
        return self.first[-1]

    @property
    def bytes(self) -> int:
        """What all this takes in memory."""
        return self.visited.bytes + in_memory(self.parents) + in_memory(self.orders)

    def spill(self) -> None:
        """Write all this to spill files."""
        self.visited.spill()
        links: list[list[Any]] = [self.parents, self.orders]
        for columns in links:
            columns[:] = [self.spill_files.put(column) for column in columns]

    def least(self, batch: Batch, ranks: Ints) -> Batch:
        """Each state of a batch once, sorted by key, with its parent; sources are numbered by key."""
        # Which of equal states comes first is all the same: of these the least parent counts.
        order = order_of_halves(batch.high)
        high, rest = batch.high.take(order), self._rest(batch).take(order)
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = high[1:] != high[:-1]
        differ = (rest[1:] != rest[:-1]) & ~new[1:]
        if differ.any():
            if self.packing is not None:
                low = batch.low.take(order)
                if ((low[1:] == low[:-1]) & differ).any():
                    raise KeysCollide
                self.compare_keys()
            order = np.lexsort((batch.low, batch.high))
            high, low = batch.high.take(order), batch.low.take(order)
            new[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
        groups = np.flatnonzero(new)
        crashes, orders, parents = least_parents(order, groups, batch.crashes, batch.orders, batch.parents, ranks)
        found = batch.take(order.take(groups))
        found.parents = parents.astype(np.uint32)
        found.orders = orders.astype(np.int32)
        found.starts = fewest_starts(batch.starts, order, groups).astype(np.int32)
        found.crashes = counts(crashes)
        return found

    def known(self, found: Batch) -> Mask:
        """Which states of a batch, as `least` gives it, were found before the level under way."""
        known, shared = self.visited.contains(found.high, self._rest(found))
        if shared and self.packing is not None:
            self.compare_keys()
            by_key, _ = self.visited.contains(found.high, found.low)
            if (by_key != known).any():
                raise KeysCollide
        return known

    def order(self, batches: Sequence[Batch]) -> Ints | None:
        """The order by key of the states of some batches together; None: there is one, and it is sorted."""
        if len(batches) == 1:
            return None
        high = np.concatenate([b.high for b in batches])
        order = order_of_halves(high)
        ordered = high.take(order)
        if (ordered[1:] == ordered[:-1]).any():
            order = np.lexsort((np.concatenate([b.low for b in batches]), high))
        return order

    def numbers_from(self, base: int, batches: Sequence[Batch], order: Ints | None) -> list[NDArray[np.uint32]]:
        """The numbers of the rows of new states, if the least of them has the number `base`."""
        counts = [len(b) for b in batches]
        ascending = np.arange(base, base + sum(counts), dtype=np.uint32)
        if order is None:
            return [ascending]
        numbers = np.empty(len(order), dtype=np.uint32)
        numbers[order] = ascending
        return np.split(numbers, np.cumsum(counts)[:-1])

    def add(self, batches: Sequence[Batch], order: Ints | None) -> None:
        """Take in new states in this order. Their keys are greater than those added of the same level."""
        if order is None:
            (batch,) = batches
            # Rows are packed anew by others, and so are those that are stored.
            rest = batch.low if self.packing is None else batch.rows.words[0].copy()
            self.append(batch.high, rest, batch.parents, batch.orders)
            return
        self.append(
            np.concatenate([b.high for b in batches])[order],
            np.concatenate([b.low for b in batches])[order],
            np.concatenate([b.parents for b in batches])[order],
            np.concatenate([b.orders for b in batches])[order],
        )

    def append(self, high: Words, rest: Words, parents: NDArray[Any], orders: NDArray[np.int32]) -> None:
        """States of a level, sorted by key; the parent of an initial one is -1. `rest`: the low halves of the keys."""
        self.visited.add(high, rest, len(self))
        self.parents.append(parents.astype(np.uint32, copy=False))
        self.orders.append(_narrow(orders))
        self.first.append(len(self) + len(high))

    def append_all(self, high: Words, low: Words, parents: Ints, orders: NDArray[np.int32]) -> None:
        """States of several levels, by number. Raises `NotData` if they are not in order."""
        bounds = [0]
        while bounds[-1] < len(parents):
            # The parents of a level are on the level before, so those of the states below have greater numbers. A level
            # has a state at least, no matter what a file says.
            bounds.append(max(bisect_left(parents, bounds[-1], bounds[-1]), bounds[-1] + 1))
        ascending = (high[1:] > high[:-1]) | ((high[1:] == high[:-1]) & (low[1:] > low[:-1]))
        ascending[np.array(bounds[1:-1], dtype=np.int64) - 1] = True
        demand(bool(ascending.all()), "the keys of a level in order")
        for begin, end in pairwise(bounds):
            self.append(high[begin:end], low[begin:end], parents[begin:end], orders[begin:end])

    def since(self, number: int) -> tuple[Words, Words, Ints, NDArray[np.int32]]:
        """The states from a number on: halves of keys, parents, orders."""
        level = int(np.searchsorted(np.array(self.first), number, side="right")) - 1
        skip = number - self.first[level]
        stored = np.concatenate([np.zeros(0, dtype=np.uint32), *self.parents[level:]])[skip:]
        parents = stored.astype(np.int64)
        parents[stored == _NONE] = -1
        orders = np.concatenate([np.zeros(0, dtype=np.int32), *self.orders[level:]])[skip:]
        return *self.keys_since(number), parents, orders

    # --- a part of the states ---------------------------------------------------------------------------------------

    def narrow(self, part: Callable[[Words], slice]) -> None:
        """Keep that part of the states found which is given of sorted high halves, but not how they were reached.

        From then on others may keep states that come between. Numbers are those among all.
        """
        self.visited.narrow(part)
        self.parents, self.orders, self.first = [], [], [len(self)]

    def skip_to(self, number: int) -> None:
        """Have the next state numbered so: those before are kept by others."""
        self.first[-1] = number

    def taken(self, number: int) -> tuple[Words, Words, Numbers, NDArray[np.int32]]:
        """The states from a number on, and how they were reached, which is not kept: key halves, parents, orders."""
        high, rest, _ = self.visited.by_number(number)
        parents = np.concatenate([np.zeros(0, dtype=np.uint32), *self.parents])
        orders = np.concatenate([np.zeros(0, dtype=np.int32), *self.orders])
        self.parents, self.orders = [], []
        return high, self._low(rest), parents, orders

    def origin(self, number: int) -> tuple[int, int] | None:
        """The parent of a state, and the number of the step's order; None if how it was reached is not kept here."""
        added = bisect_right(self.first, number) - 1
        at = added - (len(self.first) - 1 - len(self.parents))
        if not 0 <= at < len(self.parents) or number - self.first[added] >= len(self.parents[at]):
            return None
        row = number - self.first[added]
        return int(self.parents[at][row]), int(self.orders[at][row])

    # --- distinguishing states --------------------------------------------------------------------------------------

    def compare_states(self, packing: Packing, words: Words) -> None:
        """Store the states found so far themselves, by number, and those to come, unless keys share a high half."""
        high, _ = self.visited.since(0)
        if len(distinct(high)) == len(high):
            for rests, numbers in self.visited.rests():
                rests[:] = words[numbers]
            self.packing = packing

    def compare_keys(self) -> None:
        """Store the low halves of keys again, instead of the states themselves."""
        if self.packing is not None:
            for rests, _ in self.visited.rests():
                rests[:] = self._low(rests)
            self.packing = None

    def repacked(self, packing: Packing) -> Iterator[Rows]:
        """The states of a packing that are stored themselves, in pieces: to be packed anew when the packing changes.

        Each piece is stored again when the next one is asked for.
        """
        if packing is not self.packing:
            return
        for rests, _ in self.visited.rests():
            rows = Rows([rests])
            yield rows
            rests[:] = rows.words[0] if packing.width == 1 else packing.lows(rows)
        if packing.width > 1:
            self.packing = None

    def _rest(self, batch: Batch) -> Words:
        return batch.low if self.packing is None else batch.rows.words[0]

    def _low(self, rest: Words) -> Words:
        return rest if self.packing is None else self.packing.lows(Rows([rest]))

    # --- asking ----------------------------------------------------------------------------------------------------

    def key(self, number: int) -> int:
        """The key of a state. Keys are taken out page by page: they are stored by their high halves."""
        page, row = number >> _PAGE_BITS, number & (_PAGE - 1)
        if self._paged != len(self.visited):
            self._pages.clear()
            self._paged = len(self.visited)
        held = self._pages.get(page)
        if held is None or row >= len(held[0]):
            if len(self._pages) == _MOST_PAGES:
                del self._pages[next(iter(self._pages))]
            begin = page << _PAGE_BITS
            high, rest = self.visited.between(begin, min(begin + _PAGE, max(len(self), number + 1)))
            held = self._pages[page] = high, self._low(rest)
        return _joined(held[0].item(row), held[1].item(row))

    def _keys(self, numbers: list[int]) -> list[int]:
        high, rest = self.visited.some(numbers)
        both = zip(high.tolist(), self._low(rest).tolist(), strict=True)
        return [_joined(*one) for one in both]

    def keys_since(self, number: int) -> tuple[Words, Words]:
        """The halves of the keys of all states from a number on, by number."""
        high, rest = self.visited.since(number)
        return high, self._low(rest)

    def halves(self, numbers: Ints) -> tuple[Words, Words]:
        """The halves of the keys of some states."""
        least = int(numbers.min())
        high, rest = self.visited.between(least, int(numbers.max()) + 1)
        return high[numbers - least], self._low(rest[numbers - least])

    def number(self, key: int) -> int:
        """The number of a state."""
        number = int(self.numbers(*halves([key]))[0])
        if number < 0 or self._keys([number]) != [key]:
            raise KeyError(f"{key:032x}")
        return number

    def numbers(self, high: Words, low: Words) -> Ints:
        """The numbers of states that were found, by the halves of their keys."""
        return self.visited.numbers_of(high, low if self.packing is None else None)

    def crashes(self, numbers: Ints, orders: Sequence[StepOrder]) -> Ints:
        """How many crash steps are on the paths to some states of one level, by their parents."""
        crash = np.array([order.crashes for order in orders], dtype=np.bool_)
        total = np.zeros(len(numbers), dtype=np.int64)
        level = int(np.searchsorted(np.array(self.first), numbers[:1], side="right")[0]) - 1
        for parents, order_numbers, first in zip(
            self.parents[level::-1], self.orders[level::-1], self.first[level::-1], strict=True
        ):
            rows = numbers - first
            total = crashes_after(total, crash.take(order_numbers[rows]))
            numbers = parents[rows].astype(np.int64)
        return total

    def ranks(self, orders: Sequence[StepOrder]) -> Ints:
        """The rank of each state among all, by (level, crashes, key)."""
        ranks = np.empty(len(self), dtype=np.int64)
        for begin, end in pairwise(self.first):
            level = np.arange(begin, end)
            ranks[begin + order_of_level(self.crashes(level, orders))] = level
        return ranks

    def cost(self, number: int, orders: Sequence[StepOrder]) -> tuple[int, int]:
        """The level of a state, and the crash steps on its path."""
        level = int(np.searchsorted(np.array(self.first), number, side="right")) - 1
        return level, int(self.crashes(np.array([number]), orders)[0])

    def costs(self, numbers: Sequence[int], orders: Sequence[StepOrder]) -> list[tuple[int, int, int]]:
        """The levels of states in ascending order, the crash steps on their paths, and their keys."""
        which = np.array(numbers, dtype=np.int64)
        levels = np.searchsorted(np.array(self.first), which, side="right") - 1
        ends = [*(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(which)]
        crashes = [self.crashes(which[begin:end], orders) for begin, end in pairwise([0, *ends])]
        high, low = self.halves(which)
        keys = map(_joined, high.tolist(), low.tolist())
        return list(zip(levels.tolist(), np.concatenate(crashes).tolist(), keys, strict=True))

    def least_of(self, numbers: Iterable[int], orders: Sequence[StepOrder]) -> int:
        """Of some states in ascending order the one of least (level, crashes, key)."""
        some = iter(numbers)
        least = next(some)
        end = self.first[int(np.searchsorted(np.array(self.first), least, side="right"))]
        level = np.array([*chain([least], takewhile(lambda number: number < end, some))], dtype=np.int64)
        return int(level[least_of_level(self.crashes(level, orders))])

    def path(self, key: int, orders: Sequence[StepOrder]) -> tuple[PathLink, ...]:
        """The links from Init to a state."""
        numbers: list[int] = []
        order_numbers: list[int] = []
        number = self.number(key)
        while number != _NONE:
            found = self.origin(number)
            assert found is not None
            numbers.append(number)
            number, order = found
            order_numbers.append(order)
        keys = self._keys(numbers)
        links = [PathLink(orders[order], key) for order, key in zip(order_numbers, keys, strict=True)]
        return tuple(reversed(links))


def _joined(high: int, low: int) -> int:
    return high << 64 | low


def _narrow(orders: NDArray[np.int32]) -> NDArray[Any]:
    return orders.astype(np.min_scalar_type(int(orders.max(initial=0))), copy=False)
