"""Where a model is seen to keep lists: there a rule asks whether it is one before it asks how long it is; and through
what it goes.

Where members are taken from lists, as from queues, these are stored whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeGuard

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions
from interpreter.direct.rule_text import evaluated
from interpreter.state.state import Slot


class ListPlace(NamedTuple):
    """A variable ("heap") or a field ("field") of this name, and how many containers what is there is in."""

    kind: str
    name: str
    depth: int


Places = frozenset[ListPlace]
_TAKING: Final = frozenset({"pop", "remove"})
_AT: Final = {"heap": 1, "field": 3}
"""Where the name of a variable or field stands in a slot."""


def list_places(program: p.Program) -> Places:
    """The places to which any routine assigns a list that is written as such: a display or a comprehension."""
    found = set()
    for routine in program.routines:
        for instruction in instructions(routine.body):
            statement = instruction.statement if isinstance(instruction, p.Do) else None
            if not isinstance(statement, ast.Assign):
                continue
            for target, value in _bindings(statement.targets, statement.value):
                place = _named(target, 0)
                if place is not None:
                    found |= {place._replace(depth=place.depth + depth) for depth in _depths(value, 0)}
    return frozenset(found)


def queue_places(program: p.Program) -> Places:
    """The places from whose lists any routine takes members: by `pop(place)`, `remove(item)`, `xs = xs[place:]` or
    `xs = xs[:place] + xs[place + 1:]`."""
    found = set()
    for routine in program.routines:
        for instruction in instructions(routine.body):
            statement = instruction.statement if isinstance(instruction, p.Do) else None
            if isinstance(statement, ast.Assign):
                found |= {_sliced(value) for _, value in _bindings(statement.targets, statement.value)}
            for part in evaluated(instruction):
                found |= {_named(node.value, 0) for node in nodes_in(part) if _takes(node)}
    return list_places(program) & found


def names_gone_through(program: p.Program) -> frozenset[str]:
    """The names of variables and fields that any comprehension or loop goes through."""
    found: set[ListPlace | None] = set()
    for routine in program.routines:
        found |= _gone_through_in(routine)
    found |= _gone_through(_helpers(program))
    return frozenset(place.name for place in found if place is not None)


def _helpers(program: p.Program) -> list[ast.Helper]:
    """All `def`s of a program."""
    helpers = [one for one in program.constants if isinstance(one, ast.Helper)]
    return [*helpers, *[one for role in program.roles for one in role.helpers]]


def goes_through(program: p.Program, routine: p.Routine, helpers: bool) -> bool:
    """Whether a routine, or any `def` of the program if `helpers` count, has a comprehension or loop."""
    return bool(_gone_through_in(routine)) or (helpers and bool(_gone_through(_helpers(program))))


def _gone_through_in(routine: p.Routine) -> set[ListPlace | None]:
    found: set[ListPlace | None] = set()
    for instruction in instructions(routine.body):
        if isinstance(instruction, p.Loop) and isinstance(instruction.body, p.ForLoop):
            found.add(_named(instruction.body.iterable, 0))
        found |= _gone_through(evaluated(instruction))
    return found


def _gone_through(nodes: Sequence[ast.Node]) -> set[ListPlace | None]:
    loops = (part for part in nodes_in(tuple(nodes)) if isinstance(part, ast.ComprehensionFor | ast.For))
    return {_named(loop.iterable, 0) for loop in loops}


def _bindings(
    targets: Sequence[ast.Expression], value: ast.Expression
) -> Iterator[tuple[ast.Expression, ast.Expression]]:
    """The targets that an assignment gives a value each, and what that is."""
    for target in targets:
        if not isinstance(target, ast.TupleExpression | ast.ListExpression):
            yield target, value
        elif isinstance(value, ast.TupleExpression | ast.ListExpression):
            for one, given in zip(target.items, value.items, strict=False):
                yield from _bindings((one,), given)


def _sliced(node: ast.Expression) -> ListPlace | None:
    """The place of which an expression is a slice, or two slices one after the other; None for others."""
    parts = (node.left, node.right) if isinstance(node, ast.Binary) and node.operator == "+" else (node,)
    named = {_named(part.value, 0) if isinstance(part, ast.Slice) else None for part in parts}
    return named.pop() if len(named) == 1 else None


def _takes(node: ast.Node) -> TypeGuard[ast.Attribute]:
    """Whether it is a method that takes a member from a list."""
    return isinstance(node, ast.Attribute) and node.name in _TAKING


def _named(node: ast.Expression, depth: int) -> ListPlace | None:
    """The place of what an expression names: a variable or field, or a member in it."""
    match node:
        case ast.Index(value=value):
            return _named(value, depth + 1)
        case ast.Attribute(name=name):
            return ListPlace("field", name, depth)
        case ast.Name(id=name):
            return ListPlace("heap", name, depth)
    return None


def place_of(slot: Slot) -> ListPlace | None:
    """The place of a slot; None if it is neither of a variable nor of a field."""
    at = _AT.get(str(slot[0]))
    return None if at is None or len(slot) <= at else ListPlace(str(slot[0]), str(slot[at]), len(slot) - at - 1)


def _depths(node: ast.Expression, depth: int) -> Iterator[int]:
    """How many containers the lists in a value are in."""
    match node:
        case ast.ListExpression(items=items):
            yield depth
            for item in items:
                yield from _depths(item, depth + 1)
        case ast.Comprehension(kind="list", element=element):
            yield depth
            yield from _depths(element, depth + 1)
        case ast.Comprehension(kind="dict", element=element):
            yield from _depths(element, depth + 1)
        case ast.DictExpression(pairs=pairs):
            for _, member in pairs:
                yield from _depths(member, depth + 1)
        case ast.Call(function=ast.Name(id="record"), arguments=arguments):
            for argument in arguments:
                yield from _depths(argument.value, depth + 1)
        case ast.Binary(operator="+" | "*", left=left, right=right):
            yield from _depths(left, depth)
            yield from _depths(right, depth)
        case ast.Conditional(body=body, orelse=orelse):
            yield from _depths(body, depth)
            yield from _depths(orelse, depth)
