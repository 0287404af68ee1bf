"""The definitions of a model: constants, funcs, roles, state variables. Names are checked against these."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from fizz.base.errors import Diagnostic, Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import all_expressions, all_statements, blocks_of, is_self, names_of, targets_of


@dataclass(slots=True)
class Declarations:
    """The top-level names of a model by kind; `state_variables` in order of first binding.

    `maybe` holds names that may be defined where the model does not parse: these are not reported as undefined.
    """

    items: tuple[ast.Item, ...]
    modules: Mapping[str, frozenset[str] | None]  # helper module -> the names it defines, None if it does not load
    maybe: Container[str] = ()
    constants: dict[str, Span] = field(default_factory=dict)
    helpers: dict[str, ast.Helper] = field(default_factory=dict)
    functions: dict[str, ast.Function] = field(default_factory=dict)
    roles: dict[str, ast.Role] = field(default_factory=dict)
    actions: dict[str, ast.Action] = field(default_factory=dict)
    assertions: dict[str, ast.Assertion] = field(default_factory=dict)
    state_variables: dict[str, Span] = field(default_factory=dict)
    init_locals: dict[str, Span] = field(default_factory=dict)  # bound only in nested blocks of Init
    role_functions: dict[str, list[ast.Function]] = field(default_factory=dict)  # by name, of all roles
    functions_of: dict[str, dict[str, ast.Function]] = field(default_factory=dict)  # by role, then by name
    role_helpers: set[str] = field(default_factory=set)
    role_constants: dict[str, dict[str, Span]] = field(default_factory=dict)  # by role, then by name
    role_parameters: dict[str, set[str]] = field(default_factory=dict)  # role -> names given to its constructor
    uses_channels: bool = False
    only_in_init: set[str] = field(default_factory=set)  # funcs that nothing but the top-level Init calls
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def all_assertions(self) -> Iterator[tuple[ast.Assertion, ast.Role | None]]:
        """The assertions of the model, those of roles with their role."""
        for item in self.items:
            if isinstance(item, ast.Assertion):
                yield item, None
            elif isinstance(item, ast.Role):
                yield from ((assertion, item) for assertion in item.assertions)

    def all_actions(self) -> Iterator[tuple[ast.Action, ast.Role | None]]:
        for item in self.items:
            if isinstance(item, ast.Action):
                yield item, None
            elif isinstance(item, ast.Role):
                yield from ((action, item) for action in item.actions)


def declare(
    items: tuple[ast.Item, ...], modules: Mapping[str, frozenset[str] | None], maybe: Container[str] = ()
) -> Declarations:
    """Collects the definitions of a model; a name defined twice is reported."""
    found = Declarations(items, modules, maybe)
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
                _declare_role(found, item)
            case ast.TopHelper():
                _define(found, spans, item.helper.name, item.helper.name_span)
                found.helpers.setdefault(item.helper.name, item.helper)
            case ast.Entries(word="compose", models=models):
                for one in models:
                    _define(found, spans, one.name, one.span)
                    found.state_variables.setdefault(one.name, one.span)
            case ast.Assertion():
                _define(found, assertion_spans, item.name, item.name_span)
                found.assertions.setdefault(item.name, item)
            case ast.ConstantStatement(statement=statement):
                for name in bound_by(statement):
                    _define(found, spans, name.id, name.span)
                    found.constants.setdefault(name.id, name.span)
    if "Init" in found.actions:
        _state_variables(found, found.actions["Init"].body)
    _roles_and_channels(found)
    _find_callers(found)
    return found


def _define(found: Declarations, spans: dict[str, Span], name: str, span: Span) -> None:
    first = spans.setdefault(name, span)
    if first is not span:
        found.diagnostics.append(defined_twice(name, span, first))


def defined_twice(name: str, span: Span, first: Span) -> Diagnostic:
    hint = f"first defined at {first.file}:{first.line}:{first.column}"
    return Diagnostic("L21", f"'{name}' is defined twice", span, hint)


def _declare_role(found: Declarations, role: ast.Role) -> None:
    spans: dict[str, Span] = {}
    names = [(action.name_span, action.name) for action in role.actions]
    names += [(function.name_span, function.name) for function in role.functions]
    names += [(helper.name_span, helper.name) for helper in role.helpers]
    constants = [name for constant in role.constants for name in bound_by(constant.statement)]
    names += [(name.span, name.id) for name in constants]
    found.role_constants[role.name] = {name.id: name.span for name in constants}
    for span, name in sorted(names):
        _define(found, spans, name, span)
    assertion_spans: dict[str, Span] = {}
    for assertion in role.assertions:
        _define(found, assertion_spans, assertion.name, assertion.name_span)
    found.functions_of[role.name] = {function.name: function for function in role.functions}
    for function in role.functions:
        found.role_functions.setdefault(function.name, []).append(function)
    found.role_helpers.update(helper.name for helper in role.helpers)


def _roles_and_channels(found: Declarations) -> None:
    """Collects the params that roles get, and whether there are channels."""
    for expression in all_expressions(found.items):
        if isinstance(expression, ast.Name):
            found.uses_channels = found.uses_channels or expression.id == "Channel"
        elif isinstance(expression, ast.Call) and isinstance(expression.function, ast.Name):
            role = expression.function.id
            if role in found.roles:
                names = {argument.name for argument in expression.arguments if argument.name is not None}
                found.role_parameters.setdefault(role, set()).update(names)


def _find_callers(found: Declarations) -> None:
    """Collects the top-level funcs that run in Init only, directly or through other funcs."""
    init: list[ast.Block] = []
    others: list[ast.Block] = []
    for action, role in found.all_actions():
        (init if role is None and action.name == "Init" else others).append(action.body)
    for function_list in found.role_functions.values():
        others.extend(function.body for function in function_list)
    others.extend(assertion.body for assertion, _ in found.all_assertions())
    found.only_in_init = _called(found, init) - _called(found, others)


def _called(found: Declarations, bodies: list[ast.Block]) -> set[str]:
    called: set[str] = set()
    waiting = list(bodies)
    while waiting:
        for statement in all_statements(waiting.pop()):
            value = statement.value if isinstance(statement, ast.Assign | ast.ExpressionStatement) else None
            if isinstance(value, ast.Call) and isinstance(value.function, ast.Name):
                name = value.function.id
                if name in found.functions and name not in called:
                    called.add(name)
                    waiting.append(found.functions[name].body)
    return called


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
    for target in targets_of(statement):
        yield from names_of(target)


def fields_bound(body: ast.Block) -> Iterator[ast.Attribute]:
    """The attributes `self.x` that a body binds."""
    for statement in all_statements(body):
        waiting = list(targets_of(statement))
        while waiting:
            target = waiting.pop(0)
            if isinstance(target, ast.TupleExpression | ast.ListExpression):
                waiting += target.items  # type: ignore[arg-type]
            elif isinstance(target, ast.Attribute) and is_self(target.value):
                yield target


def fields_of(role: ast.Role) -> set[str]:
    """The names of the fields that a role binds somewhere as `self.x = …`."""
    bodies = [*(action.body for action in role.actions), *(function.body for function in role.functions)]
    return {field.name for body in bodies for field in fields_bound(body)}
