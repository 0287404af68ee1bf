"""Constants given from outside: `--set NAME=EXPRESSION`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fizz import cache
from fizz.base.errors import Diagnostic, FizzError, Span
from fizz.base.near_names import near_hint
from fizz.checks.declarations import bound_by
from fizz.model_files import Files
from fizz.syntax import ast
from fizz.syntax.layout import expression_text


def override_constants(items: tuple[ast.Item, ...], constants: Mapping[str, str], files: Files) -> tuple[ast.Item, ...]:
    """The items with the right sides of the named constants replaced; wrong names and texts go to the diagnostics."""
    result = list(items)
    positions = {name: index for index, item in enumerate(items) for name in (*_settable(item), *_of_role(item))}
    for name, text in constants.items():
        file = f"--set {name}"
        files.sources[file] = text
        if name not in positions:
            files.sources[file] = name
            files.diagnostics.append(_unknown(name, file, positions, items))
            continue
        value = _expression(file, text, files)
        item = result[positions[name]]
        if value is not None and isinstance(item, ast.ConstantStatement):
            result[positions[name]] = replace(item, statement=_with_value(item.statement, name, value))
        elif value is not None and isinstance(item, ast.Role):
            result[positions[name]] = _with_constant(item, name, value)
    return tuple(result)


def _unknown(name: str, file: str, settable: Mapping[str, int], items: tuple[ast.Item, ...]) -> Diagnostic:
    span = Span(file, 1, 1, 1, len(name) + 1)
    for item in items:
        if isinstance(item, ast.ConstantStatement) and name in {bound.id for bound in bound_by(item.statement)}:
            hint = f"give it a statement of its own: `{name} = …`"
            return Diagnostic("O5", f"constant '{name}' can not be set alone", span, hint)
    known = "constants: " + ", ".join(settable) if settable else "the model has no constants"
    return Diagnostic("O5", f"unknown constant '{name}'", span, near_hint(name, settable) or known)


def _settable(item: ast.Item) -> tuple[str, ...]:
    """The constants that a statement `NAME = …` or `A, B = …, …` binds one by one."""
    if not isinstance(item, ast.ConstantStatement) or not isinstance(item.statement, ast.Assign):
        return ()
    targets, value = item.statement.targets, item.statement.value
    if len(targets) != 1:
        return ()
    if isinstance(targets[0], ast.Name):
        return (targets[0].id,)
    if isinstance(targets[0], ast.TupleExpression) and isinstance(value, ast.TupleExpression):
        names = targets[0].items
        unpacked = any(isinstance(item, ast.Starred) for item in value.items)
        if len(names) == len(value.items) and _all_names(names) and not unpacked:
            return tuple(name.id for name in names if isinstance(name, ast.Name))
    return ()


def _of_role(item: ast.Item) -> tuple[str, ...]:
    """The constants of a role, as `R.NAME`."""
    if not isinstance(item, ast.Role):
        return ()
    return tuple(f"{item.name}.{name}" for constant in item.constants for name in _settable(constant))


def _with_constant(role: ast.Role, name: str, value: ast.Expression) -> ast.Role:
    bare = name.rpartition(".")[2]
    constants = tuple(
        replace(one, statement=_with_value(one.statement, bare, value)) if bare in _settable(one) else one
        for one in role.constants
    )
    return replace(role, constants=constants)


def _all_names(targets: tuple[ast.Expression, ...]) -> bool:
    return all(isinstance(target, ast.Name) for target in targets)


def _with_value(statement: ast.Statement, name: str, value: ast.Expression) -> ast.Statement:
    assert isinstance(statement, ast.Assign)
    target, old = statement.targets[0], statement.value
    if isinstance(target, ast.TupleExpression) and isinstance(old, ast.TupleExpression):
        items = tuple(
            value if isinstance(t, ast.Name) and t.id == name else item
            for t, item in zip(target.items, old.items, strict=True)
        )
        return replace(statement, value=replace(old, items=items))
    return replace(statement, value=value)


def _expression(file: str, text: str, files: Files) -> ast.Expression | None:
    key = cache.key_of(file, text)
    known = cache.get(key)
    if isinstance(known, ast.Expression):
        return known
    from fizz.syntax.lower import lower_expression  # textX is imported only when something has to be parsed

    try:
        value = lower_expression(file, expression_text(file, text))
    except FizzError as error:
        files.diagnostics.extend(error.diagnostics)
        return None
    cache.put(key, value)
    return value
