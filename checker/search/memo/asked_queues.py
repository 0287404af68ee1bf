"""`AskedQueue`: a list of the state from which members were taken, and to whose end others were added.

Lists that are used so are stored whole. What is written of them are the places that go and the members that come, so
neither all other members nor how many there are need be asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from checker.search.memo.asked_nodes import AskedContainer, AskedNode
from checker.search.memo.division import taken
from interpreter.direct.nodes import GiveUp, ValueNode
from interpreter.state.state import Slot
from interpreter.values.intern import Tag

_LIST: Final = Tag.LIST


class AskedQueue(AskedContainer):
    """`source`: the list as the state has it. `gone`: the places there that are taken, in order. `more`: what comes."""

    __slots__ = ("_source", "gone", "more")

    def __init__(self, source: AskedNode, gone: tuple[int, ...] = (), more: tuple[Any, ...] = ()) -> None:
        super().__init__(source.reader, source.slot)
        self._source = source
        self.gone = gone
        self.more = more

    def is_shorter(self, size: int) -> bool:
        """Whether it has fewer members."""
        return self._source.is_shorter(size + len(self.gone) - len(self.more))

    def size(self) -> int:
        return self._source.size() - len(self.gone) + len(self.more)

    def __bool__(self) -> bool:
        return bool(self.more) or not self.is_shorter(1)

    def index(self, place: Any) -> int:
        """The index of a place, which may be negative. Raises `GiveUp` if there is none."""
        if type(place) is not int:
            raise GiveUp
        index = place + self.size() if place < 0 else place
        if index < 0 or self.is_shorter(index + 1):
            raise GiveUp
        return index

    def member(self, index: int) -> Any:
        """The member at an index, which is not negative and below the size."""
        place = self._place(index)
        return self.more[place - self._source.size()] if self._is_new(place) else self._source.member(place)

    def members(self) -> list[Any]:
        """All members, in order."""
        return list(self.value().items)

    def without(self, index: int) -> AskedQueue:
        """The list without the member at an index."""
        place = self._place(index)
        if not self._is_new(place):
            return AskedQueue(self._source, tuple(sorted([*self.gone, place])), self.more)
        new = place - self._source.size()
        return AskedQueue(self._source, self.gone, self.more[:new] + self.more[new + 1 :])

    def append(self, member: Any) -> AskedQueue:
        """The list with one member more."""
        return AskedQueue(self._source, self.gone, (*self.more, member))

    def _place(self, index: int) -> int:
        """The place in the list of the state, behind which are the new members."""
        place = index
        for one in self.gone:
            place += one <= place
        return place

    def _is_new(self, place: int) -> bool:
        return bool(self.more) and self._source.is_shorter(place + 1)

    def _asked(self) -> ValueNode:
        nodes = self.reader.nodes
        held = nodes.interner.payload(self._source.value().number)
        left = [number for place, number in enumerate(held) if place not in self.gone]
        made: ValueNode = nodes[nodes.interner.intern(_LIST, (*left, *map(nodes.number, self.more)))]
        return made

    def writes(self) -> Iterator[tuple[Slot, int]]:
        if self.gone or self.more:
            nodes = self.reader.nodes
            yield (*self.slot, taken(self.gone)), nodes.interner.intern(_LIST, tuple(map(nodes.number, self.more)))


def queue_of(value: Any) -> AskedQueue | None:
    """A list that is stored whole and as the state has it, or what was made of one; None for others."""
    if isinstance(value, AskedQueue):
        return value
    if not isinstance(value, AskedNode) or value.changes or value.more or not value.is_list:
        return None
    return AskedQueue(value) if value.reader.nodes.divider.is_gathered(value.slot) else None
