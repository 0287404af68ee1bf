"""Walking over the tree: all its nodes, the expressions of a statement, the parts of an expression."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, assert_never

from fizz.base.errors import Span
from fizz.syntax import ast

_FIELDS: Final = {
    kind: tuple(name for name in reversed(kind.__match_args__) if name != "span")
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.Node)
}
"""The fields of each class of nodes in reverse order, without its span."""
_LEAVES: Final = (str, int, float, bool, bytes, type(None))


def parts(node: ast.Expression) -> tuple[ast.Expression, ...]:
    """The expressions directly inside an expression, from left to right."""
    match node:
        case ast.Name() | ast.Literal():
            return ()
        case ast.Attribute(value=value) | ast.Starred(value=value):
            return (value,)
        case ast.Call(function=function, arguments=arguments):
            return (function, *(argument.value for argument in arguments))
        case ast.Binary(left=left, right=right) | ast.Logical(left=left, right=right):
            return (left, right)
        case ast.Unary(operand=operand):
            return (operand,)
        case ast.Index(value=value, index=index):
            return (value, index)
        case ast.TupleExpression(items=items) | ast.ListExpression(items=items):
            return items
        case ast.DictExpression(pairs=pairs):
            return tuple(expression for pair in pairs for expression in pair)
        case ast.Conditional():
            return (node.condition, node.body, node.orelse)
        case ast.Slice():
            return tuple(e for e in (node.value, node.start, node.stop, node.step) if e is not None)
        case ast.FString():
            return tuple(part.value for part in node.parts if isinstance(part, ast.FormatField))
        case ast.Lambda():
            return (*(p.default for p in node.parameters if p.default is not None), node.body)
        case ast.Comprehension():
            return _comprehension_parts(node)
        case _:
            assert_never(node)


def _comprehension_parts(node: ast.Comprehension) -> tuple[ast.Expression, ...]:
    clauses = [c.iterable if isinstance(c, ast.ComprehensionFor) else c.condition for c in node.clauses]
    return (*clauses, *((node.key,) if node.key is not None else ()), node.element)


def is_name(node: ast.Node, name: str) -> bool:
    """Whether a node is this name."""
    return isinstance(node, ast.Name) and node.id == name


def is_self(node: ast.Expression) -> bool:
    """Whether the expression is the plain name `self`."""
    return is_name(node, "self")


def is_path(node: ast.Expression) -> bool:
    """Whether an expression is a name, an attribute of one, or a member at a place that is one or a literal.

    To evaluate it twice has no effect.
    """
    while isinstance(node, ast.Attribute | ast.Index):
        if isinstance(node, ast.Index) and not _is_place(node.index):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _is_place(node: ast.Expression) -> bool:
    """Whether it is a literal, also a negative one, or a path."""
    return isinstance(node.operand if isinstance(node, ast.Unary) else node, ast.Literal) or is_path(node)


def subexpressions(node: ast.Expression) -> Iterator[ast.Expression]:
    """The expression and everything inside it."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(parts(current)))


def own_expressions(statement: ast.Statement) -> tuple[ast.Expression, ...]:
    """The expressions of a statement outside its blocks, targets included."""
    match statement:
        case ast.Assign():
            return (*statement.targets, statement.value)
        case ast.AugmentedAssign():
            return (statement.target, statement.value)
        case ast.ExpressionStatement():
            return (statement.value,)
        case ast.Require():
            return (statement.condition,)
        case ast.Return():
            return (statement.value,) if statement.value is not None else ()
        case ast.Choose():
            condition = (statement.condition,) if statement.condition is not None else ()
            return (statement.target, statement.iterable, *condition)
        case ast.If():
            return tuple(condition for condition, _ in statement.branches)
        case ast.While():
            return (statement.condition,)
        case ast.For() | ast.ChooseBlock():
            return (statement.iterable,)
        case ast.Pass() | ast.Break() | ast.Continue() | ast.FlowBlock() | ast.Helper():
            return ()
        case _:
            assert_never(statement)


def targets_of(statement: ast.Statement) -> tuple[ast.Target, ...]:
    """What a statement assigns or chooses, and so may bind; not the names that loops and `def`s define."""
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.Choose(target=target):
            return (target,)
        # `x += 1` changes what is bound already.
        case ast.AugmentedAssign() | ast.ExpressionStatement() | ast.Require() | ast.Return() | ast.Helper():
            return ()
        case ast.Pass() | ast.Break() | ast.Continue():
            return ()
        case ast.If() | ast.While() | ast.For() | ast.ChooseBlock() | ast.FlowBlock():
            return ()
        case _:
            assert_never(statement)


def names_of(target: ast.Expression) -> Iterator[ast.Name]:
    """The plain names in a target."""
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, ast.TupleExpression | ast.ListExpression):
        for item in target.items:
            yield from names_of(item)


def header_names_of(statement: ast.Statement) -> tuple[str, ...]:
    """The names that the header of a loop or choice binds for its block."""
    if isinstance(statement, ast.SimpleStatement | ast.Helper):
        return ()
    match statement:
        case ast.For(variables=variables) | ast.ChooseBlock(variables=variables):
            return variables.names
        case ast.If() | ast.While() | ast.FlowBlock():
            return ()
        case _:
            assert_never(statement)


