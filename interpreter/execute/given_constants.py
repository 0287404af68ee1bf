"""Constants of an abstract model that take the values of the refining model's (language page, 10.9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from fizz import Span
from fizz.syntax import ast
from interpreter.compile.program import Program
from interpreter.values.freeze import freeze
from interpreter.values.intern import Interner, Tag
from interpreter.values.problem import ModelMistake

_ALONE: Final = frozenset({Tag.MODEL_VALUE, Tag.SYMMETRIC, Tag.ROLE, Tag.STUB, Tag.CHANNEL, Tag.SEGMENT, Tag.DOMAIN})
"""Values that belong to one model."""


def with_constants(program: Program, values: Mapping[str, object]) -> Program:
    """The program with the value of each constant of `values` that it binds by a statement of its own.

    Values that belong to one model alone are not given: symmetric values and their domains, channels, functions.
    """
    constants = tuple(_given(statement, values) for statement in program.constants)
    return replace(program, constants=constants)


def _given(statement: ast.Statement, values: Mapping[str, object]) -> ast.Statement:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return statement
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or target.id not in values:
        return statement
    interner = Interner()
    try:
        value = expression_of(interner, freeze(values[target.id], interner), statement.value.span)
    except ModelMistake:
        return statement
    return statement if value is None else replace(statement, value=value)


Instead = Callable[[int], ast.Expression | None]


def expression_of(
    interner: Interner, number: int, span: Span, instead: Instead = lambda number: None
) -> ast.Expression | None:
    """An expression that has a value; None if there is none in another model, unless there is something `instead`."""
    tag, payload = interner.tag(number), interner.payload(number)
    if tag in (Tag.NONE, Tag.BOOL, Tag.INT, Tag.FLOAT, Tag.STRING, Tag.BYTES):
        return ast.Literal(span, payload)
    if tag in _ALONE:
        return instead(number)
    inside = [expression_of(interner, child, span, instead) for child in interner.children(number)]
    items = tuple(item for item in inside if item is not None)
    if len(items) < len(inside):
        return None
    match tag:
        case Tag.TUPLE:
            return ast.TupleExpression(span, items)
        case Tag.LIST:
            return ast.ListExpression(span, items)
        case Tag.DICT:
            return ast.DictExpression(span, tuple(zip(items[::2], items[1::2], strict=True)))
        case Tag.SET | Tag.FROZENSET | Tag.GENERICSET | Tag.BAG:
            listed = ast.Argument(span, "positional", None, ast.ListExpression(span, items))
            return ast.Call(span, ast.Name(span, tag.name.lower()), (listed,))
        case Tag.STRUCT | Tag.RECORD:
            fields = zip(payload, items, strict=True)
            arguments = tuple(ast.Argument(span, "keyword", name, item) for (name, _), item in fields)
            return ast.Call(span, ast.Name(span, tag.name.lower()), arguments)
    return instead(number)
