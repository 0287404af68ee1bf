"""Bags that are asked for the number of copies of one element at a time.

What is added to such a bag, and taken from it, asks for nothing but whether there is something to take: adding asks for
nothing. Elements that cannot be named alone, and those that may equal others of another form, make it an ordinary bag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from checker.search.memo.open_containers import OpenContainer, OpenElements, PendingElements, Undo
from interpreter.state.state import Slot
from interpreter.values import BagValue, Container
from interpreter.values.budget import METER
from interpreter.values.folding import AskedFold
from interpreter.values.generics import Items


class PendingBag(PendingElements):
    """The copies that were added to one bag, in `slot`, or taken from it so far.

    `step_of` gives the step to an element, None if it cannot be asked for alone. Of the bag as it was, `load` gives
    whether it had so many copies of the element of a step, `load_size` how many elements it had, `load_all` its
    elements, and `fold` the value of a fold over it. `charge` charges for looking for an element.
    """

    __slots__ = ("charge", "load", "load_all", "load_size", "slot", "step_of")

    def __init__(
        self,
        slot: Slot,
        step_of: Callable[[object], str | None],
        load: Callable[[str, int], bool],
        load_size: Callable[[], int],
        load_all: Callable[[], list[object]],
        fold: Callable[[AskedFold], tuple[object] | None],
        charge: Callable[[], None],
    ) -> None:
        self.slot = slot
        self.step_of = step_of
        self.load = load
        self.load_size = load_size
        self.load_all = load_all
        self.fold = fold
        self.charge = charge
        self.changes: dict[str, tuple[object, int]] = {}
        """By the step to an element: the element, and how many copies more there are now, perhaps fewer."""

    def more(self, step: str) -> int:
        """How many copies more than before there are of the element of a step."""
        return self.changes[step][1] if step in self.changes else 0

    def holds(self, step: str) -> bool:
        """Whether there is a copy of the element of a step."""
        more = self.more(step)
        return more > 0 or self.load(step, 1 - more)

    def count(self, step: str) -> int:
        """How many copies there are of the element of a step."""
        before = 0
        while self.load(step, before + 1):
            before += 1
        return before + self.more(step)

    def put(self, step: str, item: object, more: int) -> None:
        """Add a copy of an element, or take away one that is there."""
        self.changes[step] = (item, self.more(step) + more)

    def added(self) -> list[object] | None:
        if any(more < 0 for _, more in self.changes.values()):
            return None
        return [item for item, more in self.changes.values() for _ in range(more)]

    def size(self) -> int:
        """The number of elements."""
        return self.load_size() + sum(more for _, more in self.changes.values())

    def met(self) -> Iterator[tuple[str, object]]:
        """The elements of which copies were added, with the steps to them."""
        return ((step, item) for step, (item, more) in self.changes.items() if more > 0)

    def items(self) -> list[object]:
        """All elements, in any order."""
        found = self.load_all()
        fewer = {step: -more for step, (_, more) in self.changes.items() if more < 0}
        if fewer:
            kept = []
            for item in found:
                step = self.step_of(item)
                if step is not None and fewer.get(step):
                    fewer[step] -= 1
                else:
                    kept.append(item)
            found = kept
        for item, more in self.changes.values():
            found += [item] * more
        return found


class OpenBag(OpenElements, BagValue):
    """A bag that is asked for the copies of one element at a time."""

    __slots__ = ()
    ordered = False
    closed: ClassVar[type[Container]] = BagValue
    pending = Items.__dict__["items"]
    items = property(OpenContainer.fill, OpenContainer.close)

    def filled(self) -> list[object]:
        self.index, self.compared = None, 0
        found: list[object] = self.pending.items()
        return found

    def as_ordinary(self) -> BagValue:
        """The bag, all of it asked for."""
        self.fill()
        return self

    def holds(self, item: object) -> bool:
        step = self.pending.step_of(item)
        if step is None:
            return self.as_ordinary().holds(item)
        self.pending.charge()
        known: bool = self.pending.holds(step)
        return known

    def count(self, item: object) -> int:
        step = self.pending.step_of(item)
        if step is None:
            return self.as_ordinary().count(item)
        self.pending.charge()
        known: int = self.pending.count(step)
        return known

    def discard(self, item: object) -> bool:
        step = self.pending.step_of(item)
        if step is None:
            return self.as_ordinary().discard(item)
        self.change()
        self.pending.charge()
        known: bool = self.pending.holds(step)
        if known:
            self.pending.put(step, item, -1)
        return known

    def extend(self, items: Sequence[object]) -> None:
        steps = [self.pending.step_of(item) for item in items]
        if None in steps:
            self.as_ordinary().extend(items)
            return
        # Open bags are small.
        self.change(len(items))
        METER.make(len(items))
        for step, item in zip(steps, items, strict=True):
            self.pending.put(step, item, 1)

    def undo(self) -> Undo:
        restore = super().undo()

        def put_back() -> None:
            restore()
            self.index = None

        return put_back
