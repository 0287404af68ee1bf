"""What an event says of the choices of a step: `candidate`, or a part of what is chosen, `m.term`, `len(m.log)`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from checker.conformance.state_places import (
    NoSuchPlace,
    PlacePart,
    ValueThere,
    is_value,
    part_of,
    parts_of,
    split_place,
    text_of,
)
from interpreter.execute.execution import Admits
from interpreter.values.intern import Interner

_FIELD: Final = re.compile(r"\.(\w+)")
_MOST_REMEMBERED: Final = 50_000


class _Said(NamedTuple):
    """A part of what is chosen of which events speak: the position of its value among those of an event."""

    position: int
    place: str
    parts: list[PlacePart]
    length: bool


class ChoicePlaces:
    """The places that events of one kind name in what is chosen."""

    def __init__(self, values: Interner, places: Sequence[str]) -> None:
        self._values = values
        self._said: dict[str, list[_Said]] = {}
        names = [split_choice(place) for place in places]
        for position, (place, (length, name, rest)) in enumerate(zip(places, names, strict=True)):
            self._said.setdefault(_word(name), []).append(_Said(position, place, parts_of(rest), length))
        self.chosen = tuple((place, _word(name)) for place, (_, name, _) in zip(places, names, strict=True))
        """The places, each with the beginning of the label that a step has which chooses it."""
        self.words = tuple(self._said)
        """These beginnings, each once."""
        self._agreed: dict[tuple[str, type, Any], dict[int, bool]] = {}
        """By a place and what is observed there, the values that agree and those that do not."""
        self._remembered = 0

    def variable(self, word: str) -> str:
        """The variable of a choice."""
        return word.removeprefix("Any:").removesuffix("=")

    def admits(self, observed: Sequence[Any]) -> Admits:
        """Which alternatives are those that an event with these values names."""
        asked: dict[str, list[tuple[dict[int, bool], Any, _Said]]] = {}

        def admitted(word: str, number: int) -> bool:
            parts = asked.get(word)
            if parts is None:
                parts = asked[word] = [(*self._known(one, observed), one) for one in self._said.get(word, ())]
            for known, value, one in parts:
                agrees = known.get(number)
                if agrees is None:
                    self._remembered += 1
                    agrees = known[number] = self._agrees_in(number, one, value)
                if not agrees:
                    return False
            return True

        return admitted

    def _known(self, said: _Said, observed: Sequence[Any]) -> tuple[dict[int, bool], Any]:
        """What is known of the values that agree with what is observed of one part; and what that is."""
        value = observed[said.position]
        kind = type(value)
        if kind is not str and kind is not int and kind is not bool:
            return {}, value
        if self._remembered > _MOST_REMEMBERED:
            self._agreed.clear()
            self._remembered = 0
        return self._agreed.setdefault((said.place, kind, value), {}), value

    def missing(self, observed: Sequence[Any], missed: dict[str, int]) -> Admits:
        """As `admits`; notes why alternatives are not admitted, and in how many parts they agree."""

        def admitted(word: str, number: int) -> bool:
            for agreeing, one in enumerate(self._said.get(word, ())):
                why = self._differs(number, one, observed[one.position])
                if why is not None:
                    missed[why] = max(agreeing, missed.get(why, 0))
                    return False
            return True

        return admitted

    def _agrees_in(self, number: int, said: _Said, observed: Any) -> bool:
        """Whether a part of a value is what was observed of it."""
        try:
            return self._agrees(part_of(self._values, number, said.parts, said.length, said.place), observed)
        except NoSuchPlace:
            return False

    def _differs(self, number: int, said: _Said, observed: Any) -> str | None:
        """How a value differs from what was observed of it."""
        try:
            there = part_of(self._values, number, said.parts, said.length, said.place)
        except NoSuchPlace as failure:
            return str(failure)
        if self._agrees(there, observed):
            return None
        return f"{said.place} may be {text_of(self._values, there)}, not {json.dumps(observed, default=str)}"

    def _agrees(self, there: ValueThere, observed: Any) -> bool:
        if is_value(self._values, there, observed):
            return True
        return there.number is not None and self._values.text(there.number) == str(observed)


def nearest(missed: dict[str, int], most: int) -> list[str]:
    """Why alternatives were left out, those first that agreed in most."""
    found = sorted(missed, key=lambda why: -missed[why])
    return [*found[:most], *([f"and {len(found) - most:,} others"] if len(found) > most else [])]


def split_choice(place: str) -> tuple[bool, str, str]:
    """As `split_place`, of what is chosen: also a field is a variable, `self.leader`."""
    length, name, rest = split_place(place)
    field = _FIELD.match(rest) if name == "self" else None
    return (length, f"self.{field[1]}", rest[field.end() :]) if field else (length, name, rest)


def _word(name: str) -> str:
    """How the label of a choice of a variable begins."""
    return f"Any:{name}="
