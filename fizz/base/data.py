"""Typed data in bytes from an untrusted source: a value has the type that was asked for, or reading fails.

Values are written and read as JSON according to their types: numbers, texts, tuples, sets, mappings, enums, named
tuples and dataclasses (as lists of their fields). The bytes never choose a class or function, JSON has no references by
which a few bytes become a lot, and the size of inflated data is bounded by the size of the deflated data.
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
from typing import Any, Final, NamedTuple, TypeVar

AnyBytes = TypeVar("AnyBytes", bytes, memoryview)

_INT_BOUND: Final = 1 << 130
"""Keys have 128 bits; no other number is as large."""
_SLACK: Final = 1 << 20
_RATIO: Final = 128
"""Inflated data has at most 1 MiB plus this many times the deflated size."""
_RAW: Final = b"\0"
_DEFLATED: Final = b"\1"
_COUNT: Final = struct.Struct("<I")
_LENGTH: Final = struct.Struct("<Q")

UNREADABLE: Final = (
    ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError, RecursionError, EOFError,
    struct.error, zlib.error,
)  # fmt: skip
"""What reading malformed bytes may raise."""


class NotData(ValueError):
    """Bytes that do not hold a value of the expected type."""


class Form(NamedTuple):
    """Converters of the values of a type to JSON and back."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def pack(kind: Any, value: object) -> bytes:
    """A value of a type, in bytes."""
    return _encode(form_of(kind).write(value)).encode()


def unpack(kind: Any, data: bytes) -> Any:
    """The value of a type that `pack` wrote. Raises `NotData` for any other bytes."""
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
    """Raise `NotData` naming `what` unless `holds`."""
    if not holds:
        raise NotData(f"missing: {what}")


def entry(table: Sequence[Any], index: int) -> Any:
    """The element of a table at an index. Raises `NotData` if there is none; negative indexes are not allowed."""
    if not 0 <= index < len(table):
        raise NotData("an index that the table does not have")
    return table[index]


# --- pieces ----------------------------------------------------------------------------------------------------------


def deflate(data: bytes, level: int = 1) -> bytes:
    """The bytes compressed, in a form that `inflate` takes."""
    small = zlib.compress(data, level)
    # Data that would exceed the bound of `inflate` stays as it is.
    return _RAW + data if len(data) > _bound(small) else _DEFLATED + small


def inflate(data: bytes) -> bytes:
    """What `deflate` compressed. Raises `NotData`, also where the result would exceed the bound on its size."""
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


def unbundle(data: AnyBytes, count: int | None = None) -> list[AnyBytes]:
    """The pieces of a bundle, `count` of them if that is given: views of a view. Raises `NotData`."""
    if len(data) < _COUNT.size:
        raise NotData("too short for a bundle")
    (there,) = _COUNT.unpack_from(data)
    begin = _COUNT.size + there * _LENGTH.size
    if len(data) < begin or (count is not None and there != count):
        raise NotData("a bundle of another number of pieces")
    lengths = struct.unpack_from(f"<{there}Q", data, _COUNT.size)
    if sum(lengths) != len(data) - begin:
        raise NotData("a bundle of another length")
    pieces: list[AnyBytes] = []
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
        return Form(lambda value: value.value, lambda encoded: kind(_scalar(int, encoded)))
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _record(kind, kind._fields)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record(kind, tuple(field.name for field in dataclasses.fields(kind) if field.init))
    raise TypeError(f"no form for {kind}")


def _as_another(kind: Any) -> Form:
    """The form of a class that is written as another type: it defines `AS_DATA`, `to_data` and `from_data`."""
    form = form_of(kind.AS_DATA)
    return Form(lambda value: form.write(value.to_data()), lambda encoded: kind.from_data(form.read(encoded)))


def _scalar(kind: type, encoded: Any) -> Any:
    if type(encoded) is not kind:
        raise NotData(f"{kind.__name__} expected")
    return encoded


