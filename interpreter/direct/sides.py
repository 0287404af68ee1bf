"""`Sides`: role instances of other states than the one that a rule is about, distinguished from those of that state.

An instance is a value without a state, so what a field of it is depends on the state that it was read from. While an
assertion is run directly, the instances that come from another state have names of their own: their fields are those of
that state. The state itself is side 0, with the instances as they are; the state before a step is side 1, and the
successors of a state are sides 1, 2, …. Instances are equal to those of other sides (language page, 10.3), which only
`eq` and `ne` say: other operations for which that may matter give up.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from interpreter.direct.node_operations import Operations
from interpreter.direct.nodes import NODE_TAGS, SET_TAGS, GiveUp, Nodes, Shadowed, ValueNode
from interpreter.values.intern import Interner, Tag

_MARK: Final = " "
"""It stands between the number of a side and the name of a role. No role has a name with it."""
_MOST_RENAMED: Final = 1 << 15
_SAFE: Final = frozenset(
    {"add", "any_order", "bound", "each", "entries", "entries_any", "entries_lazily", "fields_of", "give_up",
     "is_role", "joined", "list_of", "live", "live_lazily", "member_at", "members", "own", "part", "plain", "size",
     "size_is", "sliced", "spend", "tuple_of", "tuples", "turns", "unpacked", "zipped"}
)  # fmt: skip
"""Operations that compare nothing."""
_MOVING: Final = frozenset({"enumerate", "list", "reversed", "tuple", "zip"})
"""Builtins that compare nothing."""


class OnOneSide(dict[int, int]):
    """The values by id, with their instances as those of one side. It forgets what it knows when that is a lot."""

    def __init__(self, rename: Callable[[int], int]) -> None:
        super().__init__()
        self._rename = rename

    def __missing__(self, number: int) -> int:
        if len(self) >= _MOST_RENAMED:
            self.clear()
        found = self[number] = self._rename(number)
        return found


class Sides:
    """Renames the instances in values."""

    def __init__(self, interner: Interner) -> None:
        self._interner = interner
        self._renamed_for: dict[int, dict[int, int]] = {}
        self._by_side: dict[int, OnOneSide] = {}
        self._plain: dict[int, int] = {}

    def of(self, side: int, number: int) -> int:
        """The value with its instances as those of a side, which is not that of the state itself."""
        if not self._interner.has_roles(number):
            return number
        known = self._renamed_for.setdefault(side, {})
        return self._renamed(number, known, lambda role: f"{side}{_MARK}{role}")

    def by(self, side: int) -> OnOneSide:
        """What `of` returns for a side, for many values."""
        known = self._by_side.get(side)
        if known is None:
            known = self._by_side[side] = OnOneSide(partial(self.of, side))
        return known

    def plain(self, number: int) -> int:
        """The value with all instances as they are named in the model."""
        if not self.has_other(number):
            return number
        return self._renamed(number, self._plain, lambda role: side_of(role)[1])

    def has_other(self, number: int) -> bool:
        """Whether an instance of another state is in a value."""
        return any(_MARK in role for role, _ in self._interner.roles(number))

    def _renamed(self, number: int, known: dict[int, int], rename: Callable[[str], str]) -> int:
        found = known.get(number)
        if found is None:
            found = known[number] = self._made(number, lambda inner: self._renamed(inner, known, rename), rename)
        return found

    def _made(self, number: int, inner: Callable[[int], int], rename: Callable[[str], str]) -> int:
        interner = self._interner
        if not interner.has_roles(number):
            return number
        tag, payload = interner.tag(number), interner.payload(number)
        if tag is Tag.ROLE:
            return interner.intern(tag, (rename(payload[0]), payload[1]))
        if tag is Tag.LIST or tag is Tag.TUPLE:
            return interner.intern(tag, tuple(map(inner, payload)))
        if tag in SET_TAGS:
            return interner.intern_members(tag, list(map(inner, payload)))
        if tag is Tag.DICT:
            return interner.intern_pairs(tag, [(inner(k), inner(v)) for k, v in payload])
        if tag is Tag.STRUCT or tag is Tag.RECORD:
            return interner.intern(tag, tuple([(name, inner(member)) for name, member in payload]))
        if tag in NODE_TAGS:
            raise GiveUp
        # Nothing can be asked of it here: a channel's stub, for example.
        return number


def side_of(role: str) -> tuple[int, str]:
    """The side of the instances that a role of this name has, and its name in the model."""
    side, mark, name = role.partition(_MARK)
    return (int(side), name) if mark else (0, role)


def on_both_sides(
    names: dict[str, Any], operations: Operations, sides: Sides, whole: Callable[[Any], Any]
) -> dict[str, Any]:
    """The names that the code of assertions about several states may use, made from those of other rules.

    `whole`: a value of which everything is known.
    """

    def mixed(value: Any) -> bool:
        if type(value) is list or type(value) is tuple:
            return any(map(mixed, value))
        return type(value) is ValueNode and value.roles and sides.has_other(value.number)

    def refusing(operation: Callable[..., Any]) -> Callable[..., Any]:
        def operate(*given: Any) -> Any:
            values = tuple(map(whole, given))
            if mixed(values):
                raise GiveUp
            return operation(*values)

        return operate

    compare, at, builtin = names["eq"], names["at"], names["function"]

    def eq(left: Any, right: Any) -> bool:
        known = operations.same(left, right)
        if known is not None:
            return known
        left, right = whole(left), whole(right)
        if compare(left, right):
            return True
        if type(left) is ValueNode is type(right) and (mixed(left) or mixed(right)):
            return sides.plain(left.number) == sides.plain(right.number)
        return False

    def function(name: str, *given: Any) -> Any:
        values = tuple(map(whole, given))
        if name not in _MOVING and mixed(values):
            raise GiveUp
        return builtin(name, *values)

    def at_place(value: Any, place: Any) -> Any:
        if mixed(whole(place)) or (mixed(value) and value.tag is Tag.DICT):
            raise GiveUp
        return at(value, place)

    def begins_with(group: Any, stop: Any, items: Any) -> bool:
        return bool(names["begins_with"](group, stop, items, eq))

    def begin_alike(group: Any, stop: Any, other: Any, end: Any) -> bool:
        return bool(names["begin_alike"](group, stop, other, end, eq))

    changed = {
        one: refusing(operation)
        for one, operation in names.items()
        if one not in _SAFE and callable(getattr(operations, one, None))
    }
    return {
        **names,
        **changed,
        "eq": eq,
        "ne": lambda left, right: not eq(left, right),
        "function": function,
        "at": at_place,
        "begin_alike": begin_alike,
        "begins_with": begins_with,
    }


def instance_of(node: ValueNode, attribute: str, excluded: ValueNode | None, nodes: Nodes) -> tuple[int, str, int]:
    """Whose attribute is used: the side of the instance, its role and its number.

    `excluded`: the instance whose attribute is another thing in this rule. Raises `Shadowed` and `GiveUp`.
    """
    if node is excluded:
        raise Shadowed(attribute)
    if node.tag is not Tag.ROLE:
        raise GiveUp
    role, number = nodes.interner.payload(node.number)
    return (*side_of(role), number)
