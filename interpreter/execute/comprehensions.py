"""Comprehensions, lambdas and defaults: the parts of expressions that have environments of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fizz.syntax import ast
from interpreter.execute.costs import cost, turn_cost
from interpreter.execute.environment import Closure, Environment, Evaluator, located, plain_names
from interpreter.execute.names import NameScope
from interpreter.library import operations
from interpreter.values import Builtin, DictValue, ListValue, truth
from interpreter.values.basis import sought_key
from interpreter.values.budget import METER, check_size
from interpreter.values.problem import ModelMistake

Compile = Callable[[ast.Expression, NameScope], Evaluator]
Turns = Callable[[Environment], Iterator[None]]


def compile_comprehension(node: ast.Comprehension, scope: NameScope, compile_expression: Compile) -> Evaluator:
    """A list, dict or bare comprehension. A bare one is lazy: `any` and `all` stop where they can decide."""
    names = frozenset(
        name for clause in node.clauses if isinstance(clause, ast.ComprehensionFor) for name in clause.variables.names
    )
    inner = scope.inner(names)
    turns = _turns(node.clauses, (node.key, node.element), inner, compile_expression)
    element = compile_expression(node.element, inner)
    key = None if node.key is None else compile_expression(node.key, inner)

    def collect(env: Environment) -> Any:
        scope = env.inner({})
        try:
            if key is not None:
                entries: dict[Any, tuple[object, object]] = {}
                for _ in turns(scope):
                    k = key(scope)
                    entries[sought_key(k)] = (k, element(scope))
                    check_size(len(entries), "the comprehension")
                METER.make(2 * len(entries))
                return DictValue(entries)
            items: list[object] = []
            for _ in turns(scope):
                items.append(element(scope))
                check_size(len(items), "the comprehension")
            METER.made += len(items)
            return ListValue(items)
        except ModelMistake as problem:
            raise located(problem, node.span) from None

    return collect


def short_circuit(node: ast.Call, scope: NameScope, compile_expression: Compile) -> Evaluator | None:
    """`any(e for …)` and `all(e for …)`, which stop at the first element that decides; None for other calls."""
    if not (isinstance(node.function, ast.Name) and node.function.id in ("any", "all") and len(node.arguments) == 1):
        return None
    argument = node.arguments[0].value
    if not (isinstance(argument, ast.Comprehension) and argument.kind == "generator"):
        return None
    function = node.function.id
    if scope.depths(function) or not isinstance(scope.known.builtins.get(function), Builtin):
        return None
    names = frozenset(
        n for clause in argument.clauses if isinstance(clause, ast.ComprehensionFor) for n in clause.variables.names
    )
    inner = scope.inner(names)
    turns = _turns(argument.clauses, (argument.element,), inner, compile_expression)
    element = compile_expression(argument.element, inner)
    decisive = function == "any"

    def decide(env: Environment) -> bool:
        scope = env.inner({})
        try:
            for _ in turns(scope):
                if truth(element(scope)) == decisive:
                    return decisive
        except ModelMistake as problem:
            raise located(problem, argument.span) from None
        return not decisive

    return decide


def _turns(
    clauses: tuple[ast.Clause, ...],
    results: tuple[ast.Expression | None, ...],
    scope: NameScope,
    compile_expression: Compile,
) -> Turns:
    """A generator function that binds the variables of each iteration in the environment it is given.

    `results` are evaluated by the caller in each iteration, and charged here.
    """
    first, rest = clauses[0], clauses[1:]
    following = _turns(rest, results, scope, compile_expression) if rest else None
    then = turn_cost(rest, *results)
    if isinstance(first, ast.ComprehensionIf):
        condition = compile_expression(first.condition, scope)

        def filtered(env: Environment) -> Iterator[None]:
            if truth(condition(env)):
                METER.count += then
                yield from following(env) if following else iter((None,))

        return filtered
    iterable, variables, span = compile_expression(first.iterable, scope), first.variables, first.span

    def looped(env: Environment) -> Iterator[None]:
        for item in operations.iterate_live(iterable(env)):
            METER.count += then
            if METER.count > METER.pause:
                METER.look()
            try:
                bind_loop_variables(variables, env.locals, item)
            except ModelMistake as problem:
                raise located(problem, span) from None
            if following is None:
                yield None
            else:
                yield from following(env)

    return looped


def bind_loop_variables(variables: ast.LoopVariables, local: dict[str, object], item: object) -> None:
    """Bind the variables of a loop header to one element; R9 if it does not unpack."""
    if not variables.unpack:
        local[variables.names[0]] = item
        return
    values = operations.iterate(item)
    if len(values) != len(variables.names):
        raise ModelMistake("R9", f"{len(values)} values for {len(variables.names)} loop variables")
    local.update(zip(variables.names, values, strict=True))


def compile_lambda(node: ast.Lambda, scope: NameScope, compile_expression: Compile) -> Evaluator:
    """A lambda: a closure over the environment it is evaluated in."""
    body = compile_expression(node.body, scope.inner(frozenset(p.name for p in node.parameters)))
    defaults = compile_defaults(node.parameters, scope, compile_expression)
    charged, names = cost(node.body), plain_names(node.parameters)
    return lambda env: Closure("lambda", node.parameters, defaults(env), body, env, charged, names)


def compile_defaults(
    parameters: tuple[ast.Parameter, ...], scope: NameScope, compile_expression: Compile
) -> Callable[[Environment], dict[str, object]]:
    """An evaluator of the defaults of a parameter list."""
    evaluators = {p.name: compile_expression(p.default, scope) for p in parameters if p.default is not None}
    return lambda env: {name: evaluator(env) for name, evaluator in evaluators.items()}
