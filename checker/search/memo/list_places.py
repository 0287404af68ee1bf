"""Where a model is seen to keep lists: there a rule is told that it is one before it asks how long it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.compile.statements import instructions
from interpreter.direct.rule_text import names_of
from interpreter.state.state import Slot


class Place(NamedTuple):
    """A variable ("heap") or a field ("field") of this name, and how many containers what is there is in."""

    kind: str
    name: str
    depth: int


ListPlaces = frozenset[Place]
_AT: Final = {"heap": 1, "field": 3}
"""Where the name of a variable or field stands in a slot."""


def list_places(program: p.Program) -> ListPlaces:
    """The places to which any routine assigns a list that is written as such: a display or a comprehension."""
    found = set()
    for routine in program.routines:
        for instruction in instructions(routine.body):
            statement = instruction.statement if isinstance(instruction, p.Do) else None
            if not isinstance(statement, ast.Assign):
                continue
            depths = set(_depths(statement.value, 0))
            for one in [one for target in statement.targets for one in names_of(target)] if depths else ():
                if isinstance(one, ast.Attribute):
                    found |= {Place("field", one.name, depth) for depth in depths}
                elif isinstance(one, ast.Name):
                    found |= {Place("heap", one.id, depth) for depth in depths}
    return frozenset(found)


def place_of(slot: Slot) -> Place | None:
    """The place of a slot; None if it is neither of a variable nor of a field."""
    at = _AT.get(str(slot[0]))
    return None if at is None else Place(str(slot[0]), str(slot[at]), len(slot) - at - 1)


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
