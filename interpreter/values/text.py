"""Display text and JSON of values (language page, 5.5).

A writer takes the payload of an interned value and a function that writes its members, so that the interner can cache
the text of every member, and engines can substitute references.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from interpreter.values.tags import Tag

Member = Callable[[int], str]
Writer = Callable[[Any, Member], str]

_SURROGATE = re.compile("[\ud800-\udfff]")
# Letters and marks without a glyph, which Python considers printable.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")
_encode = json.JSONEncoder(ensure_ascii=False).encode


def quote(text: str) -> str:
    """A string in double quotes with JSON escapes; lone surrogates, which UTF-8 does not have, are escaped too."""
    written = _encode(text)
    if text.isascii():
        return written
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


def spelled(text: str) -> str:
    """A text of a model for a terminal, which it must not steer: only what is seen as itself, and line ends, stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c == "\n" or (c.isprintable() and not _BLANK.match(c)) else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def float_text(number: float) -> str:
    """The shortest text that reads back as the same float; always with `.`, `e`, `inf` or `nan`."""
    return repr(number)


def float_json(number: float) -> str:
    """A float in JSON, which has no infinities."""
    return repr(number) if number - number == 0 else f'{{"$float":"{number!r}"}}'


def bytes_text(data: bytes) -> str:
    """Bytes as `b"a\\x00"`."""
    body = "".join(
        f"\\{chr(b)}" if b in b'"\\' else chr(b) if 32 <= b < 127 else _SHORT.get(b) or f"\\x{b:02x}" for b in data
    )
    return f'b"{body}"'


_SHORT = {9: "\\t", 10: "\\n", 13: "\\r"}


def index_json(index: int | Fraction | None) -> str:
    """The index of a symmetric value; a fraction (an ordinal within a step) is a string."""
    if index is None:
        return "null"
    return str(index) if isinstance(index, int) else f'"{index}"'


def range_text(payload: tuple[int, int, int]) -> str:
    """`range(0, 3)`; with a step other than 1 `range(0, 6, 2)`."""
    start, stop, step = payload
    return f"range({start}, {stop})" if step == 1 else f"range({start}, {stop}, {step})"


def _listed(members: tuple[int, ...], write: Member) -> str:
    return ", ".join([write(m) for m in members])


def _tuple_text(members: tuple[int, ...], write: Member) -> str:
    return f"({write(members[0])},)" if len(members) == 1 else f"({_listed(members, write)})"


def _pairs_text(pairs: tuple[tuple[int, int], ...], write: Member) -> str:
    return "{" + ", ".join([f"{write(k)}: {write(v)}" for k, v in pairs]) + "}"


def _fields_text(fields: tuple[tuple[str, int], ...], write: Member) -> str:
    return ", ".join([f"{name} = {write(value)}" for name, value in fields])


def _segment_text(payload: tuple[str, int | Fraction | None, int | Fraction | None], write: Member) -> str:
    name, after, before = payload
    low, high = ("" if end is None else f"{name}{end}" for end in (after, before))
    return f"segment({name}, {low}..{high})"


TEXT: Mapping[Tag, Writer] = {
    Tag.NONE: lambda p, w: "None",
    Tag.BOOL: lambda p, w: "True" if p else "False",
    Tag.INT: lambda p, w: str(p),
    Tag.FLOAT: lambda p, w: float_text(p),
    Tag.STRING: lambda p, w: quote(p),
    Tag.BYTES: lambda p, w: bytes_text(p),
    Tag.TUPLE: _tuple_text,
    Tag.MODEL_VALUE: lambda p, w: f"{p[0]}{p[1]}",
    Tag.SYMMETRIC: lambda p, w: f"{p[0]}{p[1]}",
    Tag.ROLE: lambda p, w: f"{p[0]}#{p[1]}",
    Tag.RANGE: lambda p, w: range_text(p),
    Tag.STRUCT: lambda p, w: f"struct({_fields_text(p, w)})",
    Tag.LIST: lambda p, w: f"[{_listed(p, w)}]",
    Tag.DICT: _pairs_text,
    Tag.SET: lambda p, w: f"set([{_listed(p, w)}])",
    Tag.FROZENSET: lambda p, w: f"frozenset([{_listed(p, w)}])",
    Tag.RECORD: lambda p, w: f"record({_fields_text(p, w)})",
    Tag.GENERICSET: lambda p, w: f"genericset([{_listed(p, w)}])",
    Tag.BAG: lambda p, w: f"bag([{_listed(p, w)}])",
    Tag.GENERICMAP: lambda p, w: f"genericmap({_pairs_text(p, w)})",
    Tag.STUB: lambda p, w: f"stub({w(p[0])}, {w(p[1])})",
    Tag.CHANNEL: lambda p, w: f"Channel#{p[0]}",
    Tag.SEGMENT: _segment_text,
    Tag.DOMAIN: lambda p, w: f"domain({quote(p[0])})",
    Tag.REF: lambda p, w: f"ref {p[0]}",
}
"""Display text by tag, for payloads as `interpreter.values.intern` describes them."""


