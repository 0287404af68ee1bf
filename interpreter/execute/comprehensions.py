"""Comprehensions, lambdas and defaults: the parts of expressions that have environments of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Final, TypeGuard

from fizz import Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import is_path, nodes_in
from interpreter.execute.costs import cost, turn_cost
from interpreter.execute.environment import Closure, Environment, Evaluator, located, plain_names
from interpreter.execute.names import NameScope, readers_of
from interpreter.library import operations
from interpreter.state.step import ModelError
from interpreter.values import BagValue, DictValue, GenericSet, ListValue, SetValue, truth
from interpreter.values.basis import sought_key
from interpreter.values.budget import METER, check_size
from interpreter.values.folding import INTO_ONE, ElementFilter, Fold
from interpreter.values.problem import ModelMistake

FOLDED: Final = frozenset({"len", "set", "any", "all", *INTO_ONE})
"""The functions that a set may apply to the results of turns by itself."""
_ELEMENT: Final = "an element"
"""The name of the variable of a comprehension that no model has written: none can spell it."""
OfElements = SetValue | GenericSet | BagValue
Answering = OfElements | ListValue | DictValue
_CLOSED: Final = (SetValue, GenericSet, BagValue, ListValue, DictValue)
Compile = Callable[[ast.Expression, NameScope], Evaluator]
Turns = Callable[[Environment], Iterator[tuple[object] | None]]
"""The turns of a comprehension, each with its variables bound; or the value of several turns, if a set gives it."""


def compile_comprehension(node: ast.Comprehension, scope: NameScope, compile_expression: Compile) -> Evaluator:
    """A list, dict or bare comprehension. A bare one is lazy: `any` and `all` stop where they can decide."""
    inner = scope.inner(_names_of(node))
    turns = _turns(node, node.clauses, ("list",), inner, compile_expression)
    element = compile_expression(node.element, inner)
    key = None if node.key is None else compile_expression(node.key, inner)
    folded = AskedComprehension(_as_pairs(node), ("list",), scope, compile_expression)

    def collect(env: Environment) -> Any:
        answer = folded.ask(env)
        if answer is not None:
            return answer[0] if key is None else _dict_of(answer[0])
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
            for several in turns(scope):
                items += [element(scope)] if several is None else operations.iterate(several[0])
                check_size(len(items), "the comprehension")
            METER.made += len(items)
            return ListValue(items)
        except ModelMistake as problem:
            raise located(problem, node.span) from None

    return collect


def _as_pairs(node: ast.Comprehension) -> ast.Comprehension:
    """A comprehension that gives the pairs of a dict comprehension, in a list; others as they are."""
    if node.key is None:
        return node
    return replace(node, kind="list", key=None, element=ast.TupleExpression(node.span, (node.key, node.element)))


def _dict_of(pairs: Any) -> DictValue:
    entries: dict[Any, tuple[object, object]] = {}
    for key, value in pairs.items:
        entries[sought_key(key)] = (key, value)
    METER.make(2 * len(entries))
    return DictValue(entries)


def short_circuit(node: ast.Call, scope: NameScope, compile_expression: Compile) -> Evaluator | None:
    """`any(e for …)` and `all(e for …)`, which stop at the first element that decides; None for other calls."""
    if not (isinstance(node.function, ast.Name) and node.function.id in ("any", "all") and len(node.arguments) == 1):
        return None
    argument = node.arguments[0].value
    if not (isinstance(argument, ast.Comprehension) and argument.kind == "generator"):
        return None
    function = node.function.id
    if not scope.means_builtin(function):
        return None
    inner = scope.inner(_names_of(argument))
    turns = _turns(argument, argument.clauses, (function,), inner, compile_expression)
    element = compile_expression(argument.element, inner)
    decisive = function == "any"
    folded = AskedComprehension(argument, (function,), scope, compile_expression)

    def decide(env: Environment) -> Any:
        answer = folded.ask(env)
        if answer is not None:
            return answer[0]
        scope = env.inner({})
        try:
            for several in turns(scope):
                if truth(element(scope) if several is None else several[0]) == decisive:
                    return decisive
        except ModelMistake as problem:
            raise located(problem, argument.span) from None
        return not decisive

    return decide


def folded_call(
    node: ast.Call, scope: NameScope, compile_expression: Compile, otherwise: Evaluator
) -> Evaluator | None:
    """`len([e for …])`, `all([…])`, `sum(e for …)`, `len(set([…]))`, `sum(xs)`, `len(set(xs))` and the like, which need
    no list as such.

    None for other calls. `otherwise` evaluates the call as it is written.
    """
    functions: list[str] = []
    inside: ast.Expression = node
    while isinstance(inside, ast.Call) and len(inside.arguments) == 1 and inside.arguments[0].kind == "positional":
        if not isinstance(inside.function, ast.Name) or inside.function.id not in FOLDED:
            return None
        name = inside.function.id
        if not scope.means_builtin(name):
            return None
        functions.append(name)
        inside = inside.arguments[0].value
    folding = inside if isinstance(inside, ast.Comprehension) else _all_of(inside, node.span, functions)
    if folding is None:
        return None
    # Of a bare comprehension these evaluate all, as of a list.
    if folding.kind not in (("list", "generator") if functions[-1] in INTO_ONE else ("list",)):
        return None
    if len(functions) > 1 and functions != ["len", "set"]:
        return None
    folded = AskedComprehension(folding, ("list", *reversed(functions)), scope, compile_expression)

    def evaluate(env: Environment) -> Any:
        answer = folded.ask(env)
        return otherwise(env) if answer is None else answer[0]

    return evaluate


def _all_of(node: ast.Expression, span: Span, functions: Sequence[str]) -> ast.Comprehension | None:
    """`[x for x in xs]` for `xs`, where a function needs no more than its elements; None for others."""
    if not (is_path(node) and (functions == ["len", "set"] or (len(functions) == 1 and functions[0] in INTO_ONE))):
        return None
    variables = ast.LoopVariables(node.span, (_ELEMENT,), False)
    clauses = (ast.ComprehensionFor(span, variables, node),)
    return ast.Comprehension(span, "list", None, ast.Name(node.span, _ELEMENT), clauses)


def calls_only_builtins(syntax: tuple[object, ...], scope: NameScope) -> bool:
    """Whether nothing is called but builtin functions, which change nothing but by the functions they get."""
    return all(
        isinstance(part.function, ast.Name)
        and scope.means_builtin(part.function.id)
        and all(argument.kind == "positional" for argument in part.arguments)
        for part in nodes_in(syntax)
        if isinstance(part, ast.Call)
    )


def mentioned(syntax: object) -> frozenset[str] | None:
    """The names of all variables and fields that an expression may read, among others; None if they can be any."""
    parts = list(nodes_in(syntax))
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    fields = [part.name for part in parts if isinstance(part, ast.Attribute)]
    return None if "getattr" in names else frozenset([*names, *fields])


def answers_folds(values: object) -> TypeGuard[Answering]:
    """Whether some values may answer a fold by themselves."""
    # One of the class itself answers nothing, and is all there is while constants are computed.
    return isinstance(values, Answering) and type(values) not in _CLOSED


def kept_of(node: ast.Expression) -> ast.Expression | None:
    """What `[x for x in S if …]` keeps some elements of, as they are; None for other expressions."""
    if not isinstance(node, ast.Comprehension) or node.kind != "list":
        return None
    first, rest = node.clauses[0], node.clauses[1:]
    assert isinstance(first, ast.ComprehensionFor)
    kept = isinstance(node.element, ast.Name) and (node.element.id,) == first.variables.names
    if first.variables.unpack or not kept or not all(isinstance(clause, ast.ComprehensionIf) for clause in rest):
        return None
    return first.iterable


def filtered(node: ast.Expression, scope: NameScope, compile_expression: Compile) -> Filtered | None:
    """`[x for x in S if …]` as a filter of its elements; None for other expressions."""
    if not isinstance(node, ast.Comprehension) or kept_of(node) is None:
        return None
    return Filtered(node, scope, compile_expression)


class Filtered:
    """A comprehension that keeps some elements of a set as they are."""

    def __init__(self, node: ast.Comprehension, scope: NameScope, compile_expression: Compile) -> None:
        self._fine = AskedComprehension(node, ("list", "fine"), scope, compile_expression)

    def filter(self, env: Environment) -> ElementFilter | None:
        """The filter, of whatever elements; None if names do not mean what they meant."""
        return ElementFilter(self._fine.fold(env)) if self._fine.same else None

    def of(self, env: Environment) -> tuple[OfElements, ElementFilter] | None:
        """The set or bag, and the filter; None if it is neither."""
        values = self._fine.values(env)
        return (values, ElementFilter(self._fine.fold(env))) if isinstance(values, OfElements) else None


class AskedComprehension:
    """A comprehension over a set that may answer by itself, from the results of single turns."""

    def __init__(
        self, node: ast.Comprehension, functions: tuple[str, ...], scope: NameScope, compile_expression: Compile
    ) -> None:
        first = node.clauses[0]
        assert isinstance(first, ast.ComprehensionFor)
        self._node = node
        self._names = _names_of(node)
        self._scope = scope
        self._compile = compile_expression
        # To evaluate it twice has no effect: the comprehension may be evaluated as it is written after all.
        simple = is_path(first.iterable) or _is_range(first.iterable, scope)
        self._iterable = compile_expression(first.iterable, scope.inner(self._names)) if simple else None
        self._truth = functions[-1] in ("any", "all")
        self._site = (node.span, functions)
        self._hidden = scope.hidden_builtins

    @cached_property
    def same(self) -> bool:
        """Whether all names still mean what they meant when the comprehension was compiled: a later `def` may have
        hidden a builtin function, but not here."""
        later = self._scope.hidden_builtins - self._hidden
        parts = nodes_in(self._node) if later else ()
        return not any(isinstance(part, ast.Name) and part.id in later for part in parts)

    @cached_property
    def _turns(self) -> Callable[[Environment, object], list[object]]:
        """Gives the results of the turn for an element. Most comprehensions are never evaluated turn by turn."""
        node, inner, truths = self._node, self._scope.inner(self._names), self._truth
        first, rest = node.clauses[0], node.clauses[1:]
        assert isinstance(first, ast.ComprehensionFor)
        variables, charged = first.variables, turn_cost(rest, node.element)
        functions = self._site[1] if truths else ("list",)
        following = _turns(node, rest, functions, inner, self._compile, False) if rest else None
        element = self._compile(node.element, inner)

        def turn(scope: Environment, item: object) -> list[object]:
            METER.count += charged
            scope.locals.clear()
            bind_loop_variables(variables, scope.locals, item)
            results: list[object] = []
            for several in following(scope) if following else (None,):
                if truths:
                    results.append(truth(element(scope) if several is None else several[0]))
                else:
                    results += [element(scope)] if several is None else operations.iterate(several[0])
            return results

        return turn

    @cached_property
    def _calls(self) -> bool:
        """Whether a turn calls anything but builtin functions."""
        return not calls_only_builtins((self._node.clauses[1:], self._node.element), self._scope)

    @cached_property
    def _mentions(self) -> frozenset[str] | None:
        return mentioned((self._node.clauses[1:], self._node.element))

    @cached_property
    def _captured(self) -> list[Evaluator]:
        """Evaluators of the names that a turn may use from around the comprehension; MISSING if one is not bound."""
        inside = (self._node.clauses[1:], self._node.element)
        used = {part.id for part in nodes_in(inside) if isinstance(part, ast.Name)}
        return readers_of(used - self._names, self._scope)

    def ask(self, env: Environment) -> tuple[object] | None:
        """The value, if the set gives it; None: it is to be computed as it is written."""
        spent = METER.spent
        values = self._evaluated(env)
        if answers_folds(values):
            return values.folded(self.fold(env))
        asked = env.world is not None and env.world.answers(values)
        answer = env.world.folded(values, self.fold(env), False) if asked else None
        if answer is None:
            _resume(spent)
        return answer

    def values(self, env: Environment) -> Answering | None:
        """The set, bag, list or dict that the comprehension goes through; None if it answers nothing."""
        spent = METER.spent
        values = self._evaluated(env)
        if answers_folds(values):
            return values
        _resume(spent)
        return None

    def _evaluated(self, env: Environment) -> object:
        """What the comprehension goes through; None: it is to be evaluated again, perhaps with an error's location."""
        if self._iterable is None:
            return None
        try:
            values = self._iterable(env.inner({}))
        except (ModelMistake, ModelError):
            return None
        return values if self.same else None

    def fold(self, env: Environment) -> Fold:
        """The question for its value."""
        turn = partial(self._turns, env.inner({}))
        return Fold(self._site, partial(self._held, env), turn, self._calls, self._mentions)

    def _held(self, env: Environment) -> tuple[object, ...]:
        return (env.instance, *[read(env) for read in self._captured])


