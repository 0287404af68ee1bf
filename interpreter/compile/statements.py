"""The statements of a routine: those of a block or loop, what each says, and the blocks in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, assert_never

from fizz import Span
from fizz.syntax import ast
from interpreter.compile import program as p


def instructions(scope: p.Scope) -> Iterator[p.Instruction]:
    """All instructions of a scope and of the scopes in it."""
    for instruction in own(scope):
        yield instruction
        for body in (*suites(instruction), *inner(instruction)):
            yield from instructions(body)


def with_parts(part: Any, change: Callable[[Any], Any]) -> Any:
    """A part of a routine or of its text, with what `change` makes of each part of its own; itself if all stay."""
    if isinstance(part, Span):
        return part
    if isinstance(part, tuple):
        found = tuple([change(one) for one in part])
        return found if any(one is not old for one, old in zip(found, part, strict=True)) else part
    if not is_dataclass(part) or isinstance(part, type):
        return part
    old = {one.name: getattr(part, one.name) for one in fields(part)}
    changed = {name: new for name, value in old.items() if (new := change(value)) is not value}
    made: Any = replace(part, **changed) if changed else part
    return made


def own(scope: p.Scope) -> tuple[p.Instruction, ...]:
    """The instructions of a block, or of the body of a loop."""
    match scope:
        case p.ForLoop() | p.WhileLoop():
            return scope.body.instructions
        case p.Sequence() | p.OneOfBlock() | p.ParallelBlock():
            return scope.instructions
        case _:
            assert_never(scope)


def suites(instruction: p.Instruction) -> tuple[p.Sequence, ...]:
    """The suites of an `if`."""
    return instruction.suites if isinstance(instruction, p.Branch) else ()


def chooses(instruction: p.Instruction) -> bool:
    """Whether the move itself takes one of several alternatives; the statements of a `oneof` block are chosen by it."""
    match instruction:
        case p.Pick() | p.PickBlock():
            return True
        case (
            p.Do() | p.CallOrDo() | p.Nothing() | p.Guard() | p.Leave() | p.LeaveLoop() | p.NextIteration()
            | p.Branch() | p.Enter() | p.Loop()
        ):  # fmt: skip
            return False
        case _:
            assert_never(instruction)


def inner(instruction: p.Instruction) -> tuple[p.Scope, ...]:
    """The block of a flow block, loop or choice; not the suites of an `if`."""
    match instruction:
        case p.Enter() | p.Loop() | p.PickBlock():
            return (instruction.body,)
        case (
            p.Do() | p.CallOrDo() | p.Nothing() | p.Guard() | p.Pick() | p.Leave() | p.LeaveLoop()
            | p.NextIteration() | p.Branch()
        ):  # fmt: skip
            return ()
        case _:
            assert_never(instruction)


def written(instruction: p.Instruction) -> tuple[ast.Expression | ast.Statement | ast.LoopVariables, ...]:
    """What the text of an instruction says: its targets, variables and expressions, without the blocks in it."""
    match instruction:
        case p.Do(statement=statement):
            return (statement,)
        case p.CallOrDo(targets=targets, call=call):
            return (*targets, call)
        case p.Guard(condition=condition):
            return (condition,)
        case p.Pick(target=target, iterable=iterable, condition=condition):
            return (target, iterable) if condition is None else (target, iterable, condition)
        case p.PickBlock(variables=variables, iterable=iterable):
            return (variables, iterable)
        case p.Leave(value=value):
            return () if value is None else (value,)
        case p.Branch(conditions=conditions):
            return conditions
        case p.Loop(body=loop):
            return (loop.condition,) if isinstance(loop, p.WhileLoop) else (loop.variables, loop.iterable)
        case p.Nothing() | p.LeaveLoop() | p.NextIteration() | p.Enter():
            return ()
        case _:
            assert_never(instruction)
