"""Resolving: checks that every name of a model is defined, and all other rules that need no run."""

from __future__ import annotations

from typing import assert_never

from fizz.base.errors import Span
from fizz.checks.advice import advise
from fizz.checks.bodies import Body
from fizz.checks.declarations import Declarations, bound_by
from fizz.checks.def_helpers import check_helper, check_parameters, check_recursion
from fizz.checks.scope import Messages, Scope, reserved_for
from fizz.syntax import ast
from fizz.syntax.tree_walk import all_statements, own_expressions, subexpressions


def resolve(model: Declarations) -> Messages:
    """All errors and warnings of a model that parses, in no particular order."""
    messages = Messages(errors=list(model.diagnostics))
    assigned: set[str] = set()
    for item in model.items:
        match item:
            case ast.ConstantStatement():
                _constant(model, messages, item, assigned)
            case ast.Action():
                _action(model, messages, item, None)
            case ast.Function():
                _function(model, messages, item, None)
            case ast.Assertion():
                _assertion(model, messages, item, None)
            case ast.TopHelper(helper=helper):
                _name(model, messages, helper.name, helper.name_span)
                check_helper(model, messages, helper)
            case ast.Role():
                _role(model, messages, item)
            case ast.Include() | ast.RefinesLine() | ast.Entries():
                pass
            case _:
                assert_never(item)
    for role in model.roles.values():
        _role_constants(model, messages, role, assigned)
    check_recursion(model, messages)
    advise(model, messages)
    return messages


def reads_returns(model: Declarations) -> bool:
    """Whether an assertion mentions `__returns__`: the returns of a step are part of the state then."""
    return any(
        isinstance(inner, ast.Name) and inner.id == "__returns__"
        for assertion, _ in model.all_assertions()
        for statement in all_statements(assertion.body)
        for expression in own_expressions(statement)
        for inner in subexpressions(expression)
    )


def _name(model: Declarations, messages: Messages, name: str, span: Span) -> None:
    what = reserved_for(name, model) if name not in model.roles else None
    if what is not None:
        messages.error("L35", f"'{name}' is reserved for {what}", span, "choose another name")


def _constant(model: Declarations, messages: Messages, item: ast.ConstantStatement, assigned: set[str]) -> None:
    statement = item.statement
    text = _not_constant(statement)
    if text is not None:
        messages.error("L32", text, statement.span, "state variables are bound in `action Init`")
        return
    scope = Scope(model, messages, "constant", None, set(), set(), assigned)
    if isinstance(statement, ast.AugmentedAssign) and isinstance(statement.target, ast.Name):
        name = statement.target.id
        hint = "compute it in one statement"
        messages.error("L22", f"'{name}' is a constant and cannot be assigned", statement.target.span, hint)
        return
    Body(scope).check(ast.Block(statement.span, (statement,)), atomic=True)
    assigned.update(name.id for name in bound_by(statement))


def _role_constants(model: Declarations, messages: Messages, role: ast.Role, assigned: set[str]) -> None:
    """The constants of a role, which are computed after those at top level."""
    for constant in role.constants:
        scope = Scope(model, messages, "constant", None, set(), set(), assigned, role.name)
        Body(scope).check(ast.Block(constant.span, (constant.statement,)), atomic=True)
        for name in bound_by(constant.statement):
            assigned.add(f"{role.name}.{name.id}")
            if name.id in model.role_parameters.get(role.name, ()):
                hint = f"it is given to the constructor, `{role.name}({name.id}=…)`: remove this line, or that argument"
                text = f"'{name.id}' is a constant and a param of role {role.name}"
                messages.error("L21", text, name.span, hint)


def _not_constant(statement: ast.Statement) -> str | None:
    """Why a statement does not stand at top level, if its form forbids it."""
    match statement:
        case ast.Choose():
            return "constants may not choose"
        case ast.Require():
            return "'require' outside of an action"
        case ast.Return():
            return "'return' outside of an action"
        case ast.Assign() | ast.AugmentedAssign() | ast.ExpressionStatement() | ast.Pass():
            return None
        case ast.Break() | ast.Continue():
            return None  # refused with those outside of loops
        case ast.If() | ast.While() | ast.For() | ast.ChooseBlock() | ast.FlowBlock() | ast.Helper():
            return None  # the grammar has none here
        case _:
            assert_never(statement)


def _action(model: Declarations, messages: Messages, action: ast.Action, role: ast.Role | None) -> None:
    _name(model, messages, action.name, action.name_span)
    is_init = action.name == "Init" and role is None
    scope = Scope.of_body(model, messages, "init" if is_init else "action", role, action.body, ())
    Body(scope).check(action.body, atomic=action.flow == "atomic" or action.name == "Init")


def _function(model: Declarations, messages: Messages, function: ast.Function, role: ast.Role | None) -> None:
    _name(model, messages, function.name, function.name_span)
    check_parameters(model, messages, function.parameters)
    names = [parameter.name for parameter in function.parameters]
    scope = Scope.of_body(model, messages, "func", role, function.body, names)
    body = Body(scope)
    for parameter in function.parameters:
        if parameter.name == "self":
            hint = "a func has it without a parameter"
            messages.error("L35", "'self' is reserved for the instance", parameter.span, hint)
        if parameter.default is not None:
            body.expression(parameter.default)
    only_in_init = role is None and function.name in model.only_in_init
    body.check(function.body, atomic=function.flow == "atomic", only_in_init=only_in_init)


def _assertion(model: Declarations, messages: Messages, assertion: ast.Assertion, role: ast.Role | None) -> None:
    _name(model, messages, assertion.name, assertion.name_span)
    kind = "transition" if assertion.kind in ast.OF_STEPS else "assertion"
    scope = Scope.of_body(model, messages, kind, role, assertion.body, assertion.parameters)  # type: ignore[arg-type]
    Body(scope).check(assertion.body, atomic=True)
    statements = all_statements(assertion.body)
    if not any(isinstance(statement, ast.Return) and statement.value is not None for statement in statements):
        text = f"assertion '{assertion.name}' never returns a value"
        messages.error("L29", text, assertion.name_span, "write `return <condition>`")


def _role(model: Declarations, messages: Messages, role: ast.Role) -> None:
    _name(model, messages, role.name, role.name_span)
    for action in role.actions:
        _action(model, messages, action, role)
    for function in role.functions:
        _function(model, messages, function, role)
    for assertion in role.assertions:
        _assertion(model, messages, assertion, role)
    for helper in role.helpers:
        _name(model, messages, helper.name, helper.name_span)
        check_helper(model, messages, helper, of_role=role.name)
        if not helper.parameters:
            hint = "its first parameter is the instance"
            messages.error("L26", f"method '{helper.name}' has no parameter for the instance", helper.name_span, hint)
