"""What the text of a routine says before it is compiled: its parts, and what it changes in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from fizz.syntax import ast
from fizz.syntax.tree_walk import is_self, nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import inner, instructions, suites, written
from interpreter.direct.name_lookup import itself_of, roots_of

CHANGES: Final = {
    "append": "append",
    "add": "set_add",
    "discard": "discarded",
    "remove": "removed",
    "extend": "extended",
    "clear": "cleared",
    "pop": "dropped",
    "setdefault": "with_default",
    "insert": "inserted",
    "reverse": "turned",
    "sort": "sorted_list",
    "update": "updated",
}
"""By method, the operation that returns the container after it."""

ARGUMENTS: Final = {
    "clear": (0, 0),
    "reverse": (0, 0),
    "sort": (0, 0),
    "pop": (0, 2),
    "setdefault": (1, 2),
    "insert": (2, 2),
}
"""By method, the least and the greatest number of arguments, where it is not one."""


def changing(node: ast.Node | None) -> ast.Attribute | None:
    """What is called, if a node is the call of a method that changes a container in place."""
    function = node.function if isinstance(node, ast.Call) else None
    return function if isinstance(function, ast.Attribute) and function.name in CHANGES else None


def changed_within(routine: p.Routine) -> set[str]:
    """Of the names that `changed_in_place` gives, those in whose containers others are changed."""
    found: set[str] = set()
    for instruction in instructions(routine.body):
        for target in targets_of(instruction):
            found |= _around(target.value if isinstance(target, ast.Index | ast.Attribute) else target)
            if isinstance(instruction, p.Do) and isinstance(instruction.statement, ast.AugmentedAssign):
                found |= _around(target)
        for container in changed_containers(instruction):
            found |= _around(container)
        # What is taken out may be changed where it goes to.
        for container in taken_out(instruction):
            found |= roots_of(container)
    return found


def taken_out(instruction: p.Instruction) -> Iterator[ast.Expression]:
    """The containers of which an instruction takes out a member that is not dropped."""
    match instruction:
        case p.Do(statement=ast.ExpressionStatement(value=alone)) | p.CallOrDo(call=alone, targets=()):
            dropped: ast.Expression | None = alone
        case _:
            dropped = None
    for part in evaluated(instruction):
        for node in nodes_in(part):
            function = changing(node)
            if function is not None and function.name in ("pop", "setdefault") and node is not dropped:
                yield function.value


def _around(container: ast.Expression) -> set[str]:
    """The names of what a container is a part of."""
    return roots_of(container) - itself_of(container)


def changed_in_place(routine: p.Routine) -> set[str]:
    """The names whose containers a statement changes in place; see `roots_of`."""
    found: set[str] = set()
    for instruction in instructions(routine.body):
        match instruction:
            case p.Do(statement=ast.Assign() as statement):
                found |= set().union(*map(_changed_by_target, statement.targets))
            case p.Do(statement=ast.AugmentedAssign() as statement):
                found |= _changed_by_target(statement.target)
                if isinstance(statement.target, ast.Name) or plain_target(statement.target):
                    found |= roots_of(statement.target)
            case p.CallOrDo(targets=targets):
                found |= set().union(*map(_changed_by_target, targets))
            case p.Pick(target=target):
                found |= _changed_by_target(target)
        for container in changed_containers(instruction):
            found |= roots_of(container)
    return found


def _changed_by_target(target: ast.Expression) -> set[str]:
    if isinstance(target, ast.TupleExpression | ast.ListExpression):
        return set[str]().union(*map(_changed_by_target, target.items))
    if isinstance(target, ast.Index | ast.Attribute) and not plain_target(target):
        return roots_of(target)
    return set()


def evaluated(instruction: p.Instruction) -> list[ast.Node]:
    """The parts of the text that a move evaluates, without the blocks in it."""
    return [part for part in written(instruction) if not isinstance(part, ast.LoopVariables)]


def names_of(target: ast.Expression) -> list[ast.Expression]:
    if isinstance(target, ast.TupleExpression | ast.ListExpression):
        return [name for item in target.items for name in names_of(item)]
    return [target]


def plain_target(target: ast.Expression) -> bool:
    match target:
        case ast.Name() | ast.Attribute(value=ast.Name(id="self")):
            return True
        case ast.TupleExpression() | ast.ListExpression():
            return all(map(plain_target, target.items))
    return False


def fields_written(routine: p.Routine, is_own: bool) -> set[str]:
    """The fields that a routine writes, or changes in place, other than those of `self` if that is the rule's own."""
    found: set[str] = set()
    for instruction in instructions(routine.body):
        for path in _changed_paths(instruction):
            while isinstance(path, ast.Attribute | ast.Index):
                if isinstance(path, ast.Attribute) and not (is_own and is_self(path.value)):
                    found.add(path.name)
                path = path.value
    return found


