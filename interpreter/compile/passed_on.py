"""Loops whose turns pass something on: names that a turn may find as the turn before has left them.

Such a loop is known by what each turn makes of what it is given, if nothing else can see what is passed on. So a
container may be changed in place only if no other name can refer to it. The analysis is sound, not complete: doubtful
loops pass on nothing that is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, assert_never

from fizz.base.light import dataclass
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.independent_turns import (
    MUTATORS,
    Syntax,
    assignment_of,
    binds_before_reads,
    header_of,
    is_plain,
    names_in,
    text_of,
)
from interpreter.compile.statements import instructions, written

_MADE_ANEW: Final = frozenset({"dict", "list", "set", "sorted"})
"""Builtin functions that give a container of their own."""
_LEFT_ALONE: Final = _MADE_ANEW.union("all any bool enumerate len max min reversed str sum tuple".split())
"""Builtin functions that keep nothing of their single argument but its members."""
MeansBuiltin = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class PassedOn:
    """`names`: what a turn may find as the turn before has left it, in order. `own`: those of them whose containers no
    other name refers to."""

    names: tuple[str, ...]
    own: frozenset[str]


def passed_on(
    loop: p.ForLoop,
    routine: p.Sequence,
    parameters: frozenset[str],
    state_variables: frozenset[str],
    means_builtin: MeansBuiltin,
) -> PassedOn | None:
    """What the turns of a loop in a routine with these parameters pass on; None if that is not sure."""
    body = tuple(instructions(loop))
    text = (loop.variables, *text_of(body))
    around = text_of(instructions(routine))
    changed = set(_changed(body))
    if not all(map(_is_simple, body)) or None in changed:
        return None
    headers = [loop, *filter(None, map(header_of, body))]
    bound = {name for header in headers for name in header.variables.names}
    bound.update(name for target in _targets(body) if is_plain((target,)) for name in names_in((target,)))
    inside, everywhere = Counter(names_in(text)), Counter(names_in(around))
    names = {name for name in changed if name is not None}
    names.update(
        name
        for name in bound
        if everywhere[name] != inside[name]
        or not (name in loop.variables.names or binds_before_reads(loop.body, {name}))
    )
    own = frozenset(
        name
        for name in names - parameters
        if _is_own(name, tuple(instructions(routine)), everywhere[name], means_builtin)
    )
    if (bound | names) & state_variables or _in_function(around, names) or not changed <= own:
        return None
    return PassedOn(tuple(sorted(names)), own)


def _is_simple(statement: p.Instruction) -> bool:
    """Whether it is an assignment, an expression, `if`, `for`, `return`, `pass`, `continue` or `break`."""
    match statement:
        case p.Do() | p.Leave() | p.Nothing() | p.NextIteration() | p.LeaveLoop() | p.Branch():
            return True
        case p.CallOrDo(routine=routine):
            return routine is None
        case p.Loop(body=p.ForLoop(parallel=parallel)):
            return not parallel
        case p.Guard() | p.Pick() | p.Loop() | p.PickBlock() | p.Enter():
            return False
        case _:
            assert_never(statement)


def _changed(body: tuple[p.Instruction, ...]) -> Iterator[str | None]:
    """The names of the containers that are changed in place; None for one that has no name."""
    for node in nodes_in(text_of(body)):
        if isinstance(node, ast.Attribute) and node.name in MUTATORS:
            yield _name_of(node.value)
    for target in _targets(body):
        if isinstance(target, ast.Index):
            yield _name_of(target.value)
        elif not is_plain((target,)):
            yield None


def _targets(body: tuple[p.Instruction, ...]) -> Iterator[ast.Target]:
    """What the statements assign to."""
    for statement in body:
        assignment = assignment_of(statement)
        if assignment is not None:
            yield from assignment[0]
        elif isinstance(statement, p.Do) and isinstance(statement.statement, ast.AugmentedAssign):
            yield statement.statement.target


def _name_of(node: ast.Expression) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _in_function(text: Syntax, names: set[str]) -> bool:
    """Whether a function in it may see one of the names."""
    functions = tuple(node for node in nodes_in(text) if isinstance(node, ast.Lambda | ast.Helper))
    return not names.isdisjoint(names_in(functions))


def _is_own(name: str, routine: tuple[p.Instruction, ...], mentions: int, means_builtin: MeansBuiltin) -> bool:
    """Whether what the name is bound to is made in the routine, and no mention of it binds anything else to that."""
    made = known = 0
    for statement in routine:
        known += sum(_name_of(whole) == name for whole in _whole(statement))
        for node in nodes_in(written(statement)):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and _name_of(node.targets[0]) == name:
                made += _is_made_anew(node.value, means_builtin)
            known += sum(_name_of(part) == name for part in _left_alone(node, means_builtin))
    return made > 0 and made + known == mentions


def _whole(statement: p.Instruction) -> tuple[ast.Expression, ...]:
    """What a statement says that binds no name to it."""
    match statement:
        case p.Leave(value=value):
            return () if value is None else (value,)
        case p.Branch(conditions=conditions):
            return conditions
        case p.Loop(body=p.ForLoop(iterable=iterable)):
            return (iterable,)
        case _:
            return ()


def _is_made_anew(node: ast.Expression, means_builtin: MeansBuiltin) -> bool:
    """Whether the value is immutable or a container that nothing else refers to."""
    match node:
        case ast.ListExpression() | ast.DictExpression() | ast.Comprehension() | ast.Binary() | ast.Unary():
            return True
        case ast.Literal() | ast.FString() | ast.Slice() | ast.TupleExpression():
            return True
        case ast.Call(function=ast.Name(id=function)):
            return function in _MADE_ANEW and means_builtin(function)
        case _:
            return False


def _left_alone(node: ast.Node, means_builtin: MeansBuiltin) -> tuple[ast.Expression, ...]:
    """The parts of a node of which nothing is kept but their members."""
    match node:
        case ast.Index(value=value) | ast.Slice(value=value):
            return (value,)
        case ast.Binary(left=left, right=right):
            return (left, right)
        case ast.Unary(operand=operand):
            return (operand,)
        case ast.ComprehensionFor(iterable=iterable):
            return (iterable,)
        case ast.ComprehensionIf(condition=condition) | ast.Conditional(condition=condition):
            return (condition,)
        case ast.AugmentedAssign(target=target):
            return (target,)
        case ast.Call(function=ast.Attribute(value=value)):
            return (value,)
        case ast.Call(function=ast.Name(id=function), arguments=(ast.Argument(kind="positional", value=value),)):
            return (value,) if function in _LEFT_ALONE and means_builtin(function) else ()
        case _:
            return ()
