"""`Capacity`: how many slots a packing has for what states have none or more of: threads, and messages in channels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from interpreter.state.state import Slot, State

THREAD: Final = "thread"
MESSAGE: Final = "message"
LISTED: Final = (THREAD, MESSAGE)
"""What is listed in slots of its own, ("thread", 0), ("thread", 1), …: in canonical order, empty ones last."""


def table_slot(slot: Slot) -> Slot:
    """The slot that the codes of a slot are of: all that list the same share one table."""
    return slot[:1] if slot[0] in LISTED else slot


class Capacity(NamedTuple):
    """So many slots for threads and for messages."""

    threads: int = 0
    messages: int = 0

    @staticmethod
    def of(states: Iterable[State]) -> Capacity:
        """What the largest of these states need."""
        found = Capacity()
        for state in states:
            found = found.beside(Capacity(len(state.threads), len(state.messages)))
        return found

    @staticmethod
    def listed(slots: Iterable[Slot]) -> Capacity:
        """How many of these slots are for threads and for messages."""
        kinds = [slot[0] for slot in slots]
        return Capacity(kinds.count(THREAD), kinds.count(MESSAGE))

    def beside(self, other: Capacity) -> Capacity:
        """What is enough for both."""
        return Capacity(max(self.threads, other.threads), max(self.messages, other.messages))

    def slots(self) -> list[Slot]:
        """The slots."""
        return [(kind, index) for kind, count in zip(LISTED, self, strict=True) for index in range(count)]
