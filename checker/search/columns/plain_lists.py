"""`PlainLists`: the bits of lists, member by member, without dividing the lists.

Where a rule repeats nothing nearly every list is new, and to divide one takes longer than to run the rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from checker.search.memo.division import MOST_MEMBERS, ROOT_LENGTH
from checker.search.memo.heads import list_head, list_steps
from interpreter.state.state import UNBOUND, Slot
from interpreter.values.intern import Interner, Tag

if TYPE_CHECKING:
    from checker.search.columns.packing import PackedField

_LIST: Final = Tag.LIST
_Place = tuple[Mapping[int, int], int, int]
"""The codes of a part by id, the largest one that its bits can hold, and where in the bits of all words they begin."""


class PlainLists:
    """The lists in one slot of a layout, in a packing with these fields. `word_bits`: the bits of a word."""

    def __init__(self, slot: Slot, fields: Mapping[Slot, PackedField], word_bits: int, interner: Interner) -> None:
        self._slot = slot
        self._fields = fields
        self._word_bits = word_bits
        self._interner = interner
        self._places: dict[int, tuple[int, list[_Place]]] = {}
        """By length, the bits of the head and the places of the members."""

    def bits(self, number: int) -> int | None:
        """The bits of a list, in all words together; None if it must be divided.

        A member that has a code at its place is stored there as it is: how a container is read depends on its value
        and its slot alone.
        """
        interner = self._interner
        if number == UNBOUND or interner.tag(number) is not _LIST or interner.references(number):
            return None
        members = interner.payload(number)
        known = self._places.get(len(members)) or self._found(len(members))
        if known is None:
            return None
        bits, places = known
        for (codes, most, begin), member in zip(places, members, strict=True):
            code = codes.get(member)
            if code is None or code > most:
                return None
            bits |= code << begin
        return bits

    def _found(self, size: int) -> tuple[int, list[_Place]] | None:
        """The bits of the head of a list of some length, and the places of its members, if all have bits."""
        slot = self._slot
        if slot[0] not in ROOT_LENGTH or not 0 < size <= MOST_MEMBERS:
            return None
        places: list[_Place] = []
        for part in (slot, *[(*slot, step) for step in list_steps(size)]):
            field = self._fields.get(part)
            if field is None:
                return None
            places.append((field.table.codes, int(field.mask), self._word_bits * field.word + int(field.shift)))
        (codes, most, begin), *members = places
        head = codes.get(list_head(self._interner, size))
        if head is None or head > most:
            return None
        found = self._places[size] = (head << begin, members)
        return found
