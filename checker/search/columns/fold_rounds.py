"""The members of containers of many rows in rounds: in each, those rows that are still asked take one turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from checker.search.columns.code_tables import Ints, Mask, Words, distinct
from checker.search.columns.element_bits import ElementBits
from checker.search.columns.packing import Packing, Rows
from checker.search.memo.heads import dict_keys_of, list_steps_of
from interpreter.state.state import Slot


class Round(NamedTuple):
    """One member of some rows: row `here[i]` has that of code `codes[i]`, the id of which is in `ids`."""

    here: Ints
    codes: Ints
    ids: Sequence[int]


class Rounds(Protocol):
    """All rounds. `answering`: the rows that answer a fold."""

    answering: Mask

    def __len__(self) -> int: ...

    def at(self, place: int, going_on: Mask) -> Round:
        """One round, of the rows that go on."""
        ...


def _alike(here: Ints, element: int) -> Round:
    """A round of rows that all have the same member."""
    return Round(here, np.zeros(len(here), dtype=np.int64), (element,))


class SetRounds:
    """The elements of sets or bags in order, a round for each that any row has."""

    def __init__(self, bits: ElementBits, rows: Rows) -> None:
        present, elements = bits.present(rows), bits.elements
        met = np.flatnonzero(present.any(axis=0))
        self._elements = [elements[field] for field in met.tolist()]
        self._present = np.ascontiguousarray(present.T[met])
        self.answering = np.ones(len(rows), dtype=np.bool_)

    def __len__(self) -> int:
        return len(self._elements)

    def at(self, place: int, going_on: Mask) -> Round:
        here = np.flatnonzero(self._present[place] & going_on)
        return _alike(here, self._elements[place])


class ListRounds:
    """The members of lists, a round for each place. Lists with containers in them do not answer."""

    def __init__(self, packing: Packing, slot: Slot, members: Sequence[Slot], rows: Rows) -> None:
        tables = packing.tables
        self._tables = [tables.of(member) for member in members]
        self._sizes = tables.lengths(slot).take(packing.codes(rows, slot))
        self._codes = [packing.codes(rows, member) for member in members[: int(self._sizes.max(initial=0))]]
        self._all = np.arange(len(rows))
        self.answering = self._sizes > 0
        for codes, member in zip(self._codes, members, strict=False):
            containers = tables.containers(member)
            if containers.any():
                self.answering &= containers.take(codes) == 0

    def __len__(self) -> int:
        return len(self._codes)

    def at(self, place: int, going_on: Mask) -> Round:
        some = (self._sizes > place) & going_on
        if some.all():
            return Round(self._all, self._codes[place], self._tables[place].ids)
        here = np.flatnonzero(some)
        return Round(here, self._codes[place].take(here), self._tables[place].ids)


class KeyRounds:
    """The keys of dicts in order, a round for each that any row has. Other values than divided dicts do not answer."""

    def __init__(self, packing: Packing, slot: Slot, rows: Rows) -> None:
        heads, interner = packing.tables.of(slot).ids, packing.tables.values
        codes = packing.codes(rows, slot)
        keys = [dict_keys_of(interner, head) for head in heads]
        self.answering = np.array([bool(held) for held in keys], dtype=np.bool_).take(codes)
        met = {key for code in distinct(codes).tolist() for key in keys[code]}
        self._keys = sorted(met, key=interner.order_key)
        self._codes = codes
        self._has = [np.array([key in held for held in map(frozenset, keys)], dtype=np.bool_) for key in self._keys]

    def __len__(self) -> int:
        return len(self._keys)

    def at(self, place: int, going_on: Mask) -> Round:
        here = np.flatnonzero(self._has[place].take(self._codes) & going_on)
        return _alike(here, self._keys[place])


class FixedRounds:
    """What is the same in all rows, a round for each element."""

    def __init__(self, elements: Sequence[int], rows: int) -> None:
        self._elements = elements
        self.answering = np.ones(rows, dtype=np.bool_)

    def __len__(self) -> int:
        return len(self._elements)

    def at(self, place: int, going_on: Mask) -> Round:
        here = np.flatnonzero(going_on)
        return _alike(here, self._elements[place])


class Fixed:
    """Elements that are the same in all states."""

    def __init__(self, elements: Sequence[int]) -> None:
        self._elements = elements

    def rounds(self, rows: Rows) -> FixedRounds:
        """The elements, for each of these rows."""
        return FixedRounds(self._elements, len(rows))

    def words(self, rows: Rows, which: Ints) -> list[Words]:
        """Nothing tells rows apart."""
        return [np.zeros(len(which), dtype=np.uint64)]

    def held(self, rows: Rows, row: int) -> list[int]:
        """The elements."""
        return list(self._elements)


class FoldedDicts:
    """The dicts in a slot of a packing that answer folds."""

    def __init__(self, packing: Packing, slot: Slot) -> None:
        self._packing = packing
        self._slot = slot

    def rounds(self, rows: Rows) -> KeyRounds:
        """The keys of the dicts in these rows."""
        return KeyRounds(self._packing, self._slot, rows)

    def words(self, rows: Rows, which: Ints) -> list[Words]:
        """What tells the keys of the dicts in some rows apart."""
        return [self._packing.codes(rows, self._slot).take(which).view(np.uint64)]

    def held(self, rows: Rows, row: int) -> list[int] | None:
        """The keys of the dict in one row; None if it does not answer."""
        packing = self._packing
        return list(dict_keys_of(packing.tables.values, packing.number(rows, row, self._slot))) or None


class FoldedLists:
    """The lists in a slot of a packing that answer folds."""

    def __init__(self, packing: Packing, slot: Slot) -> None:
        self._packing = packing
        self._slot = slot
        self._members = packing.members(slot)

    def rounds(self, rows: Rows) -> ListRounds:
        """The members of the lists in these rows."""
        return ListRounds(self._packing, self._slot, self._members, rows)

    def words(self, rows: Rows, which: Ints) -> list[Words]:
        """What tells the lists in some rows apart."""
        masks = self._packing.mask([self._slot, *self._members]).tolist()
        return [word.take(which) & np.uint64(mask) for word, mask in zip(rows.words, masks, strict=True) if mask]

    def held(self, rows: Rows, row: int) -> list[int] | None:
        """The members of the list in one row; None if it does not answer."""
        packing = self._packing
        steps = list_steps_of(packing.tables.values, packing.number(rows, row, self._slot))
        held = [packing.number(rows, row, (*self._slot, step)) for step in steps]
        return held if held and not any(map(packing.tables.has_container, held)) else None
