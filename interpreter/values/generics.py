"""Collections that compare by `==` alone, so that anything may be inside: genericset, genericmap, bag (5.4).

Where there are many elements they are found by bucket. The buckets are kept from one question to the next if nothing
inside can change; if something can, elements are compared one by one, and that is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import ClassVar

from interpreter.values.basis import Value, ValueWalk, equal
from interpreter.values.budget import METER
from interpreter.values.container import Container
from interpreter.values.element_index import FEW, ElementIndex, check_comparisons, paired


class Generic(Container):
    """A collection whose elements (of a map: keys) are found by `==`."""

    __slots__ = ("compared", "places")

    def __init__(self) -> None:
        self.frozen = False
        self.iterating = 0
        self.changed = False
        self.places: ElementIndex | None = None
        self.compared = 0

    def undo(self) -> Callable[[], None]:
        put_back = super().undo()

        def put_back_anew() -> None:
            put_back()
            self.places = None

        return put_back_anew

    def sought(self) -> Sequence[object]:
        """What is looked for, in the order of the places."""
        raise NotImplementedError

    def place(self, item: object) -> int | None:
        """Where the element is: the first one that equals this."""
        if self.size() > FEW:
            if self.places is None:
                self.places = ElementIndex(self.sought())
            if self.places.lasting:
                METER.charge(FEW)
                return self.places.find(item)
            if not self.frozen:
                self.compared += self.size()
                check_comparisons(self.compared, self.kind)
        METER.charge(self.size())
        for place, other in enumerate(self.sought()):
            if equal(other, item):
                return place
        return None

    def added(self, item: object) -> None:
        """One more element stands at the end."""
        if self.places is not None and self.places.lasting:
            self.places.note(self.size() - 1, item)


class Items(Generic):
    """A collection of single elements."""

    __slots__ = ("items",)
    content: ClassVar[str] = "items"

    def __init__(self, items: list[object]) -> None:
        super().__init__()
        self.items = items

    def sought(self) -> Sequence[object]:
        return self.items

    def members(self) -> Iterator[object]:
        return iter(self.items)

    def size(self) -> int:
        return len(self.items)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, Items)
        return len(self.items) == len(other.items) and paired(self.items, other.items, walk)

    def take(self, place: int) -> object:
        """Removes one element; the place is valid. Where the others are is to be found anew."""
        self.change()
        METER.charge(len(self.items))
        self.places = None
        return self.items.pop(place)


class GenericSet(Items):
    """A set of any values, by `==`."""

    __slots__ = ()
    kind: ClassVar[str] = "genericset"

    @classmethod
    def of(cls, items: Sequence[object]) -> GenericSet:
        """A new set of these elements."""
        made = cls([])
        METER.make(len(items))
        if len(items) <= FEW:
            for item in items:
                made.add(item)
            return made
        places = ElementIndex(())
        for item in items:
            if places.find(item) is None:
                places.note(len(made.items), item)
                made.items.append(item)
        made.change(len(made.items))
        return made

    def holder(self) -> Callable[[object], bool]:
        """What tells whether it has an element, as long as nothing changes."""
        if len(self.items) <= FEW:
            return lambda item: self.place(item) is not None
        METER.charge(FEW * len(self.items))
        places = ElementIndex(self.items)
        return lambda item: places.find(item) is not None

    def add(self, item: object) -> None:
        missing = self.place(item) is None
        self.change(len(self.items) + missing)
        if missing:
            METER.made += 1
            self.items.append(item)
            self.added(item)

    def clear(self) -> None:
        self.change()
        self.places = None
        self.items = []


class GenericMap(Generic):
    """A map with any values as keys, by `==`, in insertion order."""

    __slots__ = ("pairs",)
    kind: ClassVar[str] = "genericmap"
    content: ClassVar[str] = "pairs"

    def __init__(self, pairs: list[tuple[object, object]]) -> None:
        super().__init__()
        self.pairs = pairs

    def sought(self) -> Sequence[object]:
        return [key for key, _ in self.pairs]

    def members(self) -> Iterator[object]:
        for pair in self.pairs:
            yield from pair

    def size(self) -> int:
        return len(self.pairs)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, GenericMap)
        return len(self.pairs) == len(other.pairs) and paired(self.pairs, other.pairs, walk)

    def find(self, key: object) -> tuple[object, object] | None:
        """The pair with that key."""
        place = self.place(key)
        return None if place is None else self.pairs[place]

    def put(self, key: object, value: object) -> None:
        place = self.place(key)
        self.change(len(self.pairs) + (place is None))
        if place is None:
            METER.made += 2
            self.pairs.append((key, value))
            self.added(key)
        else:
            self.pairs[place] = (self.pairs[place][0], value)

    def take(self, key: object) -> object:
        """Removes the key, which is there; its value."""
        self.change()
        place = self.place(key)
        assert place is not None
        METER.charge(len(self.pairs))
        self.places = None
        return self.pairs.pop(place)[1]

    def update(self, pairs: Collection[tuple[object, object]]) -> None:
        self.change()
        METER.charge(2 * len(pairs))
        for key, value in pairs:
            self.put(key, value)

    def clear(self) -> None:
        self.change()
        self.places = None
        self.pairs = []


class BagValue(Items):
    """A multiset of any values, by `==`. The order of `items` means nothing: readers sort canonically."""

    __slots__ = ()
    kind: ClassVar[str] = "bag"

    def extend(self, items: Sequence[object]) -> None:
        self.change(len(self.items) + len(items))
        METER.make(len(items))
        for item in items:
            self.items.append(item)
            self.added(item)

    def replace(self, items: list[object]) -> None:
        """Replaces all copies."""
        self.change(len(items))
        self.places = None
        self.items = items
