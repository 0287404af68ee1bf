"""Comparison of states for transition assertions: by values, regardless of sharing (10.3).

Without shared containers, equal values have equal ids. Otherwise two states are walked side by side. A pair of values
that is being compared, or was, counts as equal: each pair is compared once, and cyclic values are equal if they unfold
to the same value.
"""

from __future__ import annotations

from itertools import compress
from operator import ne

from interpreter.state.state import Layout, State
from interpreter.values.intern import Interner, Tag
from interpreter.values.tags import CHANGING_TAGS, FIELD_TAGS, PAIR_TAGS

_SEEN = frozenset({"heap", "role", "param", "field"})

Pair = tuple[int, int]


class Alike:
    """Compares states of one machine by their state variables, role instances, params and fields."""

    def __init__(self, interner: Interner) -> None:
        self._interner = interner
        self._seen: dict[Layout, tuple[int, ...]] = {}

    def states(self, before: State, after: State) -> bool:
        """Whether two states are equal in the slots compared, regardless of sharing."""
        ours, theirs = self._positions(before.layout), self._positions(after.layout)
        if before.layout is after.layout and not before.layout.cells and len(ours) == len(before.values):
            return before.values == after.values
        if before.layout is not after.layout:
            slots = [before.layout.slots[i] for i in ours]
            if slots != [after.layout.slots[i] for i in theirs]:
                return False
        old, new = [before.values[i] for i in ours], [after.values[i] for i in theirs]
        if not (before.layout.cells or after.layout.cells):
            return old == new
        # Most steps change a value without aliases. Those with aliases may be equal though their ids differ, and differ
        # though their ids are equal.
        aliased = {*self._interner.referring(old), *self._interner.referring(new)}
        if any(i not in aliased for i in compress(range(len(old)), map(ne, old, new))):
            return False
        return self._equal([(old[i], new[i]) for i in aliased], before, after, set())

    def differ(self, left: int, right: int) -> bool:
        """Whether two values are unequal whatever is in shared containers; False: that may decide."""
        interner = self._interner
        if not (interner.references(left) or interner.references(right)):
            return left != right
        tag = interner.tag(left)
        if Tag.REF in (tag, interner.tag(right)):
            return False
        inside, there = interner.children(left), interner.children(right)
        if tag is not interner.tag(right) or len(inside) != len(there) or self._names(left) != self._names(right):
            return True
        return tag not in CHANGING_TAGS and any(map(self.differ, inside, there))

    def _positions(self, layout: Layout) -> tuple[int, ...]:
        if layout not in self._seen:
            self._seen[layout] = tuple(i for i, slot in enumerate(layout.slots) if slot[0] in _SEEN)
        return self._seen[layout]

    def _equal(self, pending: list[Pair], before: State, after: State, met: set[Pair]) -> bool:
        """Whether the values of all pairs are equal. `met` are the pairs that count as equal; more are added."""
        interner = self._interner
        while pending:
            pair = pending.pop()
            if pair in met:
                continue
            left, right = pair
            if not (interner.references(left) or interner.references(right)):
                if left != right:
                    return False
                continue
            met.add(pair)
            left, right = self._content(left, before), self._content(right, after)
            tag = interner.tag(left)
            if tag is not interner.tag(right):
                return False
            if tag in CHANGING_TAGS:
                if not self._matched(self._members(left), self._members(right), before, after, met):
                    return False
                continue
            if self._names(left) != self._names(right):
                return False
            inside, there = interner.children(left), interner.children(right)
            if len(inside) != len(there):
                return False
            pending += zip(inside, there, strict=True)
        return True

    def _content(self, number: int, state: State) -> int:
        interner = self._interner
        return state.get(("cell", interner.payload(number)[0])) if interner.tag(number) is Tag.REF else number

    def _names(self, number: int) -> list[str]:
        """The names of the fields, of structs and records."""
        interner = self._interner
        return [name for name, _ in interner.payload(number)] if interner.tag(number) in FIELD_TAGS else []

    def _members(self, number: int) -> list[tuple[int, ...]]:
        """The members to be matched: elements, or pairs of a map."""
        interner = self._interner
        if interner.tag(number) in PAIR_TAGS:
            return list(interner.payload(number))
        return [(child,) for child in interner.children(number)]

    def _matched(
        self, left: list[tuple[int, ...]], right: list[tuple[int, ...]], before: State, after: State, met: set[Pair]
    ) -> bool:
        """Whether members can be paired off as equals. Equality is transitive, so that the first match will do."""
        if len(left) != len(right):
            return False
        for member in left:
            for index, other in enumerate(right):
                tried = set(met)
                if self._equal(list(zip(member, other, strict=True)), before, after, tried):
                    met |= tried
                    del right[index]
                    break
            else:
                return False
        return True
