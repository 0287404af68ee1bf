"""Checks of the arguments of builtins and methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interpreter.values import Builtin, FunctionValue
from interpreter.values.access import elements, shown
from interpreter.values.basis import type_name
from interpreter.values.budget import METER
from interpreter.values.containers import DictValue
from interpreter.values.generics import GenericMap
from interpreter.values.problem import ModelMistake

Methods = Mapping[str, Builtin]
Entry = tuple[Callable[..., object], int, int | None]
"""A function, and the least and greatest number of its arguments (None: any number)."""


def method_table(entries: Mapping[str, Entry]) -> dict[str, Builtin]:
    """Methods without named arguments, by name."""
    return {name: Builtin(name, function, least, most) for name, (function, least, most) in entries.items()}


def iterable(value: object, what: str) -> list[object]:
    """The elements of an argument, in the order of this step."""
    try:
        return elements(value)
    except ModelMistake as problem:
        raise ModelMistake(problem.code, f"{what}: {problem.text}", problem.hint) from None


def integer(value: object, what: str) -> int:
    """An int argument; a bool is refused."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ModelMistake("R4", f"{what} must be an int, not a {type_name(value)}")


def string(value: object, what: str) -> str:
    """A string argument."""
    if isinstance(value, str):
        return value
    raise ModelMistake("R4", f"{what} must be a string, not a {type_name(value)}")


def number(value: object, what: str) -> Any:
    """A number argument, int or float; a bool is refused."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ModelMistake("R4", f"{what} must be a number, not a {type_name(value)}")


def boolean(value: object, what: str) -> bool:
    """A bool argument."""
    if isinstance(value, bool):
        return value
    raise ModelMistake("R4", f"{what} must be a bool, not a {type_name(value)}")


def callback(value: object, what: str) -> Callable[[object], object] | None:
    """A function argument of one parameter, or None for None."""
    if value is None:
        return None
    if not isinstance(value, FunctionValue):
        raise ModelMistake("R4", f"{what} must be a function, not a {type_name(value)}")
    function = value
    return lambda argument: function.call([argument], {})


def pairs(value: object, what: str) -> list[tuple[object, object]]:
    """The pairs of a dict or genericmap, or of an iterable of pairs."""
    match value:
        case DictValue():
            METER.charge(2 * value.size())
            return list(value.entries.values())
        case GenericMap():
            METER.charge(2 * value.size())
            return list(value.pairs)
    made: list[tuple[object, object]] = []
    for item in iterable(value, what):
        members = iterable(item, what)
        if len(members) != 2:
            raise ModelMistake("R9", f"{what} needs pairs, got {shown(item)}")
        made.append((members[0], members[1]))
    return made
