"""Positions of elements in a collection that compares by `==`, found by *bucket* instead of pairwise comparison.

Equal values have equal buckets; only values of one bucket are compared. Values that hold symmetric ones share one
bucket, because comparing them may be a mistake of the model (R14); so do values that are nested too deep to look into.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

from interpreter.values.basis import Value, ValueWalk, equal_members, member_key
from interpreter.values.budget import METER
from interpreter.values.container import Container
from interpreter.values.containers import DictValue, ListValue, RecordValue, SetValue, StructValue
from interpreter.values.problem import ModelMistake
from interpreter.values.references import Channel, HostValue, Instance, ModelValue, Stub, SymmetricValue

FEW: Final = 32
"""Up to this many elements are compared one by one, which is faster."""
MAX_COMPARISONS: Final = 20_000_000
"""Comparisons of mutable elements, one by one, in one collection and step (R24)."""

_MEMBERS: Final = (32, 8, 4, 2)
"""The number of members looked at, by depth, so that a bucket is cheap for values of any size."""
_UNKNOWN: Final[Hashable] = ("unknown",)


class _Unknown(Exception):
    """Raised for a value that belongs to the bucket of values that are not looked into."""


def bucket(value: object, walk: ValueWalk) -> Hashable:
    """A hashable that is equal for equal values, as long as they do not change. `walk` counts the parts visited."""
    try:
        return _inside(value, 0, walk)
    except _Unknown:
        return _UNKNOWN


def _inside(value: object, depth: int, walk: ValueWalk) -> Hashable:
    walk.parts += 1
    if isinstance(value, SymmetricValue):
        raise _Unknown
    if isinstance(value, tuple):
        return ("tuple", len(value), *_each(value, depth, walk))
    if not isinstance(value, Value):
        return member_key(value, walk)
    match value:
        case ListValue():
            return ("list", len(value.items), *_each(value.items, depth, walk))
        case StructValue() | RecordValue():
            names = tuple(sorted(value.fields))
            return (value.kind, names, *_each([value.fields[name] for name in names], depth, walk))
        case HostValue() if value.kind == "struct":  # a whole state, which equals the struct of its variables
            return _inside(StructValue(dict(value.attributes())), depth, walk)
        case DictValue() if value.size() <= _most(depth):
            pairs = value.entries.items()
            return ("dict", frozenset((key, _inside(member, depth + 1, walk)) for key, (_, member) in pairs))
        case SetValue() if value.size() <= _most(depth):
            return ("set", frozenset(_inside(member, depth + 1, walk) for member in value.members()))
        case Container():
            return (value.kind, value.size())
        case Instance() | ModelValue() | Channel() | Stub():
            return value.key(walk)
    return value.kind


def _most(depth: int) -> int:
    return _MEMBERS[depth] if depth < len(_MEMBERS) else 0


def _each(members: Sequence[object], depth: int, walk: ValueWalk) -> Iterator[Hashable]:
    """The first members; at depth above 0 all members or none, since they are compared before those that follow."""
    if depth and len(members) > _most(depth):
        raise _Unknown
    for member in members[: _most(depth)]:
        yield _inside(member, depth + 1, walk)


def lasting(value: object) -> bool:
    """Whether a value and everything inside it are immutable."""
    if not isinstance(value, (tuple, StructValue)):
        return not isinstance(value, Container)
    pending: list[object] = [value]
    met: set[int] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, Container):
            return False
        if isinstance(item, (tuple, StructValue)) and id(item) not in met:
            met.add(id(item))
            pending += item if isinstance(item, tuple) else item.fields.values()
    return True


class ElementIndex:
    """The positions of many elements. `lasting`: all are immutable, so that buckets stay valid."""

    __slots__ = ("buckets", "lasting")

    def __init__(self, members: Iterable[object]) -> None:
        self.buckets: dict[Hashable, list[tuple[int, object]]] = {}
        self.lasting = True
        for position, member in enumerate(members):
            self.note(position, member)

    def note(self, position: int, member: object) -> None:
        """Adds an element at its position."""
        self.buckets.setdefault(bucket(member, ValueWalk()), []).append((position, member))
        self.lasting = self.lasting and lasting(member)

    def find(self, wanted: object) -> int | None:
        """The position of the first element that equals this one; None if there is none."""
        looked = ValueWalk()
        parts = 0
        found = None
        for position, member in self.buckets.get(bucket(wanted, looked), ()):
            walk = ValueWalk()
            same = equal_members(member, wanted, walk)
            parts += walk.parts + 1
            if same:
                found = position
                break
        METER.charge(looked.parts + parts)
        return found


def check_comparisons(count: int, kind: str) -> None:
    """R24 if a collection was searched one by one too often; `count` comparisons so far."""
    if count > MAX_COMPARISONS:
        text = f"more than {MAX_COMPARISONS:,} comparisons in one {kind}"
        raise ModelMistake("R24", text, "tuples and structs are found at once, what can change is compared one by one")


def paired(left: Sequence[object], right: Sequence[object], walk: ValueWalk) -> bool:
    """Whether the members of two collections of one size can be paired off as equals."""
    walk.enter(len(left))
    few = len(left) <= FEW
    rest: dict[Hashable, list[object]] = {}
    for member in reversed(right):
        rest.setdefault(None if few else bucket(member, walk), []).append(member)
    same = all(_taken(member, rest.get(None if few else bucket(member, walk), []), walk) for member in left)
    walk.leave()
    return same


def _taken(member: object, others: list[object], walk: ValueWalk) -> bool:
    """Removes the last of the others that equals a member; whether there is one."""
    for position in range(len(others) - 1, -1, -1):
        if equal_members(member, others[position], walk):
            del others[position]
            return True
        # Each comparison counts as a part, which bounds the comparisons within one bucket.
        walk.enter(0)
        walk.leave()
    return False
