"""Comparisons of two containers by columns: see `checker.search.memo.comparisons`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from checker.search.columns.code_tables import Ints, Mask, distinct
from checker.search.columns.element_bits import ElementBits
from checker.search.columns.packing import Packing, Rows
from checker.search.memo.comparisons import (
    BEGINS,
    FIRST,
    MOST_ELEMENTS,
    MOST_PARTS,
    SAME,
    WITHIN,
    compares_by_id,
)
from checker.search.memo.heads import list_steps_of
from interpreter.state.state import UNBOUND, Slot
from interpreter.values.intern import FALSE, TRUE
from interpreter.values.tags import Tag

_ANSWERS: Final = (UNBOUND, FALSE, TRUE)
_UNKNOWN, _FALSE, _TRUE = range(3)


class Side(NamedTuple):
    """A container of some rows, in a slot of their packing."""

    packing: Packing
    rows: Rows
    slot: Slot

    @property
    def is_by_elements(self) -> bool:
        """Whether sets there are stored by elements."""
        return self.packing.tables.divider.by_elements(self.slot)

    def comparable_bits(self) -> ElementBits | None:
        """The elements of the sets there; None if not all rows have a set that is compared by these."""
        if not self.is_by_elements:
            return None
        bits = self.packing.elements(self.slot)
        fits = bits.compare_by_id and len(bits.fields) <= MOST_ELEMENTS and _are_sets(self, bits)
        return bits if fits else None

    def elements(self) -> dict[int, Mask] | None:
        """By element, which rows have it; None if they are not compared by that, as those of bags are not."""
        bits = self.comparable_bits()
        if bits is None or bits.tag is not Tag.SET:
            return None
        return dict(zip(bits.elements, bits.present(self.rows).T, strict=True))


def compared(question: str, left: Side, right: Side, which: Ints) -> tuple[Ints, Sequence[int]]:
    """The answers in some rows, as codes and the ids by code."""
    left, right = (Side(side.packing, side.rows.take(which), side.slot) for side in (left, right))
    if left.slot not in left.packing.fields or right.slot not in right.packing.fields:
        known, equal = np.zeros(len(which), dtype=np.bool_), np.zeros(len(which), dtype=np.bool_)
    elif question in (SAME, WITHIN) and left.slot == right.slot:
        known, equal = _same(left, right, question == WITHIN)
    elif question == WITHIN or (question == SAME and left.is_by_elements):
        known, equal = _sets_apart(left, right, question == WITHIN)
    else:
        known, equal = _beginning(left, right, question)
    return np.where(known, np.where(equal, _TRUE, _FALSE), _UNKNOWN), _ANSWERS


def compared_in(question: str, left: Side, right: Side, row: int) -> int:
    """The answer in one row, as an id."""
    if question == WITHIN or (question == SAME and (left.slot == right.slot or left.is_by_elements)):
        codes, ids = compared(question, left, right, np.array([row]))
        return ids[int(codes[0])]
    most = FIRST.get(question, MOST_PARTS)
    mine, other = _members_in(left, row, most), _members_in(right, row, most)
    if mine is None or other is None:
        return UNBOUND
    begun = mine[: len(other)]
    pairs = [*((left.packing, number) for number in begun), *((right.packing, number) for number in other)]
    if not all(_is_known(packing, number) for packing, number in pairs):
        return UNBOUND
    return TRUE if begun == other and (question == BEGINS or len(mine) == len(other)) else FALSE


def _members_in(side: Side, row: int, most: int) -> list[int] | None:
    """The first members of the list in one row, as ids; None if it is no list with members, part by part."""
    packing = side.packing
    if side.slot not in packing.fields:
        return None
    steps = list_steps_of(packing.tables.values, packing.number(side.rows, row, side.slot))[:most]
    return [packing.number(side.rows, row, (*side.slot, step)) for step in steps] or None


def _is_known(packing: Packing, number: int) -> bool:
    """Whether a value is all there is to compare, by what it is."""
    tables = packing.tables
    return not tables.has_container(number) and compares_by_id(tables.values, number)


def _same(left: Side, right: Side, within: bool) -> tuple[Mask, Mask]:
    """Whether it is known that the containers in one slot are equal, and whether they are, by all their parts.

    `within`: or that one set is `within` the other, which is only known of sets that are stored by elements.
    """
    tables = left.packing.tables
    known, equal = np.ones(len(left.rows), dtype=np.bool_), np.ones(len(left.rows), dtype=np.bool_)
    bits = left.comparable_bits() if left.packing is right.packing else None
    if bits is not None:
        return known, _same_bits(left, right, bits, within)
    parts = tables.below(left.slot)
    if within or len(parts) > MOST_PARTS:
        return ~known, equal
    for part in parts:
        codes = [side.packing.codes(side.rows, part) if part in side.packing.fields else None for side in (left, right)]
        known &= _comparable(left.packing, part, codes)
        one, other = (np.zeros(len(equal), dtype=np.int64) if held is None else held for held in codes)
        equal &= one == other
    return known, equal


def _sets_apart(left: Side, right: Side, within: bool) -> tuple[Mask, Mask]:
    """As `_same`, of sets in two slots."""
    rows = len(left.rows)
    mine, others = left.elements(), right.elements()
    none, differing = np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=np.bool_)
    if mine is None or others is None:
        return none, differing
    for element in mine.keys() | others.keys():
        one, other = mine.get(element, none), others.get(element, none)
        differing |= (one & ~other) if within else (one ^ other)
    return np.ones(rows, dtype=np.bool_), ~differing


def _are_sets(side: Side, bits: ElementBits) -> bool:
    """Whether all rows have a set that is stored by elements."""
    ids = side.packing.fields[side.slot].table.ids
    return all(bits.is_head(ids[code]) for code in distinct(side.packing.codes(side.rows, side.slot)).tolist())


def _same_bits(left: Side, right: Side, bits: ElementBits, within: bool) -> Mask:
    """Whether the bits of all elements and the heads are the same, or those that are set, in rows of one packing."""
    head = left.packing.fields[left.slot]
    masks = [*bits.masks, (head.word, head.mask << head.shift)]
    differing = np.zeros(len(left.rows), dtype=np.uint64)
    for word, mask in masks:
        one, other = left.rows.words[word], right.rows.words[word]
        differing |= (one & ~other if within else one ^ other) & mask
    same: Mask = differing == 0
    return same


def _beginning(left: Side, right: Side, question: str) -> tuple[Mask, Mask]:
    """As `_same`, of two lists: whether they are equal, the first one begins as the second one, or both alike."""
    tables = left.packing.tables
    sizes = [tables.lengths(side.slot).take(side.packing.codes(side.rows, side.slot)) for side in (left, right)]
    known = (sizes[0] > 0) & (sizes[1] > 0)
    if question in FIRST:
        sizes = [np.minimum(held, FIRST[question]) for held in sizes]
    equal = sizes[0] >= sizes[1] if question == BEGINS else sizes[0] == sizes[1]
    most = int(sizes[1].max(initial=0, where=known))
    members = [side.packing.members(side.slot)[:most] for side in (left, right)]
    for place, (mine, other) in enumerate(zip(*members, strict=False)):
        here = sizes[1] > place
        held = left.packing.codes(left.rows, mine), right.packing.codes(right.rows, other)
        known &= ~here | (_is_whole(left.packing, mine, held[0]) & _is_whole(right.packing, other, held[1]))
        if mine == other:
            alike = held[0] == held[1]
        else:
            ids = [np.array(tables.of(slot).ids, dtype=np.int64) for slot in (mine, other)]
            alike = ids[0].take(held[0]) == ids[1].take(held[1])
        equal &= ~here | alike
    return known, equal


def _is_whole(packing: Packing, slot: Slot, codes: Ints) -> Mask:
    """Whether a value in a slot, by code, is all there is to compare: of a container it may be the head alone."""
    found: Mask = packing.tables.containers(slot).take(codes) == 0
    return found & _comparable(packing, slot, [codes])


def _comparable(packing: Packing, slot: Slot, columns: Sequence[Ints | None]) -> Mask:
    """Whether the values in a slot, by code, can be compared by what they are, in all these columns."""
    apart = packing.tables.apart(slot)
    found = np.ones(1, dtype=np.bool_)
    for codes in columns:
        if codes is not None and apart.any():
            found = found & (apart.take(codes) == 0)
    return found
