"""From runtime values to interned ids (`freeze`) and back (`thaw`).

A yield freezes and thaws every value: thawed values have new containers, in canonical order (language page, 5.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Final

from interpreter.values import (
    BagValue,
    Channel,
    Container,
    DictValue,
    FieldStore,
    FrozenSetValue,
    FunctionValue,
    GenericMap,
    GenericSet,
    HostValue,
    Instance,
    ListValue,
    ModelValue,
    ModuleValue,
    RecordValue,
    SetValue,
    StructValue,
    Stub,
    SymmetricValue,
    type_name,
)
from interpreter.values.basis import Value, hash_key
from interpreter.values.budget import METER, check_size
from interpreter.values.intern import UNTHAWED, Interner, Tag
from interpreter.values.problem import MAX_DEPTH, MAX_PARTS, ModelMistake, too_deep, too_many_parts
from interpreter.values.tags import CHANGING_TAGS
from interpreter.values.text import range_text

Shared = Callable[[object], int | None]
Host = Callable[[Tag, Any], object]


def freeze(value: object, interner: Interner, shared: Shared | None = None) -> int:
    """The id of a runtime value; `shared` may give a REF for a mutable container instead. R18 for functions."""
    tag = _SCALARS.get(type(value))
    if tag is not None:
        return interner.intern(tag, value)
    if type(value) is Instance:
        return interner.intern(Tag.ROLE, (value.role, value.number))
    return _Freezer(interner, shared).freeze(value)


_SCALARS: dict[type, Tag] = {
    int: Tag.INT,
    str: Tag.STRING,
    bool: Tag.BOOL,
    type(None): Tag.NONE,
    float: Tag.FLOAT,
    bytes: Tag.BYTES,
}


class _Freezer:
    """One walk from a runtime value to its id."""

    __slots__ = ("depth", "interner", "known", "parts", "shared")

    def __init__(self, interner: Interner, shared: Shared | None) -> None:
        self.interner = interner
        self.shared = shared
        self.depth = 0
        self.parts = 0
        self.known: dict[int, int] | None = {}
        """The ids of the tuples and structs visited, by Python's identity; None: not cached."""

    def freeze(self, value: object) -> int:
        kind = type(value)
        tag = _SCALARS.get(kind)
        if tag is not None:
            return self.interner.intern(tag, value)
        if self.shared is not None and isinstance(value, Container):
            number = self.shared(value)
            if number is not None:
                return number
        known = self.interner.frozen.get(id(value))
        if known is None and self.known:
            known = self.known.get(id(value))
        if known is not None:
            return known
        self.depth += 1
        self.parts += 1
        if self.depth > MAX_DEPTH:
            raise too_deep()
        if self.parts > MAX_PARTS:
            raise too_many_parts()
        write = _WRITERS.get(kind)
        if write is None and isinstance(value, Container):
            write = next(_WRITERS[base] for base in kind.__mro__ if base in _WRITERS)
        if write is not None:
            number = write(self.interner, self, value)
        elif isinstance(value, HostValue):
            number = value.intern(self.interner)
        else:
            number = self.stranger(value)
        self.depth -= 1
        if self.known is not None and (kind is tuple or kind is StructValue):
            self.known[id(value)] = number
        return number

    def freeze_all(self, values: Iterable[object]) -> list[int]:
        """The ids of the values inside one."""
        ints = self.interner.ints  # there may be a million of them, most of which are known
        return [
            number if type(value) is int and (number := ints.get(value)) is not None else self.freeze(value)
            for value in values
        ]

    def stranger(self, value: object) -> int:
        """Refuses a value that no state may hold."""
        name = value.name if isinstance(value, FunctionValue | ModuleValue) else "value"
        raise ModelMistake("R18", f"the {type_name(value)} '{name}' can not be stored in state")


# A writer returns the id of a value, given the interner and what freezes members.
Writer = Callable[[Interner, _Freezer, Any], int]


def _ordered(tag: Tag, items: Callable[[Any], Iterable[object]]) -> Writer:
    return lambda interner, freezer, value: interner.intern(tag, tuple(freezer.freeze_all(items(value))))


