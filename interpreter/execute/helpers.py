"""Host code of a model: `def` helpers and constant statements (language page, 5.7, 6.1). It never yields."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, assert_never

from fizz import Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import bound_names
from interpreter.execute.comprehensions import bind_loop_variables, compile_defaults
from interpreter.execute.costs import cost, effect_cost
from interpreter.execute.environment import Closure, Environment, Evaluator, located, plain_names
from interpreter.execute.expressions import compile_binder, compile_expression
from interpreter.execute.loop_turns import folded_host_loop
from interpreter.execute.names import NameScope
from interpreter.execute.passed_values import TurnEnd
from interpreter.library import operations
from interpreter.state.step import ModelError
from interpreter.values import truth
from interpreter.values.budget import METER
from interpreter.values.folding import BREAKS, GOES_ON, RETURNS
from interpreter.values.problem import ModelMistake


class _Signal(Enum):
    BREAK = 1
    CONTINUE = 2


class _Returned:
    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


Executor = Callable[[Environment], "_Signal | _Returned | None"]


def compile_helper(helper: ast.Helper, scope: NameScope) -> Evaluator:
    """An evaluator of a `def` statement: it makes the helper's closure in an environment."""
    names = frozenset(p.name for p in helper.parameters) | bound_names(helper.body)
    body = compile_host_block(helper.body, scope.inner(names), helper)
    defaults = compile_defaults(helper.parameters, scope, compile_expression)
    plain = plain_names(helper.parameters)

    def run(env: Environment) -> Any:
        result = body(env)
        return result.value if isinstance(result, _Returned) else None

    return lambda env: Closure(helper.name, helper.parameters, defaults(env), run, env, 0, plain)


def compile_host_block(block: ast.Block, scope: NameScope, around: ast.Helper | None = None) -> Executor:
    """An executor of host statements in order. `around`: the `def` that they are in."""
    executors = [(1 + effect_cost(s), compile_host_statement(s, scope, around)) for s in block.statements]

    def execute(env: Environment) -> _Signal | _Returned | None:
        for charged, executor in executors:
            METER.count += charged
            signal = executor(env)
            if signal is not None:
                return signal
        return None

    return execute


def compile_host_statement(statement: ast.Statement, scope: NameScope, around: ast.Helper | None = None) -> Executor:
    """An executor of one host statement. `around`: the `def` that it is in."""
    match statement:
        case ast.Assign() | ast.AugmentedAssign() | ast.ExpressionStatement():
            return compile_effect(statement, scope)
        case ast.Return(value=value):
            if value is None:
                return lambda env: _Returned(None)
            result = compile_expression(value, scope)
            return lambda env: _Returned(result(env))
        case ast.Pass():
            return lambda env: None
        case ast.Break():
            return lambda env: _Signal.BREAK
        case ast.Continue():
            return lambda env: _Signal.CONTINUE
        case ast.Helper():
            maker, name = compile_helper(statement, scope), statement.name
            return lambda env: env.locals.__setitem__(name, maker(env))
        case ast.If():
            return _if(statement, scope, around)
        case ast.For():
            return _for(statement, scope, around)
        case ast.Require() | ast.Choose() | ast.FlowBlock() | ast.While() | ast.ChooseBlock():
            raise ModelError("L36", f"a 'def' helper may not contain {type(statement).__name__}", statement.span)
        case _:
            assert_never(statement)


def compile_effect(
    statement: ast.Assign | ast.AugmentedAssign | ast.ExpressionStatement, scope: NameScope
) -> Callable[[Environment], None]:
    """An executor of an assignment or expression statement, the same in host code and in the model."""
    if isinstance(statement, ast.ExpressionStatement):
        value = compile_expression(statement.value, scope)

        def evaluate(env: Environment) -> None:
            value(env)

        return evaluate
    if isinstance(statement, ast.AugmentedAssign):
        return _augmented(statement, scope)
    value = compile_expression(statement.value, scope)
    binders = [compile_binder(target, scope) for target in statement.targets]
    if len(binders) == 1:
        only = binders[0]
        return lambda env: only(env, value(env))

    def assign(env: Environment) -> None:
        result = value(env)
        for binder in binders:
            binder(env, result)

    return assign


