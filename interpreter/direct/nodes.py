"""Immutable values for rules that are run directly: containers are hash-consed nodes, scalars are Python's own.

A node stands for one interned value: equal nodes are one object, so that comparing two takes no walk. Values whose
equality is not that of their ids (floats, ranges, aliases, values of the host) have no node: `GiveUp`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from interpreter.values.intern import FALSE, NONE, TRUE, Interner, Tag
from interpreter.values.tags import MUTABLE_TAGS


class GiveUp(Exception):
    """A rule met something that is not done directly: the interpreter runs it instead."""


class Shadowed(GiveUp):
    """A field that the rule has in a variable was read through another name than `self`."""

    def __init__(self, attribute: str) -> None:
        super().__init__()
        self.attribute = attribute


MOST_PARTS: Final = 20_000
"""Larger values are left to the interpreter, which charges for their parts."""
MOST_CHARACTERS: Final = 64
"""Longer texts are left to the interpreter, which charges for their characters."""
_SMALL: Final = 1 << 62
"""Larger ints are left to the interpreter, which charges for their words."""
_TRUE: Final = object()
_FALSE: Final = object()


class ValueNode:
    """A container, tuple, struct, role instance or model value.

    `items`: the members of a list, tuple or set, the keys of a dict, in canonical order. `fields`: the values of a
    struct or record by name, else None. `table`: of a dict the values by key, of a set the elements, by what `key`
    returns. `mutable`: a mutable container is anywhere inside; `deep`: below the node itself. `choices`: the positions
    and texts of its distinct members as alternatives, once they were asked for; `sized`: it is a collection; `roles`:
    an instance is inside.
    """

    __slots__ = (
        "choices",
        "deep",
        "fields",
        "items",
        "mutable",
        "number",
        "roles",
        "sized",
        "symmetric",
        "table",
        "tag",
        "weight",
    )

    def __init__(self, number: int, tag: Tag, weight: int) -> None:
        self.number = number
        self.tag = tag
        self.weight = weight
        self.sized = tag in _SIZED
        self.items: tuple[Any, ...] = ()
        self.fields: dict[str, Any] | None = None
        self.table: dict[Hashable, Any] | None = None
        self.mutable = False
        self.deep = False
        self.symmetric = False
        self.roles = False
        self.choices: tuple[Any, ...] | None = None

    def __bool__(self) -> bool:
        return not self.sized or bool(self.items)

    def __repr__(self) -> str:
        return f"ValueNode({self.number}, {self.tag.name})"


_SIZED: Final = frozenset({Tag.LIST, Tag.TUPLE, Tag.SET, Tag.DICT})
_NATIVE: Final = frozenset({Tag.NONE, Tag.BOOL, Tag.INT, Tag.STRING})
_LEAVES: Final = frozenset({Tag.ROLE, Tag.SYMMETRIC})


def key(value: Any) -> Hashable:
    """What tells a value from others in a dict of Python, where `True` and 1 are the same."""
    if value is True:
        return _TRUE
    return _FALSE if value is False else value


class Nodes(dict[int, Any]):
    """The values by id: a node, or the Python value of a scalar. They are made when they are first asked for."""

    def __init__(self, interner: Interner) -> None:
        super().__init__()
        self.interner = interner

    def __missing__(self, number: int) -> Any:
        value = self[number] = self._made(number)
        return value

    def number(self, value: Any) -> int:
        """The id of a value."""
        kind = type(value)
        if kind is ValueNode:
            number: int = value.number
            return number
        if kind is int:
            known = self.interner.ints.get(value)
            return self.interner.intern(Tag.INT, value) if known is None else known
        if kind is str:
            return self.interner.intern(Tag.STRING, value)
        if value is None:
            return NONE
        if value is True:
            return TRUE
        if value is False:
            return FALSE
        raise GiveUp

    def _made(self, number: int) -> Any:
        interner = self.interner
        tag, payload = interner.tag(number), interner.payload(number)
        if tag in _NATIVE:
            if tag is Tag.INT and not -_SMALL < payload < _SMALL:
                raise GiveUp
            if tag is Tag.STRING and len(payload) > MOST_CHARACTERS:
                raise GiveUp
            return payload
        if interner.weight(number) > MOST_PARTS:
            raise GiveUp
        node = ValueNode(number, tag, interner.weight(number))
        if tag in (Tag.LIST, Tag.TUPLE, Tag.SET):
            node.items = tuple([self[child] for child in payload])
            if tag is Tag.SET:
                node.table = {key(item): item for item in node.items}
        elif tag is Tag.DICT:
            node.items = tuple([self[child] for child, _ in payload])
            node.table = {key(self[k]): self[v] for k, v in payload}
        elif tag in (Tag.STRUCT, Tag.RECORD):
            node.fields = {name: self[child] for name, child in payload}
        elif tag is Tag.MODEL_VALUE:
            node.fields = {"index": payload[1]}
        elif tag not in _LEAVES:
            raise GiveUp
        node.mutable = interner.mutable(number)
        node.deep = node.mutable and (
            tag not in MUTABLE_TAGS or any(interner.mutable(child) for child in interner.children(number))
        )
        node.symmetric = bool(interner.symmetric(number))
        node.roles = interner.has_roles(number)
        return node
