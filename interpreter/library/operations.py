"""Operators, indexing and attributes of runtime values (language page, 5.1 – 5.4): one table for all engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from interpreter.library.arguments import iterable
from interpreter.library.attributes import attribute_names, get_attribute, set_attribute
from interpreter.values import arithmetic, comparison
from interpreter.values.access import contains, index, iterate, iterate_live, iterated, set_index, slice_of
from interpreter.values.basis import equal
from interpreter.values.containers import DictValue, ListValue, SetValue
from interpreter.values.formats import format_percent

__all__ = [
    "BINARY",
    "attribute_names",
    "augmented",
    "binary",
    "contains",
    "get_attribute",
    "index",
    "iterate",
    "iterate_live",
    "iterated",
    "set_attribute",
    "set_index",
    "slice_of",
    "unary",
]


def _modulo(left: object, right: object) -> object:
    return format_percent(left, right) if isinstance(left, str) else arithmetic.modulo(left, right)


BINARY: Mapping[str, Callable[[object, object], object]] = {
    "+": arithmetic.add,
    "-": arithmetic.subtract,
    "*": arithmetic.multiply,
    "/": arithmetic.divide,
    "//": arithmetic.floor_divide,
    "%": _modulo,
    "&": arithmetic.bit_and,
    "|": arithmetic.bit_or,
    "^": arithmetic.bit_xor,
    "<<": arithmetic.shift_left,
    ">>": arithmetic.shift_right,
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "<": comparison.less,
    "<=": comparison.less_equal,
    ">": comparison.greater,
    ">=": comparison.greater_equal,
    "in": contains,
    "not in": lambda left, right: not contains(left, right),
}
UNARY: Mapping[str, Callable[[object], object]] = {
    "-": arithmetic.negate,
    "+": arithmetic.plus,
    "~": arithmetic.invert,
    "not": arithmetic.negation,
}


def binary(op: str, left: object, right: object) -> object:
    """The result of a binary operator; `and` and `or` are left to the evaluator."""
    return BINARY[op](left, right)


def unary(op: str, value: object) -> object:
    """The result of a unary operator."""
    return UNARY[op](value)


def augmented(op: str, left: object, right: object) -> object:
    """The value to bind after `left op= right` (`op` without `=`): lists, sets, dicts change in place as in Python."""
    match op, left, right:
        case "+", ListValue(), _:
            more = iterable(right, "+=")  # it may be the list itself, which becomes another class when it is read
            left.extend(more)
            return left
        case "*", ListValue(), int() if type(right) is int:
            product = arithmetic.multiply(left, right)
            assert isinstance(product, ListValue)
            left.replace(product.items)
            return left
        case "|", DictValue(), DictValue():
            left.update(list(right.entries.values()))
            return left
        case (("|" | "&" | "-" | "^"), SetValue(), SetValue()):
            result = BINARY[op](left, right)
            assert isinstance(result, SetValue)
            left.replace(result.entries)
            return left
    return BINARY[op](left, right)
