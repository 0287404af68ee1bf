"""Places of a state by their names in a map: `term`, `Node#1.log[0].term`, `len(log)`, `log[-1]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fizz.base.light import dataclass
from interpreter import Machine, State
from interpreter.state.state import UNBOUND, Layout, Slot
from interpreter.values.intern import Interner, Tag
from interpreter.values.observed import same

_PLACE: Final = re.compile(
    r"\s*(?:(?P<length>len)\()?\s*(?:(?P<role>\w+)#(?P<number>\d+)\.)?(?P<name>\w+)(?P<rest>(?:\.\w+|\[[^\]]+\])*)\s*\)?\s*"
)
_SIZED: Final = frozenset({Tag.LIST, Tag.TUPLE, Tag.SET, Tag.GENERICSET, Tag.BAG, Tag.DICT, Tag.GENERICMAP, Tag.STRING})
_PART: Final = re.compile(r"\.(\w+)|\[([^\]]+)\]")

_MOST_LISTS: Final = 1_000
_MOST_SAME: Final = 10_000
"""The most comparisons that one place remembers."""


def is_place(name: str) -> bool:
    """Whether a name may be that of a place."""
    return _PLACE.fullmatch(name) is not None


class NoSuchPlace(Exception):
    """There is nothing at a place in a state, or its name is no place."""


class NeedsState(NoSuchPlace):
    """What is at a place depends on more than on a value, and the state is not given."""


@dataclass(frozen=True, slots=True)
class ValueThere:
    """The value at a place: its id, or a number that was computed."""

    number: int | None
    computed: Any = None


class StatePlace:
    """A place of states of one machine, for events of one instance: found once in each layout, then only looked up."""

    def __init__(self, machine: Machine, instance: str | None, place: str) -> None:
        match = _PLACE.fullmatch(place)
        self._values = machine.values
        self._place = place
        self._instance = instance
        self._matched = match is not None
        self._name = "" if match is None else match["name"]
        self._role = None if match is None or not match["role"] else f"{match['role']}#{match['number']}"
        self._parts = [] if match is None else parts_of(match["rest"])
        self._length = match is not None and bool(match["length"])
        self._lists: dict[tuple[int, str], bool] = {}
        self._same: dict[tuple[int, int | str | None], bool] = {}
        """Whether a value is what was observed; `True` is 1 for a dict, and so is not among these."""
        self._layout: Layout | None = None
        self._positions: tuple[int, ...] = ()

    def at(self, state: State) -> ValueThere:
        """The value there. Raises `NoSuchPlace`."""
        number = self._number(state)
        if number == UNBOUND:
            if not self._matched:
                raise NoSuchPlace(f"'{self._place}' is no place of a state")
            where = f"{self._instance} has no field '{self._name}', and there is" if self._instance else "there is"
            raise NoSuchPlace(f"{where} no state variable '{self._name}'")
        return part_of(self._values, number, self._parts, self._length, self._place, state)

    def is_there(self, state: State, observed: Any) -> bool:
        """Whether the value there is what was observed; not if there is none."""
        number = self._number(state)
        if number == UNBOUND:
            return False
        kind = type(observed)
        known: dict[Any, bool] = self._same
        key: Any = (number, observed)
        if kind is list:
            # A set is compared with the texts of its members, in some order.
            known, key = self._lists, (number, repr(observed))
        elif kind is not int and kind is not str and observed is not None:
            return self._is_part(number, state, observed)
        found = known.get(key)
        if found is None:
            try:
                if state.layout.cells:
                    raise NeedsState
                found = self._is_part(number, None, observed)
            except NeedsState:
                return self._is_part(number, state, observed)
            if len(known) >= (_MOST_SAME if known is self._same else _MOST_LISTS):
                known.clear()
            known[key] = found
        return found

    def _is_part(self, number: int, state: State | None, observed: Any) -> bool:
        """Whether the part of a value is what was observed. Raises `NeedsState`."""
        try:
            there = part_of(self._values, number, self._parts, self._length, self._place, state)
        except NeedsState:
            raise
        except NoSuchPlace:
            return False
        return is_value(self._values, there, observed)

    def _number(self, state: State) -> int:
        layout = state.layout
        if layout is not self._layout:
            # A name without an instance is a field of the event's, else a state variable.
            slots: list[Slot] = []
            if self._role is not None or self._instance is not None:
                role, _, number = str(self._role or self._instance).partition("#")
                slots = [(kind, role, int(number), self._name) for kind in ("field", "param")]
            if self._role is None and self._matched:
                slots.append(("heap", self._name))
            self._positions = tuple(layout.index[slot] for slot in slots if slot in layout.index)
            self._layout = layout
        for position in self._positions:
            found = state.values[position]
            if found != UNBOUND:
                return found
        return UNBOUND


def split_place(place: str) -> tuple[bool, str, str]:
    """Whether a place is the length of something, the name that it begins with, and what follows on it."""
    match = _PLACE.fullmatch(place)
    return (False, place, "") if match is None else (bool(match["length"]), match["name"], match["rest"])


class PlacePart(NamedTuple):
    """One part of a place: an attribute, or what is in brackets: a `key` without its quotes, or a `position`."""

    attribute: str
    inside: str
    key: str
    position: int | None


def parts_of(rest: str) -> list[PlacePart]:
    """What follows on the name of a place."""
    found = []
    for attribute, index in _PART.findall(rest):
        key = index.strip().strip("'\"")
        found.append(PlacePart(attribute, index, key, int(key) if key.lstrip("-").isdigit() else None))
    return found


def part_of(
    values: Interner,
    number: int,
    parts: Sequence[PlacePart],
    length: bool,
    place: str,
    state: State | None = None,
) -> ValueThere:
    """A part of a value, or its length. Aliases and fields of role instances need the state. Raises `NoSuchPlace`."""
    aliases = state if state is not None and state.layout.cells else None
    for part in parts:
        number = _part(values, state, _resolved(values, aliases, number), part, place)
    number = _resolved(values, aliases, number)
    if not length:
        return ValueThere(number)
    if values.tag(number) in _SIZED:
        return ValueThere(None, len(values.payload(number)))
    raise NoSuchPlace(f"'{place}': {values.text(number)} has no length")


def _resolved(values: Interner, aliases: State | None, number: int) -> int:
    """What an alias refers to; `aliases`: the state, if it has any."""
    if aliases is not None and values.tag(number) is Tag.REF:
        return aliases.get(("cell", values.payload(number)[0]))
    return number


def _of_instance(state: State, instance: str, name: str) -> int:
    role, _, number = instance.partition("#")
    found = state.get(("field", role, int(number), name))
    return found if found != UNBOUND else state.get(("param", role, int(number), name))


def _part(values: Interner, state: State | None, number: int, part: PlacePart, place: str) -> int:
    tag, payload = values.tag(number), values.payload(number)
    attribute, index, key, position = part
    if attribute:
        if tag is Tag.STRUCT or tag is Tag.RECORD:
            for name, value in payload:
                if name == attribute:
                    return int(value)
        elif tag is Tag.ROLE:
            if state is None:
                raise NeedsState(f"'{place}': {values.text(number)} has no '{attribute}'")
            found = _of_instance(state, f"{payload[0]}#{payload[1]}", attribute)
            if found != UNBOUND:
                return found
        raise NoSuchPlace(f"'{place}': {values.text(number)} has no '{attribute}'")
    if position is not None and (tag is Tag.LIST or tag is Tag.TUPLE) and -len(payload) <= position < len(payload):
        return int(payload[position])
    if tag is Tag.DICT:
        for one, value in payload:
            if values.text(one) in (key, index.strip()) or values.payload(one) == key:
                return int(value)
    raise NoSuchPlace(f"'{place}': {values.text(number)} has nothing at [{index}]")


def is_value(values: Interner, there: ValueThere, observed: Any) -> bool:
    """Whether the value at a place is what was observed."""
    if there.number is None:
        return bool(there.computed == observed)
    return same(values, there.number, observed)


def text_of(values: Interner, there: ValueThere) -> str:
    """The value at a place as text."""
    return str(there.computed) if there.number is None else values.text(there.number)
