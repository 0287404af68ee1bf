"""Order (language page, 5.1): the comparison of `<`, `<=`, `>`, `>=`, `sorted`, `min` and `max`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any

from interpreter.values import SymmetricValue
from interpreter.values.arithmetic import NUMBERS
from interpreter.values.basis import ValueWalk, equal_members, type_name
from interpreter.values.budget import METER, parts_of_keys
from interpreter.values.containers import FrozenSetValue, ListValue, SetValue
from interpreter.values.generics import GenericSet
from interpreter.values.problem import ModelMistake

_ALIKE = frozenset({str, bytes, bool})


def compare(left: object, right: object) -> int:
    """Negative, zero or positive; R4 for values without order, R14 for symmetric ones. nan is the greatest number."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _compare_numbers(left, right)
    walk = ValueWalk()
    result = _compare(left, right, walk)
    METER.charge(walk.parts + 1)
    return result


def _compare(left: object, right: object, walk: ValueWalk) -> int:
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _compare_numbers(left, right)
    if type(left) is type(right) and type(left) in _ALIKE:
        a: Any = left
        b: Any = right
        if type(a) is not bool:
            walk.parts += min(len(a), len(b)) >> 4
        return int(a > b) - int(a < b)
    match left, right:
        case tuple(), tuple():
            return _compare_sequences(left, right, walk)
        case ListValue(), ListValue():
            return _compare_sequences(left.items, right.items, walk)
        case SymmetricValue(), SymmetricValue():
            return _compare_symmetric(left, right)
    raise ModelMistake("R4", f"{type_name(left)} and {type_name(right)} have no order")


def _compare_numbers(left: Any, right: Any) -> int:
    if left != left or right != right:
        return int(left != left) - int(right != right)
    return int(left > right) - int(left < right)


def _compare_sequences(left: Sequence[object], right: Sequence[object], walk: ValueWalk) -> int:
    walk.enter(min(len(left), len(right)))
    result = (len(left) > len(right)) - (len(left) < len(right))
    for a, b in zip(left, right, strict=False):
        if not equal_members(a, b, walk):
            result = _compare(a, b, walk)
            break
    walk.leave()
    return result


def _compare_symmetric(left: SymmetricValue, right: SymmetricValue) -> int:
    left.check_domain(right)
    if left.symmetry not in ("ordinal", "interval"):
        raise ModelMistake("R14", f"values of the {left.symmetry} domain '{left.domain}' have no order")
    return (left.index > right.index) - (left.index < right.index)


def _subset(left: object, right: object) -> bool | None:
    """Whether every element of `left` is in `right`; None if they are not sets."""
    match left, right:
        case FrozenSetValue(), FrozenSetValue():
            METER.charge(parts_of_keys(left.entries))
            return left.entries.keys() <= right.entries.keys()
        case SetValue(), SetValue():
            return left.is_within(right)
        case GenericSet(), GenericSet():
            METER.charge(len(left.items))
            return all(map(right.member_test(), left.items))
    return None


def less(left: object, right: object) -> bool:
    inside = _subset(left, right)
    return compare(left, right) < 0 if inside is None else inside and _size(left) < _size(right)


def less_equal(left: object, right: object) -> bool:
    inside = _subset(left, right)
    return compare(left, right) <= 0 if inside is None else inside


def greater(left: object, right: object) -> bool:
    return less(right, left)


def greater_equal(left: object, right: object) -> bool:
    return less_equal(right, left)


def _size(value: object) -> int:
    assert isinstance(value, SetValue | FrozenSetValue | GenericSet)
    return value.size()


def sort(items: Sequence[object], key: Callable[[object], object] | None, reverse: bool) -> list[object]:
    """The items in order (stable); with a key function, ordered by its results."""
    METER.make(len(items))
    marks = items if key is None else [key(item) for item in items]
    kinds = {type(mark) for mark in marks}
    if kinds in ({str}, {bytes}):
        METER.charge(sum(map(len, marks)) >> 4)  # type: ignore[arg-type]
    numbers = kinds <= NUMBERS and all(mark == mark for mark in marks)
    if numbers or kinds in ({str}, {bool}, {bytes}):
        if key is None:
            return sorted(items, reverse=reverse)  # type: ignore[type-var]
        return [items[i] for i in sorted(range(len(marks)), key=marks.__getitem__, reverse=reverse)]  # type: ignore[arg-type]
    METER.charge(len(marks) * len(marks).bit_length())
    order = sorted(range(len(marks)), key=lambda i: cmp_to_key(compare)(marks[i]), reverse=reverse)
    return [items[i] for i in order]
