"""What a model defines: constants, funcs, roles, state variables; the names everything else is checked against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fizz import ast
from fizz.errors import Diagnostic, Span
from fizz.walk import all_statements, blocks_of


@dataclass(slots=True)
class Declarations:
    """The top-level names of a model by kind; `state_variables` in order of first binding."""

    items: tuple[ast.Item, ...]
    modules: frozenset[str]
    constants: dict[str, Span] = field(default_factory=dict)
    helpers: dict[str, ast.Helper] = field(default_factory=dict)
    functions: dict[str, ast.Function] = field(default_factory=dict)
    roles: dict[str, ast.Role] = field(default_factory=dict)
    actions: dict[str, ast.Action] = field(default_factory=dict)
    assertions: dict[str, ast.Assertion] = field(default_factory=dict)
    state_variables: dict[str, Span] = field(default_factory=dict)
    init_locals: dict[str, Span] = field(default_factory=dict)  # bound only in nested blocks of Init
    diagnostics: list[Diagnostic] = field(default_factory=list)


def declare(items: tuple[ast.Item, ...], modules: frozenset[str]) -> Declarations:
    """Collects the definitions of a model; a name defined twice is reported."""
    found = Declarations(items, modules)
    spans: dict[str, Span] = {}
    assertion_spans: dict[str, Span] = {}
    for item in items:
        match item:
            case ast.Action():
                _define(found, spans, item.name, item.name_span)
                found.actions.setdefault(item.name, item)
            case ast.Function():
                _define(found, spans, item.name, item.name_span)
                found.functions.setdefault(item.name, item)
            case ast.Role():
                _define(found, spans, item.name, item.name_span)
                found.roles.setdefault(item.name, item)
            case ast.TopHelper():
                _define(found, spans, item.helper.name, item.helper.name_span)
                found.helpers.setdefault(item.helper.name, item.helper)
            case ast.Assertion():
                _define(found, assertion_spans, item.name, item.name_span)
                found.assertions.setdefault(item.name, item)
            case ast.ConstantStatement(statement=statement):
                for name in bound_by(statement):
                    _define(found, spans, name.id, name.span)
                    found.constants.setdefault(name.id, name.span)
    init = found.actions.get("Init")
    if init is not None:
        _state_variables(found, init.body)
    return found


def _define(found: Declarations, spans: dict[str, Span], name: str, span: Span) -> None:
    first = spans.setdefault(name, span)
    if first is not span:
        found.diagnostics.append(defined_twice(name, span, first))


def defined_twice(name: str, span: Span, first: Span) -> Diagnostic:
    return Diagnostic("L21", f"'{name}' is defined twice", span, f"first defined at {first.file}:{first.line}:{first.column}")


def _state_variables(found: Declarations, body: ast.Block) -> None:
    for statement in body.statements:
        for name in bound_by(statement):
            if name.id not in found.constants:
                found.state_variables.setdefault(name.id, name.span)
    for statement in body.statements:
        for block in blocks_of(statement):
            for inner in all_statements(block):
                for name in bound_by(inner):
                    if name.id not in found.state_variables and name.id not in found.constants:
                        found.init_locals.setdefault(name.id, name.span)


def bound_by(statement: ast.Statement) -> Iterator[ast.Name]:
    """The plain names that a simple statement binds."""
    match statement:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from names_of(target)
        case ast.Choose(target=target):
            yield from names_of(target)


def names_of(target: ast.Expression) -> Iterator[ast.Name]:
    """The plain names in a target."""
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, ast.TupleExpression | ast.ListExpression):
        for item in target.items:
            yield from names_of(item)
