"""Keys of the images of states with shared containers, without making the images (language page, 5.6.1 and 11.3).

The key names a shared container by the place where it is met first. In the image these places are the renamed ones, in
the order of the image's slots. The numbers of cells play no part, unless aliases are in unordered collections, threads
or messages: these are in an order that depends on them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interpreter.state.encoding import MESSAGE, THREAD, Encoder
from interpreter.state.renaming import Renamed
from interpreter.state.state import Layout, Slot, State, slot_order
from interpreter.values.intern import Interner, Tag, add_keys

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

    def key(self, state: State, renamed: Renamed) -> int | None:
        """The key of the image of a state; None if the image has to be made for it."""
        interner = self._interner
        layout, values = state.layout, state.values
        if any(interner.references(one) for one in (*state.threads, *state.messages)):
            return None
        if not all(map(self._ordered, values)):
            return None
        resolve = self._encoder.resolver(lambda k: renamed.value(("cell",), values[layout.cells[k]]))
        total = 0
        for position in self._order(layout, renamed):
            slot, number = layout.slots[position], values[position]
            if interner.references(number):
                image = renamed.value(slot, number)
                total = add_keys(total, self._encoder.shared_sum(renamed.slot(slot), image, resolve))
            else:
                total = add_keys(total, self._sum(slot, number, renamed))
        for thread in state.threads:
            total = add_keys(total, self._sum(THREAD, thread, renamed))
        for message in state.messages:
            total = add_keys(total, self._sum(MESSAGE, message, renamed))
        return total

    def _order(self, layout: Layout, renamed: Renamed) -> tuple[int, ...]:
        """The positions of a layout's slots in the order of their images, without the cells."""
        known = renamed.orders.get(layout)
        if known is None:
            places = [position for position, slot in enumerate(layout.slots) if slot[0] != "cell"]
            places.sort(key=lambda position: slot_order(renamed.slot(layout.slots[position])))
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
