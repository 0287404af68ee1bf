"""Warnings that can be given at load time: W2, W6, W11, W15 (language page, section 14)."""

from __future__ import annotations

from collections.abc import Iterator

from fizz import ast
from fizz.declarations import Declarations, names_of
from fizz.scope import Messages
from fizz.walk import all_expressions, all_statements, bodies, is_self, own_expressions, subexpressions

_LIVENESS = ("eventually always", "always eventually")
_LIST_METHODS = ("append", "insert", "extend")


def advise(model: Declarations, messages: Messages) -> None:
    """Looks at the whole model for what is legal but hardly meant."""
    _unused_locals_of_init(model, messages)
    _symmetric_in_lists(model, messages)
    _liveness_without_fairness(model, messages)
    for role in model.roles.values():
        _late_ephemeral_fields(role, messages)


def _unused_locals_of_init(model: Declarations, messages: Messages) -> None:
    if not model.init_locals:
        return
    bound = {name.span for statement in all_statements(model.actions["Init"].body) for name in _bound(statement)}
    read = {e.id for e in all_expressions(model.items) if isinstance(e, ast.Name) and e.span not in bound}
    for name, span in model.init_locals.items():
        if name not in read:
            text = f"'{name}' is first bound in a nested block of Init and used nowhere else: it is local to Init"
            messages.warning("W2", text, span, "bind it at the top level of Init to make it a state variable")


def _bound(statement: ast.Statement) -> Iterator[ast.Name]:
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    if isinstance(statement, ast.Choose):
        targets = (statement.target,)
    for target in targets:
        yield from names_of(target)


def _symmetric_in_lists(model: Declarations, messages: Messages) -> None:
    symmetric = {name for name, role in model.roles.items() if role.symmetric}
    if not symmetric:
        return
    for body in bodies(model.items):
        for statement in all_statements(body):
            for expression in own_expressions(statement):
                for call in _constructed_in_order(statement, expression, symmetric):
                    text = f"an instance of the symmetric role '{call.function.id}' is kept in a list"  # type: ignore[attr-defined]
                    hint = "the order tells instances apart: use `bag`, `set` or a dict keyed by id"
                    messages.warning("W6", text, call.span, hint)


def _constructed_in_order(statement: ast.Statement, value: ast.Expression, symmetric: set[str]) -> Iterator[ast.Call]:
    """Constructor calls of symmetric roles whose instance becomes an element of a list that is stored."""

    def is_constructor(node: ast.Expression) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and node.function.id in symmetric

    lists: list[ast.Expression] = [value] if isinstance(statement, ast.Assign | ast.AugmentedAssign) else []
    for inner in subexpressions(value):
        if isinstance(inner, ast.Call) and isinstance(inner.function, ast.Attribute):
            if inner.function.name in _LIST_METHODS:
                for argument in inner.arguments:
                    if is_constructor(argument.value):
                        assert isinstance(argument.value, ast.Call)
                        yield argument.value
        elif isinstance(inner, ast.DictExpression):
            lists += [element for _, element in inner.pairs]
    for node in lists:
        elements: tuple[ast.Expression, ...] = ()
        if isinstance(node, ast.ListExpression):
            elements = node.items
        elif isinstance(node, ast.Comprehension) and node.kind == "list":
            elements = (node.element,)
        yield from (element for element in elements if isinstance(element, ast.Call) and is_constructor(element))


def _liveness_without_fairness(model: Declarations, messages: Messages) -> None:
    if any(action.fairness is not None for action, _ in model.all_actions()):
        return
    for assertion, _ in model.all_assertions():
        if assertion.kind in _LIVENESS:
            text = "a liveness assertion in a file without any fair action: stuttering violates almost everything"
            messages.warning("W11", text, assertion.name_span, "declare the actions that must happen `fair`")
            return


def _late_ephemeral_fields(role: ast.Role, messages: Messages) -> None:
    if role.crash_fields is None:
        return
    kind, names = role.crash_fields
    bound_in_init: set[str] = set()
    first_late: dict[str, ast.Attribute] = {}
    reached = _called_from_init(role)
    bodies_by_name = [(action.name, action.body) for action in role.actions]
    bodies_by_name += [(function.name, function.body) for function in role.functions]
    for part, body in bodies_by_name:
        for field in _fields_bound(body):
            if part in reached:
                bound_in_init.add(field.name)
            else:
                first_late.setdefault(field.name, field)
    for name, field in first_late.items():
        is_ephemeral = name in names if kind == "ephemeral" else name not in names
        if is_ephemeral and name not in bound_in_init:
            text = f"the ephemeral field '{name}' is not bound in Init: a crash removes it"
            messages.warning("W15", text, field.span, f"bind it in the Init of '{role.name}', or make it durable")


def _called_from_init(role: ast.Role) -> set[str]:
    """Init and the funcs it calls on itself, directly or not."""
    functions = {function.name: function.body for function in role.functions}
    waiting = [action.body for action in role.actions if action.name == "Init"]
    reached = {"Init"}
    while waiting:
        for statement in all_statements(waiting.pop()):
            for expression in own_expressions(statement):
                if isinstance(expression, ast.Call) and isinstance(expression.function, ast.Attribute):
                    name = expression.function.name
                    if name in functions and name not in reached:
                        reached.add(name)
                        waiting.append(functions[name])
    return reached


def _fields_bound(body: ast.Block) -> Iterator[ast.Attribute]:
    """The places `self.x` that a body binds."""
    for statement in all_statements(body):
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        if isinstance(statement, ast.Choose):
            targets = (statement.target,)
        waiting = list(targets)
        while waiting:
            target = waiting.pop(0)
            if isinstance(target, ast.TupleExpression | ast.ListExpression):
                waiting += target.items  # type: ignore[arg-type]
            elif isinstance(target, ast.Attribute) and is_self(target.value):
                yield target
