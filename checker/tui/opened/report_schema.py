"""The schema of a saved report. The file is not trusted: every field is checked before it is used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

_LARGEST = 10**9
_NUMBERED = re.compile(r"(thread|message)-(?!(0|[1-9][0-9]{0,5})\Z)", re.ASCII)


class SchemaError(Exception):
    """A field that does not fit the schema; the text begins with its path."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text. `state_place`: it is a place of a state, and the numbers in it must be small."""

    state_place: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number that counts something."""


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of one kind of thing."""

    of: Shape


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of a fixed length, each member of its own kind."""

    of: Sequence[Shape]


@dataclass(frozen=True, slots=True)
class Named:
    """A mapping from texts to one kind of thing."""

    of: Shape


@dataclass(frozen=True, slots=True)
class Maybe:
    """Something that may be left out. `null`: or null."""

    of: Shape
    null: bool = True


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with these fields; others are ignored."""

    of: Mapping[str, Shape]


Shape = Text | Number | Boolean | Listed | ListOf | Named | Maybe | Fields

_ENTRY = Fields(
    {
        "label": Text(),
        "kind": Maybe(Text()),
        "actor": Maybe(Text()),
        "file": Maybe(Text()),
        "line": Maybe(Number()),
        "choices": Maybe(Listed(Text())),
        "crash": Maybe(Boolean()),
        "changes": Listed(ListOf((Text(state_place=True), Maybe(Text()), Maybe(Text())))),
    }
)
_VALUES = ListOf((Text(), Maybe(Text()), Maybe(Text())))
"""A variable and two of its values."""
_FACT = ListOf((Text(), Text()))
"""An expression and its value."""
_TRACE: Mapping[str, Shape] = {
    "trace": Maybe(Listed(_ENTRY)),
    "cycle_start": Maybe(Number()),
    "stutter": Maybe(Boolean()),
    "waiting": Maybe(Fields({"step": Number(), "pair": Text()})),
    "fairness": Maybe(Listed(Text())),
    "why": Maybe(Fields({"step": Number(), "file": Text(), "line": Number(), "facts": Listed(_FACT)})),
    "stuck": Maybe(
        Fields(
            {
                "blocked": Listed(ListOf((Text(), Number()))),
                "limited": Listed(Text()),
                "held": Maybe(
                    Listed(
                        Fields(
                            {"name": Text(), "file": Text(), "line": Number(), "text": Text(), "facts": Listed(_FACT)}
                        )
                    )
                ),
            }
        )
    ),
    "unmatched": Maybe(
        Fields(
            {
                "model": Text(),
                "step": Number(),
                "viewed": Listed(_VALUES),
                "near": Listed(Fields({"label": Text(), "differences": Listed(_VALUES)})),
            }
        )
    ),
}
_PROPERTY = Fields({"name": Text(), "kind": Text(), "verdict": Text(), "steps": Maybe(Number()), **_TRACE})
REPORT = Fields(
    {
        "model": Text(),
        "verdict": Maybe(Text()),
        "properties": Listed(_PROPERTY),
        "error": Maybe(Fields({"text": Text()})),
        "constants": Maybe(Named(Text()), null=False),
        "options": Maybe(Named(Text()), null=False),
        **_TRACE,
    }
)


def demand(value: Any, shape: Shape, path: str = "") -> None:
    """Raise `SchemaError` if a JSON value is not of a shape. The recursion is as deep as the shape."""
    match shape:
        case Maybe(of, null):
            if value is not None or not null:
                demand(value, of, path)
        case Text(state_place):
            _demand_type(value, str, "a text", path)
            if state_place and _NUMBERED.match(value):
                raise SchemaError(f"{path} must end in a small number")
        case Number():
            _demand_type(value, int, "a whole number", path)
            if not 0 <= value <= _LARGEST:
                raise SchemaError(f"{path} must be a number from 0 to {_LARGEST:,}")
        case Boolean():
            _demand_type(value, bool, "true or false", path)
        case Listed(of):
            _demand_type(value, list, "a list", path)
            for number, member in enumerate(value):
                demand(member, of, f"{path}[{number}]")
        case ListOf(shapes):
            _demand_type(value, list, "a list", path)
            if len(value) != len(shapes):
                raise SchemaError(f"{path} must have {len(shapes)} members, not {len(value)}")
            for number, (member, of) in enumerate(zip(value, shapes, strict=True)):
                demand(member, of, f"{path}[{number}]")
        case Named(of):
            _demand_type(value, dict, "an object", path)
            for name, member in value.items():
                demand(member, of, f"{path}.{name}")
        case Fields(fields):
            _demand_type(value, dict, "an object", path)
            for name, of in fields.items():
                if name not in value and not isinstance(of, Maybe):
                    raise SchemaError(f"{path}.{name}".removeprefix(".") + " is missing")
                if name in value:
                    demand(value[name], of, f"{path}.{name}".removeprefix("."))
        case _:
            assert_never(shape)


def _demand_type(value: Any, wanted: type, what: str, path: str) -> None:
    # True is an int to Python, but not a number here.
    if type(value) is not wanted:
        raise SchemaError(f"{path or 'it'} must be {what}")


def demand_cycle(value: Mapping[str, Any], path: str = "") -> None:
    """Raise `SchemaError` unless the cycle begins at a step of its trace."""
    start, trace = value.get("cycle_start"), value.get("trace")
    if start is not None and not 1 <= start < len(trace or ()):
        raise SchemaError(f"{path}cycle_start must be the number of a step of its trace")
