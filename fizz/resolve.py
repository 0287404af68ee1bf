"""Resolving: every name of a model means something, and what can be judged before running is judged here."""

from __future__ import annotations

from dataclasses import dataclass, field

from fizz import ast
from fizz.declarations import Declarations
from fizz.errors import Diagnostic
from fizz.module import HelperModule
from fizz.walk import all_statements, own_expressions, subexpressions


@dataclass(slots=True)
class Resolution:
    reads_returns: bool = False
    diagnostics: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)


def resolve(declarations: Declarations, modules: tuple[HelperModule, ...], complete: bool) -> Resolution:
    """Checks a model; `complete` is False when items are missing because they do not parse."""
    resolution = Resolution()
    resolution.diagnostics.extend(declarations.diagnostics)
    resolution.reads_returns = any(_mentions_returns(a.body) for a in _assertions(declarations.items))
    return resolution


def _assertions(items: tuple[ast.Item, ...]) -> list[ast.Assertion]:
    found: list[ast.Assertion] = []
    for item in items:
        if isinstance(item, ast.Assertion):
            found.append(item)
        elif isinstance(item, ast.Role):
            found.extend(item.assertions)
    return found


def _mentions_returns(body: ast.Block) -> bool:
    return any(
        isinstance(inner, ast.Name) and inner.id == "__returns__"
        for statement in all_statements(body)
        for expression in own_expressions(statement)
        for inner in subexpressions(expression)
    )
