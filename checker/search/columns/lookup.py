"""Lookup of bundles: a lossy table by what rows read, in front of the walk through the tree.

A unit is a rule, or its paths that begin with certain choices: what these read together is less than what all paths
read, so rows that look alike to a unit are many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import HALF, Ints, Mask, Words
from checker.search.columns.distinct_rows import distinct_rows
from checker.search.columns.packing import Version
from checker.search.columns.trie_walk import UNKNOWN, Walker
from interpreter.state.state import Slot

_FACTORS: Final = [
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xC2B2AE3D27D4EB4F),
    np.uint64(0x165667B19E3779F9),
    np.uint64(0xD6E8FEB86659FD93),
]
Versions = tuple[Version, ...]
MaskOf = Callable[[set[Slot]], Words]
"""The bits of slots in the words of rows."""
_FIRST_BITS: Final = 10
_MOST_BITS: Final = 17


class Asker(Protocol):
    """What finds the bundles of rows that are not in a table. `slots` collects what was read for that."""

    slots: set[Slot]

    def walk(self, rows: Ints) -> Ints:
        """The bundle of each row."""


class RowAsker:
    """Asks for the bundles of rows as `ask` does. `read`: the slots that were read so far, if they are found out so."""

    def __init__(self, ask: Callable[[Ints], Ints], read: Callable[[], set[Slot]]) -> None:
        self._ask = ask
        self._read = read
        self.slots: set[Slot] = set()

    def walk(self, rows: Ints) -> Ints:
        """The bundle, or whatever is kept in the table instead, of each row."""
        found = self._ask(rows)
        self.slots = self._read()
        return found


class Unit:
    """The table of one unit."""

    def __init__(self, branch: tuple[int, ...] | None) -> None:
        self.branch = branch
        self.slots: set[Slot] = set()
        self.misses = 0
        self._bits = _FIRST_BITS
        self._mask: list[tuple[int, np.uint64]] = []
        self._versions: Versions = ()
        self._keys: list[Words] = []
        self._values: NDArray[np.int32] = np.zeros(0, dtype=np.int32)

    def refit(self, mask: Words, versions: Versions) -> None:
        """Start the table anew for other bits."""
        self._mask = [(word, bits) for word, bits in enumerate(mask) if bits]
        self._versions = versions
        self._clear()

    def _follow(self, mask_of: MaskOf, versions: Versions) -> None:
        """Look at the bits that slots have now. What is known stays if only bits came to them that no row had."""
        if self._versions == versions:
            return
        mask, fresh = mask_of(self.slots), fresh_bits(self._versions, versions)
        if fresh is not None:
            old = np.zeros_like(mask)
            for word, bits in self._mask:
                old[word] = bits
            if (old & ~mask).any() or (mask & ~old & ~fresh).any():
                fresh = None
        if fresh is None:
            self.refit(mask, versions)
            return
        words = [word for word, bits in enumerate(mask) if bits]
        known = dict(zip([word for word, _ in self._mask], self._keys, strict=True))
        self._mask, self._versions = [(word, mask[word]) for word in words], versions
        if len(words) > len(known):
            nothing = np.zeros(1 << self._bits, dtype=np.uint64)
            self._put_anew([known.get(word, nothing) for word in words])

    def _put_anew(self, keys: list[Words]) -> None:
        """Put all that is known into a table of the size that it has now. `keys`: those at the old places."""
        taken = np.flatnonzero(self._values >= 0)
        columns, bundles = [column[taken] for column in keys], self._values[taken]
        self._clear()
        self._store(columns, bundles)

    def _clear(self) -> None:
        self._keys = [np.zeros(1 << self._bits, dtype=np.uint64) for _ in self._mask]
        self._values = np.full(1 << self._bits, -1, dtype=np.int32)

    def lookup(self, words: list[Words], mask_of: MaskOf, versions: Versions, walker: Callable[[], Asker]) -> Ints:
        """The bundle of each row. `mask_of` gives the bits of slots in the words, `walker` walks rows by index."""
        self._follow(mask_of, versions)
        count = len(words[0])
        found = np.empty(count, dtype=np.int64)
        rows = np.arange(count)
        while len(rows):
            everything = len(rows) == count
            masked = [(words[word] if everything else words[word].take(rows)) & bits for word, bits in self._mask]
            indexes = self._indexes(masked, len(rows))
            values = self._values.take(indexes)
            known = values >= 0
            for column, keys in zip(masked, self._keys, strict=True):
                known &= keys.take(indexes) == column
            if everything:
                found[:] = values
            else:
                found[rows] = values
            if known.all():
                break
            missing = np.flatnonzero(~known)
            rows = self._learn(rows, missing, masked, indexes, found, mask_of, versions, walker())
        return found

    def known(
        self, words: list[Words], mask_of: MaskOf, versions: Versions, walker: Callable[[], Walker], wanted: Mask
    ) -> Ints:
        """As `lookup`, by walkers that run nothing: `UNKNOWN` where that would be necessary, and where not `wanted`."""
        self._follow(mask_of, versions)
        while True:
            masked = [words[word] & bits for word, bits in self._mask]
            indexes = self._indexes(masked, len(words[0]))
            found: Ints = self._values.take(indexes).astype(np.int64)
            known = found >= 0
            for column, keys in zip(masked, self._keys, strict=True):
                known &= keys.take(indexes) == column
            found[~known] = UNKNOWN
            missing = np.flatnonzero(wanted & ~known)
            if not len(missing):
                return found
            columns = [column[missing] for column in masked]
            alike, first = distinct_rows(columns, len(missing))
            walk = walker()
            bundles = walk.known(missing[first])
            if not walk.slots <= self.slots:
                self.slots |= walk.slots
                self.refit(mask_of(self.slots), versions)
                continue
            found[missing] = bundles[alike]
            met = bundles >= 0
            self._store([column[first[met]] for column in columns], bundles[met])
            return found

    def _indexes(self, masked: list[Words], count: int) -> Ints:
        """The indexes in the table of rows with these bits."""
        if not masked:
            return np.zeros(count, dtype=np.int64)
        mixed = masked[0] * _FACTORS[0]
        for i, column in enumerate(masked[1:], 1):
            mixed ^= (column ^ (mixed >> np.uint64(29))) * _FACTORS[i % 4]
        mixed ^= mixed >> np.uint64(32)
        mixed *= _FACTORS[3]
        mixed >>= np.uint64(64 - self._bits)
        return mixed.view(np.int64)

    def _learn(
        self,
        rows: Ints,
        missing: Ints,
        masked: list[Words],
        indexes: Ints,
        found: Ints,
        mask_of: MaskOf,
        versions: Versions,
        walker: Asker,
    ) -> Ints:
        """Walk one row for each entry of the table that was missed; the others are returned, to be looked up again."""
        first = _one_of_each(indexes[missing], 1 << self._bits)
        chosen = missing[first]
        bundles = walker.walk(rows[chosen])
        found[rows[chosen]] = bundles
        others = rows[missing[~first]]
        self.misses += len(chosen)
        if not walker.slots <= self.slots:
            # Rows that looked alike may differ in what was read just now.
            self.slots |= walker.slots
            self.refit(mask_of(self.slots), versions)
            return others
        if self.misses > (1 << self._bits) // 2 and self._bits < _MOST_BITS:
            self._grow()
        self._store([column[chosen] for column in masked], bundles)
        return others

    def _store(self, columns: list[Words], bundles: Ints | NDArray[np.int32]) -> None:
        """Store the bundles of rows with these bits."""
        indexes = self._indexes(columns, len(bundles))
        for column, keys in zip(columns, self._keys, strict=True):
            keys[indexes] = column
        self._values[indexes] = bundles

    def _grow(self) -> None:
        """Make the table larger, with all that is in it."""
        self._bits += 2
        self._put_anew(self._keys)


def fresh_bits(old: Versions, new: Versions) -> Words | None:
    """The bits, by word, that held nothing in the old versions; None if bits are others now."""
    if len(old) != len(new) or any(a.moved != b.moved or a.width != b.width for a, b in zip(old, new, strict=True)):
        return None
    found: list[int] = []
    for version in old:
        found += [0] * (version.width - 1) + [HALF >> version.free << version.free]
    return np.array(found, dtype=np.uint64)


def _one_of_each(indexes: Ints, size: int) -> Mask:
    """Chooses one of the rows at each index below `size`."""
    rows = np.arange(len(indexes))
    last = np.empty(size, dtype=np.int64)
    last[indexes] = rows
    chosen: Mask = last[indexes] == rows
    return chosen
