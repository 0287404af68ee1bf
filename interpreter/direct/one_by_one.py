"""Statements that do several things at once, as several statements that do the same in turn.

a, b = people[0], people[1]         a = people[0]
                                    b = people[1]

votes.setdefault(term, set()).add(who)      votes.setdefault(term, set())
                                            votes[term].add(who)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import with_parts
from interpreter.direct.paths_written import path_of


def one_by_one(routine: p.Routine) -> p.Routine:
    """The routine with such statements in its sequences."""
    body = _apart(routine.body)
    return routine if body is routine.body else replace(routine, scopes=(body, *routine.scopes[1:]))


def _apart(part: Any) -> Any:
    """A part of a routine with such statements; itself if nothing in it changes."""
    if isinstance(part, ast.Node):
        return part
    made = with_parts(part, _apart)
    if isinstance(made, p.Sequence):
        each = [_each(one) for one in made.instructions]
        if any(len(one) > 1 for one in each):
            return replace(made, instructions=tuple([one for some in each for one in some]))
    return made


def _each(instruction: p.Instruction) -> list[p.Instruction]:
    """The statements that do in turn what one does at once; another one as it is."""
    match instruction:
        case p.Do(
            statement=ast.Assign(targets=(ast.TupleExpression(items=names),), value=ast.TupleExpression(items=values))
        ):
            return [replace(instruction, statement=one) for one in _assigns(names, values, instruction)] or [
                instruction
            ]
        case p.CallOrDo(targets=(), call=call) | p.Do(statement=ast.ExpressionStatement(value=ast.Call() as call)):
            calls = _calls(call)
            statements = [ast.ExpressionStatement(instruction.span, one) for one in calls]
            return [p.Do(instruction.span, None, one) for one in statements] or [instruction]
    return [instruction]


def _assigns(
    names: tuple[ast.Expression, ...], values: tuple[ast.Expression, ...], instruction: p.Do
) -> list[ast.Assign]:
    """Assignments of paths to several names, none of which is in a path; none if the statement is something else."""
    targets = [one for one in names if isinstance(one, ast.Name)]
    used = {node.id for node in nodes_in(values) if isinstance(node, ast.Name)}
    apart = len({one.id for one in targets} - used) == len(names) == len(values) and instruction.label is None
    if not apart or any(path_of(one) is None for one in values):
        return []
    return [ast.Assign(instruction.span, (target,), value) for target, value in zip(targets, values, strict=True)]


def _calls(call: ast.Call) -> list[ast.Call]:
    """`path.setdefault(key, default)`, and the method of what is there then; none if a call is something else."""
    function = call.function
    given = function.value if isinstance(function, ast.Attribute) else None
    if not isinstance(function, ast.Attribute) or not isinstance(given, ast.Call):
        return []
    inner = given.function
    if not isinstance(inner, ast.Attribute) or inner.name != "setdefault" or len(given.arguments) != 2:
        return []
    key = given.arguments[0].value
    if path_of(inner.value) is None or not (isinstance(key, ast.Literal) or path_of(key) is not None):
        return []
    place = ast.Index(given.span, inner.value, key)
    return [given, replace(call, function=replace(function, value=place))]
