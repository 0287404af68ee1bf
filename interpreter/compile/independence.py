"""Loops of assertions whose iterations are independent of each other: `for node in nodes: if …: return False`.

An assertion that loops over instances depends on all of them together. But if no iteration passes a value to the next
one, the result is that of the first iteration that returns, and each iteration can be cached by what it alone reads.
The analysis is sound, not complete: doubtful loops count as dependent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import assert_never

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in

MUTATORS = frozenset(
    "add add_all append clear difference_update discard extend insert pop popitem remove reverse setdefault sort "
    "update".split()
)
"""Methods that change their receiver, and so may pass a value to a later iteration."""


def independent_loops(body: ast.Block, state_variables: tuple[str, ...]) -> frozenset[int]:
    """The identities (`id`) of the `for` statements in an assertion's body whose iterations are independent.

    The result holds only if no helper `changes` a value.
    """
    names = Counter(_names(body))
    loops = [node for node in nodes_in(body) if isinstance(node, ast.For) and node.flow is None]
    return frozenset(id(loop) for loop in loops if _independent(loop, names, frozenset(state_variables)))


def _names(node: ast.Node) -> Iterator[str]:
    """Every mention of a name, including targets and loop variables."""
    for inner in nodes_in(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.LoopVariables):
            yield from inner.names


def changes(node: ast.Node) -> bool:
    """Whether a value may be changed in place."""
    for inner in nodes_in(node):
        match inner:
            case ast.Call(function=ast.Attribute(name=name)) if name in MUTATORS:
                return True
            case ast.AugmentedAssign():
                return True
            case ast.Assign() if not all(_plain(target) for target in inner.targets):
                return True
    return False


def _plain(target: ast.Expression) -> bool:
    if isinstance(target, ast.TupleExpression | ast.ListExpression):
        return all(_plain(item) for item in target.items)
    return isinstance(target, ast.Name)


def _independent(loop: ast.For, names: Counter[str], state_variables: frozenset[str]) -> bool:
    if changes(loop.body) or not _simple(loop.body, inner=False):
        return False
    inside = Counter(_names(loop.body)) + Counter(loop.variables.names)
    bound = set(loop.variables.names)
    for statement in loop.body.statements:
        # A name bound by the iteration must be bound before it is read: else its value might be of the previous one.
        if isinstance(statement, ast.Assign):
            bound |= {name for target in statement.targets for name in _names(target)} - set(_names(statement.value))
    assigned = {
        name
        for node in nodes_in(loop.body)
        for name in (
            [n for target in node.targets for n in _names(target)]
            if isinstance(node, ast.Assign)
            else node.variables.names
            if isinstance(node, ast.For)
            else ()
        )
    }
    if not assigned <= bound | _only_in_headers(loop.body) or assigned & state_variables:
        return False
    if not _bound_before_read(loop):
        return False
    return all(names[name] == inside[name] for name in assigned | set(loop.variables.names))


def _only_in_headers(body: ast.Block) -> set[str]:
    """Loop variables of inner loops: their header binds them before each iteration."""
    return {name for node in nodes_in(body) if isinstance(node, ast.For) for name in node.variables.names}


def _bound_before_read(loop: ast.For) -> bool:
    """Whether no statement of the body reads a name that only a later one binds."""
    known = set(loop.variables.names)
    later = {
        name
        for statement in loop.body.statements
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for name in _names(target)
    }
    for statement in loop.body.statements:
        if isinstance(statement, ast.Assign):
            if set(_names(statement.value)) & (later - known):
                return False
            known |= {name for target in statement.targets for name in _names(target)}
        elif set(_names(statement)) & (later - known):
            return False
    return True


def _simple(block: ast.Block, inner: bool) -> bool:
    """Only assignments, `if`, `for`, `return`, `pass`, `continue`; a `break` only out of an inner loop."""
    for statement in block.statements:
        match statement:
            case ast.Assign() | ast.Return() | ast.Pass() | ast.Continue():
                continue
            case ast.Break():
                if not inner:
                    return False
            case ast.If():
                suites = [body for _, body in statement.branches]
                suites += [] if statement.orelse is None else [statement.orelse]
                if not all(_simple(body, inner) for body in suites):
                    return False
            case ast.For(flow=None):
                if not _simple(statement.body, inner=True):
                    return False
            case ast.AugmentedAssign() | ast.ExpressionStatement() | ast.Require() | ast.Choose() | ast.Helper():
                return False
            case ast.For() | ast.While() | ast.ChooseBlock() | ast.FlowBlock():
                return False
            case _:
                assert_never(statement)
    return True
