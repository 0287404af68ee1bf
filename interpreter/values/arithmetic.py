"""The arithmetic operators (language page, 5.1): bools are not numbers, and results stay within the limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from interpreter.values import HostValue, SymmetricValue
from interpreter.values.basis import truth, type_name
from interpreter.values.budget import METER, check_int, check_size, parts_of_keys
from interpreter.values.containers import DictValue, FrozenSetValue, ListValue, SetValue, StructValue
from interpreter.values.freeze import frozen_set
from interpreter.values.problem import ModelMistake

NUMBERS = frozenset({int, float})
_LARGE: Final = 1 << 64
"""Multiplying and dividing an int of at least this size costs more than one operation."""


def wrong_types(op: str, left: object, right: object) -> NoReturn:
    """R4 for operands that the operator does not take."""
    hint = None
    if bool in (type(left), type(right)):
        hint = "a bool is not a number: use int(...)"
    elif op == "+" and str in (type(left), type(right)):
        hint = "turn the other one into text: str(...), or an f-string"
    raise ModelMistake("R4", f"unsupported operands for {op}: {type_name(left)} and {type_name(right)}", hint)


def _number(op: str, compute: Callable[[Any, Any], Any], left: object, right: object) -> object:
    """The result for two numbers, measured."""
    if type(left) is int and not -_LARGE < left < _LARGE:
        METER.charge(left.bit_length() >> 6)
    try:
        result = compute(left, right)
    except ZeroDivisionError:
        raise ModelMistake("R5", f"division by zero: {left} {op} {right}") from None
    except OverflowError:
        raise ModelMistake("R24", f"the result of {op} is too large for a float") from None
    return check_int(result) if type(result) is int else result


def add(left: object, right: object) -> object:
    if type(left) is int and type(right) is int:
        total = left + right
        return total if -METER.bound < total < METER.bound else check_int(total)
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _number("+", lambda a, b: a + b, left, right)
    match left, right:
        case (str(), str()) | (bytes(), bytes()) | (tuple(), tuple()):
            return _join(left, right)
        case ListValue(), ListValue():
            check_size(len(left.items) + len(right.items), "the list")
            METER.make(len(left.items) + len(right.items))
            return ListValue(left.items + right.items)
        case (StructValue() | HostValue(), StructValue() | HostValue()) if left.kind == "struct" == right.kind:
            ours, theirs = (one.fields if isinstance(one, StructValue) else one.attributes() for one in (left, right))
            METER.make(len(ours) + len(theirs))
            return StructValue({**ours, **theirs})
    if isinstance(left, SymmetricValue) and type(right) is int:
        return _shift(left, right, "+")
    if isinstance(right, SymmetricValue) and type(left) is int:
        return _shift(right, left, "+")
    wrong_types("+", left, right)


def _join(left: Any, right: Any) -> object:
    check_size(len(left) + len(right), f"the {type_name(left)}")
    _make(left, len(left) + len(right))
    joined: object = left + right
    return joined


def _make(like: object, count: int) -> None:
    METER.make(count if isinstance(like, tuple) else count >> 4)


def subtract(left: object, right: object) -> object:
    if type(left) is int and type(right) is int:
        difference = left - right
        return difference if -METER.bound < difference < METER.bound else check_int(difference)
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _number("-", lambda a, b: a - b, left, right)
    match left, right:
        case SetValue(), SetValue():
            return SetValue(left.without(right))
        case FrozenSetValue(), FrozenSetValue():
            return frozen_set({key: item for key, item in left.entries.items() if key not in right.entries})
        case SymmetricValue(), SymmetricValue():
            return _apart(left, right)
    if isinstance(left, SymmetricValue) and type(right) is int:
        return _shift(left, -right, "-")
    wrong_types("-", left, right)


def _shift(value: SymmetricValue, by: int, op: str) -> SymmetricValue:
    if value.symmetry == "interval":
        return SymmetricValue(value.domain, value.symmetry, check_int(int(value.index) + by), value.limit)
    if value.symmetry == "rotational":
        assert value.limit is not None
        return SymmetricValue(value.domain, value.symmetry, (int(value.index) + by) % value.limit, value.limit)
    raise ModelMistake("R4", f"{op} is not defined for values of the {value.symmetry} domain '{value.domain}'")


def _apart(left: SymmetricValue, right: SymmetricValue) -> int:
    left.check_domain(right)
    if left.symmetry == "interval":
        return int(left.index) - int(right.index)
    if left.symmetry == "rotational":
        assert left.limit is not None
        return (int(left.index) - int(right.index)) % left.limit
    raise ModelMistake("R4", f"- is not defined for values of the {left.symmetry} domain '{left.domain}'")


def multiply(left: object, right: object) -> object:
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _number("*", lambda a, b: a * b, left, right)
    if type(right) is int and not isinstance(left, int):
        return _repeat(left, right, left, right)
    if type(left) is int:
        return _repeat(right, left, left, right)
    wrong_types("*", left, right)


def _repeat(value: object, count: int, left: object, right: object) -> object:
    match value:
        case str() | bytes() | tuple():
            check_size(len(value) * max(count, 0), f"the {type_name(value)}")
            _make(value, len(value) * max(count, 0))
            return value * _times(value, count)
        case ListValue():
            check_size(len(value.items) * max(count, 0), "the list")
            METER.make(len(value.items) * max(count, 0))
            return ListValue(value.items * _times(value.items, count))
    wrong_types("*", left, right)


def _times(value: Sequence[object], count: int) -> int:
    # Python itself counts repetitions in a machine word.
    return max(count, 0) if value else 0


def divide(left: object, right: object) -> object:
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _number("/", lambda a, b: a / b, left, right)
    wrong_types("/", left, right)


def floor_divide(left: object, right: object) -> object:
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _number("//", lambda a, b: a // b, left, right)
    wrong_types("//", left, right)


def modulo(left: object, right: object) -> object:
    """The remainder; `%` on a string is formatting, see `interpreter.values.formats`."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _number("%", lambda a, b: a % b, left, right)
    wrong_types("%", left, right)


