"""Vacuous properties: parts of assertions that were evaluated in no state (W16).

`return not leader.up or leader.term > 0` holds on every state of a model whose leader is never up, but proves nothing.
Each part must be evaluated in some state, except a statement that only returns the verdict, as `return False`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set
from typing import assert_never

from fizz import Diagnostic, Span
from fizz.syntax import ast
from fizz.syntax.ast import OF_STEPS
from interpreter import Program
from interpreter.compile import program as p
from interpreter.compile.statements import inner, own
from interpreter.execute.evaluated_parts import conditional_parts_of
from interpreter.machine import Note

_HINT = "what it says was never put to the test"


def never_tested(program: Program, asked: Collection[int], noted: Set[Note]) -> Iterator[Diagnostic]:
    """The statements and parts of the assertions `asked` that are not in `noted`, the evaluated ones."""
    for number in asked:
        assertion = program.assertions[number]
        routine = program.routines[assertion.routine]
        if not any(instruction.span in noted for instruction in own(routine.body)):
            text = f"assertion '{assertion.name}' was never evaluated: {_reason(assertion)}"
            yield Diagnostic("W16", text, assertion.span, _HINT)
        else:
            yield from _gaps(assertion.name, routine.body, noted)


def _reason(assertion: p.AssertionProgram) -> str:
    """What there was not, so that an assertion was never evaluated."""
    if assertion.kind not in OF_STEPS:
        return "there was no state" if assertion.role is None else "there was no instance of its role"
    return "there was no step" if assertion.role is None else "there was no step with an instance of its role"


def _gaps(name: str, scope: p.Scope, noted: Set[Note]) -> Iterator[Diagnostic]:
    for instruction in own(scope):
        if instruction.span not in noted:
            if _says_something(instruction):
                text = f"this statement of assertion '{name}' was never executed"
                yield Diagnostic("W16", text, instruction.span, _HINT)
                return
            continue
        yield from _parts(name, instruction, noted)
        if isinstance(instruction, p.Loop) and own(instruction.body)[0].span not in noted:
            text = f"there was never anything to loop over in assertion '{name}'"
            yield Diagnostic("W16", text, _header(instruction.body), _HINT)
            continue
        suites = instruction.suites if isinstance(instruction, p.Branch) else inner(instruction)
        for suite in suites:
            yield from _gaps(name, suite, noted)


def _parts(name: str, instruction: p.Instruction, noted: Set[Note]) -> Iterator[Diagnostic]:
    found: list[Span] = []
    for part in conditional_parts_of(instruction):
        if part.span not in noted and not any(within(part.span, outer) for outer in found):
            found.append(part.span)
            yield Diagnostic("W16", f"this part of assertion '{name}' was never evaluated", part.span, _HINT)


def within(span: Span, outer: Span) -> bool:
    """Whether a span of the source is inside another."""
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    return (outer.line, outer.column) <= start and end <= (outer.end_line, outer.end_column)


def _says_something(instruction: p.Instruction) -> bool:
    """Whether a statement does more than end the assertion or a loop: an unused constant verdict is no gap."""
    match instruction:
        case p.Leave(value=value):
            return value is not None and not isinstance(value, ast.Literal)
        case p.LeaveLoop() | p.NextIteration() | p.Nothing():
            return False
        case p.Do() | p.CallOrDo() | p.Guard() | p.Pick() | p.Branch() | p.Enter() | p.Loop() | p.PickBlock():
            return True
        case _:
            assert_never(instruction)


def _header(loop: p.Scope) -> Span:
    assert isinstance(loop, p.ForLoop | p.WhileLoop)
    return loop.iterable.span if isinstance(loop, p.ForLoop) else loop.condition.span
