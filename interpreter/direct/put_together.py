"""Changes of members of one variable that follow each other are made together: the values between are not."""

from __future__ import annotations

import ast as python

from interpreter.direct.forms import name
from interpreter.direct.scopes import names_in


def put_as_well(made: python.stmt, more: python.stmt) -> bool:
    """Whether a second change of members of one variable could be added to the first: the value between is not made."""
    first, second = _puts(made), _puts(more)
    if first is None or second is None or first.id != second.id:
        return False
    assert isinstance(made, python.Assign) and isinstance(made.value, python.Call)
    assert isinstance(more, python.Assign) and isinstance(more.value, python.Call)
    added = more.value.args[1:]
    if first.id in names_in(added):
        return False
    made.value.func = name("put_all")
    made.value.args += added
    return True


def _puts(statement: python.stmt) -> python.Name | None:
    """The variable whose members a statement changes: `v = put(v, …)`."""
    value = statement.value if isinstance(statement, python.Assign) else None
    if not isinstance(value, python.Call) or not isinstance(value.func, python.Name):
        return None
    if value.func.id not in ("put", "put_all") or not isinstance(value.args[0], python.Name):
        return None
    assert isinstance(statement, python.Assign)
    (target,) = statement.targets
    return value.args[0] if isinstance(target, python.Name) and target.id == value.args[0].id else None
