"""Collections that compare by `==` alone, so that anything may be inside: genericset, genericmap, bag (5.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from interpreter.values.basis import Value, Walk, equal, equal_members
from interpreter.values.containers import Container


class GenericSet(Container):
    """A set of any values, by `==`."""

    __slots__ = ("items",)
    kind: ClassVar[str] = "genericset"

    def __init__(self, items: list[object]) -> None:
        self.items = items
        self.frozen = False
        self.iterating = 0

    @classmethod
    def of(cls, items: Iterable[object]) -> GenericSet:
        """A new set of these elements."""
        made = cls([])
        for item in items:
            made.add(item)
        return made

    def members(self) -> Iterator[object]:
        return iter(self.items)

    def size(self) -> int:
        return len(self.items)

    def equals(self, other: Value, walk: Walk) -> bool:
        assert isinstance(other, GenericSet)
        return len(self.items) == len(other.items) and _match(self.items, other.items, walk)

    def place(self, item: object) -> int | None:
        """Where the element is."""
        return _place(self.items, item)

    def add(self, item: object) -> None:
        missing = self.place(item) is None
        self.change(len(self.items) + missing)
        if missing:
            self.items.append(item)

    def take(self, place: int) -> object:
        """Removes one element; the place is valid."""
        self.change()
        return self.items.pop(place)

    def clear(self) -> None:
        self.change()
        self.items = []


class GenericMap(Container):
    """A map with any values as keys, by `==`, in insertion order."""

    __slots__ = ("pairs",)
    kind: ClassVar[str] = "genericmap"

    def __init__(self, pairs: list[tuple[object, object]]) -> None:
        self.pairs = pairs
        self.frozen = False
        self.iterating = 0

    def members(self) -> Iterator[object]:
        for pair in self.pairs:
            yield from pair

    def size(self) -> int:
        return len(self.pairs)

    def equals(self, other: Value, walk: Walk) -> bool:
        assert isinstance(other, GenericMap)
        return len(self.pairs) == len(other.pairs) and _match(self.pairs, other.pairs, walk)

    def place(self, key: object) -> int | None:
        """Where the pair with that key is."""
        for place, pair in enumerate(self.pairs):
            if equal(pair[0], key):
                return place
        return None

    def find(self, key: object) -> tuple[object, object] | None:
        """The pair with that key."""
        place = self.place(key)
        return None if place is None else self.pairs[place]

    def put(self, key: object, value: object) -> None:
        place = self.place(key)
        self.change(len(self.pairs) + (place is None))
        if place is None:
            self.pairs.append((key, value))
        else:
            self.pairs[place] = (self.pairs[place][0], value)

    def take(self, key: object) -> object:
        """Removes the key, which is there; its value."""
        self.change()
        place = self.place(key)
        assert place is not None
        return self.pairs.pop(place)[1]

    def update(self, pairs: Iterable[tuple[object, object]]) -> None:
        self.change()
        for key, value in pairs:
            self.put(key, value)

    def clear(self) -> None:
        self.change()
        self.pairs = []


class BagValue(Container):
    """A multiset of any values, by `==`. The order of `items` means nothing: readers sort canonically."""

    __slots__ = ("items",)
    kind: ClassVar[str] = "bag"

    def __init__(self, items: list[object]) -> None:
        self.items = items
        self.frozen = False
        self.iterating = 0

    def members(self) -> Iterator[object]:
        return iter(self.items)

    def size(self) -> int:
        return len(self.items)

    def equals(self, other: Value, walk: Walk) -> bool:
        assert isinstance(other, BagValue)
        return len(self.items) == len(other.items) and _match(self.items, other.items, walk)

    def place(self, item: object) -> int | None:
        """Where one copy is."""
        return _place(self.items, item)

    def extend(self, items: Sequence[object]) -> None:
        self.change(len(self.items) + len(items))
        self.items.extend(items)

    def take(self, place: int) -> object:
        """Removes one copy; the place is valid."""
        self.change()
        return self.items.pop(place)

    def replace(self, items: list[object]) -> None:
        """Replaces all copies."""
        self.change(len(items))
        self.items = items


def _place(items: Sequence[object], item: object) -> int | None:
    for place, other in enumerate(items):
        if equal(other, item):
            return place
    return None


def _match(left: Sequence[object], right: Sequence[object], walk: Walk) -> bool:
    """Whether the members of two collections of one length can be paired off as equals."""
    walk.enter(len(left))
    rest = list(right)
    same = True
    for item in left:
        place = next((i for i, other in enumerate(rest) if equal_members(item, other, walk)), None)
        if place is None:
            same = False
            break
        del rest[place]
    walk.leave()
    return same