def _int(encoded: Any) -> int:
    if type(encoded) is not int or not -_INT_BOUND < encoded < _INT_BOUND:
        raise NotData("int expected")
    return encoded


def _plain(encoded: Any) -> Any:
    """Lists become tuples at every depth; numbers, fractions, strings, booleans and None stay."""
    if type(encoded) is list:
        return tuple([_plain(item) for item in encoded])
    if type(encoded) is str or type(encoded) is bool or encoded is None:
        return encoded
    if type(encoded) is dict:
        numerator, denominator = encoded[_QUOTIENT]
        return Fraction(_int(numerator), _int(denominator))
    return _int(encoded)


def _items(encoded: Any) -> list[Any]:
    if type(encoded) is not list:
        raise NotData("list expected")
    return encoded


def _same(value: Any) -> Any:
    return value


_SCALARS: Final[Mapping[Any, Form]] = {
    int: Form(_same, _int),
    bool: Form(_same, lambda encoded: _scalar(bool, encoded)),
    str: Form(_same, lambda encoded: _scalar(str, encoded)),
    type(None): Form(_same, lambda encoded: _scalar(type(None), encoded)),
    # Tuples, numbers and strings in any combination.
    Any: Form(_same, _plain),
    object: Form(_same, _plain),
}


def _tuple(arguments: tuple[Any, ...]) -> Form:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        write, read = form_of(arguments[0])
        if write is _same:
            return Form(_same, lambda encoded: tuple([read(item) for item in _items(encoded)]))
        return Form(
            lambda value: [write(item) for item in value],
            lambda encoded: tuple([read(item) for item in _items(encoded)]),
        )
    return _fixed(tuple, [form_of(argument) for argument in arguments])


def _fixed(make: Callable[[list[Any]], Any], forms: Sequence[Form]) -> Form:
    """A sequence of fixed length; each element has a form of its own."""
    writers = [form.write for form in forms]
    readers = [form.read for form in forms]

    def write(value: Iterable[Any]) -> list[Any]:
        return [one(item) for one, item in zip(writers, value, strict=True)]

    def read(encoded: Any) -> Any:
        return make([one(item) for one, item in zip(readers, _items(encoded), strict=True)])

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

    def made(encoded: Any) -> Any:
        found = kind([read(item) for item in _items(encoded)])
        if len(found) != len(encoded):
            raise NotData("an element that is there twice")
        return found

    # Sorted: equal sets are equal bytes.
    return Form(lambda value: sorted([write(item) for item in value], key=repr), made)


def _mapping(make: Callable[[Any], Any], key: Any, value: Any = int) -> Form:
    pair = _fixed(tuple, [form_of(key), form_of(value)])

    def made(encoded: Any) -> Any:
        pairs = [pair.read(item) for item in _items(encoded)]
        found = dict(pairs)
        if len(found) != len(pairs):
            raise NotData("a key that is there twice")
        return found if make is dict else make(found)

    return Form(lambda mapping: [pair.write(item) for item in mapping.items()], made)


def _union(members: tuple[Any, ...]) -> Form:
    """One of several types, written after its number; None is written as null."""
    some = [member for member in members if member is not type(None)]
    forms = [form_of(member) for member in some]
    classes = [typing.get_origin(member) or member for member in some]

    def write(value: Any) -> Any:
        if value is None:
            return None
        if len(forms) == 1:
            return forms[0].write(value)
        number = next(index for index, kind in enumerate(classes) if isinstance(value, kind))
        return [number, forms[number].write(value)]

    def read(encoded: Any) -> Any:
        if encoded is None and len(some) < len(members):
            return None
        if len(forms) == 1:
            return forms[0].read(encoded)
        number, rest = _items(encoded)
        if type(number) is not int or not 0 <= number < len(forms):
            raise NotData("none of the types expected")
        return forms[number].read(rest)

    return Form(write, read)