def _resume(spent: tuple[int, int]) -> None:
    """Take back what was spent since. The meter looks no later for it, however often that is done."""
    METER.count, METER.made = spent


def _is_range(node: ast.Expression, scope: NameScope) -> bool:
    """Whether an expression is a range that ends where a literal, a path or the length of one says."""
    ends = _arguments_of("range", node, scope)
    return ends is not None and all(_is_number(end, scope) for end in ends)


def _is_number(node: ast.Expression, scope: NameScope) -> bool:
    if isinstance(node, ast.Binary):
        return node.operator in ("+", "-") and _is_number(node.left, scope) and _is_number(node.right, scope)
    counted = _arguments_of("len", node, scope)
    return isinstance(node, ast.Literal) or is_path(node) or (counted is not None and all(map(is_path, counted)))


def _arguments_of(function: str, node: ast.Expression, scope: NameScope) -> list[ast.Expression] | None:
    """The arguments of a call of a builtin function, all positional; None for other expressions."""
    if not (isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and node.function.id == function):
        return None
    positional = all(argument.kind == "positional" for argument in node.arguments)
    return [argument.value for argument in node.arguments] if positional and scope.means_builtin(function) else None


def _names_of(node: ast.Comprehension) -> frozenset[str]:
    """The variables of a comprehension."""
    loops = [clause for clause in node.clauses if isinstance(clause, ast.ComprehensionFor)]
    return frozenset(name for loop in loops for name in loop.variables.names)


