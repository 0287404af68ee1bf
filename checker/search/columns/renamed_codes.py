"""The codes of slots and their parts under a renaming: codes of the image of the slot, and what that adds to keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

import numpy as np

from checker.search.columns.capacity import LISTED
from checker.search.columns.code_tables import NO_PROPERTY, CodeTable, Ints, Tables, Words
from checker.search.columns.names_in_use import Name
from checker.search.memo.division import root_of
from checker.search.memo.heads import renamed_head
from interpreter.state.renaming import OF_INSTANCES, Renamed
from interpreter.state.state import UNBOUND, Slot, counted_instance
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
        sums = _sums(source, slice(begin, end), target, codes)
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
        return _one_by_one(self._source.ids[begin:end], self._target, self._rename)


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
        self._targets: dict[tuple[Renamed, Slot], Slot] = {}
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

    def images(self, renamed: Renamed, slot: Slot, codes: Sequence[int]) -> tuple[Ints, Words]:
        """The images of some codes of a slot, and what each adds to the key more than the code does."""
        source, target = self._tables.of(slot), self._tables.of(self.target(renamed, slot))
        images = _one_by_one(map(source.ids.__getitem__, codes), target, partial(self._value, renamed, slot))
        return images, _sums(source, codes, target, images)

    def target(self, renamed: Renamed, slot: Slot) -> Slot:
        """The image of a slot."""
        known = self._targets.get((renamed, slot))
        if known is None:
            known = self._targets[renamed, slot] = self._image(
                slot, renamed.slot, partial(renamed.value, root_of(slot))
            )
        return known

    def names_in(self, slot: Slot) -> frozenset[Name] | None:
        """The names on which it depends what the image of a slot is; None: all."""
        if slot[0] == "returns":
            # They stand in labels.
            return None
        found: set[Name] = set()

        def met(number: int) -> int:
            found.update(self._names(number))
            return number

        self._image(slot, lambda root: root, met)
        if slot[0] in OF_INSTANCES:
            found.add((slot[1], slot[2]))
        counted = counted_instance(slot)
        if counted is not None:
            found.add(counted[1:3])
        return frozenset(found)

    def names_in_all(self, slots: Iterable[Slot]) -> frozenset[Name] | None:
        """The names on which it depends what the images of some slots are; None: all."""
        found: frozenset[Name] = frozenset()
        for slot in slots:
            names = self.names_in(slot)
            if names is None:
                return None
            found |= names
        return found

    def names_of(self, slot: Slot, code: int) -> AbstractSet[Name]:
        """The names that a code of a slot mentions."""
        number = self._tables.of(slot).ids[code]
        return frozenset() if number == UNBOUND else self._names(number)

    def _names(self, number: int) -> AbstractSet[Name]:
        interner = self._interner
        return interner.symmetric(number) | interner.roles(number) | interner.identities(number)

    def _made(self, renamed: Renamed, slot: Slot) -> RenamedCodes:
        target = self.target(renamed, slot)
        source_table, target_table = self._tables.of(slot), self._tables.of(target)
        if renamed.steps is not None:
            first = self.of(renamed.steps[0], slot)
            then = self.of(renamed.steps[1], first.target)
            # What is not in use, and holds nothing, may have another image.
            if then.target == target:
                return _InTurn(target, source_table, target_table, (first, then))
        return _OneByOne(target, source_table, target_table, partial(self._value, renamed, slot))

    def _image(self, slot: Slot, of_root: Callable[[Slot], Slot], rename: Callable[[int], int]) -> Slot:
        """The image of a slot, given those of what it is a part of and of the keys and elements on the way to it."""
        if slot[0] in LISTED:
            return slot
        root = root_of(slot)
        return (*of_root(root), *[self._tables.divider.renamed(step, rename) for step in slot[len(root) :]])

    def _value(self, renamed: Renamed, slot: Slot, number: int) -> int:
        """What the image holds in the image of a slot, or of a part of one."""
        rename = partial(renamed.value, slot)
        tag = self._interner.tag(number)
        return renamed_head(self._interner, number, rename) if tag is Tag.HEAD else rename(number)


def _one_by_one(numbers: Iterable[int], target: CodeTable, rename: Callable[[int], int]) -> Ints:
    """The codes of renamed values."""
    return np.array([target.code(n if n == UNBOUND else rename(n)) for n in numbers], dtype=np.int64)


def _sums(source: CodeTable, codes: Sequence[int] | slice, target: CodeTable, images: Ints) -> Words:
    """What the images of some codes add to keys more than the codes do."""
    found: Words = target.sums[images] + target.origin - source.sums[codes] - source.origin
    return found