def _unordered(tag: Tag, items: Callable[[Any], Iterable[object]]) -> Writer:
    return lambda interner, freezer, value: interner.intern_members(tag, freezer.freeze_all(items(value)))


def _pairs(tag: Tag, pairs: Callable[[Any], Iterable[tuple[object, object]]]) -> Writer:
    return lambda interner, freezer, value: interner.intern_pairs(
        tag, [(freezer.freeze(k), freezer.freeze(v)) for k, v in pairs(value)]
    )


def _fields(tag: Tag) -> Writer:
    return lambda interner, freezer, value: interner.intern_fields(
        tag, [(name, freezer.freeze(item)) for name, item in value.fields.items()]
    )


def _leaf(tag: Tag, payload: Callable[[Any], object]) -> Writer:
    return lambda interner, freezer, value: interner.intern(tag, payload(value))


_WRITERS: dict[type, Writer] = {
    tuple: _ordered(Tag.TUPLE, lambda v: v),
    ListValue: _ordered(Tag.LIST, lambda v: v.items),
    DictValue: _pairs(Tag.DICT, lambda v: v.entries.values()),
    SetValue: _unordered(Tag.SET, lambda v: v.entries.values()),
    FrozenSetValue: _unordered(Tag.FROZENSET, lambda v: v.entries.values()),
    StructValue: _fields(Tag.STRUCT),
    RecordValue: _fields(Tag.RECORD),
    GenericSet: _unordered(Tag.GENERICSET, lambda v: v.items),
    GenericMap: _pairs(Tag.GENERICMAP, lambda v: v.pairs),
    BagValue: _unordered(Tag.BAG, lambda v: v.items),
    Instance: _leaf(Tag.ROLE, lambda v: (v.role, v.number)),
    ModelValue: _leaf(Tag.MODEL_VALUE, lambda v: (v.name, v.index)),
    SymmetricValue: _leaf(Tag.SYMMETRIC, lambda v: (v.domain, v.index, v.symmetry, v.limit)),
    range: _leaf(Tag.RANGE, lambda v: (v.start, v.stop, v.step)),
    Channel: _leaf(Tag.CHANNEL, lambda v: (v.number, v.name)),
    Stub: _ordered(Tag.STUB, lambda v: (v.channel, v.instance)),
}


class _DisplayFreezer(_Freezer):
    """A walk for the display text only: functions are written `<function f>`, the inside of a cycle `...`."""

    __slots__ = ("met", "most", "path")

    def __init__(self, interner: Interner, most: int) -> None:
        super().__init__(interner, None)
        self.path: set[int] = set()
        # The text of a value depends on the containers around it, so that ids are not cached.
        self.known = None
        self.met = 0
        self.most = most

    def freeze(self, value: object) -> int:
        self.met += 1
        if self.met > self.most:
            raise too_many_parts()
        if not isinstance(value, Container):
            return super().freeze(value)
        if id(value) in self.path:
            return self.interner.intern_composite(Tag.DISPLAY, (), None, "...")
        self.path.add(id(value))
        number = super().freeze(value)
        self.path.discard(id(value))
        return number

    def freeze_all(self, values: Iterable[object]) -> list[int]:
        return [self.freeze(value) for value in values]  # each occurrence counts

    def stranger(self, value: object) -> int:
        name = value.name if isinstance(value, FunctionValue | ModuleValue) else "?"
        return self.interner.intern_composite(Tag.DISPLAY, (), None, f"<{type_name(value)} {name}>")


def display(value: object, most: int = MAX_PARTS) -> str:
    """The display text of a runtime value, `repr(v)`; aliases are written out. R24 for more than `most` parts."""
    match value:
        case None | bool() | int():
            return str(value)
        case range():
            return range_text((value.start, value.stop, value.step))
    interner = Interner()
    return interner.text(_DisplayFreezer(interner, most).freeze(value))


