"""The arguments of a call of a `def`, one for each of its parameters; `*rest` is a tuple, `**named` a dict."""

from __future__ import annotations

import ast as python
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from fizz.syntax import ast
from interpreter.direct.forms import Forms, Unsupported, call, constant
from interpreter.values.intern import Tag

if TYPE_CHECKING:
    from interpreter.direct.name_lookup import Names


class _Bound(NamedTuple):
    """Arguments by parameter, and those that no parameter is named for: by position, and by name."""

    given: dict[str, python.expr]
    rest: list[python.expr]
    named: dict[str, python.expr]


def without_states(
    node: ast.Call, parameters: Sequence[ast.Parameter], names: Names
) -> tuple[ast.Call, dict[str, str]]:
    """A call with `None` instead of the states before and after a step, and which parameters are given which."""
    titles = [one.name for one in parameters if one.kind == "plain"]
    sides: dict[str, str] = {}
    arguments: list[ast.Argument] = []
    for position, argument in enumerate(node.arguments):
        side = names.side(argument.value)
        if side is not None:
            title = argument.name if argument.kind == "keyword" else "".join(titles[position : position + 1])
            if title not in titles or title in sides:
                return node, {}
            sides[title] = side
            argument = replace(argument, value=ast.Literal(argument.value.span, None))
        arguments.append(argument)
    return replace(node, arguments=tuple(arguments)), sides


def arguments_of(
    node: ast.Call, parameters: Sequence[ast.Parameter], expressions: Forms, but: Container[str] = ()
) -> list[python.expr]:
    """The code of the arguments, but those of some parameters. Raises `Unsupported` where the call is a mistake."""
    bound = _bind(node, [one.name for one in parameters if one.kind == "plain"], expressions)
    kinds = {one.kind for one in parameters}
    if (bound.rest and "star" not in kinds) or (bound.named and "double star" not in kinds):
        raise Unsupported("arguments")
    return [_argument(one, bound, expressions) for one in parameters if one.name not in but]


def _bind(node: ast.Call, titles: Sequence[str], expressions: Forms) -> _Bound:
    """`titles`: the names of the parameters without a star."""
    bound = _Bound({}, [], {})
    for position, argument in enumerate(node.arguments):
        if argument.kind not in ("positional", "keyword"):
            raise Unsupported("arguments")
        title, value = argument.name, expressions.value(argument.value)
        if argument.kind == "positional":
            title = titles[position] if position < len(titles) else None
        if title is None:
            bound.rest.append(value)
            continue
        if title in bound.given or title in bound.named:
            raise Unsupported("arguments")
        (bound.given if title in titles else bound.named)[title] = value
    return bound


def _argument(parameter: ast.Parameter, bound: _Bound, expressions: Forms) -> python.expr:
    if parameter.kind == "star":
        return call("tuple_of", *bound.rest)
    if parameter.kind == "double star":
        return _dict(bound.named, expressions)
    if parameter.name in bound.given:
        return bound.given[parameter.name]
    if parameter.default is None or not _is_scalars(parameter.default):
        raise Unsupported("arguments")
    return expressions.value(parameter.default)


def _dict(named: dict[str, python.expr], expressions: Forms) -> python.expr:
    """Arguments by name, as a dict: in the order of values it is looked up, else it is noted that it is in another."""
    titles = tuple(named)
    # Values are in the order of their encoding, which is that of texts if all characters are ASCII.
    if titles == tuple(sorted(titles)) and all(map(str.isascii, titles)):
        return call(expressions.names.keep(("fields", Tag.DICT, titles)), *named.values())
    pairs: list[python.expr] = [python.Tuple([constant(one), code], python.Load()) for one, code in named.items()]
    return call("dict_of", python.Tuple(pairs, python.Load()))


def _is_scalars(node: ast.Expression) -> bool:
    """Whether an expression is a literal, or a tuple of some: the same value wherever it is evaluated."""
    if isinstance(node, ast.TupleExpression):
        return all(map(_is_scalars, node.items))
    return isinstance(node, ast.Literal)
