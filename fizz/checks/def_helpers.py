"""Checks of `def` helpers: pure host functions without `while`, recursion and fizz statements (language page, 5.7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from fizz.checks.bodies import Body
from fizz.checks.declarations import Declarations, defined_twice
from fizz.checks.scope import Messages, Scope
from fizz.syntax import ast
from fizz.syntax.tree_walk import all_statements, helper_bodies, own_expressions, subexpressions


def check_helper(
    model: Declarations,
    messages: Messages,
    helper: ast.Helper,
    outer: frozenset[str] = frozenset(),
    of_role: str | None = None,
) -> None:
    """Checks a `def` of a role, or of none, and those nested in it; `outer` are the locals around a nested one."""
    names = [parameter.name for parameter in helper.parameters]
    check_parameters(model, messages, helper.parameters)
    scope = Scope.of_body(model, messages, "def", None, helper.body, names, outer, of_role)
    for statement in all_statements(helper.body):
        what = _forbidden(statement)
        if what is not None:
            span = statement.span._replace(end_line=statement.span.line, end_column=statement.span.column + 5)
            messages.error("L36", f"{what} in a `def` helper", span, "use a `func`")
    body = _HelperBody(scope)
    for parameter in helper.parameters:
        if parameter.default is not None:
            body.expression(parameter.default)
    body.check(helper.body, atomic=True)


def _forbidden(statement: ast.Statement) -> str | None:
    """What a statement is, if it has no meaning in host code."""
    match statement:
        case ast.While():
            return "`while`"
        case ast.Require():
            return "`require`"
        case ast.Choose() | ast.ChooseBlock():
            return "a choice"
        case ast.FlowBlock():
            return "a flow block"
        case ast.For(flow=flow):
            return None if flow is None else f"`{flow} for`"
        case ast.Assign() | ast.AugmentedAssign() | ast.ExpressionStatement() | ast.Helper() | ast.If():
            return None
        case ast.Pass() | ast.Break() | ast.Continue() | ast.Return():
            return None
        case _:
            assert_never(statement)


class _HelperBody(Body):
    """As for other bodies, but nested `def`s are allowed."""

    def statement(self, statement: ast.Statement, around: object) -> None:
        if isinstance(statement, ast.Helper):
            inner = frozenset(self.scope.locals)
            check_helper(self.model, self.messages, statement, inner, self.scope.of_role)
            for mention, called in _names_in(statement):
                if mention.id == statement.name:
                    _report_recursion(self.messages, statement.name, mention, called)
        else:
            super().statement(statement, around)  # type: ignore[arg-type]


def check_parameters(model: Declarations, messages: Messages, parameters: tuple[ast.Parameter, ...]) -> None:
    """Names of parameters: each once, none that is reserved."""
    seen: dict[str, ast.Parameter] = {}
    scope = Scope(model, messages, "def", None, set(), set())
    for parameter in parameters:
        scope.bind_variable(parameter.name, parameter.span, what=None)
        first = seen.setdefault(parameter.name, parameter)
        if first is not parameter:
            messages.errors.append(defined_twice(parameter.name, parameter.span, first.span))


def check_recursion(model: Declarations, messages: Messages) -> None:
    """Reports each mention of a top-level `def` by which it can reach itself."""
    mentions: dict[str, dict[str, tuple[ast.Name, bool]]] = {name: {} for name in model.helpers}
    for name, helper in model.helpers.items():
        for mention, called in _names_in(helper):
            if mention.id in model.helpers:
                mentions[name].setdefault(mention.id, (mention, called))
    circular = _on_cycles({name: set(mentioned) for name, mentioned in mentions.items()})
    for name in circular:
        for other, (mention, called) in mentions[name].items():
            if other in circular:
                _report_recursion(messages, name, mention, called)


def _on_cycles(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """The nodes on cycles or between cycles: those left after nodes without successors, then without predecessors."""
    for _ in range(2):
        backwards: dict[str, set[str]] = {name: set() for name in edges}
        for name, targets in edges.items():
            for target in targets:
                backwards[target].add(name)
        waiting = [name for name, targets in edges.items() if not targets]
        while waiting:
            name = waiting.pop()
            for source in backwards.pop(name):
                edges[source].discard(name)
                if not edges[source]:
                    waiting.append(source)
        edges = {name: sources & backwards.keys() for name, sources in backwards.items()}
    return edges


def _report_recursion(messages: Messages, name: str, mention: ast.Name, called: bool) -> None:
    if called:
        messages.error("L36", f"recursion in the `def` helper '{name}'", mention.span, "use a `func`, or a loop")
        return
    text = f"the `def` helper '{name}' can get at itself by the value '{mention.id}'"
    messages.error("L36", text, mention.span, "code that has the value can call it, and helpers do not recurse")


def _names_in(helper: ast.Helper) -> Iterator[tuple[ast.Name, bool]]:
    """The names that a `def` mentions, and whether it calls them there."""
    for body in helper_bodies(helper):
        for statement in all_statements(body):
            for expression in own_expressions(statement):
                inside = list(subexpressions(expression))
                called = [inner.function for inner in inside if isinstance(inner, ast.Call)]
                for inner in inside:
                    if isinstance(inner, ast.Name):
                        yield inner, any(inner is function for function in called)
