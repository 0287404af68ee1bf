"""The values of one step: thawed, and the mutable ones really mutable (language page, 5.1, 5.4).

A step works on these; between steps there are only interned ids (`interpreter.intern`), and `interpreter.freeze` goes
from one to the other. This module has the values that are no containers, and gives out all the names.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Protocol

from interpreter.basis import Value, Walk, equal, hash_key, truth, type_name
from interpreter.containers import (
    Container,
    DictValue,
    ListValue,
    RecordValue,
    SetValue,
    StructValue,
    mark_frozen,
)
from interpreter.generics import BagValue, GenericMap, GenericSet
from interpreter.problem import Problem

__all__ = [
    "BagValue",
    "BoundMethod",
    "Builtin",
    "Channel",
    "Container",
    "DictValue",
    "FunctionValue",
    "GenericMap",
    "GenericSet",
    "HostValue",
    "Instance",
    "ListValue",
    "ModelValue",
    "ModuleValue",
    "RecordValue",
    "SetValue",
    "StructValue",
    "Stub",
    "SymmetricValue",
    "Value",
    "Walk",
    "World",
    "equal",
    "hash_key",
    "mark_frozen",
    "truth",
    "type_name",
]


class World(Protocol):
    """Where a role instance keeps its fields: the state that a step works on."""

    def get_attribute(self, instance: Instance, name: str) -> object:
        """The field, param or method of the instance, or a Problem R3."""

    def set_attribute(self, instance: Instance, name: str, value: object) -> None:
        """Binds a field, or a Problem R10 for a param."""

    def attribute_names(self, instance: Instance) -> list[str]:
        """The names of fields, params and methods."""


class Instance(Value):
    """A reference to a role instance: equal by role name and number, whatever the state it comes from."""

    __slots__ = ("number", "role", "world")
    kind: ClassVar[str] = "role"

    def __init__(self, world: World, role: str, number: int) -> None:
        self.world = world
        self.role = role
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instance) and self.number == other.number and self.role == other.role

    def __hash__(self) -> int:
        return hash((self.role, self.number))

    def __repr__(self) -> str:
        return f"{self.role}#{self.number}"

    def key(self, walk: Walk) -> Hashable:
        return ("role", self.role, self.number)

    def equals(self, other: Value, walk: Walk) -> bool:
        return self == other


class ModelValue(Value):
    """What `r.__id__` gives: the name and the number of an instance, without the instance."""

    __slots__ = ("index", "name")
    kind: ClassVar[str] = "model_value"

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.index = index

    def key(self, walk: Walk) -> Hashable:
        return ("id", self.name, self.index)

    def equals(self, other: Value, walk: Walk) -> bool:
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

    def key(self, walk: Walk) -> Hashable:
        return ("symmetric", self.domain, self.index)

    def equals(self, other: Value, walk: Walk) -> bool:
        assert isinstance(other, SymmetricValue)
        self.check_domain(other)
        return self.index == other.index

    def check_domain(self, other: SymmetricValue) -> None:
        """R14 unless both are values of one domain."""
        if self.domain != other.domain:
            raise Problem("R14", f"comparing symmetric values of the domains '{self.domain}' and '{other.domain}'")


class Channel(Value):
    """A channel, by order of declaration (8.4)."""

    __slots__ = ("name", "number")
    kind: ClassVar[str] = "channel"

    def __init__(self, number: int, name: str) -> None:
        self.number = number
        self.name = name

    def key(self, walk: Walk) -> Hashable:
        return ("channel", self.number)

    def equals(self, other: Value, walk: Walk) -> bool:
        return isinstance(other, Channel) and self.number == other.number


class Stub(Value):
    """A role instance as seen through a channel: calling it sends a message."""

    __slots__ = ("channel", "instance")
    kind: ClassVar[str] = "stub"

    def __init__(self, channel: Channel, instance: Instance) -> None:
        self.channel = channel
        self.instance = instance

    def key(self, walk: Walk) -> Hashable:
        return ("stub", self.channel.number, self.instance.role, self.instance.number)

    def equals(self, other: Value, walk: Walk) -> bool:
        return isinstance(other, Stub) and self.key(walk) == other.key(walk)


class HostValue(Value):
    """A value whose class lives elsewhere (symmetry domains and segments): equal by key, interned by itself."""

    __slots__ = ()

    def attributes(self) -> Mapping[str, object]:
        """What stands behind a dot."""
        raise NotImplementedError

    def intern(self, interner: Interning) -> int:
        """The id of this value."""
        raise NotImplementedError

    def equals(self, other: Value, walk: Walk) -> bool:
        return self.key(walk) == other.key(walk)


class Interning(Protocol):
    """The one method of the interner that a host value needs (`interpreter.intern` would be a cycle)."""

    def intern(self, tag: int, payload: object) -> int:
        """The id of a value."""


class FunctionValue(Value):
    """Something to call inside an expression: builtin, method, lambda, `def` helper. Equal only to itself."""

    __slots__ = ("name",)
    kind: ClassVar[str] = "function"

    def __init__(self, name: str) -> None:
        self.name = name

    def call(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        """The result for thawed arguments, or a Problem."""
        raise NotImplementedError

    def key(self, walk: Walk) -> Hashable:
        return self


class Builtin(FunctionValue):
    """A function of the host: takes `least` to `most` arguments (None: any number), and those named.

    `keywords` are the names that need to be written (None: any name is taken), `places` the names of arguments that
    may also stand at that place without a name.
    """

    __slots__ = ("function", "keywords", "least", "most", "places")

    def __init__(
        self,
        name: str,
        function: Callable[..., object],
        least: int = 0,
        most: int | None = None,
        keywords: frozenset[str] | None = frozenset(),
        places: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(name)
        self.function = function
        self.least = least
        self.most = most
        self.keywords = keywords
        self.places = places or {}

    def call(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        self.check(len(args), kwargs)
        return self.function(*args, **kwargs)

    def check(self, count: int, kwargs: Mapping[str, object]) -> None:
        """R4 if there are too few or too many arguments or a name that the function does not know."""
        named = {self.places[name] for name in kwargs if name in self.places} if kwargs else ()
        missing = count < self.least and any(place not in named for place in range(count, self.least))
        if missing or (self.most is not None and count > self.most):
            raise Problem("R4", f"{self.name}() takes {self._wanted()}, got {count + len(named)}")
        for name in kwargs:
            place = self.places.get(name)
            if place is not None and place < count:
                raise Problem("R4", f"{self.name}() got the argument '{name}' twice")
            if place is None and self.keywords is not None and name not in self.keywords:
                raise Problem("R4", f"{self.name}() has no argument named '{name}'")

    def _wanted(self) -> str:
        if self.most is None:
            return f"at least {self.least} argument{'s' if self.least != 1 else ''}"
        if self.least == self.most:
            if not self.most:
                return "no positional arguments"
            return f"{self.most} argument{'s' if self.most != 1 else ''}"
        return f"{self.least} to {self.most} arguments"


class BoundMethod(FunctionValue):
    """A method of a value, with that value: `log.append`."""

    __slots__ = ("method", "receiver")

    def __init__(self, receiver: object, method: Builtin) -> None:
        super().__init__(method.name)
        self.receiver = receiver
        self.method = method

    def call(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        self.method.check(len(args), kwargs)
        return self.method.function(self.receiver, *args, **kwargs)


class ModuleValue(Value):
    """`math`, `itertools`, or a `.star` helper: names behind a dot. It may not be stored in state."""

    __slots__ = ("members", "name")
    kind: ClassVar[str] = "module"

    def __init__(self, name: str, members: Mapping[str, object]) -> None:
        self.name = name
        self.members = members

    def key(self, walk: Walk) -> Hashable:
        return self
