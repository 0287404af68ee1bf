"""Containers that change their owner: a local takes what a field or variable held, which gets another value.

In a state no container has two owners, so such a local is the only one that refers to its container, as if it were new.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from fizz.syntax import ast
from fizz.syntax.tree_walk import is_self, nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions
from interpreter.direct.rule_text import evaluated, is_bound_once


def takes_over(routine: p.Routine, statement: ast.Assign, looked_at: Set[str]) -> bool:
    """Whether a statement `local = place` is followed, on all paths, by one that gives the field or variable another
    value, and nothing else refers to it, but guards before. `looked_at`: the fields that `def`s read, as `.name`."""
    place = _place_of(statement.value)
    if place is None or place in looked_at or len(statement.targets) != 1:
        return False
    (local,) = statement.targets
    block = routine.body.instructions if isinstance(routine.body, p.Sequence) else ()
    begins = [index for index, one in enumerate(block) if isinstance(one, p.Do) and one.statement is statement]
    if not begins or not isinstance(local, ast.Name) or not is_bound_once(routine, local.id):
        return False
    begin = begins[0]
    ends = [index for index, one in enumerate(block) if index > begin and _binds(one, place)]
    if len(ends) != 1 or not all(isinstance(one, p.Do | p.Guard | p.Pick) for one in block[begin : ends[0]]):
        return False
    every = list(instructions(routine.body))
    if any(isinstance(one, p.CallOrDo) and one.routine is not None for one in every):
        return False
    guards = [one for one in block[:begin] if isinstance(one, p.Guard)]
    # One is the value of the statement, the other what is bound later.
    return _mentions(every, place) - _mentions(guards, place) == 2


def _place_of(node: ast.Expression) -> str | None:
    """A name for a field of `self`, as `.name`, or for a variable; None for other expressions."""
    if isinstance(node, ast.Attribute) and is_self(node.value):
        return f".{node.name}"
    return node.id if isinstance(node, ast.Name) else None


def _binds(instruction: p.Instruction, place: str) -> bool:
    """Whether an instruction gives a place another value."""
    statement = instruction.statement if isinstance(instruction, p.Do) else None
    return isinstance(statement, ast.Assign) and [_place_of(target) for target in statement.targets] == [place]


def _mentions(every: Iterable[p.Instruction], place: str) -> int:
    """How often instructions name a variable, or a field of any instance."""
    nodes = (node for one in every for part in evaluated(one) for node in nodes_in(part))
    return sum(
        f".{node.name}" == place if isinstance(node, ast.Attribute) else node.id == place
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Name)
    )
