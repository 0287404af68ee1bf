"""The parse tree as lowering sees it: nodes with a rule name, a position, and text or children."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class Tree(Protocol):
    """A node: `rule_name` is the grammar rule ("" for a literal token); only tokens have `value` as their text."""

    rule_name: str
    position: int
    position_end: int
    value: str

    def __iter__(self) -> Iterator[Tree]: ...

    def __getitem__(self, index: int) -> Tree: ...

    def __len__(self) -> int: ...


def child(tree: Tree, rule: str) -> Tree | None:
    """The first child made by a rule."""
    for node in tree:
        if node.rule_name == rule:
            return node
    return None


def children(tree: Tree, rule: str) -> list[Tree]:
    return [node for node in tree if node.rule_name == rule]


def the(tree: Tree, rule: str) -> Tree:
    """The first child made by a rule that the grammar requires."""
    node = child(tree, rule)
    assert node is not None, f"{tree.rule_name} without {rule}"
    return node
