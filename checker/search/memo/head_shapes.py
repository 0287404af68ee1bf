"""`HeadShape`: what functions that record know of a container by its head."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from interpreter.direct.nodes import Nodes, key
from interpreter.values.intern import Tag

_RECORD: Final = Tag.RECORD


class HeadShape:
    """The content of a head: the steps to the members; the keys of a dict, or the names of a record.

    `indexes`: of the members, by what `nodes.key` returns for the key, or by name.
    """

    __slots__ = ("indexes", "keys", "steps", "tag", "whole")

    def __init__(self, head: int, nodes: Nodes) -> None:
        keys, (rank, steps, whole), _ = nodes.interner.payload(head)
        self.tag = Tag(rank)
        self.steps: tuple[str, ...] = steps
        self.whole: bool = whole
        self.keys: tuple[Any, ...] = tuple([nodes[number] for number in keys])
        names = [step[1:] for step in steps] if self.tag is _RECORD else map(key, self.keys)
        self.indexes: dict[Hashable, int] = {name: index for index, name in enumerate(names)}
