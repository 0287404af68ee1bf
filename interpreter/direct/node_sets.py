"""Sets that are made of two others, in rules that are run as functions."""

from __future__ import annotations

from typing import Final

from interpreter.direct.nodes import Nodes, ValueNode
from interpreter.values.intern import Tag

OF_SETS: Final = frozenset({"|", "^", "-", "&"})
_MOST_KNOWN: Final = 1 << 18
_SET: Final = Tag.SET


class MadeOfTwo:
    """The sets that operators make of two sets, each made once. Elements are equal if their ids are."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._known: dict[tuple[str, int, int], tuple[ValueNode, bool]] = {}

    def of(self, operator: str, left: int, right: int) -> tuple[ValueNode, bool]:
        """A set made of two with these ids, and whether it is in canonical order if both are."""
        token = (operator, left, right)
        found = self._known.get(token)
        if found is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            found = self._known[token] = self._made(operator, left, right)
        return found

    def _made(self, operator: str, left: int, right: int) -> tuple[ValueNode, bool]:
        interner = self._nodes.interner
        mine, others = interner.payload(left), interner.payload(right)
        if operator in ("-", "&"):
            among, kept = set(others), operator == "&"
            some = tuple([number for number in mine if (number in among) is kept])
            return self._nodes[interner.intern(_SET, some)], True
        if operator == "|":
            among = set(mine)
            inserted = (*mine, *[number for number in others if number not in among])
        else:
            inserted = tuple(set(mine).symmetric_difference(others))
        made = interner.intern_members(_SET, list(inserted))
        in_order = operator == "|" and interner.payload(made) == inserted
        return self._nodes[made], in_order or len(inserted) < 2
