"""Checks of `def` helpers: pure host functions without `while`, recursion and fizz statements (language page, 5.7)."""

from __future__ import annotations

from fizz import ast
from fizz.bodies import Body
from fizz.declarations import Declarations, defined_twice
from fizz.scope import Messages, Scope
from fizz.walk import all_statements, own_expressions, subexpressions

_FORBIDDEN: dict[type[ast.Statement], str] = {
    ast.While: "`while`",
    ast.Require: "`require`",
    ast.Choose: "a choice",
    ast.ChooseBlock: "a choice",
    ast.FlowBlock: "a flow block",
}


def check_helper(
    model: Declarations, messages: Messages, helper: ast.Helper, outer: frozenset[str] = frozenset()
) -> None:
    """Checks a `def` and those nested in it; `outer` are the locals around a nested one."""
    names = [parameter.name for parameter in helper.parameters]
    check_parameters(model, messages, helper.parameters)
    scope = Scope.of_body(model, messages, "def", None, helper.body, names, outer)
    for statement in all_statements(helper.body):
        what = _FORBIDDEN.get(type(statement))
        if what is None and isinstance(statement, ast.For) and statement.flow is not None:
            what = f"`{statement.flow} for`"
        if what is not None:
            span = statement.span._replace(end_line=statement.span.line, end_column=statement.span.column + 5)
            messages.error("L36", f"{what} in a `def` helper", span, "use a `func`")
    body = _HelperBody(scope)
    for parameter in helper.parameters:
        if parameter.default is not None:
            body.expression(parameter.default)
    body.check(helper.body, atomic=True)


class _HelperBody(Body):
    """As for other bodies, but nested `def`s are at home here."""

    def statement(self, statement: ast.Statement, around: object) -> None:
        if isinstance(statement, ast.Helper):
            inner = frozenset(self.scope.locals)
            check_helper(self.model, self.messages, statement, inner)
            for place in _references(statement, statement.name):
                _report_recursion(self.messages, statement.name, place)
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
    mentions: dict[str, dict[str, ast.Name]] = {}
    for name, helper in model.helpers.items():
        mentions[name] = {}
        for other in model.helpers:
            for place in _references(helper, other):
                mentions[name].setdefault(other, place)
    for name in mentions:
        for other, place in mentions[name].items():
            if _reaches(mentions, other, name):
                _report_recursion(messages, name, place)


def _reaches(mentions: dict[str, dict[str, ast.Name]], start: str, goal: str) -> bool:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            waiting.extend(mentions[name])
    return False


def _report_recursion(messages: Messages, name: str, place: ast.Name) -> None:
    messages.error("L36", f"recursion in the `def` helper '{name}'", place.span, "use a `func`, or a loop")


def _references(helper: ast.Helper, name: str) -> list[ast.Name]:
    """The places in a `def` that mention a name."""
    found: list[ast.Name] = []
    for statement in all_statements(helper.body):
        if isinstance(statement, ast.Helper):
            found += _references(statement, name)
        for expression in own_expressions(statement):
            for inner in subexpressions(expression):
                if isinstance(inner, ast.Name) and inner.id == name:
                    found.append(inner)
    return found
