"""Constants of roles as constants of the whole model: that of role R has a name `R.LIMIT`, which no text can spell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from fizz import Module, Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import with_nodes


def with_role_constants(module: Module) -> tuple[ast.Item, ...]:
    """The items of a module, in which each mention of a role's constant is a name, and its statement an item.

    They are computed after all others, in order of their roles.
    """
    roles = module.roles()
    if not any(role.constants for role in roles):
        return module.items
    items = tuple(_renamed(item, module.role_constants) for item in module.items)
    made = [_constant(role, constant, module.role_constants) for role in roles for constant in role.constants]
    return (*items, *made)


def _constant(role: ast.Role, constant: ast.ConstantStatement, names: Mapping[Span, str]) -> ast.ConstantStatement:
    statement = cast(ast.Assign, _renamed(constant.statement, names))
    (target,) = statement.targets
    assert isinstance(target, ast.Name)
    named = replace(statement, targets=(ast.Name(target.span, f"{role.name}.{target.id}"),))
    return replace(constant, statement=named)


def _renamed(part: ast.Node, names: Mapping[Span, str]) -> Any:
    """A part of a tree with these expressions replaced by names; the part itself if none is in it."""

    def named(node: ast.Node) -> ast.Node | None:
        return ast.Name(node.span, names[node.span]) if _is_mention(node) and node.span in names else None

    return with_nodes(part, named)


def _is_mention(node: ast.Node) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)
