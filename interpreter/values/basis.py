"""Operations of every value: type name, truth, equality, key (language page, 5.1).

None, bool, int, float, str, bytes, tuple and range are Python's own types; all others derive from `Value` and implement
its methods. Equality of Python's own types differs from Python's: `True == 1` is False, and nan equals itself, so that
equality, keys and identity agree.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, Final

from interpreter.values.budget import METER
from interpreter.values.problem import (
    MAX_DEPTH,
    MAX_PARTS,
    ModelMistake,
    too_deep,
    too_many_parts,
    with_article,
)

_NATIVE_NAMES: dict[type, str] = {
    type(None): "NoneType",
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    bytes: "bytes",
    tuple: "tuple",
    range: "range",
}
_TRUE_KEY: Hashable = ("bool", 1)
_FALSE_KEY: Hashable = ("bool", 0)
_NAN_KEY: Hashable = ("nan",)
_TUPLE: Hashable = object()
_SHORT: Final = 64
"""Shorter texts are not charged."""


class ValueWalk:
    """One walk through nested values: counts the parts, so that cycles and huge values end in a `ModelMistake`."""

    __slots__ = ("depth", "parts")

    def __init__(self) -> None:
        self.depth = 0
        self.parts = 0

    def enter(self, count: int) -> None:
        """Enters a value of `count` members; R24 if there are too many levels or parts."""
        self.depth += 1
        self.parts += count + 1
        if self.depth > MAX_DEPTH:
            raise too_deep()
        if self.parts > MAX_PARTS:
            raise too_many_parts()

    def leave(self) -> None:
        """Leaves the value entered last."""
        self.depth -= 1


class Value:
    """A value of a type that Python does not have."""

    __slots__ = ()
    kind: ClassVar[str] = "value"

    def is_true(self) -> bool:
        """The truth of the value: all values except empty collections are true."""
        return True

    def key(self, walk: ValueWalk) -> Hashable:
        """A Python-hashable key, equal for equal values; R6 for a mutable value."""
        raise ModelMistake(
            "R6",
            f"{with_article(self.kind)} can be changed, so it can not be a key or an element of a set",
            "use a tuple or a struct, or a genericset / genericmap",
        )

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        """Whether it equals `other`, a value of the same kind."""
        return self is other

    def lay(self, walk: ValueWalk, flat: list[Hashable]) -> None:
        """Appends the key to `flat`, the key of a value around it."""
        flat.append(self.key(walk))


def type_name(value: object) -> str:
    """The name of the type, `type(v)`."""
    return value.kind if isinstance(value, Value) else _NATIVE_NAMES[type(value)]


def truth(value: object) -> bool:
    """False for None, False, zero, and collections of length 0."""
    return value.is_true() if isinstance(value, Value) else bool(value)


def hash_key(value: object) -> Hashable:
    """The key of a value in dicts and sets: `1` and `1.0` share one, `1` and `True` do not. R6 if unhashable."""
    kind = type(value)
    if kind is str or kind is int:
        return value
    return member_key(value, ValueWalk())


def sought_key(value: object) -> Hashable:
    """`hash_key` of a value that a step looks up or inserts, charged."""
    kind = type(value)
    if kind is int:
        return value
    if isinstance(value, str):
        if len(value) > _SHORT:
            METER.charge(len(value) >> 4)
        return value
    walk = ValueWalk()
    key = member_key(value, walk)
    if walk.parts:
        METER.charge(walk.parts)
    return key


def member_key(value: object, walk: ValueWalk) -> Hashable:
    """`hash_key` of a member of a value that is being walked.

    The key of a tuple or struct is flat: its length is the cost of looking it up.
    """
    if isinstance(value, Value):
        return value.key(walk)
    kind = type(value)
    if kind is bool:
        return _TRUE_KEY if value else _FALSE_KEY
    if kind is tuple:
        assert isinstance(value, tuple)
        flat: list[Hashable] = []
        _lay_tuple(value, walk, flat)
        return tuple(flat)
    if isinstance(value, (str, bytes)):
        walk.parts += len(value) >> 4
        return value
    if kind is float and value != value:
        return _NAN_KEY
    # Python's own keys: equal ranges are equal sequences, 1 and 1.0 hash alike, strings never equal bytes.
    assert isinstance(value, Hashable)
    return value


def _lay_tuple(value: tuple[object, ...], walk: ValueWalk, flat: list[Hashable]) -> None:
    walk.enter(len(value))
    flat += (_TUPLE, len(value))
    for member in value:
        lay_member(member, walk, flat)
    walk.leave()


def lay_member(member: object, walk: ValueWalk, flat: list[Hashable]) -> None:
    """Appends the key of a member to that of the value around it. Keys are self-delimiting: no two values share one."""
    kind = type(member)
    if kind is int:
        flat.append(member)
    elif isinstance(member, tuple):
        _lay_tuple(member, walk, flat)
    elif isinstance(member, Value):
        member.lay(walk, flat)
    else:
        flat.append(member_key(member, walk))


def equal(left: object, right: object) -> bool:
    """`left == right` in the language; R14 for symmetric values of two domains, R24 for cycles."""
    if type(left) is int and type(right) is int:
        return left == right
    if not isinstance(left, (Value, tuple)):
        return not isinstance(right, (Value, tuple)) and _equal_scalars(left, right)
    walk = ValueWalk()
    same = equal_members(left, right, walk)
    if walk.parts:
        METER.charge(walk.parts)
    return same


def equal_members(left: object, right: object, walk: ValueWalk) -> bool:
    """`equal` within values that are being walked.

    There is no shortcut for one object on both sides: engines differ in which equal values are one object, and the
    charges must not.
    """
    if isinstance(left, Value):
        return isinstance(right, Value) and left.kind == right.kind and left.equals(right, walk)
    if isinstance(left, tuple):
        return isinstance(right, tuple) and equal_sequences(left, right, walk)
    return not isinstance(right, (Value, tuple)) and _equal_scalars(left, right)


def equal_sequences(left: Sequence[object], right: Sequence[object], walk: ValueWalk) -> bool:
    """Whether two sequences have equal members in the same order."""
    if len(left) != len(right):
        return False
    walk.enter(len(left))
    same = True
    for a, b in zip(left, right, strict=True):
        if not equal_members(a, b, walk):
            same = False
            break
    walk.leave()
    return same


def equal_fields(left: Mapping[str, object], right: Mapping[str, object], walk: ValueWalk) -> bool:
    """Whether two sets of named fields are the same."""
    if left.keys() != right.keys():
        return False
    names = sorted(left)
    return equal_sequences([left[name] for name in names], [right[name] for name in names], walk)


def _equal_scalars(left: object, right: object) -> bool:
    if type(left) is type(right):
        if isinstance(left, (str, bytes)) and len(left) > _SHORT:
            METER.charge(len(left) >> 4)
        return left == right or (left != left and right != right)
    return type(left) in (int, float) and type(right) in (int, float) and left == right
