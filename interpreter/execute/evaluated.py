"""Which parts of expressions were evaluated: `b` of `a or b`, elements of comprehensions, branches of `x if c else y`.

What stands in such a place is evaluated only if something else comes out right. A part that never is was never put to
the test, whatever the whole expression came to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from fizz import Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions
from interpreter.execute.environment import Environment, Evaluator


class EvaluatedParts:
    """The parts that are watched, by the places of those evaluated.

    `met`: of assertions, whose evaluations begin with none. `everywhere`: also those of other routines; they are
    `exercised`, and stay so.
    """

    def __init__(self, program: p.Program, everywhere: bool) -> None:
        self.met: set[Span] = set()
        self.exercised: set[Span] = set()
        self._watched: dict[int, set[Span]] = {}
        for routine in program.routines:
            if everywhere or routine.kind == "assertion":
                met = self.met if routine.kind == "assertion" else self.exercised
                self._watched.update((id(part), met) for part in doubtful_parts(routine))

    def watch(self, node: ast.Expression, evaluator: Evaluator) -> Evaluator:
        """The evaluator, which writes down that it was asked if it is one of the parts."""
        met, span = self._watched.get(id(node)), node.span
        if met is None:
            return evaluator

        def evaluate(env: Environment) -> Any:
            met.add(span)
            return evaluator(env)

        return evaluate


def doubtful_parts(routine: p.Routine) -> Iterator[ast.Expression]:
    """The parts of a routine's expressions that need not be evaluated when the whole is, outer ones before inner ones.

    Literals are none: there is nothing to be tested in them.
    """
    for instruction in instructions(routine.body):
        yield from doubtful_parts_of(instruction)


def doubtful_parts_of(instruction: p.Instruction) -> Iterator[ast.Expression]:
    """As above, of one statement alone, without those in its blocks."""
    for expression in _expressions(instruction):
        for node in nodes_in(expression):
            yield from (part for part in _parts(node) if not isinstance(part, ast.Literal))


def _expressions(instruction: p.Instruction) -> Iterator[ast.Node]:
    for field in fields(instruction):
        value = getattr(instruction, field.name)
        yield from (node for node in (value if isinstance(value, tuple) else (value,)) if isinstance(node, ast.Node))
    if isinstance(instruction, p.Loop):
        yield instruction.body.iterable if isinstance(instruction.body, p.ForLoop) else _condition(instruction.body)


def _condition(loop: p.Scope) -> ast.Expression:
    assert isinstance(loop, p.WhileLoop)
    return loop.condition


def _parts(node: ast.Node) -> tuple[ast.Expression, ...]:
    match node:
        case ast.Logical(right=right):
            return (right,)
        case ast.Conditional(body=body, orelse=orelse):
            return (body, orelse)
        case ast.Comprehension(element=element):
            return (element,)
    return ()
