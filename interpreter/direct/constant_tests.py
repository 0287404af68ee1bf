"""What constants of the model decide: a condition that is the same in all states is not tested, and what it rules out
is neither compiled nor read.

Models have such conditions where one file has several variants: `if TRACED:`, `require (UNBOUNDED or self.term < MAX)`,
`VARIANT == "kip101"`.
"""

from __future__ import annotations

import ast as python
from dataclasses import replace
from typing import Final

from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.direct.name_lookup import Names
from interpreter.library.operations import BINARY

_SCALARS: Final = (bool, int, str)
_EQUALITIES: Final = frozenset({"==", "!="})
_ORDERS: Final = frozenset({"<", "<=", ">", ">="})


def part_taken(names: Names, node: ast.Logical | ast.Conditional) -> ast.Expression | None:
    """The part of an expression whose value it has in all states; None: that depends on the state."""
    if isinstance(node, ast.Conditional):
        known = _decided(names, node.condition)
        return None if known is None else node.body if known else node.orelse
    known = _decided(names, node.left)
    if known is None:
        return None
    return node.left if known is (node.operator == "or") else node.right


def branch_left(names: Names, branch: p.Branch) -> p.Branch | p.Enter:
    """What is left of an `if`: the suites that are run in some states, under their conditions, or the only one."""
    conditions: list[ast.Expression] = []
    suites: list[p.Sequence] = []
    for condition, suite in zip(branch.conditions, branch.suites, strict=False):
        known = _decided(names, condition)
        if known is not False:
            suites.append(suite)
        if known:
            break
        if known is None:
            conditions.append(condition)
    else:
        suites += branch.suites[len(branch.conditions) :]
    if conditions:
        return replace(branch, conditions=tuple(conditions), suites=tuple(suites))
    return p.Enter(branch.span, None, suites[0] if suites else replace(branch.suites[0], instructions=()))


def _decided(names: Names, node: ast.Expression) -> bool | None:
    """Whether a condition holds, if constants decide that."""
    if isinstance(node, ast.Unary) and node.operator == "not":
        known = _decided(names, node.operand)
        return None if known is None else not known
    if isinstance(node, ast.Logical):
        part = part_taken(names, node)
        return None if part is None else _decided(names, part)
    if isinstance(node, ast.Binary):
        return _compared(names, node)
    found = _scalar(names, node)
    return found if isinstance(found, bool) else None


def _compared(names: Names, node: ast.Binary) -> bool | None:
    """Whether a comparison of scalars of one type holds."""
    left, right = _scalar(names, node.left), _scalar(names, node.right)
    if left is None or type(left) is not type(right):
        return None
    is_decided = node.operator in _EQUALITIES or (node.operator in _ORDERS and type(left) is int)
    return bool(BINARY[node.operator](left, right)) if is_decided else None


def _scalar(names: Names, node: ast.Expression) -> bool | int | str | None:
    """The value of a literal or of a constant; None: it is another expression, or no scalar."""
    if isinstance(node, ast.Literal):
        return node.value if isinstance(node.value, _SCALARS) else None
    if not isinstance(node, ast.Name) or not names.is_constant(node.id):
        return None
    code = names.beyond(node.id).code
    return code.value if isinstance(code, python.Constant) and isinstance(code.value, _SCALARS) else None
