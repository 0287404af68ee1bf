"""Keys of the images of states with shared containers, without making the images (language page, 5.6.1 and 11.3).

The key names a shared container by the place where it is met first. In the image these places are the renamed ones, in
the order of the image's slots. The numbers of cells play no part, unless aliases are in unordered collections, threads
or messages: these are in an order that depends on them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interpreter.state.encoding import MESSAGE, THREAD, Encoder
from interpreter.state.renaming import OrderedSlot, Renamed
from interpreter.state.state import Layout, Slot, State, slot_order
from interpreter.values.intern import Interner, Tag, add_keys

_HALF: Final = (1 << 64) - 1
_UNORDERED: Final = frozenset({Tag.SET, Tag.FROZENSET, Tag.GENERICSET, Tag.BAG, Tag.GENERICMAP})

Sum = Callable[[Slot, int, Renamed], int]
"""What a slot, a thread or a message without aliases adds to the key of an image."""


class SharedKeys:
    """Keys of images of the states of one machine."""

    def __init__(self, interner: Interner, encoder: Encoder, sum_of: Sum) -> None:
        self._interner = interner
        self._encoder = encoder
        self._sum = sum_of
        self._in_order: dict[int, bool] = {}
        self._last: tuple[State, frozenset[int] | None] | None = None

    def key(self, state: State, renamed: Renamed) -> int | None:
        """The key of the image of a state; None if the image has to be made for it."""
        sharing = self._sharing(state)
        if sharing is None:
            return None
        layout, values = state.layout, state.values
        resolve = self._encoder.resolver(lambda k: renamed.value(("cell",), values[layout.cells[k]]))
        total = high = low = 0
        for position, slot, sums in self._order(layout, renamed):
            number = values[position]
            if position in sharing:
                image = renamed.value(slot, number)
                total = add_keys(total, self._encoder.shared_sum(renamed.slot(slot), image, resolve))
                continue
            known = sums.get(number)
            if known is None:
                known = self._sum(slot, number, renamed)
            # Most of the time: halves are put together at the end.
            high += known >> 64
            low += known & _HALF
        for thread in state.threads:
            total = add_keys(total, self._sum(THREAD, thread, renamed))
        for message in state.messages:
            total = add_keys(total, self._sum(MESSAGE, message, renamed))
        return add_keys(total, (high & _HALF) << 64 | low & _HALF)

    def _sharing(self, state: State) -> frozenset[int] | None:
        """The positions of values with aliases; None if images have to be made. It is the same under all renamings."""
        if self._last is not None and self._last[0] is state:
            return self._last[1]
        interner = self._interner
        found = None
        if not interner.referring([*state.threads, *state.messages]) and all(map(self._ordered, state.values)):
            found = frozenset(interner.referring(state.values))
        self._last = state, found
        return found

    def _order(self, layout: Layout, renamed: Renamed) -> tuple[OrderedSlot, ...]:
        """The slots of a layout in the order of their images, without the cells."""
        known = renamed.orders.get(layout)
        if known is None:
            places = [
                OrderedSlot(i, slot, renamed.sums[slot]) for i, slot in enumerate(layout.slots) if slot[0] != "cell"
            ]
            places.sort(key=lambda place: slot_order(renamed.slot(place.slot)))
            known = renamed.orders[layout] = tuple(places)
        return known

    def _ordered(self, number: int) -> bool:
        """Whether no unordered collection in a value has aliases."""
        interner = self._interner
        if not interner.references(number):
            return True
        known = self._in_order.get(number)
        if known is None:
            inside = interner.tag(number) not in _UNORDERED
            known = self._in_order[number] = inside and all(map(self._ordered, interner.children(number)))
        return known
