"""What the turns of a loop pass on, as a list of values: how the loop goes on or ends, and the names with their values.

A container of which the loop owns the only reference is written out member by member, in the order of this step, since
a stored one would be in canonical order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from interpreter.compile.passed_on import PassedOn
from interpreter.state.state import MISSING
from interpreter.values import DictValue, ListValue, SetValue
from interpreter.values.basis import hash_key
from interpreter.values.budget import METER
from interpreter.values.folding import RETURNS

_UNBOUND: Final = "unbound"
_VALUE: Final = "value"


class TurnEnd(NamedTuple):
    """How a turn ends: GOES_ON, BREAKS or RETURNS; what it returns; the local variables then, and whether the step is
    enabled."""

    how: str
    value: object
    names: dict[str, object]
    enabled: bool = False


def passed_values(end: TurnEnd, passed: PassedOn) -> list[object]:
    """What is passed on at the end of a turn."""
    if end.how == RETURNS:
        return [RETURNS, end.enabled, end.value]
    found: list[object] = [end.how, end.enabled]
    for name in passed.names:
        value = end.names.get(name, MISSING)
        members = _members(value) if name in passed.own else None
        if members is not None:
            kind, inside = members
            found += [kind, len(inside), *inside]
        else:
            found += [_UNBOUND, 0] if value is MISSING else [_VALUE, 1, value]
    return found


def _members(value: object) -> tuple[str, Sequence[object]] | None:
    """The kind of a container and its members, in order; None for other values."""
    # Exactly these: others can be read in parts, and stand for what is stored.
    if type(value) is ListValue:
        return "list", value.items
    if type(value) is SetValue:
        return "set", list(value.members())
    if type(value) is DictValue:
        return "dict", list(value.members())
    return None


def taken_over(values: Sequence[object], passed: PassedOn) -> TurnEnd:
    """The end of a turn that has passed these values on."""
    rest = iter(values)
    how, enabled = str(next(rest)), bool(next(rest))
    if how == RETURNS:
        return TurnEnd(how, next(rest), {}, enabled)
    names: dict[str, object] = {}
    for name in passed.names:
        kind, count = next(rest), next(rest)
        assert isinstance(count, int)
        inside = [next(rest) for _ in range(count)]
        if kind != _UNBOUND:
            names[name] = inside[0] if kind == _VALUE else _container(str(kind), inside)
    return TurnEnd(how, None, names, enabled)


def _container(kind: str, members: list[object]) -> object:
    METER.make(len(members))
    if kind == "list":
        return ListValue(members)
    if kind == "set":
        return SetValue({hash_key(member): member for member in members})
    return DictValue({hash_key(key): (key, value) for key, value in _pairs(members)})


def _pairs(members: Iterable[object]) -> Iterator[tuple[object, object]]:
    rest = iter(members)
    return zip(rest, rest, strict=True)