def _turns(
    node: ast.Comprehension,
    clauses: tuple[ast.Clause, ...],
    functions: tuple[str, ...],
    scope: NameScope,
    compile_expression: Compile,
    first_ones: bool = True,
) -> Turns:
    """A generator function that binds the variables of each iteration of some clauses in the environment it is given.

    The results are evaluated by the caller in each iteration, and charged here. A set that is gone through after the
    first clause may give the value of all of its turns, made by `functions`.
    """
    first, rest = clauses[0], clauses[1:]
    following = _turns(node, rest, functions, scope, compile_expression, False) if rest else None
    then = turn_cost(rest, node.key, node.element)
    if isinstance(first, ast.ComprehensionIf):
        condition = compile_expression(first.condition, scope)

        def filtered(env: Environment) -> Iterator[tuple[object] | None]:
            if truth(condition(env)):
                METER.count += then
                yield from following(env) if following else iter((None,))

        return filtered
    iterable, variables, span = compile_expression(first.iterable, scope), first.variables, first.span
    inside = replace(node, kind="list", clauses=clauses, span=span)
    asked = AskedComprehension(inside, functions, scope, compile_expression)
    nested = None if first_ones or node.key is not None else asked

    def looped(env: Environment) -> Iterator[tuple[object] | None]:
        answer = None if nested is None else nested.ask(env)
        if answer is not None:
            yield answer
            return
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
