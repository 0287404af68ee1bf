"""Resolution of names (language page, 5.7), done once, when an expression is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, Final

from fizz import Span
from fizz.base.light import dataclass
from fizz.base.near_names import near_hint
from fizz.syntax import ast
from interpreter.execute.environment import Environment, Evaluator
from interpreter.state.state import MISSING, Slot
from interpreter.state.step import ModelError
from interpreter.values import Builtin

_UNBOUND: Final = "it is bound where a branch or a loop was not taken: bind it before"
WorldName = Callable[[Environment], Any]
Watch = Callable[[ast.Expression, Evaluator], Evaluator]


@dataclass(frozen=True, slots=True)
class Globals:
    """The names that are the same in the whole model.

    `reserved` come before everything (role constructors, modules, `deepcopy`, …), as functions of the environment;
    `constants` is filled while the constant statements run.
    """

    reserved: Mapping[str, WorldName]
    state_variables: frozenset[str]
    constants: dict[str, object]
    builtins: Mapping[str, object]
    watch: Watch | None = None
    """A wrapper of every evaluator, to observe the values of expressions; None: no wrapper."""


@dataclass(frozen=True, slots=True)
class NameScope:
    """The names that may be bound in one environment. `sees_state`: code of the model, not a `def` or a constant."""

    names: frozenset[str]
    outer: NameScope | None
    sees_state: bool
    known: Globals

    def inner(self, names: frozenset[str]) -> NameScope:
        return NameScope(names, self, self.sees_state, self.known)

    def depths(self, name: str) -> list[int]:
        """The depths of the environments in which the name may be bound, innermost first."""
        found: list[int] = []
        scope: NameScope | None = self
        depth = 0
        while scope is not None:
            if name in scope.names:
                found.append(depth)
            scope, depth = scope.outer, depth + 1
        return found

    @property
    def hidden_builtins(self) -> Set[str]:
        """The builtin functions that constants hide so far; of no interest where these are complete."""
        return frozenset() if self.sees_state else self.known.constants.keys() & self.known.builtins.keys()

    def means_builtin(self, name: str) -> bool:
        """Whether the name is that of a builtin function which nothing hides."""
        known = self.known
        hidden = name in known.reserved or name in known.constants or bool(self.depths(name))
        if hidden or (self.sees_state and name in known.state_variables):
            return False
        return isinstance(known.builtins.get(name), Builtin)

    def reader(self, name: str, span: Span) -> Evaluator:
        """An evaluator of the name."""
        known = self.known
        if name in known.reserved:
            return known.reserved[name]
        depths = self.depths(name)
        beyond = self._beyond(name, span)
        if not depths:
            return beyond or self._undefined(name, span)
        if depths == [0] and beyond is None:
            return _local_reader(name, self._undefined(name, span, _UNBOUND))
        return searching_reader(name, depths, beyond or self._undefined(name, span, _UNBOUND))

    def _beyond(self, name: str, span: Span) -> Evaluator | None:
        """The evaluator of a name that is not bound locally."""
        known = self.known
        if name == "self":
            return _self_reader
        if self.sees_state and name in known.state_variables:
            return _state_reader(name, span)
        if name in known.constants:
            return lambda env: known.constants[name]
        if name in known.builtins:
            value = known.builtins[name]
            return lambda env: value
        return None

    def _undefined(self, name: str, span: Span, hint: str | None = None) -> Evaluator:
        known = self.known

        def fail(env: Environment) -> Any:
            # A constant may be bound by a statement that runs after this expression was compiled.
            if name in known.constants:
                return known.constants[name]
            candidates = [*env.locals, *known.state_variables, *known.constants]
            raise ModelError("R1", f"name '{name}' is not bound here", span, hint or near_hint(name, candidates))

        return fail


def _self_reader(env: Environment) -> Any:
    return env.instance


def _local_reader(name: str, otherwise: Evaluator) -> Evaluator:
    def read(env: Environment) -> Any:
        try:
            return env.locals[name]
        except KeyError:
            return otherwise(env)

    return read


def searching_reader(name: str, depths: list[int], otherwise: Evaluator) -> Evaluator:
    """An evaluator of a name that may be bound in the environments at these depths, innermost first."""

    def read(env: Environment) -> Any:
        scope: Environment | None = env
        at = 0
        for depth in depths:
            while at < depth and scope is not None:
                scope, at = scope.outer, at + 1
            if scope is not None and name in scope.locals:
                return scope.locals[name]
        return otherwise(env)

    return read


def readers_of(names: Iterable[str], scope: NameScope) -> list[Evaluator]:
    """Evaluators of those of some names that may be bound in an environment, in order; MISSING for one that is not."""
    found = [(name, scope.depths(name)) for name in sorted(names)]
    return [searching_reader(name, depths, lambda env: MISSING) for name, depths in found if depths]


def _state_reader(name: str, span: Span) -> Evaluator:
    slot = ("heap", name)

    # Defaults take fewer objects than a closure: a list expression may have a hundred thousand names.
    def read(env: Environment, slot: Slot = slot, span: Span = span) -> Any:
        value = env.world.get(slot)
        if value is MISSING:
            raise ModelError(
                "R1", f"state variable '{slot[1]}' is not bound here", span, "Init returned before binding it"
            )
        return value

    return read
