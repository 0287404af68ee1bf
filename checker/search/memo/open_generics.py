"""Genericsets and bags that are asked for one element at a time, of bags for the number of its copies.

What is added to one of them, and taken from it, asks for nothing but whether there is something to take: adding an
immutable element asks for nothing. Elements that cannot be named alone, those that may equal others of another form,
and those that were changed in place make it an ordinary one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from checker.search.memo.open_containers import OpenContainer, OpenElements, Undo
from checker.search.memo.pending_generics import NamedElement, PendingGeneric
from interpreter.values import BagValue, Container, GenericSet
from interpreter.values.budget import METER
from interpreter.values.folding import AskedFold
from interpreter.values.generics import Items

Ordinary = TypeVar("Ordinary", bound=Items)


class OpenGeneric(OpenElements, Items):
    """The base of open genericsets and bags, whose `pending` is a `PendingGeneric`."""

    __slots__ = ()

    def filled(self) -> list[object]:
        self.index, self.compared = None, 0
        found: list[object] = self.pending.items()
        return found

    def named(self, item: object) -> NamedElement | None:
        """How an element is asked for alone; None if all is to be read for it."""
        pending: PendingGeneric = self.pending
        return self._charged(item) if pending.is_as_known() else None

    def _charged(self, item: object) -> NamedElement | None:
        """How an element is asked for alone, where those that may be changed are as they were."""
        pending: PendingGeneric = self.pending
        pending.charge(len(pending.changes))
        return pending.named(item)

    def holds(self, item: object) -> bool:
        named = self.named(item)
        if named is None:
            return ordinary(self).holds(item)
        known: bool = self.pending.holds(named.step)
        return known

    def position_of(self, item: object) -> int | None:
        return ordinary(self).position_of(item)

    def discard(self, item: object) -> bool:
        named = self.named(item)
        if named is None or not self.pending.lets_go(named):
            return ordinary(self).discard(item)
        self.change()
        known: bool = self.pending.holds(named.step)
        if known:
            self.pending.take(named.step, item)
        return known

    def put_in(self, items: Sequence[object]) -> bool:
        """Add elements; False if all is to be read for that."""
        pending: PendingGeneric = self.pending
        if not pending.is_as_known() or not pending.takes(found := list(map(self._charged, items))):
            return False
        self.change()
        for named, item in zip(found, items, strict=True):
            assert named is not None
            pending.put(named, item)
        return True

    def folded(self, fold: AskedFold) -> tuple[object] | None:
        return super().folded(fold) if self.pending.is_as_known() else None

    def undo(self) -> Undo:
        restore = super().undo()

        def put_back() -> None:
            restore()
            self.index = None

        return put_back


class OpenBag(OpenGeneric, BagValue):
    """A bag that is asked for the copies of one element at a time."""

    __slots__ = ()
    ordered = False
    closed: ClassVar[type[Container]] = BagValue
    pending = Items.__dict__["items"]
    items = property(OpenContainer.fill, OpenContainer.close)

    def count(self, item: object) -> int:
        named = self.named(item)
        if named is None:
            return ordinary(self).count(item)
        known: int = self.pending.count(named.step)
        return known

    def extend(self, items: Sequence[object]) -> None:
        METER.make(len(items))
        if not self.put_in(items):
            METER.made -= len(items)
            ordinary(self).extend(items)


class OpenGenericSet(OpenGeneric, GenericSet):
    """A genericset that is asked for one element at a time."""

    __slots__ = ()
    ordered = True
    closed: ClassVar[type[Container]] = GenericSet
    pending = Items.__dict__["items"]
    items = property(OpenContainer.fill, OpenContainer.close)

    def add(self, item: object) -> None:
        if self.put_in([item]):
            METER.made += 1
        else:
            ordinary(self).add(item)

    def member_test(self) -> Callable[[object], bool]:
        # It changes its class when all of it is read: the method is looked up each time.
        return lambda item: self.holds(item)


def give_out(container: object, element: object) -> object:
    """An element of an open container as the one that a path gets to see: what it does to it, it does to this one."""
    return container.pending.give_out(element) if isinstance(container, OpenGeneric) else element


def ordinary(container: Ordinary) -> Ordinary:
    """The collection, all of it asked for: it is of another class by then."""
    assert isinstance(container, OpenGeneric)
    container.fill()
    return container
