"""The arguments of a call of a `def`, one for each of its parameters; `*rest` is a tuple, `**named` a dict."""

from __future__ import annotations

import ast as python
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fizz.syntax import ast
from interpreter.direct.forms import Unsupported, call, constant

Value = Callable[[ast.Expression], python.expr]


class _Bound(NamedTuple):
    """Arguments by parameter, and those that no parameter is named for: by position, and by name."""

    given: dict[str, python.expr]
    rest: list[python.expr]
    named: dict[str, python.expr]


def arguments_of(node: ast.Call, parameters: Sequence[ast.Parameter], value: Value) -> list[python.expr]:
    """The code of the arguments; `value`: that of an expression. Raises `Unsupported` where the call is a mistake."""
    bound = _bind(node, [one.name for one in parameters if one.kind == "plain"], value)
    kinds = {one.kind for one in parameters}
    if (bound.rest and "star" not in kinds) or (bound.named and "double star" not in kinds):
        raise Unsupported("arguments")
    return [_argument(parameter, bound, value) for parameter in parameters]


def _bind(node: ast.Call, titles: Sequence[str], value: Value) -> _Bound:
    """`titles`: the names of the parameters without a star."""
    bound = _Bound({}, [], {})
    for position, argument in enumerate(node.arguments):
        if argument.kind not in ("positional", "keyword"):
            raise Unsupported("arguments")
        title = argument.name
        if argument.kind == "positional":
            title = titles[position] if position < len(titles) else None
        if title is None:
            bound.rest.append(value(argument.value))
            continue
        if title in bound.given or title in bound.named:
            raise Unsupported("arguments")
        (bound.given if title in titles else bound.named)[title] = value(argument.value)
    return bound


def _argument(parameter: ast.Parameter, bound: _Bound, value: Value) -> python.expr:
    if parameter.kind == "star":
        return call("tuple_of", *bound.rest)
    if parameter.kind == "double star":
        pairs: list[python.expr] = [
            python.Tuple([constant(title), code], python.Load()) for title, code in bound.named.items()
        ]
        return call("dict_of", python.Tuple(pairs, python.Load()))
    if parameter.name in bound.given:
        return bound.given[parameter.name]
    if parameter.default is None or not _is_scalars(parameter.default):
        raise Unsupported("arguments")
    return value(parameter.default)


def _is_scalars(node: ast.Expression) -> bool:
    """Whether an expression is a literal, or a tuple of some: the same value wherever it is evaluated."""
    if isinstance(node, ast.TupleExpression):
        return all(map(_is_scalars, node.items))
    return isinstance(node, ast.Literal)
