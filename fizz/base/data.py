"""Data in bytes that may come from anybody: what is read is of the type that was asked for, or it is refused.

Values are written as JSON, led by their types, and read by the same types: numbers, texts, tuples, sets, mappings,
enums, named tuples and dataclasses (as lists of their fields). Nothing that stands in the bytes chooses what is made or
called, JSON has no references by which a few bytes become a lot, and what is inflated is bounded by what was deflated.
"""

from __future__ import annotations

import dataclasses
import json
import struct
import types
import typing
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any, Final, NamedTuple

_INT_BOUND: Final = 1 << 130
"""Keys have 128 bits; no other number is as large."""
_SLACK: Final = 1 << 20
_RATIO: Final = 128
"""What is inflated has up to a megabyte, and so many times what was deflated, at most."""
_RAW: Final = b"\0"
_DEFLATED: Final = b"\1"
_COUNT: Final = struct.Struct("<I")
_LENGTH: Final = struct.Struct("<Q")

UNREADABLE: Final = (
    ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError, RecursionError, EOFError,
    struct.error, zlib.error,
)  # fmt: skip
"""What reading may raise when bytes are not what they should be."""


class NotData(ValueError):
    """Bytes that are not what was asked for."""


class Form(NamedTuple):
    """How the values of a type become JSON, and come from it."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def pack(kind: Any, value: object) -> bytes:
    """A value of a type, in bytes."""
    return _encode(form_of(kind).write(value)).encode()


def unpack(kind: Any, data: bytes) -> Any:
    """The value of a type that `pack` wrote. Raises `NotData`, whatever the bytes are."""
    try:
        return form_of(kind).read(json.loads(data))
    except NotData:
        raise
    except UNREADABLE as failure:
        raise NotData(f"{type(failure).__name__}: {failure}") from failure


def _fraction(value: object) -> Mapping[str, list[int]]:
    if not isinstance(value, Fraction):
        raise TypeError(f"no data: {value!r}")
    return {_QUOTIENT: [value.numerator, value.denominator]}


_QUOTIENT: Final = "/"
_encode: Final = json.JSONEncoder(
    separators=(",", ":"), check_circular=False, allow_nan=False, default=_fraction
).encode


def demand(holds: bool, what: str) -> None:
    """Raise `NotData` unless what has to be there is there."""
    if not holds:
        raise NotData(f"missing: {what}")


def entry(table: Sequence[Any], place: int) -> Any:
    """What stands at a place of a table. Raises `NotData` where there is none, also before the beginning."""
    if not 0 <= place < len(table):
        raise NotData("a place that the table does not have")
    return table[place]


# --- pieces ----------------------------------------------------------------------------------------------------------


def deflate(data: bytes, level: int = 1) -> bytes:
    """The bytes made smaller, in a form that `inflate` takes."""
    small = zlib.compress(data, level)
    # What would shrink beyond belief stays as it is: nobody has to believe it.
    return _RAW + data if len(data) > _bound(small) else _DEFLATED + small


def inflate(data: bytes) -> bytes:
    """What `deflate` made smaller. Raises `NotData`, also where it would become larger than `deflate` ever allows."""
    how, rest = bytes(data[:1]), data[1:]
    if how == _RAW:
        return bytes(rest)
    if how != _DEFLATED:
        raise NotData("neither deflated nor plain")
    inflating = zlib.decompressobj()
    try:
        found = inflating.decompress(rest, _bound(rest))
    except zlib.error as failure:
        raise NotData(str(failure)) from failure
    if not inflating.eof or inflating.unused_data:
        raise NotData("inflated, it is not what was deflated")
    return found


def _bound(deflated: bytes) -> int:
    return _SLACK + _RATIO * len(deflated)


def bundle(pieces: Sequence[bytes]) -> bytes:
    """Several pieces as one."""
    lengths = [_LENGTH.pack(len(piece)) for piece in pieces]
    return b"".join([_COUNT.pack(len(pieces)), *lengths, *pieces])


def unbundle(data: bytes, count: int | None = None) -> list[bytes]:
    """The pieces of a bundle, `count` of them if that is given. Raises `NotData`."""
    if len(data) < _COUNT.size:
        raise NotData("too short for a bundle")
    (there,) = _COUNT.unpack_from(data)
    begin = _COUNT.size + there * _LENGTH.size
    if len(data) < begin or (count is not None and there != count):
        raise NotData("a bundle of another number of pieces")
    lengths = struct.unpack_from(f"<{there}Q", data, _COUNT.size)
    if sum(lengths) != len(data) - begin:
        raise NotData("a bundle of another length")
    pieces: list[bytes] = []
    for length in lengths:
        pieces.append(data[begin : begin + length])
        begin += length
    return pieces


# --- forms -----------------------------------------------------------------------------------------------------------


@cache
def form_of(kind: Any) -> Form:
    """The form of a type: a class, or an annotation as `tuple[int, ...]`."""
    if isinstance(kind, type) and hasattr(kind, "AS_DATA"):
        return _as_another(kind)
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _union(arguments)
    if origin is tuple:
        return _tuple(arguments)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(dict if origin in (Mapping, dict) or "Mapping" in origin.__name__ else origin, *arguments)
    if origin in (frozenset, set):
        return _set(origin, arguments[0])
    if kind in _SCALARS:
        return _SCALARS[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return Form(lambda value: value.value, lambda told: kind(_scalar(int, told)))
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _record(kind, kind._fields)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record(kind, tuple(field.name for field in dataclasses.fields(kind) if field.init))
    raise TypeError(f"no form for {kind}")


def _as_another(kind: Any) -> Form:
    """The form of a class that says as which type it is written: `AS_DATA`, `to_data` and `from_data`."""
    form = form_of(kind.AS_DATA)
    return Form(lambda value: form.write(value.to_data()), lambda told: kind.from_data(form.read(told)))


def _scalar(kind: type, told: Any) -> Any:
    if type(told) is not kind:
        raise NotData(f"{kind.__name__} expected")
    return told


def _int(told: Any) -> int:
    if type(told) is not int or not -_INT_BOUND < told < _INT_BOUND:
        raise NotData("int expected")
    return told


def _plain(told: Any) -> Any:
    """Lists as tuples, all the way down; else numbers, fractions, texts, truth and nothing."""
    if type(told) is list:
        return tuple([_plain(item) for item in told])
    if type(told) is str or type(told) is bool or told is None:
        return told
    if type(told) is dict:
        numerator, denominator = told[_QUOTIENT]
        return Fraction(_int(numerator), _int(denominator))
    return _int(told)


def _items(told: Any) -> list[Any]:
    if type(told) is not list:
        raise NotData("list expected")
    return told


def _same(value: Any) -> Any:
    return value


_SCALARS: Final[Mapping[Any, Form]] = {
    int: Form(_same, _int),
    bool: Form(_same, lambda told: _scalar(bool, told)),
    str: Form(_same, lambda told: _scalar(str, told)),
    type(None): Form(_same, lambda told: _scalar(type(None), told)),
    # Tuples, numbers and texts in whatever order.
    Any: Form(_same, _plain),
    object: Form(_same, _plain),
}


def _tuple(arguments: tuple[Any, ...]) -> Form:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        write, read = form_of(arguments[0])
        if write is _same:
            return Form(_same, lambda told: tuple([read(item) for item in _items(told)]))
        return Form(
            lambda value: [write(item) for item in value], lambda told: tuple([read(item) for item in _items(told)])
        )
    return _fixed(tuple, [form_of(argument) for argument in arguments])


def _fixed(make: Callable[[list[Any]], Any], forms: Sequence[Form]) -> Form:
    """A fixed number of things."""
    writers = [form.write for form in forms]
    readers = [form.read for form in forms]

    def write(value: Iterable[Any]) -> list[Any]:
        return [one(item) for one, item in zip(writers, value, strict=True)]

    def read(told: Any) -> Any:
        return make([one(item) for one, item in zip(readers, _items(told), strict=True)])

    return Form(_same if all(one is _same for one in writers) and make is tuple else write, read)


def _record(kind: Any, names: tuple[str, ...]) -> Form:
    """A named tuple or a dataclass, by its fields in their order."""
    hints = typing.get_type_hints(kind)
    form = _fixed(lambda items: kind(*items), [form_of(hints[name]) for name in names])
    if issubclass(kind, tuple):
        return form
    return Form(lambda value: form.write([getattr(value, name) for name in names]), form.read)


def _set(kind: Callable[[Iterable[Any]], Any], member: Any) -> Form:
    write, read = form_of(member)

    def made(told: Any) -> Any:
        found = kind([read(item) for item in _items(told)])
        if len(found) != len(told):
            raise NotData("an element that is there twice")
        return found

    # In an order of their own: the same value is the same bytes.
    return Form(lambda value: sorted([write(item) for item in value], key=repr), made)


def _mapping(make: Callable[[Any], Any], key: Any, value: Any = int) -> Form:
    pair = _fixed(tuple, [form_of(key), form_of(value)])

    def made(told: Any) -> Any:
        pairs = [pair.read(item) for item in _items(told)]
        found = dict(pairs)
        if len(found) != len(pairs):
            raise NotData("a key that is there twice")
        return found if make is dict else make(found)

    return Form(lambda mapping: [pair.write(item) for item in mapping.items()], made)


def _union(members: tuple[Any, ...]) -> Form:
    """One of several types: which one comes first, but for None."""
    some = [member for member in members if member is not type(None)]
    forms = [form_of(member) for member in some]
    classes = [typing.get_origin(member) or member for member in some]

    def write(value: Any) -> Any:
        if value is None:
            return None
        if len(forms) == 1:
            return forms[0].write(value)
        number = next(place for place, kind in enumerate(classes) if isinstance(value, kind))
        return [number, forms[number].write(value)]

    def read(told: Any) -> Any:
        if told is None and len(some) < len(members):
            return None
        if len(forms) == 1:
            return forms[0].read(told)
        number, rest = _items(told)
        if type(number) is not int or not 0 <= number < len(forms):
            raise NotData("none of the types expected")
        return forms[number].read(rest)

    return Form(write, read)
