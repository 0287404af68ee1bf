"""Where elements are in a collection that compares by `==`: found by *bucket*, so that many are not compared in pairs.

Equal values have equal buckets; values of one bucket are compared. Values that hold symmetric ones share a bucket,
because comparing them may be a mistake of the model (R14), and so do values nested so deep that nobody looks inside.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

from interpreter.values.basis import Value, ValueWalk, equal_members, member_key
from interpreter.values.budget import METER
from interpreter.values.container import Container
from interpreter.values.containers import DictValue, ListValue, RecordValue, SetValue, StructValue
from interpreter.values.problem import ModelMistake
from interpreter.values.references import Channel, Instance, ModelValue, Stub, SymmetricValue

FEW: Final = 32
"""So many elements are compared one by one: that is faster."""
MAX_COMPARISONS: Final = 20_000_000
"""Comparisons of what can change, one by one, in one collection and step (R24)."""

_MEMBERS: Final = (32, 8, 4, 2)
"""How many members are looked at, by depth: a bucket costs little, however many parts there are."""
_UNKNOWN: Final[Hashable] = ("unknown",)


class _Unknown(Exception):
    """A value whose bucket is that of all values that nobody looks into."""


def bucket(value: object, walk: ValueWalk) -> Hashable:
    """Something hashable that is equal for equal values, as long as they do not change. `walk` counts what is seen."""
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
    """The first members. Further in all are looked at or none: they are compared before what comes behind them."""
    if depth and len(members) > _most(depth):
        raise _Unknown
    for member in members[: _most(depth)]:
        yield _inside(member, depth + 1, walk)


def lasting(value: object) -> bool:
    """Whether a value can never change, with all that is inside."""
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
    """The places of many elements. `lasting`: none of them can change, so that the places stay what they are."""

    __slots__ = ("buckets", "lasting")

    def __init__(self, members: Iterable[object]) -> None:
        self.buckets: dict[Hashable, list[tuple[int, object]]] = {}
        self.lasting = True
        for place, member in enumerate(members):
            self.note(place, member)

    def note(self, place: int, member: object) -> None:
        """Another element, at its place."""
        self.buckets.setdefault(bucket(member, ValueWalk()), []).append((place, member))
        self.lasting = self.lasting and lasting(member)

    def find(self, wanted: object) -> int | None:
        """The place of the first element that equals this one."""
        looked = ValueWalk()
        parts = 0
        found = None
        for place, member in self.buckets.get(bucket(wanted, looked), ()):
            walk = ValueWalk()
            same = equal_members(member, wanted, walk)
            parts += walk.parts + 1
            if same:
                found = place
                break
        METER.charge(looked.parts + parts)
        return found


def check_comparisons(count: int, kind: str) -> None:
    """R24 if a collection was searched one by one too often."""
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
    """Take the last of the others that equals a member, if there is one."""
    for place in range(len(others) - 1, -1, -1):
        if equal_members(member, others[place], walk):
            del others[place]
            return True
        # Each comparison counts as a part, so that those of one bucket are not compared for ever.
        walk.enter(0)
        walk.leave()
    return False
