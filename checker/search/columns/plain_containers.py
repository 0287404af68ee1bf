"""`PlainContainers`: the bits of lists, dicts and records, member by member, without dividing them.

Where a rule repeats nothing nearly every container is new, and to divide one takes longer than to run the rule.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from checker.search.memo.division import MOST_MEMBERS, ROOT_LENGTH, Divider
from checker.search.memo.heads import dict_head, dict_step, list_head, list_steps, record_head
from interpreter.state.state import UNBOUND, Slot
from interpreter.values.intern import Interner, Tag

if TYPE_CHECKING:
    from checker.search.columns.packing import PackedField


class _Place(NamedTuple):
    """The codes of a part by id, the largest one that its bits can hold, where in the bits of all words they begin."""

    codes: Mapping[int, int]
    most: int
    begin: int
    slot: Slot


_Shape = tuple[Slot, Tag, Hashable]
"""A slot or part of one, and what decides which parts a container there has: its length, keys or names."""
_NEVER: Final = -1
"""The bits of a container that must be divided."""


class PlainContainers:
    """The containers in one slot of a layout, in a packing with these fields. `word_bits`: the bits of a word."""

    def __init__(
        self, slot: Slot, fields: Mapping[Slot, PackedField], word_bits: int, divider: Divider, interner: Interner
    ) -> None:
        self._slot = slot
        self._fields = fields
        self._word_bits = word_bits
        self._divider = divider
        self._interner = interner
        self._places: dict[_Shape, tuple[int, list[_Place]]] = {}
        """By shape, the bits of the head and the places of the members."""

    def bits(self, number: int) -> int | None:
        """The bits of a container, in all words together; None if it must be divided.

        A member that has a code at its place is stored there as it is: how a container is read depends on its value
        and its slot alone.
        """
        if number == UNBOUND or self._slot[0] not in ROOT_LENGTH or self._interner.references(number):
            return None
        bits = self._bits(self._slot, number)
        return None if bits == _NEVER else bits

    def _bits(self, slot: Slot, number: int) -> int:
        tag, payload = self._interner.tag(number), self._interner.payload(number)
        shape: _Shape
        if tag is Tag.LIST:
            shape, members = (slot, tag, len(payload)), payload
        elif tag is Tag.DICT or tag is Tag.RECORD:
            shape, members = (slot, tag, tuple([name for name, _ in payload])), [member for _, member in payload]
        else:
            return _NEVER
        known = self._places.get(shape) or self._found(shape, payload)
        if known is None:
            return _NEVER
        bits, places = known
        for (codes, most, begin, part), member in zip(places, members, strict=True):
            code = codes.get(member)
            if code is None:
                inside = self._bits(part, member)
                if inside == _NEVER:
                    return _NEVER
                bits |= inside
            elif code > most:
                return _NEVER
            else:
                bits |= code << begin
        return bits

    def _found(self, shape: _Shape, payload: Sequence[object]) -> tuple[int, list[_Place]] | None:
        """The bits of the head of a container, and the places of its members, if all have bits."""
        slot, tag, named = shape
        if not 0 < len(payload) <= MOST_MEMBERS or self._divider.is_gathered(slot):
            return None
        places: list[_Place] = []
        number, steps = _shape(self._interner, tag, named)
        for part in (slot, *[(*slot, step) for step in steps]):
            field = self._fields.get(part)
            if field is None:
                return None
            begin = self._word_bits * field.word + int(field.shift)
            places.append(_Place(field.table.codes, int(field.mask), begin, part))
        (codes, most, begin, _), *members = places
        head = codes.get(number)
        if head is None or head > most:
            return None
        found = self._places[shape] = (head << begin, members)
        return found


def _shape(interner: Interner, tag: Tag, named: Any) -> tuple[int, Sequence[str]]:
    """The head, and the steps to the members. `named`: the length of a list, the keys of a dict, names of a record."""
    if tag is Tag.LIST:
        return list_head(interner, named), list_steps(named)
    if tag is Tag.DICT:
        return dict_head(interner, named), [dict_step(interner, key) for key in named]
    steps = tuple(f".{name}" for name in named)
    return record_head(interner, steps), steps
