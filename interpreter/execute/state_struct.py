"""States as structs: `before`, `after`, `next_states()[0].state`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from interpreter.execute.world import World
from interpreter.state.state import MISSING
from interpreter.values import HostValue, StructValue, Value, ValueWalk
from interpreter.values.basis import equal_fields
from interpreter.values.freeze import freeze
from interpreter.values.tags import Tag


class StateStruct(HostValue):
    """The state variables of one state as attributes, read one by one."""

    __slots__ = ("_world", "_names")
    kind = "struct"

    def __init__(self, world: World, names: tuple[str, ...]) -> None:
        self._world = world
        self._names = names

    @property
    def world(self) -> World:
        """What the state is read through."""
        return self._world

    def attributes(self) -> Mapping[str, object]:
        return _LazyFields(self._world, self._names)

    def intern(self, interner: Any) -> int:
        fields = [(name, freeze(value, interner)) for name, value in self.attributes().items()]
        return int(interner.intern_fields(Tag.STRUCT, fields))

    def lay(self, walk: ValueWalk, flat: list[Hashable]) -> None:
        StructValue(dict(self.attributes())).lay(walk, flat)

    def key(self, walk: ValueWalk) -> Hashable:
        return StructValue(dict(self.attributes())).key(walk)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, StructValue | StateStruct)
        theirs = other.fields if isinstance(other, StructValue) else other.attributes()
        return equal_fields(self.attributes(), theirs, walk)


class _LazyFields(Mapping[str, object]):
    def __init__(self, world: World, names: tuple[str, ...]) -> None:
        self._world = world
        self._names = names

    def __getitem__(self, name: str) -> object:
        value = self._value(name) if name in self._names else MISSING
        if value is MISSING:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if self._value(name) is not MISSING)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _value(self, name: str) -> object:
        return self._world.first(("heap", name))