def blocks_of(statement: ast.Statement) -> tuple[ast.Block, ...]:
    """The blocks directly inside a statement, except that of a nested `def`."""
    if isinstance(statement, ast.SimpleStatement | ast.Helper):
        return ()
    match statement:
        case ast.If(branches=branches, orelse=orelse):
            return tuple(block for _, block in branches) + ((orelse,) if orelse is not None else ())
        case ast.FlowBlock(body=body) | ast.While(body=body) | ast.For(body=body) | ast.ChooseBlock(body=body):
            return (body,)
        case _:
            assert_never(statement)


def all_statements(block: ast.Block) -> Iterator[ast.Statement]:
    """The statements of a block and of all blocks in it, in order."""
    for statement in block.statements:
        yield statement
        for inner in blocks_of(statement):
            yield from all_statements(inner)


def bound_names(block: ast.Block) -> frozenset[str]:
    """All names that the statements of a block bind, nested blocks included but not nested `def`s or comprehensions."""
    names: set[str] = set()
    for statement in all_statements(block):
        names.update(header_names_of(statement))
        targets = (statement.target,) if isinstance(statement, ast.AugmentedAssign) else targets_of(statement)
        names.update(name.id for target in targets for name in names_of(target))
        if isinstance(statement, ast.Helper):
            names.add(statement.name)
    return frozenset(names)


def bodies(items: tuple[ast.Item, ...]) -> Iterator[ast.Block]:
    """The bodies of all definitions, `def`s included."""
    for item in items:
        match item:
            case ast.Action(body=body) | ast.Function(body=body) | ast.Assertion(body=body):
                yield body
            case ast.TopHelper(helper=helper):
                yield from helper_bodies(helper)
            case ast.Role(actions=actions, functions=functions, assertions=assertions, helpers=helpers):
                yield from (action.body for action in actions)
                yield from (function.body for function in functions)
                yield from (assertion.body for assertion in assertions)
                for helper in helpers:
                    yield from helper_bodies(helper)
            case ast.ConstantStatement() | ast.Include() | ast.RefinesLine() | ast.Entries():
                pass
            case _:
                assert_never(item)


def helper_bodies(helper: ast.Helper) -> Iterator[ast.Block]:
    """The body of a `def` and of the `def`s nested in it."""
    yield helper.body
    for statement in all_statements(helper.body):
        if isinstance(statement, ast.Helper):
            yield from helper_bodies(statement)


def all_expressions(items: tuple[ast.Item, ...]) -> Iterator[ast.Expression]:
    """Every expression of a model, default values and decorators included."""
    for item in items:
        if isinstance(item, ast.ConstantStatement):
            for expression in own_expressions(item.statement):
                yield from subexpressions(expression)
        for parameter in _parameters(item):
            if parameter.default is not None:
                yield from subexpressions(parameter.default)
    for body in bodies(items):
        for statement in all_statements(body):
            for expression in own_expressions(statement):
                yield from subexpressions(expression)
            if isinstance(statement, ast.Helper):
                for parameter in statement.parameters:
                    if parameter.default is not None:
                        yield from subexpressions(parameter.default)


def _parameters(item: ast.Item) -> Iterator[ast.Parameter]:
    match item:
        case ast.Function(parameters=parameters):
            yield from parameters
        case ast.TopHelper(helper=helper):
            yield from helper.parameters
        case ast.Role(functions=functions, helpers=helpers):
            for function in functions:
                yield from function.parameters
            for helper in helpers:
                yield from helper.parameters
        case ast.Action() | ast.Assertion() | ast.ConstantStatement():
            pass
        case ast.Include() | ast.RefinesLine() | ast.Entries():
            pass
        case _:
            assert_never(item)


def nodes_in(node: object) -> Iterator[ast.Node]:
    """All nodes of a tree, the given one first; `node` may be a tuple of trees."""
    waiting: list[object] = [node]
    while waiting:
        part = waiting.pop()
        if type(part) is tuple:
            waiting += part[::-1]
        elif isinstance(part, ast.Node):
            yield part
            waiting += [inner for name in _FIELDS[type(part)] if type(inner := getattr(part, name)) not in _LEAVES]


def with_nodes(part: Any, new: Callable[[ast.Node], ast.Node | None]) -> Any:
    """A tree, or a tuple of trees, with other nodes for those that `new` replaces; itself if it replaces none.

    Nothing inside a node that is replaced is asked about.
    """
    if isinstance(part, tuple) and not isinstance(part, Span):
        found = tuple(with_nodes(inner, new) for inner in part)
        return found if any(one is not old for one, old in zip(found, part, strict=True)) else part
    if not isinstance(part, ast.Node):
        return part
    instead = new(part)
    if instead is not None:
        return instead
    values = {name: getattr(part, name) for name in type(part).__match_args__ if name != "span"}
    changed = {name: one for name, old in values.items() if (one := with_nodes(old, new)) is not old}
    return replace(part, **changed) if changed else part
