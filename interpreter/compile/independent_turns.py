"""Loops with independent turns: none passes a value to the next one, but one that returns ends the loop.

The analysis is sound, not complete: doubtful loops count as dependent. What a turn calls is not looked into.
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
"""Methods that change their receiver, and so may pass a value to a later turn."""

Syntax = tuple[object, ...]


def is_independent(loop: p.ForLoop, names: Counter[str], state_variables: frozenset[str]) -> bool:
    """Whether the turns of a loop are independent. `names`: how often the routine around it mentions each name."""
    if not _simple(loop.body, inner=False):
        return False
    body = tuple(instructions(loop))
    text = (loop.variables, *text_of(body))
    assignments = [assigned for assigned in map(assignment_of, body) if assigned is not None]
    if changes(text) or not all(is_plain(targets) for targets, _ in assignments):
        return False
    headers = [loop, *(header for header in map(header_of, body) if header is not None)]
    bound = {name for header in headers for name in header.variables.names}
    bound.update(name for targets, _ in assignments for name in names_in(targets))
    if bound & state_variables:
        return False
    inside = Counter(names_in(text))
    return all(names[name] == inside[name] for name in bound) and binds_before_reads(
        loop.body, bound - set(loop.variables.names)
    )


def _simple(block: p.Sequence, inner: bool) -> bool:
    """Only assignments, `if`, `for`, `return`, `pass`, `continue`; a `break` only out of an inner loop."""
    for statement in block.instructions:
        match statement:
            case p.Do() | p.CallOrDo():
                if assignment_of(statement) is None:
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


def binds_before_reads(block: p.Sequence, unbound: set[str]) -> bool:
    """Whether no `unbound` name is read before the iteration has bound it: its value may be of the previous one."""
    unbound = set(unbound)
    for statement in block.instructions:
        assigned = assignment_of(statement)
        if assigned is not None:
            targets, value = assigned
            if not unbound.isdisjoint(names_in((value,))):
                return False
            unbound.difference_update(names_in(targets))
            continue
        header = header_of(statement)
        by_header = set() if header is None else set(header.variables.names)
        read: Syntax = written(statement) if header is None else (header.iterable,)
        blocks = suites(statement) if header is None else (header.body,)
        if not unbound.isdisjoint(names_in(read)):
            return False
        if not all(binds_before_reads(suite, unbound - by_header) for suite in blocks):
            return False
    return True


def assignment_of(statement: p.Instruction) -> tuple[tuple[ast.Target, ...], ast.Expression] | None:
    """The targets and the value of an assignment."""
    if isinstance(statement, p.CallOrDo) and statement.targets:
        return statement.targets, statement.call
    if isinstance(statement, p.Do) and isinstance(statement.statement, ast.Assign):
        return statement.statement.targets, statement.statement.value
    return None


def header_of(statement: p.Instruction) -> p.ForLoop | None:
    """The `for` loop that a statement is; None for others."""
    return statement.body if isinstance(statement, p.Loop) and isinstance(statement.body, p.ForLoop) else None


def changes(syntax: Syntax) -> bool:
    """Whether a value may be changed in place."""
    for inner in nodes_in(syntax):
        match inner:
            case ast.Attribute(name=name) if name in MUTATORS:
                return True
            case ast.AugmentedAssign():
                return True
            case ast.Assign() if not is_plain(inner.targets):
                return True
    return False


def is_plain(targets: tuple[ast.Expression, ...]) -> bool:
    """Whether all targets are names, or tuples and lists of names."""
    return all(
        is_plain(target.items)
        if isinstance(target, ast.TupleExpression | ast.ListExpression)
        else isinstance(target, ast.Name)
        for target in targets
    )


def names_in(syntax: Syntax) -> Iterator[str]:
    """Every mention of a name, including targets and loop variables."""
    for inner in nodes_in(syntax):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.LoopVariables):
            yield from inner.names


def text_of(statements: Iterable[p.Instruction]) -> Syntax:
    """What statements say, without the blocks in them."""
    return tuple(part for statement in statements for part in written(statement))


def loop_of(statement: ast.For) -> p.ForLoop | None:
    """A loop of a `def` as those of routines are; None if a `def` is in it."""
    body = sequence_of(statement.body)
    if body is None:
        return None
    return p.ForLoop(0, "", "atomic", statement.span, False, statement.variables, statement.iterable, body)


def sequence_of(block: ast.Block) -> p.Sequence | None:
    """A block of a `def` as those of routines are; None if a `def` is in it."""
    found = [_instruction(statement) for statement in block.statements]
    known = tuple(instruction for instruction in found if instruction is not None)
    return p.Sequence(0, "", "atomic", known) if len(known) == len(found) else None


def _instruction(statement: ast.Statement) -> p.Instruction | None:
    span = statement.span
    match statement:
        case ast.Assign() | ast.AugmentedAssign() | ast.ExpressionStatement():
            return p.Do(span, None, statement)
        case ast.Return(value=value):
            return p.Leave(span, None, value)
        case ast.Pass():
            return p.Nothing(span, None)
        case ast.Break():
            return p.LeaveLoop(span, None)
        case ast.Continue():
            return p.NextIteration(span, None)
        case ast.If(branches=branches, orelse=orelse):
            blocks = [block for _, block in branches] + ([] if orelse is None else [orelse])
            suites = tuple(suite for suite in map(sequence_of, blocks) if suite is not None)
            conditions = tuple(condition for condition, _ in branches)
            return p.Branch(span, None, conditions, suites) if len(suites) == len(blocks) else None
        case ast.For():
            loop = loop_of(statement)
            return None if loop is None else p.Loop(span, None, loop)
        case (
            ast.Helper() | ast.Require() | ast.Choose() | ast.FlowBlock() | ast.While() | ast.ChooseBlock()
        ):  # fmt: skip
            return None
        case _:
            assert_never(statement)
