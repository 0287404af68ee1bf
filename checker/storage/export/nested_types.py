"""`Shape`: the type in SQL that all values of a column have, found from their JSON encodings; and values in that type.

Lists, sets and bags are lists; tuples of one length, structs and records are structs; dicts are maps, or structs if
their values differ in type. What has no common type is JSON text, as deep inside as possible.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from types import ModuleType
from typing import Any, Final, assert_never

from fizz.base.light import dataclass

_INT64: Final = 1 << 63
_MOST_FIELDS: Final = 100
"""The most keys of a dict that become fields of a struct."""
_DEEPEST: Final = 40
"""What is deeper inside a value is JSON text: readers of Parquet go no deeper than some hundred levels."""
_MEMBERS: Final = ("$set", "$frozenset", "$genericset", "$bag")


@dataclass(frozen=True, slots=True)
class Scalar:
    """`none` (no value but None), `bool`, `int` (64 bits), `float`, or a kind of text: `string`, `role`, …"""

    kind: str


@dataclass(frozen=True, slots=True)
class SequenceOf:
    """A list, or what is written with the tag `kind`: a set, a bag, or tuples of several lengths."""

    member: Shape
    kind: str = ""


@dataclass(frozen=True, slots=True)
class TupleOf:
    """Tuples of one length."""

    members: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class MapOf:
    """A dict whose keys are not all strings, or a genericmap."""

    key: Shape
    value: Shape


@dataclass(frozen=True, slots=True)
class DictOf:
    """A dict with string keys: a map if all values have one type, a struct otherwise."""

    values: Mapping[str, Shape]


@dataclass(frozen=True, slots=True)
class StructOf:
    fields: Mapping[str, Shape]


@dataclass(frozen=True, slots=True)
class AsText:
    """No type but JSON text."""


Shape = Scalar | SequenceOf | TupleOf | MapOf | DictOf | StructOf | AsText

NONE: Final = Scalar("none")
TEXT: Final = AsText()


def shape_of(value: Any, depth: int = 0) -> Shape:
    """The shape of one decoded value, which is `depth` deep inside another."""
    match value:
        case None:
            return NONE
        case bool():
            return Scalar("bool")
        case int():
            return Scalar("int") if -_INT64 <= value < _INT64 else TEXT
        case float():
            return Scalar("float")
        case str():
            return Scalar("string")
    if depth == _DEEPEST:
        return TEXT
    if isinstance(value, list):
        return SequenceOf(_all(value, depth))
    (tag, inner), *others = value.items() if value else ((None, None),)
    if tag is not None and not others and tag.startswith("$"):
        return _tagged(tag, inner, depth)
    shapes = {key: shape_of(one, depth + 1) for key, one in value.items()}
    return DictOf(shapes) if len(shapes) <= _MOST_FIELDS else _as_map(DictOf(shapes))


def _all(values: Iterable[Any], depth: int) -> Shape:
    return joined(shape_of(one, depth + 1) for one in values)


def _tagged(tag: str, inner: Any, depth: int) -> Shape:
    if tag in _MEMBERS:
        return SequenceOf(_all(inner, depth), tag)
    match tag:
        case "$tuple":
            return TupleOf(tuple([shape_of(one, depth + 1) for one in inner]))
        case "$dict" | "$genericmap":
            keys = [key for key, _ in inner]
            # None is no key of a map in SQL.
            return MapOf(TEXT if None in keys else _all(keys, depth), _all((one for _, one in inner), depth))
        case "$struct" | "$record":
            return StructOf({name: shape_of(one, depth + 1) for name, one in inner.items()}) if inner else TEXT
        case "$float":
            return Scalar("float")
        case "$role" | "$id" | "$sym" | "$channel" | "$bytes":
            return Scalar(tag)
    return TEXT


def joined(shapes: Iterable[Shape]) -> Shape:
    """The shape that has the values of all of them."""
    nothing: Shape = NONE
    return reduce(join, shapes, nothing)


def join(left: Shape, right: Shape) -> Shape:
    """The shape that has the values of both."""
    if left == right or right == NONE:
        return left
    if left == NONE:
        return right
    match left, right:
        case Scalar(), Scalar() if {left.kind, right.kind} == {"int", "float"}:
            return Scalar("float")
        case TupleOf(), TupleOf() if len(left.members) == len(right.members):
            return TupleOf(tuple(map(join, left.members, right.members)))
        case ((TupleOf() | SequenceOf()), (TupleOf() | SequenceOf())):
            one, other = _as_list(left), _as_list(right)
            return SequenceOf(join(one.member, other.member), one.kind) if one.kind == other.kind else TEXT
        case MapOf(), MapOf():
            return MapOf(join(left.key, right.key), join(left.value, right.value))
        case DictOf(), DictOf() if len({*left.values, *right.values}) <= _MOST_FIELDS:
            return DictOf(_united(left.values, right.values))
        case ((DictOf() | MapOf()), (DictOf() | MapOf())):
            one_map, other_map = _as_map(left), _as_map(right)
            return MapOf(join(one_map.key, other_map.key), join(one_map.value, other_map.value))
        case StructOf(), StructOf():
            return StructOf(_united(left.fields, right.fields))
    return TEXT


def _as_list(shape: TupleOf | SequenceOf) -> SequenceOf:
    return shape if isinstance(shape, SequenceOf) else SequenceOf(joined(shape.members), "$tuple")


def _as_map(shape: DictOf | MapOf) -> MapOf:
    return shape if isinstance(shape, MapOf) else MapOf(Scalar("string"), joined(shape.values.values()))


def _united(left: Mapping[str, Shape], right: Mapping[str, Shape]) -> Mapping[str, Shape]:
    return {name: join(left.get(name, NONE), right.get(name, NONE)) for name in {**left, **right}}


# --- types and values of pyarrow -------------------------------------------------------------------------------------

Convert = Callable[[Any], Any]
"""Makes the object of Python that pyarrow takes for a decoded value."""
Typed = tuple[Any, Convert]
"""A type of pyarrow, and how values get it."""


def typed(shape: Shape, pa: ModuleType) -> Typed:
    """The type of a shape. `pa`: pyarrow."""
    match shape:
        case Scalar("bool"):
            return pa.bool_(), _same
        case Scalar("int"):
            return pa.int64(), _same
        case Scalar("float"):
            return pa.float64(), _number
        case Scalar("none" | "string"):
            return pa.string(), _string
        case Scalar():
            return pa.string(), _name
        case SequenceOf():
            return _list(shape, pa)
        case TupleOf():
            if not shape.members:
                return _list(SequenceOf(NONE, "$tuple"), pa)
            return _struct({f"_{i}": one for i, one in enumerate(shape.members, 1)}, _numbered, pa)
        case MapOf():
            return _map(shape, _pairs, pa)
        case DictOf():
            as_map = _as_map(shape)
            if as_map.value == TEXT and shape.values:
                return _struct(shape.values, _same, pa)
            return _map(as_map, _items, pa)
        case StructOf():
            return _struct(shape.fields, _inside, pa)
        case AsText():
            return pa.string(), _text
        case _:
            assert_never(shape)


def _list(shape: SequenceOf, pa: ModuleType) -> Typed:
    kind, convert = typed(shape.member, pa)
    members: Convert = _inside if shape.kind else _same
    return pa.list_(kind), lambda value: None if value is None else [convert(one) for one in members(value)]


def _map(shape: MapOf, pairs: Convert, pa: ModuleType) -> Typed:
    (key_type, key), (value_type, one) = typed(shape.key, pa), typed(shape.value, pa)
    simple = isinstance(shape.key, Scalar)
    made = pa.map_(key_type, value_type) if simple else pa.list_(pa.struct([("key", key_type), ("value", value_type)]))

    def convert(value: Any) -> Any:
        if value is None:
            return None
        found = [(key(k), one(v)) for k, v in pairs(value)]
        return found if simple else [{"key": k, "value": v} for k, v in found]

    return made, convert


def _struct(fields: Mapping[str, Shape], inside: Convert, pa: ModuleType) -> Typed:
    made = {name: typed(shape, pa) for name, shape in sorted(fields.items())}

    def convert(value: Any) -> Any:
        if value is None:
            return None
        held = inside(value)
        return {name: one(held[name]) for name, (_, one) in made.items() if name in held}

    return pa.struct([(name, kind) for name, (kind, _) in made.items()]), convert


def _same(value: Any) -> Any:
    return value


def _string(value: Any) -> str | None:
    """Strings of models may have halves of surrogate pairs, which files may not."""
    return value if value is None else value.encode(errors="replace").decode()


def _number(value: Any) -> float | None:
    return value if value is None else float(_inside(value) if isinstance(value, dict) else value)


def _inside(value: Any) -> Any:
    """What is tagged."""
    (inner,) = value.values()
    return inner


def _name(value: Any) -> str | None:
    """`Node#0`, `Node0`, `k1`: how such a value is displayed."""
    if value is None:
        return None
    ((tag, inner),) = value.items()
    match tag:
        case "$id" | "$sym":
            return "".join(map(str, inner))
        case "$channel":
            return f"Channel#{inner}"
    return str(inner)


def _numbered(value: Any) -> dict[str, Any]:
    return {f"_{i}": one for i, one in enumerate(_inside(value), 1)}


def _items(value: Any) -> Iterable[tuple[Any, Any]]:
    items: Iterable[tuple[Any, Any]] = value.items()
    return items


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    """The pairs of a dict of any keys, also if these are strings."""
    tagged = len(value) == 1 and next(iter(value)) in ("$dict", "$genericmap")
    return _inside(value) if tagged else _items(value)


def _text(value: Any) -> str | None:
    return None if value is None else _string(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