def written(value: object) -> str:
    """The display text within a step: charged, and R24 if it is longer than a string may be."""
    if type(value) is int:
        text = str(value)
        check_size(len(text), "the text")
        return text
    if isinstance(value, str):
        METER.charge(len(value) >> 4)
    elif isinstance(value, Value | tuple):
        interner = Interner()
        # Each part takes at least two characters, separators included.
        number = _DisplayFreezer(interner, METER.elements // 2).freeze(value)
        METER.charge(interner.weight(number))
        text = interner.text(number)
        METER.make(len(text) >> 4)
        check_size(len(text), "the text")
        return text
    text = display(value)
    check_size(len(text), "the text")
    return text


def canonical_sort(values: list[object]) -> list[object]:
    """The values in canonical order (language page, 5.5), charged."""
    count, found = _in_order(values)
    METER.charge(count)
    return found


_known_orders: dict[tuple[int, ...], tuple[int, list[object]]] = {}
"""What `_in_order` returned for these elements, by their identity: they are held, so that no other object has it."""
_MOST_ORDERED: Final = 1 << 18
"""The number of elements in the orders that are cached."""
_elements_held = 0


def sorted_elements(values: list[object]) -> list[object]:
    """As `canonical_sort`, of the elements of a set, which are immutable: most sets were iterated before.

    Steps share the elements that they read from states, so that equal sets of two steps have the same objects.
    """
    global _elements_held
    if len(values) < 2 or type(values[0]) in _SCALARS:
        return canonical_sort(values)
    identity = tuple(map(id, values))
    known = _known_orders.get(identity)
    if known is None:
        known = _in_order(values)
        _elements_held += len(values)
        if _elements_held > _MOST_ORDERED:
            _known_orders.clear()
            _elements_held = len(values)
        _known_orders[identity] = known
    METER.charge(known[0])
    return known[1].copy()


def frozen_set(entries: dict[Any, object]) -> FrozenSetValue:
    """The frozenset of these elements by hash key, charged."""
    check_size(len(entries), "the frozenset")
    METER.make(len(entries))
    return FrozenSetValue({hash_key(item): item for item in canonical_sort(list(entries.values()))})


def _in_order(values: list[object]) -> tuple[int, list[object]]:
    """The number of parts in the values, and the values in canonical order."""
    kinds = {type(value) for value in values}
    if len(values) < 2:
        return len(values), list(values)
    if kinds in ({int}, {str}, {bytes}, {bool}):
        long = sum(map(len, values)) >> 4 if kinds in ({str}, {bytes}) else 0  # type: ignore[arg-type]
        return len(values) + long, sorted(values)  # type: ignore[type-var]
    if kinds == {Instance}:
        return len(values), sorted(values, key=attrgetter("role", "number"))
    interner = Interner()
    freezer = _DisplayFreezer(interner, MAX_PARTS)
    numbers = [freezer.freeze(value) for value in values]
    order = sorted(range(len(values)), key=lambda position: interner.order_key(numbers[position]))
    return sum(map(interner.weight, numbers)), [values[position] for position in order]


def _sorted_again(values: list[object]) -> list[object]:
    return _in_order(values)[1]


_SORTED: dict[Tag, Callable[[Any], list[object]]] = dict.fromkeys(CHANGING_TAGS, _sorted_again)


class _Template:
    """The content from which a container is copied when everything inside can be shared."""

    __slots__ = ("content", "make")

    def __init__(self, make: Callable[[Any], object], content: list[object] | dict[Any, object]) -> None:
        self.make = make
        self.content = content

    def copy(self) -> object:
        return self.make(self.content.copy())


def thaw(
    number: int,
    interner: Interner,
    world: FieldStore,
    resolve_reference: Callable[[int], object],
    host: Host | None = None,
) -> object:
    """The runtime value of an id: new containers, instances of `world`, and `resolve_reference(cell)` for aliases.

    `host(tag, payload)` makes segments and domains. Immutable values are shared by all worlds.
    """
    known = interner.thawed[number]
    if known is UNTHAWED:
        return _Thawer(interner, world, resolve_reference, host).thaw(number)
    return known.copy() if type(known) is _Template else known


class _Thawer:
    """One walk from an id to a runtime value."""

    __slots__ = ("host", "interner", "resolve", "thawed", "world")

    def __init__(
        self, interner: Interner, world: FieldStore, resolve: Callable[[int], object], host: Host | None
    ) -> None:
        self.interner = interner
        self.world = world
        self.resolve = resolve
        self.host = host
        self.thawed = interner.thawed

    def thaw(self, number: int) -> object:
        known = self.thawed[number]
        if known is not UNTHAWED:
            return known.copy() if type(known) is _Template else known
        interner = self.interner
        tag, payload = interner.tag(number), interner.payload(number)
        container = _CONTAINERS.get(tag)
        if container is not None:
            make, fill = container
            content = fill(self, payload)
            if all(map(interner.sharable, interner.children(number))):
                self.thawed[number] = _Template(make, content)
                content = content.copy()
            elif tag in _SORTED and interner.references(number):
                # Aliases are sorted by number; iteration needs the canonical order of the values they refer to.
                content = _SORTED[tag](content)
            return make(content)
        value = self.leaf(tag, payload)
        if interner.sharable(number):
            self.thawed[number] = value
            interner.frozen[id(value)] = number
        return value

    def all(self, members: tuple[int, ...]) -> list[object]:
        """The runtime values of the members."""
        thaw = self.thaw
        return [thaw(member) for member in members]

    def leaf(self, tag: Tag, payload: Any) -> object:
        """The runtime value of an id that is no mutable container."""
        match tag:
            case Tag.TUPLE:
                return tuple(self.all(payload))
            case Tag.ROLE:
                return Instance(self.world, *payload)
            case Tag.FROZENSET:
                return FrozenSetValue(_thaw_set(self, payload))
            case Tag.STRUCT:
                return StructValue(_thaw_fields(self, payload))
            case Tag.REF:
                return self.resolve(payload[0])
            case Tag.MODEL_VALUE:
                return ModelValue(*payload)
            case Tag.SYMMETRIC:
                domain, index, symmetry, limit = payload
                return SymmetricValue(domain, symmetry, index, limit)
            case Tag.RANGE:
                return range(*payload)
            case Tag.CHANNEL:
                return Channel(*payload)
            case Tag.STUB:
                channel, instance = self.all(payload)
                assert isinstance(channel, Channel) and isinstance(instance, Instance)
                return Stub(channel, instance)
        assert self.host is not None, f"{tag!r} is no value of the language"
        return self.host(tag, payload)


def _thaw_entries(thawer: _Thawer, pairs: tuple[tuple[int, int], ...]) -> dict[Any, object]:
    made: dict[Any, object] = {}
    for k, v in pairs:
        key = thawer.thaw(k)
        made[hash_key(key)] = (key, thawer.thaw(v))
    return made


def _thaw_fields(thawer: _Thawer, fields: tuple[tuple[str, int], ...]) -> dict[Any, object]:
    return {name: thawer.thaw(member) for name, member in fields}


def _thaw_set(thawer: _Thawer, members: tuple[int, ...]) -> dict[Any, object]:
    return {hash_key(item): item for item in thawer.all(members)}


def _thaw_pairs(thawer: _Thawer, pairs: tuple[tuple[int, int], ...]) -> list[object]:
    return [(thawer.thaw(k), thawer.thaw(v)) for k, v in pairs]


_CONTAINERS: dict[Tag, tuple[Callable[[Any], object], Callable[[_Thawer, Any], list[object] | dict[Any, object]]]] = {
    Tag.LIST: (ListValue, _Thawer.all),
    Tag.DICT: (DictValue, _thaw_entries),
    Tag.SET: (SetValue, _thaw_set),
    Tag.RECORD: (RecordValue, _thaw_fields),
    Tag.GENERICSET: (GenericSet, _Thawer.all),
    Tag.GENERICMAP: (GenericMap, _thaw_pairs),
    Tag.BAG: (BagValue, _Thawer.all),
}
