"""Members that a statement takes out of a container inside one of its expressions: `done.append(queue.pop(0))`.

They can be taken out before the statement, if nothing that it evaluates before them depends on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeGuard

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in, parts
from interpreter.compile import program as p
from interpreter.direct.rule_text import changing

Place = tuple[ast.Call, list[ast.Expression]]
"""A call of `pop`, and what a statement evaluates before it."""
Evaluated = tuple[ast.Expression, list[ast.Expression], ast.Expression | None]
"""An expression, what an instruction evaluates before it, and the container of which it calls a method, if it does."""
_WHOLLY: Final = (
    ast.Attribute,
    ast.Binary,
    ast.Call,
    ast.DictExpression,
    ast.Index,
    ast.ListExpression,
    ast.TupleExpression,
    ast.Unary,
)
"""The expressions of which all parts are evaluated, in order, in any case."""


def taken_inside(instruction: p.Instruction) -> list[ast.Call]:
    """The calls of `pop` inside the expressions of an instruction, in order; none if any of them cannot be made before
    the instruction. One that is all of a statement, or the value that it assigns, is none.
    """
    found: list[ast.Call] = []
    for value, before, receiver in _evaluated_first(instruction):
        places = _places(value, before)
        if places is None:
            return []
        for call, earlier in places:
            path = _path(call)
            if path is None or not _may_follow(path, receiver) or any(_depends(one, path) for one in earlier):
                return []
            found.append(call)
    return found


def _evaluated_first(instruction: p.Instruction) -> Iterator[Evaluated]:
    """The expressions that an instruction evaluates once, in any case."""
    match instruction:
        case p.Do(statement=ast.Assign(value=value) | ast.ExpressionStatement(value=value)):
            if isinstance(value, ast.Call) and changing(value):
                yield from _arguments_of(value)
            else:
                yield value, [], None
        case p.Do(statement=ast.AugmentedAssign(target=target, value=value)):
            yield value, [target], None
        case p.CallOrDo(call=call):
            yield from _arguments_of(call)
        case p.Leave(value=value) if value is not None:
            yield value, [], None
        case p.Guard(condition=condition):
            yield condition, [], None


def _arguments_of(call: ast.Call) -> Iterator[Evaluated]:
    receiver = call.function.value if isinstance(call.function, ast.Attribute) else None
    values = [argument.value for argument in call.arguments]
    for index, value in enumerate(values):
        yield value, values[:index], receiver


def _is_pop(node: ast.Node) -> TypeGuard[ast.Call]:
    function = changing(node)
    return function is not None and function.name == "pop"


def _pops(node: ast.Node) -> list[ast.Call]:
    return list(filter(_is_pop, nodes_in(node)))


def _places(node: ast.Expression, before: list[ast.Expression]) -> list[Place] | None:
    """The calls of `pop` in an expression, each with what is evaluated before it; None if one is perhaps never made."""
    if not _pops(node):
        return []
    if _is_pop(node):
        return None if any(_pops(one.value) for one in node.arguments) else [(node, before)]
    if not isinstance(node, _WHOLLY):
        return None
    found: list[Place] = []
    earlier = list(before)
    for part in parts(node):
        places = _places(part, earlier)
        if places is None:
            return None
        found += places
        earlier = [*earlier, part]
    return found


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
