"""Which slots are stored in one way: of states that are reduced by symmetry all that a renaming may exchange."""

from __future__ import annotations

from collections.abc import Iterable

from checker.search.memo.list_places import ListPlace, place_of
from interpreter.state.state import Slot


def alike(slot: Slot) -> ListPlace | Slot:
    """What a slot has in common with those that a renaming may exchange it for: its place."""
    return place_of(slot) or slot


class SlotSet:
    """Some slots, and those `alike` to some of them."""

    def __init__(self, slots: Iterable[Slot] = (), and_alike: bool = False) -> None:
        self.slots: set[Slot] = set()
        self._alike: set[ListPlace | Slot] = set()
        self.add(slots, and_alike)

    def add(self, slots: Iterable[Slot], and_alike: bool = False) -> None:
        """Add these slots, and what is alike."""
        more = set(slots)
        self.slots |= more
        if and_alike:
            self._alike |= set(map(alike, more))

    def __contains__(self, slot: Slot) -> bool:
        return slot in self.slots or (bool(self._alike) and alike(slot) in self._alike)
