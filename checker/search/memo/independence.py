"""Loops of assertions whose iterations are independent of each other: `for node in nodes: if …: return False`.

An assertion that loops over instances depends on all of them together. But if no iteration passes a value to the next
one, the result is that of the first iteration that returns, and each iteration can be remembered by what it alone
reads. The analysis is sound, not complete: doubtful loops count as dependent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions, suites, written

MUTATORS: Final = frozenset(
    "add add_all append clear discard extend insert pop popitem remove reverse setdefault sort update".split()
)
"""Methods that change their receiver, and so may pass a value to a later iteration."""

Syntax = tuple[object, ...]


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
    return _host_code_may_change(program) or _may_change_when_called(text) or _changes(text)


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
    names = Counter(_names(text))
    yield from (loop.number for loop in loops if _independent(loop, names, state_variables))


def _may_change_when_called(syntax: Syntax) -> bool:
    """Whether there is a function in it that may change a value in place: a `def`, a lambda, or a method as a value."""
    called = {id(node.function) for node in nodes_in(syntax) if isinstance(node, ast.Call)}
    return any(
        _changes((node,))
        if isinstance(node, ast.Helper | ast.Lambda)
        else isinstance(node, ast.Attribute) and node.name in MUTATORS and id(node) not in called
        for node in nodes_in(syntax)
    )


def _changes(syntax: Syntax) -> bool:
    """Whether a value may be changed in place."""
    for inner in nodes_in(syntax):
        match inner:
            case ast.Attribute(name=name) if name in MUTATORS:
                return True
            case ast.AugmentedAssign():
                return True
            case ast.Assign() if not _plain(inner.targets):
                return True
    return False


def _plain(targets: tuple[ast.Expression, ...]) -> bool:
    """Whether all targets are names, or tuples and lists of names."""
    return all(
        _plain(target.items)
        if isinstance(target, ast.TupleExpression | ast.ListExpression)
        else isinstance(target, ast.Name)
        for target in targets
    )


def _names(syntax: Syntax) -> Iterator[str]:
    """Every mention of a name, including targets and loop variables."""
    for inner in nodes_in(syntax):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.LoopVariables):
            yield from inner.names


def text_of(statements: Iterable[p.Instruction]) -> Syntax:
    """What statements say, without the blocks in them."""
    return tuple(part for statement in statements for part in written(statement))


def _assigned(statement: p.Instruction) -> tuple[tuple[ast.Target, ...], ast.Expression] | None:
    """The targets and the value of an assignment."""
    if isinstance(statement, p.CallOrDo) and statement.targets:
        return statement.targets, statement.call
    if isinstance(statement, p.Do) and isinstance(statement.statement, ast.Assign):
        return statement.statement.targets, statement.statement.value
    return None


def _header(statement: p.Instruction) -> p.ForLoop | None:
    return statement.body if isinstance(statement, p.Loop) and isinstance(statement.body, p.ForLoop) else None


def _independent(loop: p.ForLoop, names: Counter[str], state_variables: frozenset[str]) -> bool:
    """`names`: how often the assertion mentions each name."""
    if not _simple(loop.body, inner=False):
        return False
    body = tuple(instructions(loop))
    text = (loop.variables, *text_of(body))
    assignments = [assigned for assigned in map(_assigned, body) if assigned is not None]
    if _changes(text) or not all(_plain(targets) for targets, _ in assignments):
        return False
    headers = [loop, *(header for header in map(_header, body) if header is not None)]
    bound = {name for header in headers for name in header.variables.names}
    bound.update(name for targets, _ in assignments for name in _names(targets))
    if bound & state_variables:
        return False
    inside = Counter(_names(text))
    return all(names[name] == inside[name] for name in bound) and _binds_before_reads(
        loop.body, bound - set(loop.variables.names)
    )


def _binds_before_reads(block: p.Sequence, unbound: set[str]) -> bool:
    """Whether no `unbound` name is read before the iteration has bound it: its value may be of the previous one."""
    unbound = set(unbound)
    for statement in block.instructions:
        assigned = _assigned(statement)
        if assigned is not None:
            targets, value = assigned
            if not unbound.isdisjoint(_names((value,))):
                return False
            unbound.difference_update(_names(targets))
            continue
        header = _header(statement)
        by_header = set() if header is None else set(header.variables.names)
        read: Syntax = written(statement) if header is None else (header.iterable,)
        blocks = suites(statement) if header is None else (header.body,)
        if not unbound.isdisjoint(_names(read)):
            return False
        if not all(_binds_before_reads(suite, unbound - by_header) for suite in blocks):
            return False
    return True


def _simple(block: p.Sequence, inner: bool) -> bool:
    """Only assignments, `if`, `for`, `return`, `pass`, `continue`; a `break` only out of an inner loop."""
    for statement in block.instructions:
        match statement:
            case p.Do() | p.CallOrDo():
                if _assigned(statement) is None:
                    return False
            case p.Leave() | p.Nothing() | p.NextIteration():
                continue
            case p.LeaveLoop():
                if not inner:
                    return False
            case p.Branch():
                if not all(_simple(suite, inner) for suite in statement.suites):
                    return False
            case p.Loop(body=p.ForLoop(parallel=False, body=body)):
                if not _simple(body, inner=True):
                    return False
            case p.Guard() | p.Pick() | p.Loop() | p.PickBlock() | p.Enter():
                return False
            case _:
                assert_never(statement)
    return True