def _augmented(statement: ast.AugmentedAssign, scope: NameScope) -> Callable[[Environment], None]:
    target = statement.target
    value = compile_expression(statement.value, scope)
    operator, span = statement.operator, statement.span
    if isinstance(target, ast.Index):
        return _augmented_index(target, operator, value, scope)
    if isinstance(target, ast.Attribute):
        return _augmented_attribute(target, operator, value, scope)
    if not isinstance(target, ast.Name):
        raise ModelError("L1", "an augmented assignment needs one target", span)
    read, bind = compile_expression(target, scope), compile_binder(target, scope)

    def execute(env: Environment) -> None:
        old = read(env)
        bind(env, _combine(operator, old, value(env), span))

    return execute


def _augmented_index(
    target: ast.Index, operator: str, value: Evaluator, scope: NameScope
) -> Callable[[Environment], None]:
    owner, index, span = compile_expression(target.value, scope), compile_expression(target.index, scope), target.span

    def execute(env: Environment) -> None:
        # Container and key are evaluated once, as in Python.
        container, key = owner(env), index(env)
        try:
            old = operations.index(container, key)
            operations.set_index(container, key, _combine(operator, old, value(env), span))
        except ModelMistake as problem:
            raise located(problem, span) from None

    return execute


def _augmented_attribute(
    target: ast.Attribute, operator: str, value: Evaluator, scope: NameScope
) -> Callable[[Environment], None]:
    owner, name, span = compile_expression(target.value, scope), target.name, target.span

    def execute(env: Environment) -> None:
        holder = owner(env)
        try:
            old = operations.get_attribute(holder, name)
            operations.set_attribute(holder, name, _combine(operator, old, value(env), span))
        except ModelMistake as problem:
            raise located(problem, span) from None

    return execute


def _combine(operator: str, old: object, value: object, span: Span) -> object:
    try:
        return operations.augmented(operator, old, value)
    except ModelMistake as problem:
        raise located(problem, span) from None


def _if(statement: ast.If, scope: NameScope, around: ast.Helper | None) -> Executor:
    branches = [
        (cost(c), compile_expression(c, scope), compile_host_block(body, scope, around))
        for c, body in statement.branches
    ]
    orelse = None if statement.orelse is None else compile_host_block(statement.orelse, scope, around)

    def execute(env: Environment) -> _Signal | _Returned | None:
        for charged, condition, body in branches:
            METER.count += charged
            if truth(condition(env)):
                return body(env)
        return None if orelse is None else orelse(env)

    return execute


def _for(statement: ast.For, scope: NameScope, around: ast.Helper | None) -> Executor:
    iterable, body = compile_expression(statement.iterable, scope), compile_host_block(statement.body, scope, around)
    variables, span = statement.variables, statement.iterable.span

    def turn(env: Environment, item: object) -> _Signal | _Returned | None:
        METER.count += 1
        if METER.count > METER.pause:
            METER.look()
        bind_loop_variables(variables, env.locals, item)
        return body(env)

    def alone(env: Environment, item: object, given: TurnEnd) -> TurnEnd:
        apart = Environment(env.locals | given.names, env.instance, env.world, env.outer)
        signal = turn(apart, item)
        if isinstance(signal, _Returned):
            return TurnEnd(RETURNS, signal.value, apart.locals)
        return TurnEnd(BREAKS if signal is _Signal.BREAK else GOES_ON, None, apart.locals)

    folded = None if around is None else folded_host_loop(statement, around, scope)

    def execute(env: Environment) -> _Signal | _Returned | None:
        try:
            values = iterable(env)
            end = None if folded is None else folded.ask(values, env, partial(alone, env))
            if end is not None:
                return _Returned(end.value) if end.how == RETURNS else None
            for item in operations.iterate_live(values):
                signal = turn(env, item)
                if signal is _Signal.BREAK:
                    break
                if isinstance(signal, _Returned):
                    return signal
        except ModelMistake as problem:
            raise located(problem, span) from None
        return None

    return execute
