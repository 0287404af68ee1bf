"""Routines that never yield while they run: the names that they bind are in no state."""

from __future__ import annotations

from collections.abc import Iterator

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions, written


def unbroken_routines(program: p.Program) -> frozenset[int]:
    """The numbers of the routines whose code is atomic, with that of all funcs that they may call."""
    calls = {routine.number: set(_calls(routine, program)) for routine in program.routines}
    broken = {routine.number for routine in program.routines if not all(map(_is_atomic, routine.scopes))}
    while True:
        more = {number for number, called in calls.items() if called & broken} - broken
        if not more:
            return frozenset(calls.keys() - broken)
        broken |= more


def _is_atomic(scope: p.Scope) -> bool:
    parallel = isinstance(scope, p.ParallelBlock) or (isinstance(scope, p.ForLoop) and scope.parallel)
    return scope.flow == "atomic" and not parallel


def _calls(routine: p.Routine, program: p.Program) -> Iterator[int]:
    """The routines that one may call. Of `E.f(…)` that is each func of this name."""
    for instruction in instructions(routine.body):
        if isinstance(instruction, p.CallOrDo):
            function = instruction.call.function
            if instruction.routine is not None:
                yield instruction.routine
            elif isinstance(function, ast.Attribute):
                yield from (role.functions[function.name] for role in program.roles if function.name in role.functions)
        made = {node.id for node in nodes_in(written(instruction)) if isinstance(node, ast.Name)}
        yield from (role.init for role in program.roles if role.name in made and role.init is not None)
