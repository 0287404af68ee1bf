"""Assertions that are a fold over the successors: each successor alone decides, or none does.

`all([… for s in next_states()])`, `any(…)` and a loop that returns one constant give that for all successors together
which follows from what they give for each of them alone. The analysis is sound, not complete: other assertions are
asked for all successors together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from checker.search.memo.independence import independent_loops, may_change
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.independent_turns import text_of
from interpreter.compile.statements import instructions
from interpreter.execute.names import Globals

_ASKS = "next_states"


class SuccessorFold(NamedTuple):
    """An assertion gives `decides` where it gives that for some successor alone, and else the opposite.

    `ends`: those after the first one that decides are not looked at.
    """

    decides: bool
    ends: bool


def successor_fold(program: p.Program, assertion: int, known: Globals) -> SuccessorFold | None:
    """The fold that an assertion is, None if none is found. It says nothing of states without successors."""
    routine = program.routines[program.assertions[assertion].routine]
    text = text_of(instructions(routine.body))
    if sum(isinstance(node, ast.Name) and node.id == _ASKS for node in nodes_in(text)) != 1:
        return None
    loops = independent_loops(program)
    for statement in _outside_loops(routine.body):
        loop = statement.body if isinstance(statement, p.Loop) else None
        if isinstance(loop, p.ForLoop) and _is_asking(loop.iterable):
            return _of_loop(loop) if (routine.number, loop.number) in loops else None
        found = _of_value(statement.value, False) if isinstance(statement, p.Leave) and statement.value else None
        if found is not None:
            hidden = {"all", "any"} & (known.constants.keys() | known.state_variables | routine.bound)
            return None if hidden or may_change(program, text) else found
    return None


def _outside_loops(block: p.Scope) -> Iterator[p.Instruction]:
    """The statements of an assertion that are in no loop."""
    if not isinstance(block, p.Sequence):
        return
    for statement in block.instructions:
        yield statement
        if isinstance(statement, p.Branch):
            for suite in statement.suites:
                yield from _outside_loops(suite)


def _is_asking(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and node.function.id == _ASKS


def _of_loop(loop: p.ForLoop) -> SuccessorFold | None:
    """A loop with independent turns that returns one constant, if anything."""
    returned: set[object] = set()
    for statement in instructions(loop):
        if isinstance(statement, p.CallOrDo):
            # A func may change what the next turn reads.
            return None
        if isinstance(statement, p.Leave):
            if not isinstance(statement.value, ast.Literal):
                return None
            returned.add(statement.value.value)
    decides = returned.pop() if len(returned) == 1 else None
    return SuccessorFold(decides, True) if isinstance(decides, bool) else None


def _of_value(node: ast.Expression, negated: bool) -> SuccessorFold | None:
    """A value that is returned: `all(…)` or `any(…)`, also behind `not`, `and`, `or`."""
    if isinstance(node, ast.Unary) and node.operator == "not":
        return _of_value(node.operand, not negated)
    if isinstance(node, ast.Logical):
        return _of_value(node.left, negated) or _of_value(node.right, negated)
    if not isinstance(node, ast.Call) or not isinstance(node.function, ast.Name):
        return None
    which = node.function.id
    if which not in ("all", "any") or [argument.kind for argument in node.arguments] != ["positional"]:
        return None
    inner = node.arguments[0].value
    if not isinstance(inner, ast.Comprehension) or inner.kind == "dict":
        return None
    first = inner.clauses[0]
    if not isinstance(first, ast.ComprehensionFor) or not _is_asking(first.iterable):
        return None
    return SuccessorFold((which == "any") is not negated, inner.kind == "generator")
