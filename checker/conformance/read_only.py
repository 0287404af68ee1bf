"""What the text of a func shows: whether it can change a state, refuse, or return a value."""

from __future__ import annotations

from typing import Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import subexpressions
from interpreter.compile.program import (
    Branch,
    CallOrDo,
    Do,
    Guard,
    Instruction,
    Leave,
    Nothing,
    OneOfBlock,
    ParallelBlock,
    Pick,
    PickBlock,
    Program,
    Routine,
    Sequence,
)

_HARMLESS: Final = frozenset(
    {
        "len",
        "min",
        "max",
        "sum",
        "sorted",
        "abs",
        "str",
        "int",
        "float",
        "bool",
        "list",
        "tuple",
        "dict",
        "set",
        "range",
    }
)
_READING: Final = frozenset({"get", "keys", "values", "items", "count", "index", "startswith", "endswith", "union"})


def instructions(routine: Routine) -> list[Instruction]:
    """All statements of a routine, those of calls excluded."""
    blocks = [scope for scope in routine.scopes if isinstance(scope, Sequence | OneOfBlock | ParallelBlock)]
    return [one for block in blocks for one in block.instructions]


def choice_names(program: Program) -> tuple[str, ...]:
    """The variables that are chosen by `oneof`, as maps call them."""
    names: dict[str, None] = {}
    for one in (one for routine in program.routines for one in instructions(routine)):
        if isinstance(one, Pick):
            names[one.text] = None
        elif isinstance(one, PickBlock):
            names[", ".join(one.variables.names)] = None
    return tuple(names)


def returns_value(routine: Routine) -> bool:
    """Whether a func has a `return e`."""
    return any(isinstance(one, Leave) and one.value is not None for one in instructions(routine))


def has_guards(program: Program, routine: Routine, met: frozenset[int] = frozenset()) -> bool:
    """Whether a call may be refused: by a `require`, an empty choice, or in a func that it calls."""
    for one in instructions(routine):
        if isinstance(one, Guard | Pick | PickBlock):
            return True
        if isinstance(one, CallOrDo) and (one.routine is None or one.routine not in met):
            called = None if one.routine is None else program.routines[one.routine]
            if called is None or has_guards(program, called, met | {routine.number}):
                return True
    return False


def is_read_only(program: Program, routine: Routine) -> bool:
    """Whether a func certainly changes nothing but its own locals, and chooses nothing: no is never wrong."""
    plain = all(isinstance(scope, Sequence) for scope in routine.scopes)
    return plain and all(_only_reads(one, program.state_variables) for one in instructions(routine))


def _only_reads(one: Instruction, variables: tuple[str, ...]) -> bool:
    if isinstance(one, Nothing):
        return True
    if isinstance(one, Guard):
        return _harmless(one.condition)
    if isinstance(one, Leave):
        return one.value is None or _harmless(one.value)
    if isinstance(one, Branch):
        return all(map(_harmless, one.conditions))
    if isinstance(one, Do) and isinstance(one.statement, ast.Assign):
        targets = one.statement.targets
        locals_only = all(isinstance(target, ast.Name) and target.id not in variables for target in targets)
        return locals_only and _harmless(one.statement.value)
    return False


def _harmless(expression: ast.Expression) -> bool:
    for part in subexpressions(expression):
        if isinstance(part, ast.Call):
            known = isinstance(part.function, ast.Name) and part.function.id in _HARMLESS
            read = isinstance(part.function, ast.Attribute) and part.function.name in _READING
            if not (known or read):
                return False
    return True
