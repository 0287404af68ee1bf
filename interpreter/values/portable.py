"""Interned values between processes: nested lists without ids, which JSON can represent, and back.

A value is its tag and its payload, as `interpreter.values.intern` describes them. Data read is not trusted: a payload
that does not match its tag raises `NotData`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from fizz.base.data import UNREADABLE, NotData, form_of
from fizz.syntax.module import MOST_BITS
from interpreter.values.problem import ModelMistake
from interpreter.values.tags import COMPOSITE_TAGS, FIELD_TAGS, PAIR_TAGS, SEQUENCE_TAGS, SHAPES, Tag

if TYPE_CHECKING:
    from interpreter.values.intern import Interner

_TEXTS: Final = "latin-1"
"""Maps each byte to the character of the same number."""
_encode: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def to_bytes(interner: Interner, number: int) -> bytes:
    """A value in one line of ASCII."""
    return _encode(portable(interner, number)).encode("ascii")


def from_bytes(interner: Interner, data: bytes) -> int:
    """The id of a value that `to_bytes` wrote in any process. Raises `NotData`."""
    try:
        return load(interner, json.loads(data))
    except NotData:
        raise
    except (ModelMistake, *UNREADABLE) as failure:
        raise NotData(f"{type(failure).__name__}: {failure}") from failure


def portable(interner: Interner, number: int) -> list[Any]:
    """The value as nested lists."""
    tag, payload = interner.tag(number), interner.payload(number)
    rank = int(tag)
    if tag in SEQUENCE_TAGS or tag is Tag.STUB:
        return [rank, [portable(interner, child) for child in payload]]
    if tag in PAIR_TAGS:
        return [rank, [[portable(interner, k), portable(interner, v)] for k, v in payload]]
    if tag in FIELD_TAGS:
        return [rank, [[name, portable(interner, v)] for name, v in payload]]
    if tag in COMPOSITE_TAGS:
        members = [portable(interner, child) for child in payload[0]]
        return [rank, [members, form_of(SHAPES[tag]).write(payload[1]), payload[2]]]
    if tag is Tag.BYTES:
        return [rank, payload.decode(_TEXTS)]
    if tag in _INDEXED:
        return [rank, [_index_out(part) for part in payload]]
    return [rank, payload]


def load(interner: Interner, encoded: Any) -> int:
    """The id of a value that `portable` wrote in any process."""
    rank, payload = encoded
    tag = Tag(rank)
    if tag in _LEAVES:
        return interner.intern(tag, _LEAVES[tag](payload))
    if type(payload) is not list:
        raise NotData("members expected")
    if tag in PAIR_TAGS:
        return interner.intern(tag, tuple([(load(interner, k), load(interner, v)) for k, v in payload]))
    if tag in FIELD_TAGS:
        return interner.intern(tag, tuple([(_text(name), load(interner, v)) for name, v in payload]))
    if tag in COMPOSITE_TAGS:
        members, extra, text = payload
        inside = tuple([load(interner, child) for child in members])
        return interner.intern_composite(tag, inside, form_of(SHAPES[tag]).read(extra), _text(text))
    found = tuple([load(interner, child) for child in payload])
    if tag is Tag.STUB and len(found) != 2:
        raise NotData("a stub has a channel and a role")
    return interner.intern(tag, found)


# --- leaves ----------------------------------------------------------------------------------------------------------


def _of(kind: type) -> Callable[[Any], Any]:
    def read(encoded: Any) -> Any:
        if type(encoded) is not kind:
            raise NotData(f"{kind.__name__} expected")
        return encoded

    return read


_text = _of(str)


def _int(encoded: Any) -> int:
    if type(encoded) is not int or encoded.bit_length() > MOST_BITS:
        raise NotData("int expected")
    return encoded


def _fixed(*readers: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read(encoded: Any) -> tuple[Any, ...]:
        if type(encoded) is not list:
            raise NotData("list expected")
        return tuple([one(part) for one, part in zip(readers, encoded, strict=True)])

    return read


def _range(encoded: Any) -> tuple[int, ...]:
    found = _fixed(_int, _int, _int)(encoded)
    range(*found)
    return found


def _index_out(part: Any) -> Any:
    """A fraction, the index of an ordinal within a step, becomes a list of two numbers."""
    return [part.numerator, part.denominator] if isinstance(part, Fraction) else part


def _index(encoded: Any) -> int | Fraction:
    return Fraction(*_fixed(_int, _int)(encoded)) if type(encoded) is list else _int(encoded)


def _maybe(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda encoded: None if encoded is None else read(encoded)


_INDEXED: Final = frozenset({Tag.SYMMETRIC, Tag.SEGMENT})
_LEAVES: Final[Mapping[Tag, Callable[[Any], Any]]] = {
    Tag.NONE: _of(type(None)),
    Tag.BOOL: _of(bool),
    Tag.INT: _int,
    Tag.FLOAT: _of(float),
    Tag.STRING: _text,
    Tag.BYTES: lambda encoded: _text(encoded).encode(_TEXTS),
    Tag.RANGE: _range,
    Tag.ROLE: _fixed(_text, _int),
    Tag.MODEL_VALUE: _fixed(_text, _int),
    Tag.SYMMETRIC: _fixed(_text, _index, _text, _maybe(_int)),
    Tag.CHANNEL: _fixed(_int, _text),
    Tag.SEGMENT: _fixed(_text, _maybe(_index), _maybe(_index)),
    Tag.DOMAIN: _fixed(_text),
    Tag.REF: _fixed(_int),
}
