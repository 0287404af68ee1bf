"""Warnings that can be given at load time: W2, W11, W15, and W6 (language page, section 14)."""

from __future__ import annotations

from fizz.checks.declarations import Declarations, bound_by, fields_bound
from fizz.checks.scope import Messages
from fizz.checks.symmetry_advice import advise_symmetry
from fizz.syntax import ast
from fizz.syntax.tree_walk import all_expressions, all_statements, own_expressions


def advise(model: Declarations, messages: Messages) -> None:
    """Warns of what is legal but hardly intended."""
    _unused_locals_of_init(model, messages)
    advise_symmetry(model, messages)
    _liveness_without_fairness(model, messages)
    for role in model.roles.values():
        _late_ephemeral_fields(role, messages)


def _unused_locals_of_init(model: Declarations, messages: Messages) -> None:
    if not model.init_locals:
        return
    bound = {name.span for statement in all_statements(model.actions["Init"].body) for name in bound_by(statement)}
    read = {e.id for e in all_expressions(model.items) if isinstance(e, ast.Name) and e.span not in bound}
    for name, span in model.init_locals.items():
        if name not in read:
            text = f"'{name}' is first bound in a nested block of Init and used nowhere else: it is local to Init"
            messages.warning("W2", text, span, "bind it at the top level of Init to make it a state variable")


def _liveness_without_fairness(model: Declarations, messages: Messages) -> None:
    if any(action.fairness is not None for action, _ in model.all_actions()):
        return
    for assertion, _ in model.all_assertions():
        if assertion.kind in ast.OF_RUNS:
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
        for field in fields_bound(body):
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
