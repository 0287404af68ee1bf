"""Constants of roles as constants of the whole model: that of role R has a name `R.LIMIT`, which no text can spell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from fizz import Module, Span
from fizz.syntax import ast


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


def _renamed(part: Any, names: Mapping[Span, str]) -> Any:
    """A part of a tree with these expressions replaced by names; the part itself if none is in it."""
    if isinstance(part, tuple) and not isinstance(part, Span):
        found = tuple(_renamed(inner, names) for inner in part)
        return found if any(new is not old for new, old in zip(found, part, strict=True)) else part
    if not isinstance(part, ast.Node):
        return part
    if isinstance(part, ast.Name | ast.Attribute) and part.span in names:
        return ast.Name(part.span, names[part.span])
    values = {name: getattr(part, name) for name in type(part).__match_args__ if name != "span"}
    changed = {name: new for name, old in values.items() if (new := _renamed(old, names)) is not old}
    return replace(part, **changed) if changed else part
