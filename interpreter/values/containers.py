"""Collections and structs of one step, with the operations that change them (language page, 5.1, 5.4)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import ClassVar

from interpreter.values.basis import Value, ValueWalk, equal_fields, equal_sequences, lay_member, sought_key
from interpreter.values.budget import METER, check_size, parts_of_keys
from interpreter.values.callables import FunctionValue
from interpreter.values.container import Container, Table
from interpreter.values.folding import AskedFold

Entries = dict[Hashable, tuple[object, object]]

_STRUCT: Hashable = object()
_FROZEN_SET: Hashable = object()


class ListValue(Container):
    """A list."""

    __slots__ = ("items",)
    kind: ClassVar[str] = "list"
    content: ClassVar[str] = "items"

    def __init__(self, items: list[object]) -> None:
        self.items = items
        self.frozen = False
        self.iterating = 0
        self.changed = False

    def members(self) -> Iterator[object]:
        return iter(self.items)

    def met(self) -> Iterable[object]:
        return self.items

    def size(self) -> int:
        return len(self.items)

    def element(self, index: int) -> object:
        """The element at a valid index."""
        return self.items[index]

    def part(self, which: slice) -> list[object]:
        """Some elements, in order."""
        return self.items[which]

    def begins_alike(self, other: ListValue, size: int) -> bool | None:
        """Whether so many first elements are equal, if the list finds it by itself; None: they are to be compared."""
        return None

    def folded(self, fold: AskedFold) -> tuple[object] | None:
        """The value of a fold, if the list finds it by itself; None: it is computed as it is written."""
        return None

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, ListValue)
        return equal_sequences(self.items, other.items, walk)

    def append(self, item: object) -> None:
        self.change(len(self.items) + 1)
        METER.made += 1
        self.items.append(item)

    def extend(self, items: Sequence[object]) -> None:
        self.change(len(self.items) + len(items))
        METER.make(len(items))
        self.items.extend(items)

    def insert(self, index: int, item: object) -> None:
        self.change(len(self.items) + 1)
        METER.make(1 + (len(self.items) - index >> 4))
        self.items.insert(index, item)

    def put(self, index: int, item: object) -> None:
        """Replaces the element at a valid index."""
        self.change()
        self.items[index] = item

    def take(self, index: int) -> object:
        """Removes the element at a valid index; the charge is for those that move up."""
        self.change()
        METER.charge(len(self.items) - index >> 4 if index >= 0 else -index >> 4)
        return self.items.pop(index)

    def replace(self, items: list[object]) -> None:
        """Replaces all elements."""
        self.change(len(items))
        self.items = items


class DictValue(Table):
    """A dict in insertion order: hash key -> (key, value)."""

    __slots__ = ("entries",)
    kind: ClassVar[str] = "dict"
    content: ClassVar[str] = "entries"

    def __init__(self, entries: Entries) -> None:
        self.entries = entries
        self.frozen = False
        self.iterating = 0
        self.changed = False

    def members(self) -> Iterator[object]:
        for key, value in self.entries.values():
            yield key
            yield value

    def size(self) -> int:
        return len(self.entries)

    def known_keys(self) -> list[object]:
        """The keys, in order."""
        return [key for key, _ in self.entries.values()]

    def has(self, key: object) -> bool:
        return sought_key(key) in self.entries

    def folded(self, fold: AskedFold) -> tuple[object] | None:
        """The value of a fold over the keys, if the dict finds it by itself; None: it is computed as it is written."""
        return None

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, DictValue)
        METER.charge(parts_of_keys(self.entries))
        if self.entries.keys() != other.entries.keys():
            return False
        mine = [value for _, value in self.entries.values()]
        return equal_sequences(mine, [other.entries[key][1] for key in self.entries], walk)

    def find(self, key: object) -> tuple[object, object] | None:
        """The pair with that key."""
        return self.entries.get(sought_key(key))

    def put(self, key: object, value: object) -> None:
        """Binds a key; a key that is present keeps its position and its form."""
        self.bind(sought_key(key), key, value)

    def bind(self, token: Hashable, key: object, value: object) -> None:
        """As `put`, given the hash key."""
        old = self.entries.get(token)
        self.change(len(self.entries) + (old is None))
        if old is None:
            METER.made += 2
        self.entries[token] = (key if old is None else old[0], value)

    def take(self, key: object) -> object:
        """Removes a key that is present; its value."""
        self.change()
        return self.entries.pop(sought_key(key))[1]

    def clear(self) -> None:
        self.change()
        self.entries = {}


class SetValue(Container):
    """A set in insertion order: hash key of an element -> the element."""

    __slots__ = ("entries",)
    kind: ClassVar[str] = "set"
    content: ClassVar[str] = "entries"

    def __init__(self, entries: dict[Hashable, object]) -> None:
        self.entries = entries
        self.frozen = False
        self.iterating = 0
        self.changed = False

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

    def met(self) -> Iterable[object]:
        return self.entries.values()

    def size(self) -> int:
        return len(self.entries)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, SetValue)
        METER.charge(parts_of_keys(self.entries))
        return len(self.entries) == other.size() and other.holds_all(self.entries)

    def holds(self, item: object) -> bool:
        return sought_key(item) in self.entries

    def is_within(self, other: SetValue) -> bool:
        """Whether the other set has all elements of this one."""
        METER.charge(parts_of_keys(self.entries))
        return other.holds_all(self.entries)

    def without(self, other: SetValue) -> dict[Hashable, object]:
        """The entries of the elements that the other set does not have."""
        METER.make(parts_of_keys(self.entries))
        return other.parted(self.entries)[1]

    def common(self, other: SetValue) -> dict[Hashable, object]:
        """The entries of the elements that the other set has, too."""
        METER.make(parts_of_keys(self.entries))
        return other.parted(self.entries)[0]

    def holds_all(self, entries: dict[Hashable, object]) -> bool:
        """Whether the set has the elements of all these entries."""
        return entries.keys() <= self.entries.keys()

    def parted(self, entries: dict[Hashable, object]) -> tuple[dict[Hashable, object], dict[Hashable, object]]:
        """Those of some entries whose elements the set has, and the others."""
        own = self.entries
        held = {key: item for key, item in entries.items() if key in own}
        return held, {key: item for key, item in entries.items() if key not in own}

    def folded(self, fold: AskedFold) -> tuple[object] | None:
        """The value of a fold, if the set finds it by itself; None: it is computed as it is written."""
        return None

    def add(self, item: object) -> None:
        token = sought_key(item)
        METER.made += 1
        self.insert(token, item)

    def insert(self, token: Hashable, item: object) -> None:
        """As `add`, given the hash key; making the element is charged already."""
        self.change(len(self.entries) + (token not in self.entries))
        self.entries.setdefault(token, item)

    def discard(self, item: object) -> None:
        """Removes an element if it is present."""
        self.change()
        self.entries.pop(sought_key(item), None)

    def take(self, item: object) -> bool:
        """Removes an element; whether it was present."""
        self.change()
        there = self.holds(item)
        self.discard(item)
        return there

    def replace(self, entries: dict[Hashable, object]) -> None:
        """Replaces all elements."""
        self.change(len(entries))
        self.entries = entries


class StructValue(Value):
    """A struct: immutable named values."""

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
        # The fields of a whole state compare themselves: they are read one by one.
        return equal_fields(self.fields, other.fields, walk) if type(other) is StructValue else other.equals(self, walk)


class FrozenSetValue(Value):
    """A frozenset: an immutable set, in canonical order: hash key of an element -> the element."""

    __slots__ = ("entries",)
    kind: ClassVar[str] = "frozenset"

    def __init__(self, entries: dict[Hashable, object]) -> None:
        self.entries = entries

    def is_true(self) -> bool:
        return bool(self.entries)

    def size(self) -> int:
        return len(self.entries)

    def key(self, walk: ValueWalk) -> Hashable:
        walk.enter(len(self.entries))
        walk.leave()
        return (_FROZEN_SET, frozenset(self.entries))

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, FrozenSetValue)
        METER.charge(parts_of_keys(self.entries))
        return self.entries.keys() == other.entries.keys()

    def holds(self, item: object) -> bool:
        return sought_key(item) in self.entries


class RecordValue(Container):
    """A record: named values that can be assigned."""

    __slots__ = ("fields",)
    kind: ClassVar[str] = "record"
    content: ClassVar[str] = "fields"

    def __init__(self, fields: dict[str, object]) -> None:
        self.fields = fields
        self.frozen = False
        self.iterating = 0
        self.changed = False

    def members(self) -> Iterator[object]:
        return iter(self.fields.values())

    def met(self) -> Iterable[object]:
        return self.fields.values()

    def size(self) -> int:
        return len(self.fields)

    def has(self, name: str) -> bool:
        return name in self.fields

    def field(self, name: str) -> object:
        """The value of a field that is present."""
        return self.fields[name]

    def is_true(self) -> bool:
        return True

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, RecordValue)
        return equal_fields(self.fields, other.fields, walk)

    def put(self, name: str, value: object) -> None:
        self.change(len(self.fields) + (name not in self.fields))
        METER.made += 1
        self.fields[name] = value


def mark_frozen(value: object) -> None:
    """Makes the value of a constant immutable, with everything inside it."""
    pending = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, (tuple, StructValue)) and id(item) not in seen:
            seen.add(id(item))
            pending.extend(item if isinstance(item, tuple) else item.fields.values())
        elif isinstance(item, FunctionValue) and id(item) not in seen:
            # What one call changes the next one would find: steps would depend on more than the state.
            seen.add(id(item))
            pending.extend(item.held())
        elif isinstance(item, Container) and not item.frozen:
            item.frozen = True
            pending.extend(item.members())
