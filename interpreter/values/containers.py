"""Collections and structs of one step, and the only way to change them (language page, 5.1, 5.4)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import ClassVar

from interpreter.values.basis import Value, ValueWalk, equal_fields, equal_sequences, lay_member, sought_key
from interpreter.values.budget import METER, check_size, parts_of_keys
from interpreter.values.container import Container, Parted
from interpreter.values.pending import ContainerShape, Pending, PendingSet

Entries = dict[Hashable, tuple[object, object]]

_STRUCT: Hashable = object()


class ListValue(Parted):
    """A list."""

    __slots__ = ("items",)
    kind: ClassVar[str] = "list"
    content: ClassVar[str] = "items"

    def __init__(self, items: list[object]) -> None:
        self.items = items
        self.frozen = False
        self.iterating = 0
        self.changed = False
        self.pending = None

    pending: Pending | None

    @staticmethod
    def filled(pending: Pending) -> object:
        return pending.members()

    def each(self, shape: ContainerShape) -> list[object]:
        return self.items

    def by_step(self, shape: ContainerShape) -> list[tuple[str, object]] | None:
        if len(self.items) != len(shape.steps):
            return None
        return list(zip(shape.steps, self.items, strict=True))

    def members(self) -> Iterator[object]:
        return iter(self.items)

    def element(self, place: int) -> object:
        """The element at a place, which is valid."""
        return self.items[place] if self.pending is None else self.pending.member(place)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, ListValue)
        return equal_sequences(self.items, other.items, walk)

    def append(self, item: object) -> None:
        self.change(self.size() + 1)
        METER.made += 1
        (self.items if self.pending is None else self.pending.more).append(item)

    def extend(self, items: Sequence[object]) -> None:
        self.change(self.size() + len(items))
        METER.make(len(items))
        (self.items if self.pending is None else self.pending.more).extend(items)

    def insert(self, place: int, item: object) -> None:
        self.change(len(self.items) + 1)
        METER.make(1 + (len(self.items) - place >> 4))
        self.items.insert(place, item)

    def put(self, place: int, item: object) -> None:
        """Replaces one element; the place is valid."""
        self.change()
        if self.pending is None:
            self.items[place] = item
        else:
            self.pending.put(place, item)

    def take(self, place: int) -> object:
        """Removes one element; the place is valid. Those behind it move up."""
        self.change()
        METER.charge(len(self.items) - place >> 4 if place >= 0 else -place >> 4)
        return self.items.pop(place)

    def replace(self, items: list[object]) -> None:
        """Replaces all elements."""
        self.change(len(items))
        self.items = items
        self.pending = None


class DictValue(Parted):
    """A dict in insertion order: the key of a key -> (key, value)."""

    __slots__ = ("entries",)
    kind: ClassVar[str] = "dict"
    content: ClassVar[str] = "entries"

    def __init__(self, entries: Entries) -> None:
        self.entries = entries
        self.frozen = False
        self.iterating = 0
        self.changed = False
        self.pending = None

    pending: Pending | None

    @staticmethod
    def filled(pending: Pending) -> object:
        members, shape = pending.members(), pending.shape
        return {token: (shape.keys[place], members[place]) for token, place in shape.tokens.items()}

    def each(self, shape: ContainerShape) -> list[object]:
        return [self.entries[token][1] for token in shape.tokens]

    def by_step(self, shape: ContainerShape) -> list[tuple[str, object]] | None:
        if self.entries.keys() != shape.tokens.keys():
            return None
        found = []
        for token, place in shape.tokens.items():
            key, member = self.entries[token]
            # Equal keys need not be the same: 1 and 1.0.
            if key is not shape.keys[place]:
                return None
            found.append((shape.steps[place], member))
        return found

    def members(self) -> Iterator[object]:
        for key, value in self.entries.values():
            yield key
            yield value

    def known_keys(self) -> list[object]:
        """The keys, in order."""
        if self.pending is not None:
            return list(self.pending.shape.keys)
        return [key for key, _ in self.entries.values()]

    def has(self, key: object) -> bool:
        token = sought_key(key)
        return token in (self.entries if self.pending is None else self.pending.shape.tokens)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, DictValue)
        METER.charge(parts_of_keys(self.entries))
        if self.entries.keys() != other.entries.keys():
            return False
        mine = [value for _, value in self.entries.values()]
        return equal_sequences(mine, [other.entries[key][1] for key in self.entries], walk)

    def find(self, key: object) -> tuple[object, object] | None:
        """The pair with that key."""
        token = sought_key(key)
        if self.pending is None:
            return self.entries.get(token)
        place = self.pending.shape.tokens.get(token)
        return None if place is None else (self.pending.shape.keys[place], self.pending.member(place))

    def put(self, key: object, value: object) -> None:
        """Binds a key; a key that is there keeps its place and its form."""
        token = sought_key(key)
        if self.pending is not None and token in self.pending.shape.tokens:
            self.change()
            self.pending.put(self.pending.shape.tokens[token], value)
            return
        old = self.entries.get(token)
        self.change(len(self.entries) + (old is None))
        if old is None:
            METER.made += 2
        self.entries[token] = (key if old is None else old[0], value)

    def take(self, key: object) -> object:
        """Removes the key, which is there; its value."""
        self.change()
        return self.entries.pop(sought_key(key))[1]

    def update(self, pairs: Collection[tuple[object, object]]) -> None:
        self.change()
        METER.charge(2 * len(pairs))
        for key, value in pairs:
            self.put(key, value)

    def clear(self) -> None:
        self.change()
        self.entries = {}
        self.pending = None


class SetValue(Parted):
    """A set in insertion order: the key of an element -> the element."""

    __slots__ = ("entries",)
    kind: ClassVar[str] = "set"
    content: ClassVar[str] = "entries"
    pending: PendingSet | None

    def __init__(self, entries: dict[Hashable, object]) -> None:
        self.entries = entries
        self.frozen = False
        self.iterating = 0
        self.changed = False
        self.pending = None

    @staticmethod
    def filled(pending: PendingSet) -> object:
        return pending.entries()

    @classmethod
    def of(cls, items: Iterable[object]) -> SetValue:
        """A new set of these elements."""
        entries: dict[Hashable, object] = {}
        for item in items:
            entries.setdefault(sought_key(item), item)
        check_size(len(entries), "the set")
        METER.make(len(entries))
        return cls(entries)

    def members(self) -> Iterator[object]:
        return iter(self.entries.values())

    def size(self) -> int:
        known = None if self.pending is None else self.pending.size()
        return len(self.entries) if known is None else known

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, SetValue)
        METER.charge(parts_of_keys(self.entries))
        return self.entries.keys() == other.entries.keys()

    def holds(self, item: object) -> bool:
        token = sought_key(item)
        known = None if self.pending is None else self.pending.holds(token, item)
        return token in self.entries if known is None else known

    def add(self, item: object) -> None:
        token = sought_key(item)
        METER.made += 1
        if self._put(token, item, True):
            return
        self.change(len(self.entries) + (token not in self.entries))
        self.entries.setdefault(token, item)

    def discard(self, item: object) -> None:
        """Removes an element that may be there."""
        self.change()
        token = sought_key(item)
        if not self._put(token, item, False):
            self.entries.pop(token, None)

    def take(self, item: object) -> bool:
        """Removes the element; whether it was there."""
        self.change()
        there = self.holds(item)
        self.discard(item)
        return there

    def _put(self, token: Hashable, item: object, there: bool) -> bool:
        """Changes a set of which not all is known; False if all is known now, and nothing is changed yet."""
        if self.pending is None:
            return False
        # Sets that are not looked at as a whole are small.
        self.change()
        return self.pending.put(token, item, there)

    def replace(self, entries: dict[Hashable, object]) -> None:
        """Replaces all elements."""
        self.change(len(entries))
        self.entries = entries
        self.pending = None


class StructValue(Value):
    """A struct: named values that do not change."""

    __slots__ = ("fields",)
    kind: ClassVar[str] = "struct"

    def __init__(self, fields: dict[str, object]) -> None:
        self.fields = fields

    def key(self, walk: ValueWalk) -> Hashable:
        flat: list[Hashable] = []
        self.lay(walk, flat)
        return tuple(flat)

    def lay(self, walk: ValueWalk, flat: list[Hashable]) -> None:
        walk.enter(len(self.fields))
        flat += (_STRUCT, len(self.fields))
        for name in sorted(self.fields):
            flat.append(name)
            lay_member(self.fields[name], walk, flat)
        walk.leave()

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, StructValue)
        return equal_fields(self.fields, other.fields, walk)


class RecordValue(Parted):
    """A record: named values that may be assigned."""

    __slots__ = ("fields",)
    kind: ClassVar[str] = "record"
    content: ClassVar[str] = "fields"

    def __init__(self, fields: dict[str, object]) -> None:
        self.fields = fields
        self.frozen = False
        self.iterating = 0
        self.changed = False
        self.pending = None

    pending: Pending | None

    @staticmethod
    def filled(pending: Pending) -> object:
        return dict(zip(map(str, pending.shape.keys), pending.members(), strict=True))

    def each(self, shape: ContainerShape) -> list[object]:
        return [self.fields[str(name)] for name in shape.keys]

    def by_step(self, shape: ContainerShape) -> list[tuple[str, object]] | None:
        if self.fields.keys() != shape.tokens.keys():
            return None
        return list(zip(shape.steps, self.each(shape), strict=True))

    def members(self) -> Iterator[object]:
        return iter(self.fields.values())

    def has(self, name: str) -> bool:
        return name in (self.fields if self.pending is None else self.pending.shape.tokens)

    def field(self, name: str) -> object:
        """The value of a field that is there."""
        if self.pending is None:
            return self.fields[name]
        return self.pending.member(self.pending.shape.tokens[name])

    def is_true(self) -> bool:
        return True

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, RecordValue)
        return equal_fields(self.fields, other.fields, walk)

    def put(self, name: str, value: object) -> None:
        if self.pending is not None and self.has(name):
            self.change()
            self.pending.put(self.pending.shape.tokens[name], value)
            return
        self.change(len(self.fields) + (name not in self.fields))
        METER.made += 1
        self.fields[name] = value


def mark_frozen(value: object) -> None:
    """Makes a value of a constant unchangeable, with everything inside it."""
    pending = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, (tuple, StructValue)) and id(item) not in seen:
            seen.add(id(item))
            pending.extend(item if isinstance(item, tuple) else item.fields.values())
        elif isinstance(item, Container) and not item.frozen:
            item.frozen = True
            pending.extend(item.members())
