"""Environments of names, calls of functions written in the model, and locations of mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fizz import Span
from fizz.syntax import ast
from interpreter.state.step import ModelError
from interpreter.values import DictValue, FunctionValue, Instance
from interpreter.values.budget import METER
from interpreter.values.problem import ModelMistake

Evaluator = Callable[["Environment"], Any]
"""A compiled expression. Values of the language are dynamically typed: the result is Any by nature."""


class Environment:
    """The variables of one frame, call or comprehension; `outer` is the one around it, `world` None in constants."""

    __slots__ = ("locals", "instance", "world", "outer")

    def __init__(
        self, variables: dict[str, object], instance: Instance | None, world: Any, outer: Environment | None
    ) -> None:
        self.locals = variables
        self.instance = instance
        self.world = world
        self.outer = outer

    def inner(self, variables: dict[str, object]) -> Environment:
        return Environment(variables, self.instance, self.world, self)


def located(problem: ModelMistake, span: Span) -> ModelError:
    """The mistake with its location."""
    return ModelError(problem.code, problem.text, span, problem.hint)


def bind_arguments(
    name: str, parameters: tuple[ast.Parameter, ...], args: Sequence[object], kwargs: Mapping[str, object]
) -> tuple[dict[str, object], list[ast.Parameter]]:
    """Arguments by parameter name, and the parameters whose defaults are still to be evaluated, in order."""
    plain = [parameter for parameter in parameters if parameter.kind == "plain"]
    bound: dict[str, object] = {p.name: value for p, value in zip(plain, args, strict=False)}
    rest = args[len(plain) :]
    star = next((p for p in parameters if p.kind == "star"), None)
    double_star = next((p for p in parameters if p.kind == "double star"), None)
    if rest and star is None:
        raise _wrong(name, parameters, f"takes {len(plain)} positional arguments, got {len(args)}")
    if star is not None:
        bound[star.name] = tuple(rest)
    extra: dict[str, object] = {}
    known = {p.name for p in plain}
    for key, value in kwargs.items():
        if key in known and key in bound:
            raise _wrong(name, parameters, f"got two values for '{key}'")
        if key in known:
            bound[key] = value
        else:
            extra[key] = value
    if extra and double_star is None:
        raise _wrong(name, parameters, f"has no argument '{next(iter(extra))}'")
    if double_star is not None:
        bound[double_star.name] = DictValue({key: (key, value) for key, value in extra.items()})
    missing = [p for p in plain if p.name not in bound]
    for parameter in missing:
        if parameter.default is None:
            raise _wrong(name, parameters, f"misses the argument '{parameter.name}'")
    return bound, missing


def _wrong(name: str, parameters: tuple[ast.Parameter, ...], text: str) -> ModelMistake:
    marks = {"plain": "", "star": "*", "double star": "**"}
    signature = ", ".join(f"{marks[p.kind]}{p.name}{'' if p.default is None else '=…'}" for p in parameters)
    return ModelMistake("R4", f"{name}() {text}", f"it is declared as {name}({signature})")


def plain_names(parameters: tuple[ast.Parameter, ...]) -> tuple[str, ...] | None:
    """The names of parameters; None if one has a star."""
    return tuple(p.name for p in parameters) if all(p.kind == "plain" for p in parameters) else None


class Closure(FunctionValue):
    """A lambda or `def` helper with the environment it was made in. Defaults are evaluated where it is defined.

    `cost`: the charge for each call (see `interpreter.execute.costs`). `names`: those of the parameters if none has a
    star.
    """

    __slots__ = ("cost", "names", "parameters", "defaults", "body", "environment", "receiver")

    def __init__(
        self,
        name: str,
        parameters: tuple[ast.Parameter, ...],
        defaults: Mapping[str, object],
        body: Callable[[Environment], object],
        environment: Environment,
        cost: int,
        names: tuple[str, ...] | None,
        receiver: Instance | None = None,
    ) -> None:
        super().__init__(name)
        self.cost = cost
        self.names = names
        self.parameters = parameters
        self.defaults = defaults
        self.body = body
        self.environment = environment
        self.receiver = receiver

    def held(self) -> Iterable[object]:
        """Defaults, which are evaluated once, and the variables around the function, without those of the outermost
        environment: these are constants, or variables of one step."""
        yield from self.defaults.values()
        around = self.environment
        while around.outer is not None:
            yield from around.locals.values()
            around = around.outer

    def call(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        METER.count += self.cost
        METER.enter()
        if self.receiver is not None:
            args = (self.receiver, *args)
        names = self.names
        if names is not None and len(args) == len(names) and not kwargs:
            bound: dict[str, object] = dict(zip(names, args, strict=True))
        else:
            bound, missing = bind_arguments(self.name, self.parameters, args, kwargs)
            for parameter in missing:
                bound[parameter.name] = self.defaults[parameter.name]
        result = self.body(self.environment.inner(bound))
        METER.depth -= 1
        return result
