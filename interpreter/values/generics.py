"""Collections that compare by `==` alone, so that they may hold any value: genericset, genericmap, bag (5.4).

Elements of large collections are found by an index of buckets, which is kept if all elements are immutable. Otherwise
elements are compared one by one, and these comparisons are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from interpreter.values.basis import Value, ValueWalk, equal
from interpreter.values.budget import METER
from interpreter.values.container import Container, Table
from interpreter.values.element_index import FEW, ElementIndex, check_comparisons, paired
from interpreter.values.folding import AskedFold


class Generic(Container):
    """A collection whose elements (of a map: keys) are found by `==`."""

    __slots__ = ("compared", "index")

    def __init__(self) -> None:
        self.frozen = False
        self.iterating = 0
        self.changed = False
        self.index: ElementIndex | None = None
        self.compared = 0

    def undo(self) -> Callable[[], None]:
        restore = super().undo()

        def restore_without_index() -> None:
            restore()
            self.index = None

        return restore_without_index

    def sought(self) -> Sequence[object]:
        """The elements, or the keys of a map, in order of position."""
        raise NotImplementedError

    def position_of(self, item: object) -> int | None:
        """The position of the first element that equals `item`; None if there is none."""
        if self.size() > FEW:
            if self.index is None:
                self.index = ElementIndex(self.sought())
            if self.index.lasting:
                METER.charge(FEW)
                return self.index.find(item)
            if not self.frozen:
                self.compared += self.size()
                check_comparisons(self.compared, self.kind)
        METER.charge(self.size())
        for position, other in enumerate(self.sought()):
            if equal(other, item):
                return position
        return None

    def added(self, item: object) -> None:
        """Adds the element that was appended last to the index."""
        if self.index is not None and self.index.lasting:
            self.index.note(self.size() - 1, item)


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

    def holds(self, item: object) -> bool:
        """Whether there is such an element."""
        return self.position_of(item) is not None

    def folded(self, fold: AskedFold) -> tuple[object] | None:
        """The value of a fold over it, if it is found in another way than by going through it; see `Fold`."""
        return None

    def discard(self, item: object) -> bool:
        """Removes one such element; whether there is one."""
        self.change()
        position = self.position_of(item)
        if position is not None:
            self.take(position)
        return position is not None

    def take(self, position: int) -> object:
        """Removes the element at a valid position; the index is dropped."""
        self.change()
        METER.charge(len(self.items))
        self.index = None
        return self.items.pop(position)


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
        index = ElementIndex(())
        for item in items:
            if index.find(item) is None:
                index.note(len(made.items), item)
                made.items.append(item)
        made.change(len(made.items))
        return made

    def member_test(self) -> Callable[[object], bool]:
        """A membership test, valid until the set or an element changes."""
        if len(self.items) <= FEW:
            return lambda item: self.position_of(item) is not None
        METER.charge(FEW * len(self.items))
        index = ElementIndex(self.items)
        return lambda item: index.find(item) is not None

    def add(self, item: object) -> None:
        missing = self.position_of(item) is None
        self.change(len(self.items) + missing)
        if missing:
            METER.made += 1
            self.items.append(item)
            self.added(item)

    def clear(self) -> None:
        self.change()
        self.index = None
        self.items = []


class GenericMap(Generic, Table):
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
        position = self.position_of(key)
        return None if position is None else self.pairs[position]

    def put(self, key: object, value: object) -> None:
        position = self.position_of(key)
        self.change(len(self.pairs) + (position is None))
        if position is None:
            METER.made += 2
            self.pairs.append((key, value))
            self.added(key)
        else:
            self.pairs[position] = (self.pairs[position][0], value)

    def take(self, key: object) -> object:
        """Removes a key that is present; its value."""
        self.change()
        position = self.position_of(key)
        assert position is not None
        METER.charge(len(self.pairs))
        self.index = None
        return self.pairs.pop(position)[1]

    def clear(self) -> None:
        self.change()
        self.index = None
        self.pairs = []


class BagValue(Items):
    """A multiset of any values, by `==`. The order of `items` is arbitrary: readers sort canonically."""

    __slots__ = ()
    kind: ClassVar[str] = "bag"

    def extend(self, items: Sequence[object]) -> None:
        self.change(len(self.items) + len(items))
        METER.make(len(items))
        for item in items:
            self.items.append(item)
            self.added(item)

    def count(self, item: object) -> int:
        """How many such elements the bag has."""
        METER.charge(len(self.items))
        return sum(1 for other in self.items if equal(other, item))

    def replace(self, items: list[object]) -> None:
        """Replaces all elements."""
        self.change(len(items))
        self.index = None
        self.items = items
