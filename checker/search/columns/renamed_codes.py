"""The codes of slots and their parts under a renaming: codes of the image of the slot, and what that adds to keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from checker.search.columns.capacity import LISTED
from checker.search.columns.code_tables import NO_PROPERTY, CodeTable, Ints, Tables, Words
from checker.search.memo.division import root_of
from checker.search.memo.heads import renamed_head
from interpreter.state.renaming import Renamed
from interpreter.state.state import UNBOUND, Slot
from interpreter.values.intern import Interner, Tag


class RenamedCodes:
    """The codes of one slot, or of a part of one, under one renaming; `target` is its image."""

    def __init__(self, target: Slot, source_table: CodeTable, target_table: CodeTable) -> None:
        self.target: Final = target
        self._source: Final = source_table
        self._target: Final = target_table
        self.codes: Ints = NO_PROPERTY
        self.sums: Words = np.zeros((0, 2), dtype=np.uint64)
        self.matters = False
        """Whether renaming any code changes what it adds to keys."""

    def learn(self) -> None:
        """Rename the codes that are new."""
        begin, end = len(self.codes), len(self._source)
        if begin == end:
            return
        codes = self._renamed(begin, end)
        self.codes = np.concatenate([self.codes, codes])
        source, target = self._source, self._target
        sums = target.sums[codes] + target.origin - source.sums[begin:end] - source.origin
        self.sums = np.concatenate([self.sums, sums])
        self.matters = self.matters or bool(sums.any())

    def _renamed(self, begin: int, end: int) -> Ints:
        raise NotImplementedError


class _OneByOne(RenamedCodes):
    """Codes that are renamed by their values."""

    def __init__(
        self, target: Slot, source_table: CodeTable, target_table: CodeTable, rename: Callable[[int], int]
    ) -> None:
        super().__init__(target, source_table, target_table)
        self._rename = rename

    def _renamed(self, begin: int, end: int) -> Ints:
        numbers = self._source.ids[begin:end]
        renamed = [n if n == UNBOUND else self._rename(n) for n in numbers]
        return np.array([self._target.code(number) for number in renamed], dtype=np.int64)


class _InTurn(RenamedCodes):
    """Codes that are renamed twice."""

    def __init__(
        self,
        target: Slot,
        source_table: CodeTable,
        target_table: CodeTable,
        steps: tuple[RenamedCodes, RenamedCodes],
    ) -> None:
        super().__init__(target, source_table, target_table)
        self._steps = steps

    def _renamed(self, begin: int, end: int) -> Ints:
        first, then = self._steps
        first.learn()
        # What the first renaming leads to may be new itself.
        then.learn()
        codes: Ints = then.codes[first.codes[begin:end]]
        return codes


class RenamedTables:
    """The codes of all slots under all renamings that one run has met."""

    def __init__(self, interner: Interner, tables: Tables) -> None:
        self._interner = interner
        self._tables = tables
        self._known: dict[tuple[Renamed, Slot], RenamedCodes] = {}
        self._dropped = tables.dropped

    def of(self, renamed: Renamed, slot: Slot) -> RenamedCodes:
        """The codes of a slot, or of a part of one, under a renaming, as far as they were learned."""
        if self._dropped != self._tables.dropped:
            self._dropped = self._tables.dropped
            self._known.clear()
        known = self._known.get((renamed, slot))
        if known is None:
            known = self._known[renamed, slot] = self._made(renamed, slot)
        return known

    def _made(self, renamed: Renamed, slot: Slot) -> RenamedCodes:
        target = self._target(renamed, slot)
        source_table, target_table = self._tables.of(slot), self._tables.of(target)
        if renamed.steps is not None:
            first = self.of(renamed.steps[0], slot)
            then = self.of(renamed.steps[1], first.target)
            # What is not in use, and holds nothing, may have another image.
            if then.target == target:
                return _InTurn(target, source_table, target_table, (first, then))
        return _OneByOne(target, source_table, target_table, partial(self._value, renamed, slot))

    def _target(self, renamed: Renamed, slot: Slot) -> Slot:
        if slot[0] in LISTED:
            return slot
        root = root_of(slot)
        rename = partial(renamed.value, root)
        steps = [self._tables.divider.renamed(step, rename) for step in slot[len(root) :]]
        return (*renamed.slot(root), *steps)

    def _value(self, renamed: Renamed, slot: Slot, number: int) -> int:
        """What the image holds in the image of a slot, or of a part of one."""
        rename = partial(renamed.value, slot)
        tag = self._interner.tag(number)
        return renamed_head(self._interner, number, rename) if tag is Tag.HEAD else rename(number)