def bit_and(left: object, right: object) -> object:
    match left, right:
        case SetValue(), SetValue():
            return SetValue(left.common(right))
        case FrozenSetValue(), FrozenSetValue():
            return frozen_set({key: item for key, item in left.entries.items() if key in right.entries})
    if type(left) is int and type(right) is int:
        return left & right
    wrong_types("&", left, right)


def bit_or(left: object, right: object) -> object:
    match left, right:
        case SetValue(), SetValue():
            METER.make(parts_of_keys(left.entries) + parts_of_keys(right.entries))
            joint = right_after(left.entries, right.entries)
            check_size(len(joint), "the set")
            return SetValue(joint)
        case FrozenSetValue(), FrozenSetValue():
            METER.charge(parts_of_keys(right.entries))
            return frozen_set(right_after(left.entries, right.entries))
        case DictValue(), DictValue():
            METER.make(2 * len(left.entries))
            METER.charge(parts_of_keys(right.entries))
            joined = DictValue(dict(left.entries))
            joined.update(list(right.entries.values()))
            return joined
    if type(left) is int and type(right) is int:
        return left | right
    wrong_types("|", left, right)


def right_after(left: dict[Any, Any], right: dict[Any, Any]) -> dict[Any, Any]:
    """All entries of `left`, then the entries of `right` with new keys."""
    return {**left, **{key: item for key, item in right.items() if key not in left}}


def bit_xor(left: object, right: object) -> object:
    match left, right:
        case SetValue(), SetValue():
            METER.make(parts_of_keys(left.entries) + parts_of_keys(right.entries))
            mine = {key: item for key, item in left.entries.items() if key not in right.entries}
            theirs = {key: item for key, item in right.entries.items() if key not in left.entries}
            check_size(len(mine) + len(theirs), "the set")
            return SetValue({**mine, **theirs})
        case FrozenSetValue(), FrozenSetValue():
            METER.charge(parts_of_keys(left.entries) + parts_of_keys(right.entries))
            ours = {key: item for key, item in left.entries.items() if key not in right.entries}
            others = {key: item for key, item in right.entries.items() if key not in left.entries}
            return frozen_set({**ours, **others})
    if type(left) is int and type(right) is int:
        return left ^ right
    wrong_types("^", left, right)


def shift_left(left: object, right: object) -> object:
    if type(left) is int and type(right) is int:
        _check_shift(right)
        if left and right + left.bit_length() > METER.bits:
            raise ModelMistake("R24", f"an int of {right + left.bit_length()} bits, the limit is {METER.bits:,}")
        return left << right if left else 0
    wrong_types("<<", left, right)


def shift_right(left: object, right: object) -> object:
    if type(left) is int and type(right) is int:
        _check_shift(right)
        return left >> right
    wrong_types(">>", left, right)


def _check_shift(count: int) -> None:
    if count < 0:
        raise ModelMistake("R4", f"shift by a negative number: {count}")


def negate(value: object) -> object:
    if isinstance(value, int | float) and type(value) in NUMBERS:
        return -value
    raise _wrong_type("-", value)


def plus(value: object) -> object:
    if type(value) in NUMBERS:
        return value
    raise _wrong_type("+", value)


def invert(value: object) -> object:
    if isinstance(value, int) and type(value) is int:
        return ~value
    raise _wrong_type("~", value)


def negation(value: object) -> bool:
    """`not v`."""
    return not truth(value)


def _wrong_type(op: str, value: object) -> ModelMistake:
    return ModelMistake("R4", f"unsupported operand for {op}: {type_name(value)}")
