"""Loops of assertions whose turns are independent of each other: `for node in nodes: if …: return False`.

An assertion that loops over instances depends on all of them together. But if no turn passes a value to the next one,
in no function that it may call either, the result is that of the first turn that returns, and each can be remembered by
what it alone reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.independent_turns import MUTATORS, Syntax, changes, is_independent, names_in, text_of
from interpreter.compile.statements import instructions


def independent_loops(program: p.Program) -> frozenset[tuple[int, int]]:
    """The loops of assertions whose iterations are independent: the numbers of their routines and scopes."""
    if _host_code_may_change(program):
        return frozenset()
    state_variables = frozenset(program.state_variables)
    return frozenset(
        (number, loop)
        for number in {assertion.routine for assertion in program.assertions}
        for loop in _loops_of(program.routines[number], state_variables)
    )


def may_change(program: p.Program, text: Syntax) -> bool:
    """Whether a value may be changed in place where an assertion with this text is evaluated."""
    return _host_code_may_change(program) or _may_change_when_called(text) or changes(text)


def _host_code_may_change(program: p.Program) -> bool:
    host_code = (
        program.constants,
        *(statements for _, statements in program.helper_modules),
        *(role.helpers for role in program.roles),
    )
    return any(map(_may_change_when_called, host_code))


def _loops_of(routine: p.Routine, state_variables: frozenset[str]) -> Iterator[int]:
    """The numbers of a routine's independent loops."""
    loops = [scope for scope in routine.scopes if isinstance(scope, p.ForLoop) and not scope.parallel]
    if not loops:
        return
    text = text_of(instructions(routine.body))
    if _may_change_when_called(text):
        return
    names = Counter(names_in(text))
    yield from (loop.number for loop in loops if is_independent(loop, names, state_variables))


def _may_change_when_called(syntax: Syntax) -> bool:
    """Whether there is a function in it that may change a value in place: a `def`, a lambda, or a method as a value."""
    called = {id(node.function) for node in nodes_in(syntax) if isinstance(node, ast.Call)}
    return any(
        changes((node,))
        if isinstance(node, ast.Helper | ast.Lambda)
        else isinstance(node, ast.Attribute) and node.name in MUTATORS and id(node) not in called
        for node in nodes_in(syntax)
    )
