"""Members that a statement takes out of a container inside one of its expressions: `done.append(queue.pop(0))`.

They can be taken out before the statement, if nothing that it evaluates before them depends on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.direct.rule_text import CHANGES

Place = tuple[ast.Call, list[ast.Expression]]
"""A call of `pop`, and what a statement evaluates before it."""


def taken_inside(instruction: p.Instruction) -> list[tuple[ast.Call, ast.Attribute]]:
    """The calls of `pop` inside the expressions of an instruction, in order, with what is called; none if any of them
    cannot be made before the instruction. One that is all of a statement, or the value that it assigns, is none.
    """
    found: list[Place] = []
    for value, before, receiver in _evaluated_first(instruction):
        places = _places(value, before)
        if places is None:
            return []
        for call, earlier in places:
            path = _path(call)
            if path is None or not _may_follow(path, receiver) or any(_depends(one, path) for one in earlier):
                return []
        found += places
    return [(call, call.function) for call, _ in found if isinstance(call.function, ast.Attribute)]


def _evaluated_first(
    instruction: p.Instruction,
) -> Iterator[tuple[ast.Expression, list[ast.Expression], ast.Expression | None]]:
    """The expressions that an instruction evaluates once, in any case: what it evaluates before, and the container of
    which a method is called."""
    match instruction:
        case p.Do(statement=ast.Assign(value=value) | ast.ExpressionStatement(value=value)) if _changes(value) is None:
            yield value, [], None
        case p.Do(statement=ast.Assign(value=value) | ast.ExpressionStatement(value=value)):
            yield from _arguments_of(value)
        case p.Do(statement=ast.AugmentedAssign(target=target, value=value)):
            yield value, [target], None
        case p.CallOrDo(call=call):
            yield from _arguments_of(call)
        case p.Leave(value=value) if value is not None:
            yield value, [], None
        case p.Guard(condition=condition):
            yield condition, [], None


def _arguments_of(
    call: ast.Expression,
) -> Iterator[tuple[ast.Expression, list[ast.Expression], ast.Expression | None]]:
    assert isinstance(call, ast.Call)
    receiver = call.function.value if isinstance(call.function, ast.Attribute) else None
    before: list[ast.Expression] = []
    for argument in call.arguments:
        yield argument.value, list(before), receiver
        before.append(argument.value)


def _changes(node: ast.Expression) -> str | None:
    """The method with which a whole statement changes a container, if it does."""
    function = node.function if isinstance(node, ast.Call) else None
    return function.name if isinstance(function, ast.Attribute) and function.name in CHANGES else None


def _pops(node: ast.Node) -> list[ast.Call]:
    return [one for one in nodes_in(node) if isinstance(one, ast.Call) and _changes(one) == "pop"]


def _places(node: ast.Expression, before: list[ast.Expression]) -> list[Place] | None:
    """The calls of `pop` in an expression, each with what is evaluated before it; None if one is perhaps never made."""
    if not _pops(node):
        return []
    if isinstance(node, ast.Call) and _changes(node) == "pop":
        return None if any(_pops(one.value) for one in node.arguments) else [(node, before)]
    parts = _in_order(node)
    if parts is None:
        return None
    found: list[Place] = []
    earlier = list(before)
    for part in parts:
        places = _places(part, earlier)
        if places is None:
            return None
        found += places
        earlier = [*earlier, part]
    return found


def _in_order(node: ast.Expression) -> list[ast.Expression] | None:
    """The parts of an expression in the order in which they are evaluated, all of them in any case; None: not so."""
    match node:
        case ast.Binary(left=left, right=right):
            return [left, right]
        case ast.Unary(operand=operand):
            return [operand]
        case ast.TupleExpression(items=items) | ast.ListExpression(items=items):
            return list(items)
        case ast.DictExpression(pairs=pairs):
            return [part for pair in pairs for part in pair]
        case ast.Attribute(value=value):
            return [value]
        case ast.Index(value=value, index=index):
            return [value, index]
        case ast.Call(function=ast.Name(), arguments=arguments):
            return [one.value for one in arguments]
        case ast.Call(function=ast.Attribute(value=value), arguments=arguments):
            return [value, *[one.value for one in arguments]]
    return None


def _path(call: ast.Call) -> ast.Expression | None:
    """The container of which `pop` is called, if it is a path of names, fields and members."""
    assert isinstance(call.function, ast.Attribute)
    path = call.function.value
    return path if _steps(path, lambda node: isinstance(node, ast.Name)) is not None else None


def _steps(path: ast.Expression, ends: Callable[[ast.Expression], bool]) -> int | None:
    """How many steps lead from a part of a path for which `ends` holds to its end; None if there is no such part."""
    count = 0
    while not ends(path):
        if not isinstance(path, ast.Attribute | ast.Index):
            return None
        path = path.value
        count += 1
    return count


def _root(path: ast.Expression) -> Callable[[ast.Expression], bool]:
    """Whether an expression names the last field of a path, of whichever instance; or its variable, if it has none."""
    here: ast.Expression = path
    while isinstance(here, ast.Index):
        here = here.value
    if isinstance(here, ast.Attribute):
        return lambda node: isinstance(node, ast.Attribute) and node.name == here.name
    return lambda node: isinstance(node, ast.Name) and isinstance(here, ast.Name) and node.id == here.id


def _may_follow(path: ast.Expression, receiver: ast.Expression | None) -> bool:
    """Whether the container of which a method is called is the same after a member was taken out of that at a path.

    It is another one, perhaps, if it is inside of that.
    """
    if receiver is None:
        return True
    root = _root(path)
    beyond, own = _steps(receiver, root), _steps(path, root)
    assert own is not None
    if beyond is not None and beyond > own:
        return False
    here = receiver
    while isinstance(here, ast.Attribute | ast.Index):
        if isinstance(here, ast.Index) and _depends(here.index, path):
            return False
        here = here.value
    return isinstance(here, ast.Name)


def _depends(node: ast.Expression, path: ast.Expression) -> bool:
    """Whether a value may be another one after a member was taken out of the container at a path.

    What was itself taken out before is not.
    """
    root = _root(path)
    inside = {id(part) for call in _pops(node) for part in nodes_in(call)}
    rest = [one for one in nodes_in(node) if id(one) not in inside]
    return any(isinstance(one, ast.Call) or (isinstance(one, ast.Expression) and root(one)) for one in rest)
