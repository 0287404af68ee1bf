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
    assert isinstance(statement, python.Assign) and isinstance(statement.value, python.Call)
    call = statement.value
    if not _calls(call, "put", 3) or not _calls(call.args[2], "put", 3):
        return
    inner = call.args[2]
    assert isinstance(inner, python.Call)
    member = inner.args[0]
    if not _calls(member, "at", 2):
        return
    assert isinstance(member, python.Call)
    same = [python.dump(one) == python.dump(other) for one, other in zip(member.args, call.args, strict=False)]
    if all(same):
        call.func, call.args = name("put_inside"), [call.args[0], call.args[1], *inner.args[1:]]


def _calls(code: python.expr, operation: str, arguments: int) -> bool:
    of_name = isinstance(code, python.Call) and isinstance(code.func, python.Name) and code.func.id == operation
    return of_name and isinstance(code, python.Call) and len(code.args) == arguments


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
