"""A renaming of symmetric values and instances, applied to slots and values (language page, 11.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import inf
from typing import Final, NamedTuple

from interpreter.state.normalise import rebuild
from interpreter.state.state import Layout, Slot, counted_instance
from interpreter.values.intern import Interner, Tag

Index = int | Fraction | float
Renumbering = Mapping[Index, Index]
"""New indices of one domain by old index."""
Renaming = Mapping[str, Renumbering]
"""Renumberings by domain name (of a symmetric role: its name)."""

_FEW: Final = 2
_MOST: Final = 5
"""Renumberings of more than `_FEW` and at most so many indices are made of others: of more, few are ever asked for."""

OF_INSTANCES: Final = frozenset({"role", "param", "field", "reset"})
"""The slots of instances: name and number of one are second and third in them."""
LOWEST: Final = -inf
HIGHEST: Final = inf
"""The open ends of segments, which a reflection exchanges."""


class OrderedSlot(NamedTuple):
    """A slot of a layout, with its position, and what its values add to the key of an image."""

    position: int
    slot: Slot
    sums: dict[int, int]


class Renamed:
    """The images of slots and values under a renaming, cached. `sums`: by slot, what its values add to the key of the
    image.

    `orders`: by layout the positions of its slots, without cells, in the order of their images. `steps`: two renamings
    that are the same as this one, in turn: what they have renamed already is looked up, not built again.
    """

    def __init__(self, interner: Interner, renaming: Renaming, steps: tuple[Renamed, Renamed] | None = None) -> None:
        self._interner = interner
        self._new = renaming
        self.steps = steps
        self._values: dict[int, int] = {}
        self._slots: dict[Slot, Slot] = {}
        self.sums: defaultdict[Slot, dict[int, int]] = defaultdict(dict)
        self.orders: dict[Layout, tuple[OrderedSlot, ...]] = {}
        self.changes = any(old != new for indices in renaming.values() for old, new in indices.items())

    # --- slots -----------------------------------------------------------------------------------------------------

    def slot(self, slot: Slot) -> Slot:
        """The image of a slot."""
        known = self._slots.get(slot)
        if known is None:
            known = self._slots[slot] = self._slot(slot)
        return known

    def _slot(self, slot: Slot) -> Slot:
        if slot[0] in OF_INSTANCES and slot[1] in self._new:
            return (slot[0], slot[1], self._new[slot[1]].get(slot[2], slot[2]), *slot[3:])
        counted = counted_instance(slot)
        if counted is not None and counted[1] in self._new:
            prefix, role, number, action = counted
            renamed = self._new[role].get(number, number)
            return ("count", f"{prefix} {role}#{renamed}.{action}".lstrip())
        return slot

    # --- values ----------------------------------------------------------------------------------------------------

    def value(self, slot: Slot, number: int) -> int:
        """The value that the image of a state has in the image of a slot."""
        return self._returns(number) if slot[0] == "returns" else self._value(number)

    def _returns(self, number: int) -> int:
        """Returns with the instances in their labels renamed: `Node#0.Act`."""
        interner = self._interner
        pairs = []
        for label, value in interner.payload(self._value(number)):
            head, mark, rest = interner.payload(label).partition("#")
            if mark and head in self._new:
                index, _, action = rest.partition(".")
                label = interner.intern(Tag.STRING, f"{head}#{self._new[head].get(int(index), int(index))}.{action}")
            pairs.append((label, value))
        return interner.intern_pairs(Tag.DICT, pairs)

    def _value(self, number: int) -> int:
        found = self._values.get(number)
        if found is None:
            found = self._values[number] = self._renamed(number)
        return found

    def _renamed(self, number: int) -> int:
        interner = self._interner
        if self.steps is not None:
            first, then = self.steps
            return then._value(first._value(number))
        tag = interner.tag(number)
        if tag is Tag.SYMMETRIC:
            domain, index, kind, limit = interner.payload(number)
            if domain in self._new:
                return interner.intern(Tag.SYMMETRIC, (domain, self._new[domain].get(index, index), kind, limit))
            return number
        if tag in (Tag.ROLE, Tag.MODEL_VALUE):
            name, index = interner.payload(number)
            if name in self._new:
                return interner.intern(tag, (name, self._new[name].get(index, index)))
            return number
        if tag is Tag.SEGMENT:
            return self._segment(number)
        children = interner.children(number)
        if not children:
            return number
        renamed = [self._value(child) for child in children]
        if list(children) == renamed:
            return number
        return rebuild(interner, number, renamed)

    def _segment(self, number: int) -> int:
        domain, after, before = self._interner.payload(number)
        if domain not in self._new:
            return number
        ends = (LOWEST if after is None else after, HIGHEST if before is None else before)
        low, high = sorted(self._new[domain].get(end, end) for end in ends)
        payload = (domain, None if low == LOWEST else low, None if high == HIGHEST else high)
        return self._interner.intern(Tag.SEGMENT, payload)


def steps_of(renumbering: Renumbering) -> tuple[Renumbering, Renumbering] | None:
    """Two renumberings that are the same in turn as one onto 0, 1, …; None if it keeps the order or is of few.

    The second exchanges two neighbours, the first has one pair less out of order: so the renumberings of a domain are
    all made of one that keeps the order and a few exchanges.
    """
    size = len(renumbering)
    if not _FEW < size <= _MOST or set(renumbering.values()) != set(range(size)):
        return None
    old = {new: index for index, new in renumbering.items()}
    at = next((new for new in range(size - 1) if old[new] > old[new + 1]), None)
    if at is None:
        return None
    exchange: dict[Index, Index] = {at: at + 1, at + 1: at}
    return {index: exchange.get(new, new) for index, new in renumbering.items()}, exchange


def by_domain(used: Iterable[tuple[str, Index]]) -> dict[str, list[Index]]:
    """The indices in use in each domain, sorted."""
    found: dict[str, list[Index]] = {}
    for name, index in sorted(used):
        found.setdefault(name, []).append(index)
    return found
