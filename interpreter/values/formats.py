"""Text from values: `str`, f-strings, `%` and `str.format` (language page, 3, 5.5). Bad formats are R23.

Python's own formatting only gets numbers, strings and checked formats: a width may not be larger than the largest
string, and fields cannot access attributes or indexes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from string import Formatter
from typing import Any, NoReturn

from interpreter.values.basis import type_name
from interpreter.values.budget import METER, check_size
from interpreter.values.freeze import display, written
from interpreter.values.problem import ModelMistake, with_article

_SPEC = re.compile(
    r"(?:(?P<fill>.)?(?P<align>[<>=^]))?[+\- ]?z?#?0?(?P<width>\d*)[,_]?"
    r"(?:\.(?P<precision>\d+))?(?P<type>[bcdeEfFgGosxX%]?)",
    re.DOTALL,
)
_PERCENT = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?P<type>.?)", re.DOTALL)


def to_text(value: object) -> str:
    """`str(v)`: the display text, but a string is itself."""
    if isinstance(value, str):
        return value
    return written(value)


def to_display(value: object) -> str:
    """`repr(v)`"""
    return written(value)


def format_value(value: object, conversion: str | None, spec: str | None) -> str:
    """One replacement field of an f-string: conversion "r", "s" or none, spec as in Python or empty."""
    if conversion == "r":
        value = to_display(value)
    elif conversion == "s":
        value = to_text(value)
    elif conversion:
        raise ModelMistake("R23", f"unknown conversion '!{conversion}'", "there are !r and !s")
    return to_text(value) if not spec else _format_spec(value, spec)


def _format_spec(value: object, spec: str) -> str:
    match = _parsed(spec)
    if match is None:
        raise ModelMistake("R23", f"invalid format '{spec[:40]}'")
    _check_figures(match["width"], match["precision"])
    if not isinstance(value, bool | int | float | str):
        raise ModelMistake(
            "R23", f"{with_article(type_name(value))} takes no format '{spec[:40]}'", "format str(...) of it"
        )
    if isinstance(value, float) and match["type"] in ("f", "F", "%"):
        check_size(int(match["precision"] or 0) + 400, "the text")
    try:
        return _checked(format(value, spec))
    except (ValueError, OverflowError) as error:
        raise ModelMistake("R23", f"invalid format '{spec[:40]}' for a {type_name(value)}: {error}") from None


@lru_cache(256)
def _parsed(spec: str) -> re.Match[str] | None:
    return _SPEC.fullmatch(spec)


def _checked(text: str) -> str:
    check_size(len(text), "the text")
    METER.make(len(text) >> 4)
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ModelMistake("R23", "a surrogate is no character")
    return text


def _check_figures(*figures: str | None) -> None:
    """R24 for a width or precision beyond the largest string; the digits are counted before they are converted."""
    for figure in figures:
        if figure and (len(figure) > 9 or int(figure) > METER.elements):
            raise ModelMistake("R24", f"a format of width or precision {figure[:12]}, the limit is {METER.elements:,}")


def format_percent(pattern: str, right: object) -> str:
    """`pattern % right`: a tuple gives one value per field, anything else is the only value."""
    values: Sequence[object] = right if isinstance(right, tuple) else (right,)
    pieces: list[str] = []
    used = total = end = 0
    METER.charge(len(pattern) >> 4)
    for match in _PERCENT.finditer(pattern):
        piece = pattern[end : match.start()]
        end = match.end()
        if match["type"] == "%":
            piece += "%"
        else:
            if used == len(values):
                raise ModelMistake("R23", f"not enough values for the format {display(pattern)[:60]}")
            piece += _percent_field(match, values[used])
            used += 1
        total += len(piece)
        check_size(total, "the text")
        pieces.append(piece)
    if used < len(values):
        raise ModelMistake("R23", f"{len(values)} values for {used} fields in the format {display(pattern)[:60]}")
    return _checked("".join(pieces) + pattern[end:])


def _percent_field(match: re.Match[str], value: object) -> str:
    kind, field = match["type"], match[0]
    _check_figures(match["width"], match["precision"])
    if kind in ("s", "r"):
        text = to_text(value) if kind == "s" else to_display(value)
        return f"%{match['flags']}{match['width']}{_precision(match)}s" % text
    if kind and kind in "dioxXeEfFgG" and isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return field % value
        except (ValueError, OverflowError, TypeError) as error:
            raise ModelMistake("R23", f"invalid conversion {field} of {display(value)[:40]}: {error}") from None
    if kind == "c" and (isinstance(value, str) and len(value) == 1):
        return field % value
    if not kind or kind not in "sridoxXeEfFgGc":
        raise ModelMistake("R23", f"unknown conversion '{field[:40]}'", "there are %s %r %d %i %o %x %X %e %f %g %c %%")
    raise ModelMistake("R23", f"{field[:40]} does not take a {type_name(value)}")


def _precision(match: re.Match[str]) -> str:
    return "" if match["precision"] is None else f".{match['precision']}"


def format_fields(pattern: str, values: Sequence[object], named: Mapping[str, object]) -> str:
    """`pattern.format(*values, **named)` with plain fields: numbers or names, `!r`, `!s` and a spec."""
    pieces: list[str] = []
    total = 0
    METER.charge(len(pattern))
    counter: int | None = 0
    try:
        fields = list(Formatter().parse(pattern))
    except ValueError as error:
        raise ModelMistake("R23", f"invalid format {display(pattern)[:60]}: {error}") from None
    for literal, name, spec, conversion in fields:
        piece = literal
        if name is not None:
            counter, value = _field(name, counter, values, named)
            if "{" in (spec or ""):
                _refuse("a format inside a format")
            piece += format_value(value, conversion, spec or "")
        total += len(piece)
        check_size(total, "the text")
        pieces.append(piece)
    return "".join(pieces)


def _field(
    name: str, counter: int | None, values: Sequence[object], named: Mapping[str, object]
) -> tuple[int | None, Any]:
    """The counter of unnamed fields after this one (None: fields are numbered explicitly), and the field's value."""
    if "." in name or "[" in name or "]" in name:
        _refuse("an attribute or index inside a format field")
    if name and not (name.isascii() and name.isdigit()):
        if name not in named:
            raise ModelMistake("R23", f"no argument named '{name}' for this format")
        return counter, named[name]
    if (counter is None) if not name else (counter is not None and counter > 0):
        raise ModelMistake("R23", "fields with and without numbers in one format")
    position = int(name) if name and len(name) < 9 else counter if not name else None
    if position is None or position >= len(values):
        raise ModelMistake("R23", f"not enough values for the format: {len(values)}, counted from 0")
    return (None if name else position + 1), values[position]


def _refuse(what: str) -> NoReturn:
    raise ModelMistake("R23", f"{what} is not supported", "compute the text first, or use an f-string")
