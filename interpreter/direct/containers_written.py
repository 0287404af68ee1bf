"""Which variables and fields hold lists of containers, as far as the text of a model says."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import all_statements, nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions, written

_MAKERS: Final = frozenset({"record", "dict", "list", "set"})


def lists_of_containers(program: p.Program) -> frozenset[str]:
    """The names of variables, and of fields as `.name`, to which any routine assigns a list or dict whose members are
    written as lists, dicts or records, or adds such a member. Other members, as instances of roles, are changed in
    another way."""
    makers = {one.name for one in program.constants if isinstance(one, ast.Helper) and _makes_containers(one)}
    found: set[str | None] = set()
    for routine in program.routines:
        for instruction in instructions(routine.body):
            if isinstance(instruction, p.Do) and isinstance(instruction.statement, ast.Assign):
                statement = instruction.statement
                for target in statement.targets:
                    if isinstance(target, ast.Index) and _is_container(statement.value, makers):
                        found.add(_named(target.value))
                    elif _has_containers(statement.value, makers):
                        found.add(_named(target))
            for part in written(instruction):
                found |= {_appended(node, makers) for node in nodes_in(part)}
    return frozenset(one for one in found if one is not None)


def _named(node: ast.Expression) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return f".{node.name}" if isinstance(node, ast.Attribute) else None


def _has_containers(value: ast.Expression, makers: Set[str]) -> bool:
    """Whether an expression is a list or dict with members that are containers."""
    match value:
        case ast.ListExpression(items=items):
            return any(_is_container(one, makers) for one in items)
        case ast.DictExpression(pairs=pairs):
            return any(_is_container(one, makers) for _, one in pairs)
        case ast.Comprehension(kind="list" | "dict", element=element):
            return _is_container(element, makers)
        case ast.Binary(operator="+" | "*", left=left, right=right):
            return _has_containers(left, makers) or _has_containers(right, makers)
    return False


def _is_container(value: ast.Expression, makers: Set[str]) -> bool:
    """Whether an expression is written as a container that can be changed."""
    if isinstance(value, ast.Call) and isinstance(value.function, ast.Name):
        return value.function.id in _MAKERS or value.function.id in makers
    if isinstance(value, ast.Binary):
        return _is_container(value.left, makers)
    return isinstance(value, ast.ListExpression | ast.DictExpression | ast.Comprehension)


def _makes_containers(source: ast.Helper) -> bool:
    """Whether a `def` returns what is written as one."""
    returned = (one.value for one in all_statements(source.body) if isinstance(one, ast.Return))
    return any(value is not None and _is_container(value, frozenset()) for value in returned)


def _appended(node: ast.Node, makers: Set[str]) -> str | None:
    """The name of the list to which a call appends a container."""
    if not isinstance(node, ast.Call) or not isinstance(node.function, ast.Attribute) or len(node.arguments) != 1:
        return None
    appends = node.function.name == "append" and _is_container(node.arguments[0].value, makers)
    return _named(node.function.value) if appends else None
