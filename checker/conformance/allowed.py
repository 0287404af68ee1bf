"""What a model allows a call to return, beside what it returned: `system.read() == fizzpy.allowed([1, 2])`.

A list is also a tuple there; members are in any order; objects that are no values of JSON are their texts. Tests that
are printed have it where `==` alone would say otherwise than the model.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

from checker.conformance.plain_values import plain
from interpreter.values.intern import Interner, Tag
from interpreter.values.observed import to_plain

_ORDERED: Final = frozenset({Tag.LIST, Tag.TUPLE})
_UNORDERED: Final = frozenset({Tag.SET, Tag.GENERICSET, Tag.BAG})
SCALARS: Final = (type(None), bool, int, float, str)


class unordered(list[Any]):
    """Members of a set or a bag, in any order: a part of what is `allowed`."""


class allowed:
    """Equal to what a call returned if that is one of these values, as a model has them."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __eq__(self, returned: object) -> bool:
        observed = plain(returned)
        return any(agrees(value, observed) for value in self.values)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"allowed({', '.join(map(literal, self.values))})"


def agrees(value: Any, observed: Any) -> bool:
    """Whether a value of JSON is one that is allowed; `unordered` lists may be in any order."""
    if isinstance(value, unordered):
        return isinstance(observed, list) and _canonical(value) == _canonical(observed)
    if isinstance(value, list | tuple):
        return (
            isinstance(observed, list)
            and len(value) == len(observed)
            and all(agrees(one, other) for one, other in zip(value, observed, strict=True))
        )
    if isinstance(value, dict):
        known = {str(key): one for key, one in value.items()}
        return (
            isinstance(observed, dict)
            and known.keys() == observed.keys()
            and all(agrees(one, observed[key]) for key, one in known.items())
        )
    return isinstance(value, bool) == isinstance(observed, bool) and bool(value == observed)


def _canonical(members: list[Any]) -> list[str]:
    return sorted(json.dumps(member, sort_keys=True) for member in members)


def allowed_value(interner: Interner, number: int) -> Any:
    """A value of the model as it is allowed."""
    tag, payload = interner.tag(number), interner.payload(number)
    if tag in _ORDERED:
        return [allowed_value(interner, child) for child in payload]
    if tag in _UNORDERED:
        return unordered(to_plain(interner, number))
    if tag in (Tag.STRUCT, Tag.RECORD):
        return {name: allowed_value(interner, value) for name, value in payload}
    if tag in (Tag.DICT, Tag.GENERICMAP):
        plainly = to_plain(interner, number)
        return {name: allowed_value(interner, value) for name, (_, value) in zip(plainly, payload, strict=True)}
    return to_plain(interner, number)


def literal(value: Any) -> str:
    """A value that is allowed as an expression of Python."""
    match value:
        case unordered():
            return f"fizzpy.unordered([{', '.join(map(literal, value))}])"
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case dict():
            return f"{{{', '.join(f'{key!r}: {literal(one)}' for key, one in value.items())}}}"
        case float() if not math.isfinite(value):
            return f'float("{value}")'
    return repr(value)


def assertion_of(call: str, values: list[Any], returned: Any, is_scalar: bool) -> str:
    """A statement that asserts what a call may return.

    `returned`: what it returned as a value of JSON; `is_scalar`: it was that already. The statement is a plain
    comparison if such a one is true exactly where the model says so.
    """
    if is_scalar and all(type(one) in SCALARS for one in values):
        plainly = returned in values
        if plainly == any(agrees(one, returned) for one in values):
            if len(values) > 1:
                return f"assert {call} in {values!r}"
            (one,) = values
            return (
                f"assert {call} is {one!r}" if one is None or type(one) is bool else f"assert {call} == {literal(one)}"
            )
    return f"assert {call} == fizzpy.allowed({', '.join(map(literal, values))})"
