"""Values that refer to parts of a state: instances, channels, values of symmetry domains (language page, 5.1)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import ClassVar, Protocol

from interpreter.values.basis import Value, ValueWalk
from interpreter.values.problem import ModelMistake


class FieldStore(Protocol):
    """The store of the fields of role instances: the state that a step works on."""

    def get_attribute(self, instance: Instance, name: str) -> object:
        """The field, param or method of the instance. Raises `ModelMistake` R3."""

    def set_attribute(self, instance: Instance, name: str, value: object) -> None:
        """Binds a field. Raises `ModelMistake` R10 for a param."""

    def attribute_names(self, instance: Instance) -> list[str]:
        """The names of fields, params and methods."""


class Instance(Value):
    """A reference to a role instance: equal by role name and number, regardless of the state."""

    __slots__ = ("number", "role", "world")
    kind: ClassVar[str] = "role"

    def __init__(self, world: FieldStore, role: str, number: int) -> None:
        self.world = world
        self.role = role
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instance) and self.number == other.number and self.role == other.role

    def __hash__(self) -> int:
        return hash((self.role, self.number))

    def __repr__(self) -> str:
        return f"{self.role}#{self.number}"

    def key(self, walk: ValueWalk) -> Hashable:
        return ("role", self.role, self.number)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        return self == other


class ModelValue(Value):
    """The value of `r.__id__`: the name and the number of an instance, without the instance."""

    __slots__ = ("index", "name")
    kind: ClassVar[str] = "model_value"

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.index = index

    def key(self, walk: ValueWalk) -> Hashable:
        return ("id", self.name, self.index)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        return isinstance(other, ModelValue) and self.index == other.index and self.name == other.name


class SymmetricValue(Value):
    """A value of a symmetry domain (section 11); ordinals between two ranks have fractions until the yield."""

    __slots__ = ("domain", "index", "limit", "symmetry")
    kind: ClassVar[str] = "symmetric_value"

    def __init__(self, domain: str, symmetry: str, index: int | Fraction, limit: int | None) -> None:
        self.domain = domain
        self.symmetry = symmetry
        self.index = index.numerator if isinstance(index, Fraction) and index.denominator == 1 else index
        self.limit = limit

    def key(self, walk: ValueWalk) -> Hashable:
        return ("symmetric", self.domain, self.index)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, SymmetricValue)
        self.check_domain(other)
        return self.index == other.index

    def check_domain(self, other: SymmetricValue) -> None:
        """R14 unless both are values of one domain."""
        if self.domain != other.domain:
            raise ModelMistake("R14", f"comparing symmetric values of the domains '{self.domain}' and '{other.domain}'")


class Channel(Value):
    """A channel, by order of declaration (8.4)."""

    __slots__ = ("name", "number")
    kind: ClassVar[str] = "channel"

    def __init__(self, number: int, name: str) -> None:
        self.number = number
        self.name = name

    def key(self, walk: ValueWalk) -> Hashable:
        return ("channel", self.number)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        return isinstance(other, Channel) and self.number == other.number


class Stub(Value):
    """A role instance as seen through a channel: calling it sends a message."""

    __slots__ = ("channel", "instance")
    kind: ClassVar[str] = "stub"

    def __init__(self, channel: Channel, instance: Instance) -> None:
        self.channel = channel
        self.instance = instance

    def key(self, walk: ValueWalk) -> Hashable:
        return ("stub", self.channel.number, self.instance.role, self.instance.number)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        return isinstance(other, Stub) and self.key(walk) == other.key(walk)


class HostValue(Value):
    """A value whose class is defined in another module (symmetry domains, segments): equal by key, interns itself."""

    __slots__ = ()

    def attributes(self) -> Mapping[str, object]:
        """The attributes by name."""
        raise NotImplementedError

    def intern(self, interner: Interning) -> int:
        """The id of this value."""
        raise NotImplementedError

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        return self.key(walk) == other.key(walk)


class Interning(Protocol):
    """The method of the interner that a host value needs; importing `interpreter.values.intern` would be circular."""

    def intern(self, tag: int, payload: object) -> int:
        """The id of a value."""
