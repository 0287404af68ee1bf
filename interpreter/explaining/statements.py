"""The statements of a routine: those that stand in a block or loop, and the blocks that stand in a statement."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter import program as p


def instructions(scope: p.Scope) -> Iterator[p.Instruction]:
    """All instructions of a scope and of the scopes in it."""
    for instruction in own(scope):
        yield instruction
        if isinstance(instruction, p.Branch):
            for suite in instruction.suites:
                yield from instructions(suite)
        for body in inner(instruction):
            yield from instructions(body)


def own(scope: p.Scope) -> tuple[p.Instruction, ...]:
    """The instructions of a block, or of the body of a loop."""
    if isinstance(scope, p.ForLoop | p.WhileLoop):
        return scope.body.instructions
    return scope.instructions if isinstance(scope, p.Sequence | p.OneOfBlock | p.ParallelBlock) else ()


def inner(instruction: p.Instruction) -> tuple[p.Scope, ...]:
    """The block of a flow block, loop or choice; the suites of an `if` are not meant."""
    return (instruction.body,) if isinstance(instruction, p.Enter | p.Loop | p.PickBlock) else ()
