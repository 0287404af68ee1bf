"""`SlotImages`: what the codes of a slot become under all renamings of a group, and what that adds to keys.

Where few codes are new, each is renamed by itself, once for all renamings that do not differ for the names in it. Where
many are, or they mention most names, they are renamed together: renamings in turn are gathers then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.names_in_use import Name
from checker.search.columns.renamed_codes import RenamedCodes, RenamedTables
from checker.search.columns.restrictions import Restricted, Restrictions
from interpreter.state.state import Slot

_MOST_ENTRIES: Final = 1 << 19
"""Codes times renamings of which tables are laid out. Of more, those of each renaming are gathered apart."""
_ALONE: Final = 3.0
_TOGETHER: Final = 15.0
_GATHERED: Final = 0.1
_RENAMED: Final = 30.0
"""What it takes to rename one code once, to begin with a renaming of all, to gather one code under it, and to rename
one for the renamings that others are made of: in microseconds, more or less."""

Apart = tuple[NDArray[np.intp], list[RenamedCodes]]
"""By renaming, the index of one of some that differ where it matters, and these."""


class SlotImages:
    """The images of the codes of a slot, or of a part of one. `targets`: those of the slot, by `which`."""

    def __init__(self, slot: Slot, tables: RenamedTables, restrictions: Restrictions) -> None:
        self._slot = slot
        self._tables = tables
        self._restrictions = restrictions
        self._path = tables.names_in(slot)
        self.which, ones = restrictions.to(self._path)
        self.targets: list[Slot] = [tables.target(one, slot) for one in ones]
        self._size = 0
        self._names: set[Name] | None = set() if self._path is not None else None
        self._codes = np.zeros((0, len(restrictions)), dtype=np.int32)
        self._sums: tuple[Words, Words] = (_no_words(restrictions), _no_words(restrictions))
        self.apart: Apart | None = None
        """What is gathered renaming by renaming, if there are too many codes to lay out."""
        self.matters = False
        """Whether any of them adds anything to keys."""

    def learn(self, size: int) -> None:
        """Know what so many codes become. Slots may have more codes after."""
        begin, self._size = self._size, max(size, self._size)
        if begin >= size:
            return
        alike: defaultdict[frozenset[Name] | None, list[int]] = defaultdict(list)
        for code in range(begin, size):
            alike[self._names_of(code)].append(code)
        if size * len(self._restrictions) > _MOST_ENTRIES:
            self._keep_apart()
            return
        together = self._restrictions.to(self._names)
        parts = [(self._restrictions.to(names), codes) for names, codes in alike.items()]
        alone = _ALONE * sum(len(one.ones) * len(codes) for one, codes in parts)
        more = (size - begin) * (_GATHERED * len(together.ones) + _RENAMED)
        self._make_room(size)
        if alone <= _TOGETHER * len(together.ones) + more:
            for one, codes in parts:
                self._put(np.array(codes, dtype=np.intp), one, *self._one_by_one(codes, one))
            return
        new = np.arange(begin, size)
        each = self._renamed(together)
        codes_of = np.stack([one.codes[begin:size] for one in each], axis=1)
        self._put(new, together, codes_of, np.stack([one.sums[begin:size] for one in each], axis=1))

    def codes(self, size: int) -> NDArray[np.int32]:
        """By code and renaming, the code of the image; for so many codes."""
        if self.apart is None:
            return self._codes[:size]
        which, each = self.apart
        made: NDArray[np.int32] = np.stack([one.codes[:size] for one in each], axis=1).astype(np.int32)[:, which]
        return made

    def sums(self, half: int, size: int) -> Words:
        """By code and renaming, half of what it adds to the key of an image more than to that of the row."""
        if self.apart is None:
            return self._sums[half][:size]
        which, each = self.apart
        made: Words = np.stack([one.sums[:size, half] for one in each], axis=1)[:, which]
        return made

    def _names_of(self, code: int) -> frozenset[Name] | None:
        """The names that a code mentions, or its slot; None: any."""
        if self._path is None or self._names is None:
            return None
        found = self._path | self._tables.names_of(self._slot, code)
        self._names |= found
        return found

    def _make_room(self, size: int) -> None:
        if size > len(self._codes):
            room = max(size, 2 * len(self._codes))
            self._codes = _grown(self._codes, room)
            self._sums = (_grown(self._sums[0], room), _grown(self._sums[1], room))

    def _put(self, codes: NDArray[np.intp], one: Restricted, images: Ints, sums: Words) -> None:
        self._codes[codes] = images[:, one.which]
        for half in (0, 1):
            self._sums[half][codes] = sums[:, one.which, half]
        self.matters = self.matters or bool(sums.any())

    def _one_by_one(self, codes: Sequence[int], one: Restricted) -> tuple[Ints, Words]:
        """Images of codes and what these add to keys, by code and renaming."""
        images = np.zeros((len(codes), len(one.ones)), dtype=np.int64)
        sums = np.zeros((*images.shape, 2), dtype=np.uint64)
        for at, renamed in enumerate(one.ones):
            images[:, at], sums[:, at] = self._tables.images(renamed, self._slot, codes)
        return images, sums

    def _renamed(self, one: Restricted) -> list[RenamedCodes]:
        each = [self._tables.of(renamed, self._slot) for renamed in one.ones]
        for codes in each:
            codes.learn()
        return each

    def _keep_apart(self) -> None:
        one = self._restrictions.to(self._names)
        each = self._renamed(one)
        self.apart = (one.which, each)
        self.matters = any(codes.matters for codes in each)
        self._codes = self._codes[:0]
        self._sums = (self._sums[0][:0], self._sums[1][:0])


def _no_words(restrictions: Restrictions) -> Words:
    return np.zeros((0, len(restrictions)), dtype=np.uint64)


def _grown(rows: NDArray[Any], room: int) -> NDArray[Any]:
    made = np.zeros((room, rows.shape[1]), dtype=rows.dtype)
    made[: len(rows)] = rows
    return made