def _comma(members: tuple[int, ...], write: Member) -> str:
    return ",".join([write(m) for m in members])


def _pairs_json(pairs: tuple[tuple[int, int], ...], write: Member) -> str:
    return "[" + ",".join([f"[{write(k)},{write(v)}]" for k, v in pairs]) + "]"


def _dict_json(pairs: tuple[tuple[int, int], ...], write: Member) -> str:
    keys = [write(k) for k, _ in pairs]
    values = [write(v) for _, v in pairs]
    if all(k.startswith('"') and not k.startswith('"$') for k in keys):
        return "{" + ",".join([f"{k}:{v}" for k, v in zip(keys, values, strict=True)]) + "}"
    return '{"$dict":[' + ",".join([f"[{k},{v}]" for k, v in zip(keys, values, strict=True)]) + "]}"


def _fields_json(fields: tuple[tuple[str, int], ...], write: Member) -> str:
    return "{" + ",".join([f"{quote(name)}:{write(value)}" for name, value in fields]) + "}"


def _stub_json(payload: tuple[int, int], write: Member) -> str:
    # The members are written `{"$channel":0}` and `{"$role":"Node#0"}`; a stub has the values inside the braces.
    channel, role = (write(member)[1:-1].partition(":")[2] for member in payload)
    return f'{{"$stub":[{channel},{role}]}}'


JSON: Mapping[Tag, Writer] = {
    Tag.NONE: lambda p, w: "null",
    Tag.BOOL: lambda p, w: "true" if p else "false",
    Tag.INT: lambda p, w: str(p),
    Tag.FLOAT: lambda p, w: float_json(p),
    Tag.STRING: lambda p, w: quote(p),
    Tag.BYTES: lambda p, w: f'{{"$bytes":"{p.hex()}"}}',
    Tag.TUPLE: lambda p, w: f'{{"$tuple":[{_comma(p, w)}]}}',
    Tag.MODEL_VALUE: lambda p, w: f'{{"$id":[{quote(p[0])},{p[1]}]}}',
    Tag.SYMMETRIC: lambda p, w: f'{{"$sym":[{quote(p[0])},{index_json(p[1])}]}}',
    Tag.ROLE: lambda p, w: f'{{"$role":{quote(f"{p[0]}#{p[1]}")}}}',
    Tag.RANGE: lambda p, w: f'{{"$range":[{p[0]},{p[1]},{p[2]}]}}',
    Tag.STRUCT: lambda p, w: f'{{"$struct":{_fields_json(p, w)}}}',
    Tag.LIST: lambda p, w: f"[{_comma(p, w)}]",
    Tag.DICT: _dict_json,
    Tag.SET: lambda p, w: f'{{"$set":[{_comma(p, w)}]}}',
    Tag.FROZENSET: lambda p, w: f'{{"$frozenset":[{_comma(p, w)}]}}',
    Tag.RECORD: lambda p, w: f'{{"$record":{_fields_json(p, w)}}}',
    Tag.GENERICSET: lambda p, w: f'{{"$genericset":[{_comma(p, w)}]}}',
    Tag.BAG: lambda p, w: f'{{"$bag":[{_comma(p, w)}]}}',
    Tag.GENERICMAP: lambda p, w: f'{{"$genericmap":{_pairs_json(p, w)}}}',
    Tag.STUB: _stub_json,
    Tag.CHANNEL: lambda p, w: f'{{"$channel":{p[0]}}}',
    Tag.SEGMENT: lambda p, w: f'{{"$segment":[{quote(p[0])},{index_json(p[1])},{index_json(p[2])}]}}',
    Tag.DOMAIN: lambda p, w: f'{{"$domain":{quote(p[0])}}}',
    Tag.REF: lambda p, w: f'{{"$ref":{p[0]}}}',
}
"""JSON, which is also the identity encoding, by tag."""
