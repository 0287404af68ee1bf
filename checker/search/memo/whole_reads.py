"""Which containers of the state the text of a rule reads whole: what such a rule asks seldom repeats."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final, NamedTuple

from fizz import Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import is_self, nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions
from interpreter.direct.rule_text import evaluated

_OF_ALL: Final = frozenset(
    {"index", "count", "values", "items", "keys", "union", "intersection", "difference", "symmetric_difference",
     "issubset", "issuperset", "join"}
)  # fmt: skip
"""Methods that read all of what they are called on."""


class WholeRead(NamedTuple):
    """A variable of the state, or a field as `self.log`, all of which is read there."""

    span: Span
    name: str


def first_whole_read(program: p.Program, routine: p.Routine) -> WholeRead | None:
    """The first location in the text of a routine where it reads all of a variable, if it holds a container."""
    variables = frozenset(program.state_variables)
    found = [
        WholeRead(node.span, named)
        for one in instructions(routine.body)
        for node in _taken_whole(one)
        if (named := _name(node, variables)) is not None
    ]
    return min(found, key=lambda one: (one.span.line, one.span.column), default=None)


def _taken_whole(instruction: p.Instruction) -> Iterator[ast.Expression]:
    """The expressions of which all is iterated over, chosen from, sliced or given to a function."""
    if isinstance(instruction, p.Pick | p.PickBlock):
        yield instruction.iterable
    elif isinstance(instruction, p.Loop) and isinstance(instruction.body, p.ForLoop):
        yield instruction.body.iterable
    for part in evaluated(instruction):
        for node in nodes_in(part):
            if isinstance(node, ast.ComprehensionFor):
                yield node.iterable
            elif isinstance(node, ast.Slice):
                yield node.value
            elif isinstance(node, ast.Call):
                function = node.function
                if isinstance(function, ast.Attribute) and function.name in _OF_ALL:
                    yield function.value
                if not (isinstance(function, ast.Name) and function.id == "len"):
                    yield from [argument.value for argument in node.arguments]


def _name(node: ast.Expression, variables: Set[str]) -> str | None:
    if isinstance(node, ast.Name) and node.id in variables:
        return node.id
    if isinstance(node, ast.Attribute) and is_self(node.value):
        return f"self.{node.name}"
    return None
