"""Which slots are stored in one way: of states that are reduced by symmetry all that a renaming may exchange."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from interpreter.state.state import Slot

_NUMBER: Final = {"field": 2, "param": 2}
"""Where the number of an instance stands in a slot."""
_MEMBER: Final = "["
"""The beginning of steps to members by key: another key is there in an image."""
_ELEMENT: Final = "="
_ANY: Final = "*"


def alike(slot: Slot) -> Slot:
    """What a slot has in common with those that a renaming may exchange it for: not instances, keys and elements."""
    at = _NUMBER.get(str(slot[0])) if slot else None
    return tuple([_ANY if index == at else _without_key(step) for index, step in enumerate(slot)])


def _without_key(step: object) -> str:
    text = str(step)
    return text[0] if text[:1] in (_MEMBER, _ELEMENT) else text


class SlotSet:
    """Some slots, and those `alike` to some of them."""

    def __init__(self, slots: Iterable[Slot] = (), and_alike: bool = False) -> None:
        self.slots: set[Slot] = set()
        self._alike: set[Slot] = set()
        self.add(slots, and_alike)

    def add(self, slots: Iterable[Slot], and_alike: bool = False) -> None:
        """Add these slots, and what is alike."""
        more = set(slots)
        self.slots |= more
        if and_alike:
            self._alike |= set(map(alike, more))

    def __contains__(self, slot: Slot) -> bool:
        return slot in self.slots or (bool(self._alike) and alike(slot) in self._alike)
