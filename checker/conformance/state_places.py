"""Places of a state by their names in a map: `term`, `Node#1.log[0].term`, `len(log)`, `log[-1]`."""

from __future__ import annotations

import re
from typing import Any, Final

from fizz.base.light import dataclass
from interpreter import Machine, State
from interpreter.state.state import UNBOUND
from interpreter.values.intern import Interner, Tag
from interpreter.values.observed import same

_PLACE: Final = re.compile(
    r"\s*(?:(?P<length>len)\()?\s*(?:(?P<role>\w+)#(?P<number>\d+)\.)?(?P<name>\w+)(?P<rest>(?:\.\w+|\[[^\]]+\])*)\s*\)?\s*"
)
_SIZED: Final = frozenset({Tag.LIST, Tag.TUPLE, Tag.SET, Tag.GENERICSET, Tag.BAG, Tag.DICT, Tag.GENERICMAP, Tag.STRING})
_PART: Final = re.compile(r"\.(\w+)|\[([^\]]+)\]")


def is_place(name: str) -> bool:
    """Whether a name may be that of a place."""
    return _PLACE.fullmatch(name) is not None


class NoSuchPlace(Exception):
    """There is nothing at a place in a state, or its name is no place."""


@dataclass(frozen=True, slots=True)
class ValueThere:
    """The value at a place: its id, or a number that was computed."""

    number: int | None
    computed: Any = None


def value_at(machine: Machine, state: State, instance: str | None, place: str) -> ValueThere:
    """The value at a place; names without an instance are fields of `instance`, else state variables.

    Raises `NoSuchPlace`.
    """
    match = _PLACE.fullmatch(place)
    if match is None:
        raise NoSuchPlace(f"'{place}' is no place of a state")
    number = UNBOUND
    name = match["name"]
    if match["role"]:
        number = _of_instance(state, f"{match['role']}#{match['number']}", name)
    else:
        if instance is not None:
            number = _of_instance(state, instance, name)
        if number == UNBOUND:
            number = state.get(("heap", name))
    if number == UNBOUND:
        where = f"{instance} has no field '{name}', and there is" if instance else "there is"
        raise NoSuchPlace(f"{where} no state variable '{name}'")
    return part_of(machine.values, number, match["rest"], bool(match["length"]), place, state)


def split_place(place: str) -> tuple[bool, str, str]:
    """Whether a place is the length of something, the name that it begins with, and what follows on it."""
    match = _PLACE.fullmatch(place)
    return (False, place, "") if match is None else (bool(match["length"]), match["name"], match["rest"])


def part_of(
    values: Interner, number: int, rest: str, length: bool, place: str, state: State | None = None
) -> ValueThere:
    """A part of a value, or its length. Aliases and fields of role instances need the state. Raises `NoSuchPlace`."""
    for attribute, index in _PART.findall(rest):
        number = _part(values, state, number, attribute, index, place)
    number = _resolved(values, state, number)
    if not length:
        return ValueThere(number)
    if values.tag(number) in _SIZED:
        return ValueThere(None, len(values.payload(number)))
    raise NoSuchPlace(f"'{place}': {values.text(number)} has no length")


def _resolved(values: Interner, state: State | None, number: int) -> int:
    """What an alias refers to."""
    if state is not None and values.tag(number) is Tag.REF:
        return state.get(("cell", values.payload(number)[0]))
    return number


def _of_instance(state: State, instance: str, name: str) -> int:
    role, _, number = instance.partition("#")
    found = state.get(("field", role, int(number), name))
    return found if found != UNBOUND else state.get(("param", role, int(number), name))


def _part(values: Interner, state: State | None, number: int, attribute: str, index: str, place: str) -> int:
    number = _resolved(values, state, number)
    tag, payload = values.tag(number), values.payload(number)
    if attribute:
        if tag is Tag.ROLE and state is not None:
            found = _of_instance(state, f"{payload[0]}#{payload[1]}", attribute)
            if found != UNBOUND:
                return found
        elif tag in (Tag.STRUCT, Tag.RECORD) and attribute in dict(payload):
            return int(dict(payload)[attribute])
        raise NoSuchPlace(f"'{place}': {values.text(number)} has no '{attribute}'")
    key = index.strip().strip("'\"")
    if tag in (Tag.LIST, Tag.TUPLE) and key.lstrip("-").isdigit() and -len(payload) <= int(key) < len(payload):
        return int(payload[int(key)])
    if tag is Tag.DICT:
        for one, value in payload:
            if values.text(one) in (key, index.strip()) or values.payload(one) == key:
                return int(value)
    raise NoSuchPlace(f"'{place}': {values.text(number)} has nothing at [{index}]")


def agrees(machine: Machine, there: ValueThere, observed: Any) -> bool:
    """Whether the value at a place is what was observed."""
    if there.number is None:
        return bool(there.computed == observed)
    return same(machine.values, there.number, observed)


def text_of(values: Interner, there: ValueThere) -> str:
    """The value at a place as text."""
    return str(there.computed) if there.number is None else values.text(there.number)
