"""Printing: a tree as source text that parses to an equal tree, or as an outline with the position of each node."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import assert_never

from fizz.syntax import ast
from fizz.syntax.module import Module
from fizz.syntax.print_expressions import (
    print_arguments,
    print_expression,
    print_operand,
    print_parameters,
    print_string,
    print_variables,
)

_INDENT = "    "
_HIDDEN = {"span", "name_span"}


def print_module(module: Module | Sequence[ast.Item]) -> str:
    """Source text of a model; includes are kept, comments and layout are not."""
    items = module.items if isinstance(module, Module) else module
    blocks: list[str] = []
    previous: ast.Item | None = None
    for item in items:
        one_liners = isinstance(item, ast.ConstantStatement) and isinstance(previous, ast.ConstantStatement)
        if previous is not None and not one_liners:
            blocks.append("")
        blocks.extend(_item(item))
        previous = item
    return "\n".join(blocks) + "\n"


def _item(item: ast.Item) -> Iterator[str]:
    match item:
        case ast.Action():
            yield from _definition(item, "action", item.flow, item.fairness, item.name)
        case ast.Function():
            head = f"{item.name}({print_parameters(item.parameters)})"
            yield from _definition(item, "func", item.flow, None, head)
        case ast.Assertion():
            parameters = f"({', '.join(item.parameters)})" if item.parameters else ""
            yield f"{item.kind} assertion {item.name}{parameters}:"
            yield from _block(item.body)
        case ast.Role():
            yield from _role(item)
        case ast.TopHelper(helper=helper):
            yield from _statement(helper)
        case ast.ConstantStatement(statement=statement):
            yield from _statement(statement)
        case ast.Include(path=path):
            yield f"include {print_string(path)}"
        case ast.RefinesLine(path=path, view=view):
            yield f"refines {print_string(path)} with {view}"
        case ast.Entries(word=word, models=models):
            yield f"{word}:"
            for one in models:
                value = one.function if one.name == ast.THIS_MODEL else f"{one.name}.{one.function}"
                yield f"{_INDENT}{one.name}: {value}"
        case _:
            assert_never(item)


def _definition(
    item: ast.Action | ast.Function, keyword: str, flow: ast.Flow | None, fairness: ast.Fairness | None, head: str
) -> Iterator[str]:
    only = item.body.statements[0]
    # A body that is one bare flow block would be taken for the flow of the header: it is printed inside another one.
    wrapped = len(item.body.statements) == 1 and isinstance(only, ast.FlowBlock) and only.label is None
    modifiers = [flow] if flow is not None and not wrapped else []
    yield " ".join([*modifiers, *_fairness(fairness), keyword, head]) + ":"
    if wrapped:
        yield f"{_INDENT}{flow or 'serial'}:"
        yield from _indented(_block(item.body))
    else:
        yield from _block(item.body)


def _fairness(fairness: ast.Fairness | None) -> list[str]:
    return {None: [], "weak": ["fair"], "strong": ["fair<strong>"]}[fairness]


def _role(role: ast.Role) -> Iterator[str]:
    for decorator in role.decorators:
        yield f"@{decorator.name}({print_arguments(decorator.arguments)})"
    yield f"{'symmetric ' if role.symmetric else ''}role {role.name}:"
    for text in role.documentation:
        yield _INDENT + print_string(text)
    for constant in role.constants:
        yield from _indented(_statement(constant.statement))
    empty = not role.constants
    helpers = [ast.TopHelper(helper.span, helper) for helper in role.helpers]
    parts: list[ast.Item] = [*role.actions, *role.functions, *role.assertions, *helpers]
    for part in parts:
        if not empty:
            yield ""
        empty = False
        yield from _indented(_item(part))
    if empty:
        yield _INDENT + "pass"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (_INDENT + line if line else line for line in lines)


def _block(block: ast.Block) -> Iterator[str]:
    for statement in block.statements:
        yield from _indented(_statement(statement))


def _statement(statement: ast.Statement) -> Iterator[str]:
    label = f"`{statement.label}` " if statement.label is not None else ""
    if isinstance(statement, ast.SimpleStatement):
        yield label + _simple(statement)
        return
    lines = _compound(statement)
    yield label + next(lines)
    yield from lines


def _simple(statement: ast.SimpleStatement) -> str:
    match statement:
        case ast.Assign(targets=targets, value=value):
            return " = ".join(print_expression(part) for part in (*targets, value))
        case ast.AugmentedAssign(target=target, operator=operator, value=value):
            return f"{print_expression(target)} {operator}= {print_expression(value)}"
        case ast.ExpressionStatement(value=value):
            return print_expression(value)
        case ast.Require(condition=condition):
            return f"require {print_expression(condition)}"
        case ast.Return(value=result):
            return f"return {print_expression(result)}" if result is not None else "return"
        case ast.Choose(target=target, fairness=fairness, iterable=iterable, condition=condition):
            words = " ".join([*_fairness(fairness), "oneof"])
            text = f"{print_expression(target)} = {words} {print_operand(iterable)}"
            return text + (f" if {print_expression(condition)}" if condition is not None else "")
        case ast.Pass():
            return "pass"
        case ast.Break():
            return "break"
        case ast.Continue():
            return "continue"
        case _:
            assert_never(statement)


def _compound(statement: ast.CompoundStatement | ast.Helper) -> Iterator[str]:
    """The lines of a statement with blocks."""
    match statement:
        case ast.If(branches=branches, orelse=orelse):
            keyword = "if"
            for condition, block in branches:
                yield f"{keyword} {print_expression(condition)}:"
                yield from _block(block)
                keyword = "elif"
            if orelse is not None:
                yield "else:"
                yield from _block(orelse)
        case ast.While(flow=flow, condition=condition, body=body):
            yield f"{flow + ' ' if flow else ''}while {print_expression(condition)}:"
            yield from _block(body)
        case ast.For(flow=flow, variables=variables, iterable=iterable, body=body):
            head = f"for {print_variables(variables)} in {print_expression(iterable)}:"
            yield f"{flow + ' ' if flow else ''}{head}"
            yield from _block(body)
        case ast.ChooseBlock(fairness=fairness, variables=variables, iterable=iterable, body=body):
            words = " ".join([*_fairness(fairness), "oneof"])
            yield f"{words} {print_variables(variables)} in {print_expression(iterable)}:"
            yield from _block(body)
        case ast.FlowBlock(flow=flow, body=body):
            yield f"{flow}:"
            yield from _block(body)
        case ast.Helper(name=name, parameters=parameters, body=body):
            yield f"def {name}({print_parameters(parameters)}):"
            yield from _block(body)
        case _:
            assert_never(statement)


def print_tree(items: Sequence[ast.Item]) -> str:
    """An outline of the tree: one line per node with its kind, position (line:column) and plain values."""
    return "\n".join(line for item in items for line in _outline(item, "")) + "\n"


def _outline(node: ast.Node, name: str) -> Iterator[str]:
    values: list[str] = []
    below: list[tuple[str, ast.Node]] = []
    for field in dataclasses.fields(node):
        value = getattr(node, field.name)
        is_absent = value is None or value == () or value is False
        if field.name in _HIDDEN or (is_absent and not isinstance(node, ast.Literal)):
            continue
        nodes = list(_nodes_in(value))
        if nodes:
            below.extend((field.name, inner) for inner in nodes)
        else:
            values.append(f"{field.name}={value!r}")
    head = f"{name + ': ' if name else ''}{type(node).__name__} {node.span.line}:{node.span.column}"
    yield " ".join([head, *values])
    for inner_name, inner in below:
        yield from ("  " + line for line in _outline(inner, inner_name))


def _nodes_in(value: object) -> Iterator[ast.Node]:
    """The nodes in a field: itself, or in tuples of any depth."""
    if isinstance(value, ast.Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes_in(part)
