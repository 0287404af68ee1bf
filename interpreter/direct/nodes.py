"""Immutable values for rules that are run directly: containers are hash-consed nodes, scalars are Python's own.

A node stands for one interned value: equal nodes are one object, so that comparing two takes no walk. Values whose
equality is not that of their ids (floats, ranges, aliases, values of the host) have no node: `GiveUp`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from interpreter.values.intern import FALSE, NONE, TRUE, Interner, Tag
from interpreter.values.tags import FIELD_TAGS, MUTABLE_TAGS


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
"""The characters of a text that are done at the cost of one part."""
_SMALL: Final = 1 << 62
"""Larger ints are left to the interpreter, which charges for their words."""
_NO_DOMAINS: Final = frozenset[str]()
_TRUE: Final = object()
_FALSE: Final = object()


class ValueNode:
    """A container, tuple, struct, role instance or model value.

    `items`: the members of a list, tuple, set, genericset or bag, the keys of a dict, in canonical order. `fields`: the
    values of a struct or record by name, else None. `table`: of a dict the values by key, of a set or genericset the
    elements, by what `key` returns. `mutable`: a mutable container is anywhere inside; `deep`: below the node itself.
    `choices`: the positions and texts of its distinct members as alternatives, once they were asked for; `sized`: it is
    a collection; `roles`: an instance is inside; `symmetric`: the domains of the symmetric values inside. Most nodes
    are made to be stored and never looked into: what is inside is found when it is first asked for.
    """

    __slots__ = (
        "_nodes",
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
    items: tuple[Any, ...]
    fields: dict[str, Any] | None
    table: dict[Hashable, Any] | None
    mutable: bool
    deep: bool
    symmetric: frozenset[str]
    roles: bool
    choices: tuple[Any, ...] | None

    def __init__(self, number: int, tag: Tag, weight: int, nodes: Nodes) -> None:
        self.number = number
        self.tag = tag
        self.weight = weight
        self.sized = tag in _SIZED
        self._nodes = nodes

    def __getattr__(self, attribute: str) -> Any:
        # A slot that has no value yet.
        if attribute in ("items", "fields", "table"):
            self._nodes.fill(self)
        elif attribute in ("mutable", "deep", "roles"):
            self._nodes.mark(self)
        elif attribute == "symmetric":
            self.symmetric = self._nodes.domains(self.number)
        elif attribute == "choices":
            self.choices = None
        else:
            raise AttributeError(attribute)
        return getattr(self, attribute)

    def __bool__(self) -> bool:
        return not self.sized or bool(self.items)

    def __repr__(self) -> str:
        return f"ValueNode({self.number}, {self.tag.name})"


SET_TAGS: Final = frozenset({Tag.SET, Tag.GENERICSET})
_SIZED: Final = SET_TAGS | {Tag.LIST, Tag.TUPLE, Tag.DICT, Tag.BAG}
_NATIVE: Final = frozenset({Tag.NONE, Tag.BOOL, Tag.INT, Tag.STRING})
_SEQUENCES: Final = SET_TAGS | {Tag.LIST, Tag.TUPLE, Tag.BAG}
NODE_TAGS: Final = _SIZED | FIELD_TAGS | {Tag.ROLE, Tag.SYMMETRIC, Tag.MODEL_VALUE}
"""The values that are nodes. Others that Python does not have give up where they are met."""


def key(value: Any) -> Hashable:
    """What tells a value from others in a dict of Python, where `True` and 1 are the same."""
    if value is True:
        return _TRUE
    return _FALSE if value is False else value


class Nodes(dict[int, Any]):
    """The values by id: a node, or the Python value of a scalar. They are made when they are first asked for.

    `most_characters`: of a text that is not left to the interpreter, which charges for its characters.
    """

    def __init__(self, interner: Interner, most_characters: int = MOST_CHARACTERS) -> None:
        super().__init__()
        self.interner = interner
        self.most_characters = most_characters
        self.unordered: set[int] = set()
        """The ids of sets and dicts of constants that are in another order than the canonical one."""

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
            known = self.interner.texts.get(value)
            return self.interner.intern(Tag.STRING, value) if known is None else known
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
            if tag is Tag.STRING and len(payload) > self.most_characters:
                raise GiveUp
            return payload
        weight = interner.weight(number)
        if weight > MOST_PARTS or tag not in NODE_TAGS or not interner.equal_by_id(number):
            raise GiveUp
        return ValueNode(number, tag, weight, self)

    def fill(self, node: ValueNode) -> None:
        """Find what is inside a node."""
        payload, tag = self.interner.payload(node.number), node.tag
        items: tuple[Any, ...] = ()
        table: dict[Hashable, Any] | None = None
        fields: dict[str, Any] | None = None
        if tag in _SEQUENCES:
            items = tuple([self[child] for child in payload])
            if tag in SET_TAGS:
                table = {key(item): item for item in items}
        elif tag is Tag.DICT:
            items = tuple([self[child] for child, _ in payload])
            table = {key(self[k]): self[v] for k, v in payload}
        elif tag in FIELD_TAGS:
            fields = {name: self[child] for name, child in payload}
        elif tag is Tag.MODEL_VALUE:
            fields = {"index": payload[1]}
        node.items, node.table, node.fields = items, table, fields

    def mark(self, node: ValueNode) -> None:
        """Find what kinds of values are inside a node."""
        interner, number = self.interner, node.number
        node.mutable = interner.mutable(number)
        node.deep = node.mutable and (
            node.tag not in MUTABLE_TAGS or any(interner.mutable(child) for child in interner.children(number))
        )
        node.roles = interner.has_roles(number)

    def domains(self, number: int) -> frozenset[str]:
        """The domains of the symmetric values inside a value."""
        inside = self.interner.symmetric(number)
        return frozenset([domain for domain, _ in inside]) if inside else _NO_DOMAINS
