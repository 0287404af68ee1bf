"""Evaluated parts of expressions: `b` of `a or b`, elements of comprehensions, branches of `x if c else y`.

Such a conditional part is evaluated only for certain values of other parts. A part that is never evaluated was never
tested, whatever values the whole expression has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fizz import Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.dict_items import is_written_out
from interpreter.compile.statements import instructions, written
from interpreter.execute.environment import Environment, Evaluator


class EvaluatedParts:
    """The spans of the conditional parts that were evaluated.

    `met`: those of assertions, cleared before each evaluation. `everywhere`: parts of other routines are watched too;
    these collect in `exercised`.
    """

    def __init__(self, program: p.Program, everywhere: bool) -> None:
        self.met: set[Span] = set()
        self.exercised: set[Span] = set()
        self._watched: dict[int, set[Span]] = {}
        for routine in program.routines:
            if everywhere or routine.kind == "assertion":
                met = self.met if routine.kind == "assertion" else self.exercised
                self._watched.update((id(part), met) for part in conditional_parts(routine))

    def watch(self, node: ast.Expression, evaluator: Evaluator) -> Evaluator:
        """The evaluator; that of a conditional part also records that it was called."""
        met, span = self._watched.get(id(node)), node.span
        if met is None:
            return evaluator

        def evaluate(env: Environment) -> Any:
            met.add(span)
            return evaluator(env)

        return evaluate


def conditional_parts(routine: p.Routine) -> Iterator[ast.Expression]:
    """The parts of a routine's expressions that may stay unevaluated when the whole is evaluated, outer ones first.

    Literals are left out: there is nothing to test in them.
    """
    for instruction in instructions(routine.body):
        yield from conditional_parts_of(instruction)


def conditional_parts_of(instruction: p.Instruction) -> Iterator[ast.Expression]:
    """As above, of one statement alone, without those in its blocks."""
    for part in written(instruction):
        for node in nodes_in(part):
            yield from (inner for inner in _parts(node) if not isinstance(inner, ast.Literal))


def _parts(node: ast.Node) -> tuple[ast.Expression, ...]:
    match node:
        case ast.Logical(right=right):
            return (right,)
        case ast.Conditional(body=body, orelse=orelse):
            return (body, orelse)
        case ast.Comprehension(element=element) if is_written_out(node):
            return (element,)
    return ()
