"""Expressions to evaluators: each node becomes a closure over the closures of its parts.

No text of a model ever reaches Python's own evaluator, and attributes go through the language's tables alone, so a
model can do nothing that is not written here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeGuard

from fizz import Span
from fizz.syntax import ast
from interpreter.execute.comprehensions import (
    calls_only_builtins,
    compile_comprehension,
    compile_lambda,
    folded_call,
    short_circuit,
)
from interpreter.execute.costs import cost
from interpreter.execute.environment import Environment, Evaluator, located
from interpreter.execute.names import NameScope
from interpreter.library import format_value, operations
from interpreter.state.domains import Domain, Segment
from interpreter.state.state import MISSING
from interpreter.values import DictValue, FunctionValue, Instance, ListValue, truth, type_name
from interpreter.values.basis import sought_key
from interpreter.values.budget import METER, check_size
from interpreter.values.problem import ModelMistake, with_article

_SHORT: Final = 64
"""Shorter texts are not charged."""


def compile_expression(node: ast.Expression, scope: NameScope) -> Evaluator:
    """The evaluator of an expression; it raises mistakes as `ModelError` with a span."""
    evaluator = _COMPILERS[type(node)](node, scope)
    return evaluator if scope.known.watch is None else scope.known.watch(node, evaluator)


def _literal(node: ast.Literal, scope: NameScope) -> Evaluator:
    value = node.value
    return lambda env: value


def _name(node: ast.Name, scope: NameScope) -> Evaluator:
    return scope.reader(node.id, node.span)


def _fstring(node: ast.FString, scope: NameScope) -> Evaluator:
    parts: list[str | tuple[Evaluator, ast.FormatField]] = [
        part if isinstance(part, str) else (compile_expression(part.value, scope), part) for part in node.parts
    ]

    def evaluate(env: Environment) -> Any:
        texts = []
        for part in parts:
            if isinstance(part, str):
                texts.append(part)
                continue
            evaluator, field = part
            value = evaluator(env)
            try:
                texts.append(format_value(value, field.conversion, field.spec or ""))
            except ModelMistake as problem:
                raise located(problem, field.span) from None
        size = sum(map(len, texts))
        if size > _SHORT:
            try:
                check_size(size, "the text")
                METER.make(size >> 4)
            except ModelMistake as problem:
                raise located(problem, node.span) from None
        return "".join(texts)

    return evaluate


def _items(node: ast.TupleExpression | ast.ListExpression, scope: NameScope) -> Evaluator:
    made: Callable[[list[Any]], Any] = tuple if isinstance(node, ast.TupleExpression) else ListValue
    if any(isinstance(item, ast.Starred) for item in node.items):
        return _unpacked_items(node, made, scope)
    items = [compile_expression(item, scope) for item in node.items]
    count = len(items)

    def evaluate(env: Environment) -> Any:
        METER.made += count
        return made([item(env) for item in items])

    return evaluate


def _starred(node: ast.Starred, scope: NameScope) -> Evaluator:
    """The elements of what is unpacked, as a list of Python."""
    value, span = compile_expression(node.value, scope), node.span

    def evaluate(env: Environment) -> Any:
        unpacked = value(env)
        try:
            return operations.iterate(unpacked)
        except ModelMistake as problem:
            raise located(problem, span) from None

    return evaluate


def _unpacked_items(
    node: ast.TupleExpression | ast.ListExpression, made: Callable[[list[Any]], Any], scope: NameScope
) -> Evaluator:
    """`[*a, b]`."""
    parts = [(isinstance(item, ast.Starred), compile_expression(item, scope)) for item in node.items]

    def evaluate(env: Environment) -> Any:
        items: list[Any] = []
        for unpacks, evaluator in parts:
            if unpacks:
                items += evaluator(env)
            else:
                items.append(evaluator(env))
        try:
            METER.make(len(items))
            check_size(len(items), "what is unpacked")
        except ModelMistake as problem:
            raise located(problem, node.span) from None
        return made(items)

    return evaluate


def _dict(node: ast.DictExpression, scope: NameScope) -> Evaluator:
    pairs = [(compile_expression(k, scope), compile_expression(v, scope), k.span) for k, v in node.pairs]

    count = 2 * len(pairs)

    def evaluate(env: Environment) -> Any:
        METER.made += count
        entries: dict[Any, tuple[object, object]] = {}
        for key, value, span in pairs:
            k = key(env)
            try:
                entries[sought_key(k)] = (k, value(env))
            except ModelMistake as problem:
                raise located(problem, span) from None
        return DictValue(entries)

    return evaluate


def _unary(node: ast.Unary, scope: NameScope) -> Evaluator:
    operand = compile_expression(node.operand, scope)
    if node.operator == "not":
        return lambda env: not truth(operand(env))
    operator, span = node.operator, node.span

    def evaluate(env: Environment) -> Any:
        value = operand(env)
        try:
            return operations.unary(operator, value)
        except ModelMistake as problem:
            raise located(problem, span) from None

    return evaluate


def _binary(node: ast.Binary, scope: NameScope) -> Evaluator:
    equality = node.operator in ("==", "!=")
    if equality and _is_beginning(node.left) and _is_beginning(node.right) and calls_only_builtins((node,), scope):
        return _beginnings(node, scope)
    left, right = compile_expression(node.left, scope), compile_expression(node.right, scope)
    return _operation(operations.BINARY[node.operator], left, right, node.span)


def _is_beginning(node: ast.Expression) -> TypeGuard[ast.Slice]:
    """Whether an expression is `E[:stop]`."""
    return isinstance(node, ast.Slice) and node.start is None and node.step is None and node.stop is not None


def _beginnings(node: ast.Binary, scope: NameScope) -> Evaluator:
    """`a[:n] == b[:n]`: lists may know that without a look at their elements. Nothing in it changes anything."""
    assert _is_beginning(node.left) and _is_beginning(node.right)
    operation, equal = operations.BINARY[node.operator], node.operator == "=="
    sides = [
        (compile_expression(side.value, scope), compile_expression(side.stop, scope), side.span)
        for side in (node.left, node.right)
        if side.stop is not None
    ]
    (left, left_stop, left_span), (right, right_stop, right_span) = sides

    def part(owner: object, stop: object, span: Span) -> object:
        try:
            return operations.slice_of(owner, None, stop, None)
        except ModelMistake as problem:
            raise located(problem, span) from None

    def evaluate(env: Environment) -> Any:
        one, size = left(env), left_stop(env)
        # What fails on the left fails before the right is evaluated.
        begun = None if isinstance(one, ListValue) and type(size) is int else part(one, size, left_span)
        other, end = right(env), right_stop(env)
        if isinstance(one, ListValue) and isinstance(other, ListValue) and begun is None and size == end:
            alike = one.begins_alike(other, size) if type(end) is int else None
            if alike is not None:
                return alike is equal
        a = part(one, size, left_span) if begun is None else begun
        b = part(other, end, right_span)
        try:
            return operation(a, b)
        except ModelMistake as problem:
            raise located(problem, node.span) from None

    return evaluate


def _operation(operation: Callable[[Any, Any], Any], left: Evaluator, right: Evaluator, span: Span) -> Evaluator:
    def evaluate(env: Environment) -> Any:
        a = left(env)
        b = right(env)
        try:
            return operation(a, b)
        except ModelMistake as problem:
            raise located(problem, span) from None

    return evaluate


def _logical(node: ast.Logical, scope: NameScope) -> Evaluator:
    left, right = compile_expression(node.left, scope), compile_expression(node.right, scope)
    charged = cost(node.right)
    if node.operator == "and":

        def both(env: Environment) -> Any:
            value = left(env)
            if not truth(value):
                return value
            METER.count += charged
            return right(env)

        return both

    def either(env: Environment) -> Any:
        value = left(env)
        if truth(value):
            return value
        METER.count += charged
        return right(env)

    return either


def _conditional(node: ast.Conditional, scope: NameScope) -> Evaluator:
    condition = compile_expression(node.condition, scope)
    body, orelse = compile_expression(node.body, scope), compile_expression(node.orelse, scope)
    charged, charged_else = cost(node.body), cost(node.orelse)

    def evaluate(env: Environment) -> Any:
        if truth(condition(env)):
            METER.count += charged
            return body(env)
        METER.count += charged_else
        return orelse(env)

    return evaluate


def _attribute(node: ast.Attribute, scope: NameScope) -> Evaluator:
    value, name, span = compile_expression(node.value, scope), node.name, node.span

    def evaluate(env: Environment) -> Any:
        owner = value(env)
        # A fast path for fields of instances, the most frequent reads.
        if type(owner) is Instance:
            found = owner.world.get(("field", owner.role, owner.number, name))  # type: ignore[attr-defined]
            if found is not MISSING:
                return found
        try:
            return attribute_of(owner, name, env)
        except ModelMistake as problem:
            raise located(problem, span) from None

    return evaluate


def attribute_of(owner: object, name: str, env: Environment) -> object:
    """An attribute of any value; methods of domains are bound to the world of the step."""
    if isinstance(owner, (Domain, Segment)):
        return owner.attribute_in(env.world, name)
    return operations.get_attribute(owner, name)


def _index(node: ast.Index, scope: NameScope) -> Evaluator:
    value, index = compile_expression(node.value, scope), compile_expression(node.index, scope)
    return _operation(operations.index, value, index, node.span)


def _slice(node: ast.Slice, scope: NameScope) -> Evaluator:
    value, span = compile_expression(node.value, scope), node.span
    bounds = [None if b is None else compile_expression(b, scope) for b in (node.start, node.stop, node.step)]

    def evaluate(env: Environment) -> Any:
        owner = value(env)
        start, stop, step = (None if bound is None else bound(env) for bound in bounds)
        try:
            return operations.slice_of(owner, start, stop, step)
        except ModelMistake as problem:
            raise located(problem, span) from None

    return evaluate


Arguments = Callable[[Environment], tuple[list[object], dict[str, object]]]


def compile_arguments(arguments: tuple[ast.Argument, ...], scope: NameScope) -> Arguments:
    """An evaluator of an argument list, left to right: positional and keyword arguments."""
    parts = [(a.kind, a.name or "", compile_expression(a.value, scope), a.span) for a in arguments]
    if all(kind == "positional" for kind, *_ in parts):
        plain = [evaluator for _, _, evaluator, _ in parts]
        if len(plain) == 1:
            only = plain[0]
            return lambda env: ([only(env)], {})
        return lambda env: ([evaluator(env) for evaluator in plain], {})

    def evaluate(env: Environment) -> tuple[list[object], dict[str, object]]:
        args: list[object] = []
        kwargs: dict[str, object] = {}
        for kind, name, evaluator, span in parts:
            value = evaluator(env)
            try:
                if kind == "positional":
                    args.append(value)
                elif kind == "star":
                    args += operations.iterate(value)
                else:
                    _add_keywords(kwargs, {name: value} if kind == "keyword" else _string_keys(value))
            except ModelMistake as problem:
                raise located(problem, span) from None
        return args, kwargs

    return evaluate


def _string_keys(value: object) -> dict[str, object]:
    if not isinstance(value, DictValue):
        raise ModelMistake("R4", f"** needs a dict, not a {type_name(value)}")
    pairs = list(value.entries.values())
    if not all(isinstance(key, str) for key, _ in pairs):
        raise ModelMistake("R4", "the keys of a ** dict must be strings")
    return {str(key): item for key, item in pairs}


def _add_keywords(kwargs: dict[str, object], more: dict[str, object]) -> None:
    for name, value in more.items():
        if name in kwargs:
            raise ModelMistake("R4", f"two values for the argument '{name}'")
        kwargs[name] = value


def _call(node: ast.Call, scope: NameScope) -> Evaluator:
    lazy = short_circuit(node, scope, compile_expression)
    if lazy is not None:
        return lazy
    function, arguments, span = (
        compile_expression(node.function, scope),
        compile_arguments(node.arguments, scope),
        node.span,
    )

    def evaluate(env: Environment) -> Any:
        callee = function(env)
        args, kwargs = arguments(env)
        return call_value(callee, args, kwargs, span)

    return folded_call(node, scope, compile_expression, evaluate) or evaluate


def call_value(callee: object, args: list[object], kwargs: dict[str, object], span: Span) -> Any:
    """The result of calling a value inside an expression."""
    try:
        if not isinstance(callee, FunctionValue):
            raise ModelMistake("R4", f"{with_article(type_name(callee))} is not a function")
        return callee.call(args, kwargs)
    except ModelMistake as problem:
        raise located(problem, span) from None


def _comprehension(node: ast.Comprehension, scope: NameScope) -> Evaluator:
    return compile_comprehension(node, scope, compile_expression)


def _lambda(node: ast.Lambda, scope: NameScope) -> Evaluator:
    return compile_lambda(node, scope, compile_expression)


_COMPILERS: dict[type[ast.Expression], Callable[[Any, NameScope], Evaluator]] = {
    ast.Literal: _literal,
    ast.Name: _name,
    ast.FString: _fstring,
    ast.TupleExpression: _items,
    ast.ListExpression: _items,
    ast.Starred: _starred,
    ast.DictExpression: _dict,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.Logical: _logical,
    ast.Conditional: _conditional,
    ast.Attribute: _attribute,
    ast.Index: _index,
    ast.Slice: _slice,
    ast.Call: _call,
    ast.Comprehension: _comprehension,
    ast.Lambda: _lambda,
}


def compile_binder(target: ast.Expression, scope: NameScope) -> Callable[[Environment, object], None]:
    """A function that assigns a value to a target (language page, 6.1.5)."""
    match target:
        case ast.Name():
            return _name_binder(target.id, scope)
        case ast.Attribute():
            return _attribute_binder(target, scope)
        case ast.Index():
            return _index_binder(target, scope)
        case ast.TupleExpression() | ast.ListExpression():
            return unpacking_binder([compile_binder(item, scope) for item in target.items], target.span)
    raise TypeError(f"{type(target).__name__} can not be assigned to")


def _name_binder(name: str, scope: NameScope) -> Callable[[Environment, object], None]:
    slot = ("heap", name)
    if not (scope.sees_state and name in scope.known.state_variables):
        return lambda env, value: env.locals.__setitem__(name, value)

    def bind(env: Environment, value: object) -> None:
        # A bound loop variable hides a state variable.
        if name in env.locals:
            env.locals[name] = value
        else:
            env.world.bind(slot, value)

    return bind


def _attribute_binder(target: ast.Attribute, scope: NameScope) -> Callable[[Environment, object], None]:
    owner, name, span = compile_expression(target.value, scope), target.name, target.span

    def bind(env: Environment, value: object) -> None:
        try:
            operations.set_attribute(owner(env), name, value)
        except ModelMistake as problem:
            raise located(problem, span) from None

    return bind


def _index_binder(target: ast.Index, scope: NameScope) -> Callable[[Environment, object], None]:
    owner, index, span = compile_expression(target.value, scope), compile_expression(target.index, scope), target.span

    def bind(env: Environment, value: object) -> None:
        container, key = owner(env), index(env)
        try:
            operations.set_index(container, key, value)
        except ModelMistake as problem:
            raise located(problem, span) from None

    return bind


def unpacking_binder(
    binders: list[Callable[[Environment, object], None]], span: Span
) -> Callable[[Environment, object], None]:
    """Assigns the elements of a value to as many targets."""

    def bind(env: Environment, value: object) -> None:
        try:
            values = operations.iterate(value)
            if len(values) != len(binders):
                raise ModelMistake("R9", f"{len(values)} values for {len(binders)} targets")
        except ModelMistake as problem:
            raise located(problem, span) from None
        for binder, item in zip(binders, values, strict=True):
            binder(env, item)

    return bind
