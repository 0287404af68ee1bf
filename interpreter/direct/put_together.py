"""Changes of members of one variable that follow each other are made together: the values between are not."""

from __future__ import annotations

import ast as python

from interpreter.direct.forms import name
from interpreter.direct.scopes import names_in

_TOGETHER = {"put": "put_all", "put_all": "put_all", "put_inside": "put_inside"}
"""The operation that does as one, and more of the kind, by that operation."""


def put_as_well(made: python.stmt, more: python.stmt) -> bool:
    """Whether a second change of members of one variable could be added to the first: the value between is not made."""
    first, second = _puts(made), _puts(more)
    if first is None or second is None or first.id != second.id:
        return False
    assert isinstance(made, python.Assign) and isinstance(made.value, python.Call)
    assert isinstance(more, python.Assign) and isinstance(more.value, python.Call)
    together, added = _operation(made.value), more.value.args[1:]
    if together != _operation(more.value) or first.id in names_in(added):
        return False
    made.value.func = name(together)
    made.value.args += added
    return True


def put_inside(statement: python.stmt) -> None:
    """Have a change of a member of a member, `v = put(v, a, put(at(v, a), b, c))`, made as one: of `a`, `b` and `c`."""
    variable = _puts(statement)
    if variable is None:
        return
    assert isinstance(statement, python.Assign)
    outer = _call(statement.value, "put", 3)
    inner = outer and _call(outer.args[2], "put", 3)
    member = inner and _call(inner.args[0], "at", 2)
    if outer is None or inner is None or member is None:
        return
    if list(map(python.dump, member.args)) == list(map(python.dump, outer.args[:2])):
        outer.func, outer.args = name("put_inside"), [*outer.args[:2], *inner.args[1:]]


def _call(code: python.expr, operation: str, arguments: int) -> python.Call | None:
    """The call of an operation with so many arguments; None for other code."""
    if not isinstance(code, python.Call) or not isinstance(code.func, python.Name):
        return None
    return code if code.func.id == operation and len(code.args) == arguments else None


def _operation(call: python.Call) -> str:
    assert isinstance(call.func, python.Name)
    return _TOGETHER[call.func.id]


def _puts(statement: python.stmt) -> python.Name | None:
    """The variable whose members a statement changes: `v = put(v, …)`."""
    value = statement.value if isinstance(statement, python.Assign) else None
    if not isinstance(value, python.Call) or not isinstance(value.func, python.Name):
        return None
    if value.func.id not in _TOGETHER or not isinstance(value.args[0], python.Name):
        return None
    assert isinstance(statement, python.Assign)
    (target,) = statement.targets
    return value.args[0] if isinstance(target, python.Name) and target.id == value.args[0].id else None
