"""Values of JSON, as logs and tests have them, beside values of the model: made from one, compared with the other.

A list of JSON is a list of the model, an object a dict; in comparisons it is also a tuple, a set or a bag, and a struct
or a record, and a string is the text of a role instance, a model value or a symmetric value too.
"""

from __future__ import annotations

import json
from typing import Any, Final

from interpreter.values.intern import FALSE, NONE, TRUE, Interner, Tag
from interpreter.values.problem import MAX_DEPTH, too_deep

_SEQUENCES: Final = frozenset({Tag.LIST, Tag.TUPLE})
_UNORDERED: Final = frozenset({Tag.SET, Tag.GENERICSET, Tag.BAG})
_SCALARS: Final = frozenset({Tag.NONE, Tag.BOOL, Tag.INT, Tag.FLOAT, Tag.STRING})


def from_plain(interner: Interner, value: Any, depth: int = 0) -> int:
    """The id of a value of JSON. Raises `ModelMistake` if it is nested too deeply, `TypeError` for other types."""
    if depth > MAX_DEPTH:
        raise too_deep()
    match value:
        case None:
            return NONE
        case bool():
            return TRUE if value else FALSE
        case int():
            return interner.intern(Tag.INT, value)
        case float():
            return interner.intern(Tag.FLOAT, value)
        case str():
            return interner.intern(Tag.STRING, value)
        case list() | tuple():
            tag = Tag.LIST if isinstance(value, list) else Tag.TUPLE
            return interner.intern(tag, tuple([from_plain(interner, member, depth + 1) for member in value]))
        case dict():
            pairs = [
                (from_plain(interner, key, depth + 1), from_plain(interner, one, depth + 1))
                for key, one in value.items()
            ]
            return interner.intern_pairs(Tag.DICT, pairs)
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def to_plain(interner: Interner, number: int) -> Any:
    """A value of the model as one of JSON: sets as sorted lists, structs as objects, role instances as texts."""
    tag, payload = interner.tag(number), interner.payload(number)
    if tag in _SCALARS:
        return payload
    if tag in _SEQUENCES or tag in _UNORDERED:
        return [to_plain(interner, child) for child in payload]
    if tag is Tag.RANGE:
        return list(range(*payload)) if len(range(*payload)) <= 10_000 else interner.text(number)
    if tag in (Tag.DICT, Tag.GENERICMAP):
        return {_key(interner, key): to_plain(interner, value) for key, value in payload}
    if tag in (Tag.STRUCT, Tag.RECORD):
        return {name: to_plain(interner, value) for name, value in payload}
    return interner.text(number)


def _key(interner: Interner, number: int) -> str:
    return interner.payload(number) if interner.tag(number) is Tag.STRING else interner.text(number)


def same(interner: Interner, number: int, observed: Any) -> bool:
    """Whether a value of the model is what was observed. The order of a set's members does not matter."""
    tag, payload = interner.tag(number), interner.payload(number)
    if tag in _SCALARS:
        return isinstance(observed, bool) == isinstance(payload, bool) and bool(payload == observed)
    if isinstance(observed, list | tuple):
        if tag in _SEQUENCES:
            return len(payload) == len(observed) and all(map(same, [interner] * len(payload), payload, observed))
        if tag in _UNORDERED:
            return _canonical(to_plain(interner, number)) == _canonical(list(observed))
        return tag is Tag.RANGE and list(range(*payload)) == list(observed)
    if isinstance(observed, dict):
        if tag in (Tag.STRUCT, Tag.RECORD):
            pairs = dict(payload)
        elif tag in (Tag.DICT, Tag.GENERICMAP):
            pairs = {_key(interner, key): value for key, value in payload}
        else:
            return False
        seen = {str(key): value for key, value in observed.items()}
        return pairs.keys() == seen.keys() and all(same(interner, pairs[key], seen[key]) for key in pairs)
    return isinstance(observed, str) and interner.text(number) == observed


def _canonical(members: list[Any]) -> list[str]:
    return sorted(json.dumps(member, sort_keys=True) for member in members)
