"""Whether a local is used again after an expression, on any path of execution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import inner, own, suites
from interpreter.direct.rule_text import evaluated


def is_last_use(routine: p.Routine, name: ast.Name, as_whole: bool) -> bool:
    """Whether a local is not used after this expression, which is in no loop.

    `as_whole`: uses of its members and fields do not count.
    """
    after = _after(own(routine.body), name)
    return after is not None and name.id not in {use.id for part in after for use in _uses(part, as_whole)}


def _after(block: Sequence[p.Instruction], name: ast.Name) -> list[ast.Node] | None:
    """The parts of a block that may be evaluated after an expression in it; None if it is not in it."""
    for index, instruction in enumerate(block):
        parts = evaluated(instruction)
        blocks = [*suites(instruction), *inner(instruction)]
        found: list[ast.Node] | None = None
        if any(node is name for part in parts for node in nodes_in(part)):
            here = (name.span.line, name.span.column)
            after = (node for part in parts for node in _paths_in(part))
            found = [node for node in after if (node.span.line, node.span.column) > here]
            found += [part for one in blocks for part in _all(own(one))]
        else:
            # Of several blocks the others are not run.
            found = next((inside for one in blocks if (inside := _after(own(one), name)) is not None), None)
        if found is not None:
            return found + _all(block[index + 1 :])
    return None


def _all(block: Sequence[p.Instruction]) -> list[ast.Node]:
    """All parts of a block."""
    blocks = (inside for one in block for inside in (*suites(one), *inner(one)))
    return [part for one in block for part in evaluated(one)] + [part for one in blocks for part in _all(own(one))]


def _paths_in(part: ast.Node) -> Iterator[ast.Node]:
    """The names in a part, with the member or field that they are asked for, if they are."""
    owners = {id(node.value) for node in nodes_in(part) if isinstance(node, ast.Index | ast.Attribute)}
    for node in nodes_in(part):
        of_name = isinstance(node, ast.Index | ast.Attribute) and isinstance(node.value, ast.Name)
        if of_name or (isinstance(node, ast.Name) and id(node) not in owners):
            yield node


def _uses(part: ast.Node, as_whole: bool) -> Iterator[ast.Name]:
    for node in _paths_in(part):
        if isinstance(node, ast.Name):
            yield node
        elif isinstance(node, ast.Index | ast.Attribute) and isinstance(node.value, ast.Name) and not as_whole:
            yield node.value