def targets_of(instruction: p.Instruction) -> Iterator[ast.Expression]:
    """The names, fields and members that an instruction binds."""
    targets: Sequence[ast.Expression] = ()
    match instruction:
        case p.Do(statement=ast.Assign() as statement):
            targets = statement.targets
        case p.Do(statement=ast.AugmentedAssign() as statement):
            targets = (statement.target,)
        case p.CallOrDo() | p.Pick():
            targets = instruction.targets if isinstance(instruction, p.CallOrDo) else (instruction.target,)
    for target in targets:
        yield from names_of(target)


def is_bound_once(routine: p.Routine, local: str) -> bool:
    """Whether one statement alone gives a local its value, and it is no variable of a loop."""
    assigned, in_headers = names_bound(routine)
    return assigned.count(local) == 1 and local not in in_headers


def names_bound(routine: p.Routine) -> tuple[list[str], list[str]]:
    """The parameters and the names to which statements assign; the variables of loops and of choices with a block. As
    often as each is bound."""
    assigned, in_headers = [parameter.name for parameter in routine.parameters], list[str]()
    for instruction in instructions(routine.body):
        assigned += [one.id for one in targets_of(instruction) if isinstance(one, ast.Name)]
        if isinstance(instruction, p.PickBlock):
            in_headers += instruction.variables.names
        elif isinstance(instruction, p.Loop) and isinstance(instruction.body, p.ForLoop):
            in_headers += instruction.body.variables.names
    return assigned, in_headers


def _changed_paths(instruction: p.Instruction) -> Iterator[ast.Expression]:
    """The targets of an instruction, and what its methods change."""
    yield from targets_of(instruction)
    yield from changed_containers(instruction)


def changed_containers(instruction: p.Instruction) -> Iterator[ast.Expression]:
    """What the methods that an instruction calls change."""
    for part in evaluated(instruction):
        for function in filter(None, map(changing, nodes_in(part))):
            yield function.value


def size_of(routine: p.Routine) -> int:
    """At least what the interpreter charges for one pass over all statements and expressions."""
    parts = (part for one in instructions(routine.body) for part in (one.span, *evaluated(one)))
    return sum(1 for part in parts for _ in nodes_in(part)) + sum(2 for _ in instructions(routine.body))


def is_one_step(scope: p.Scope, enabled: bool = False) -> bool:
    """Whether a block is run without a yield before its end. `enabled`: something was done before it."""
    if _is_atomic(scope):
        return True
    if isinstance(scope, p.OneOfBlock):
        return all(_ends_step(one, enabled) for one in scope.instructions)
    if not isinstance(scope, p.Sequence):
        return False
    for one in scope.instructions[:-1]:
        if isinstance(one, p.Pick | p.Nothing):
            enabled = True
        elif enabled or not isinstance(one, p.Guard):
            return False
    return all(_ends_step(one, enabled) for one in scope.instructions[-1:])


def _is_atomic(scope: p.Scope) -> bool:
    """Whether a block and all blocks in it are atomic."""
    scopes = (part for one in instructions(scope) for part in (*suites(one), *inner(one)))
    return scope.flow == "atomic" and all(part.flow == "atomic" for part in scopes)


def _ends_step(instruction: p.Instruction, enabled: bool) -> bool:
    """Whether an instruction has no yield in its midst."""
    match instruction:
        case p.Do() | p.Nothing() | p.Leave() | p.Guard() | p.Pick():
            return True
        case p.CallOrDo():
            return instruction.routine is None
        case p.Branch():
            return all(is_one_step(suite, enabled) for suite in instruction.suites)
        case p.Enter(body=body):
            return is_one_step(body, enabled)
        case p.PickBlock(body=block):
            return is_one_step(block, enabled)
        case p.Loop(body=loop):
            return _is_atomic(loop)
        case p.LeaveLoop() | p.NextIteration():
            return False
        case _:
            assert_never(instruction)


def returns_last(scope: p.Scope) -> bool:
    """Whether nothing follows any `return` of a block."""
    if not isinstance(scope, p.Sequence):
        return not _returns(scope)
    for position, one in enumerate(scope.instructions, 1 - len(scope.instructions)):
        if isinstance(one, p.Branch) and not position:
            if not all(map(returns_last, one.suites)):
                return False
        elif isinstance(one, p.Enter) and not position:
            if not returns_last(one.body):
                return False
        elif not isinstance(one, p.Leave):
            if any(map(_returns, (*suites(one), *inner(one)))):
                return False
        elif position:
            return False
    return True


def returns_in_loop(scope: p.Scope) -> bool:
    """Whether a loop in a block has a `return`."""
    return any(isinstance(one, p.Loop) and _returns(one.body) for one in instructions(scope))


def _returns(scope: p.Scope) -> bool:
    return any(isinstance(one, p.Leave) for one in instructions(scope))
