"""The global names: builtins, role constructors, helper modules, and the model's constants."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from fizz.syntax import ast
from fizz.syntax.module import Budget
from interpreter.compile.pair_questions import ANSWER
from interpreter.compile.program import Program
from interpreter.execute.costs import effect_cost
from interpreter.execute.environment import Environment, located
from interpreter.execute.helpers import compile_helper, compile_host_statement
from interpreter.execute.names import Globals, NameScope, Watch
from interpreter.execute.pair_answers import answer
from interpreter.library import BUILTINS
from interpreter.state.domains import Domains, Index
from interpreter.state.step import ModelError
from interpreter.values import (
    Builtin,
    Channel,
    FunctionValue,
    Instance,
    ListValue,
    ModelValue,
    ModuleValue,
    mark_frozen,
)
from interpreter.values.budget import METER
from interpreter.values.problem import ModelMistake
from interpreter.values.text import spelled

_LINE: Final = 16
"""The charge for writing a line besides its characters."""
_NEXT_STATE: Final = 8
"""The elements of one of `next_states()`."""


class ConstantWorld:
    """The world of constant statements and `def` helpers: no state, no roles."""

    __slots__ = ()

    def create(self, role: str, params: Mapping[str, object]) -> Instance:
        raise ModelMistake("L32", f"role {role} can not be constructed here", "construct it in Init or in an action")

    def live(self, role: str) -> tuple[int, ...]:
        return ()

    def answers(self, values: object) -> bool:
        """Nothing is asked turn by turn: what a turn reads would not be seen."""
        return False

    def used(self, domain: str) -> set[Index]:
        """The values in use are those of a state. Raises `ModelMistake` (R4): there is none."""
        text = f"which values of domain '{domain}' are in use is not known in constants and `def` helpers"
        raise ModelMistake("R4", text, "ask for it in Init, an action, a func or an assertion")


class RoleConstructor(FunctionValue):
    """The name of a role: called with keyword arguments, it makes an instance."""

    __slots__ = ("_world", "_role")

    def __init__(self, world: Any, role: str) -> None:
        super().__init__(role)
        self._world = world
        self._role = role

    def call(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        if args:
            raise ModelMistake("L27", f"role {self._role} takes keyword arguments only", f"{self._role}(NAME=value)")
        return self._world.create(self._role, dict(kwargs))


def make_globals(program: Program, domains: Domains, channels: Channels, watch: Watch | None = None) -> Globals:
    """Run the helper modules and the constant statements of a program. Their mistakes are `ModelError`s."""
    constants: dict[str, object] = {}
    reserved: dict[str, Callable[[Environment], Any]] = {
        "deepcopy": _always(BUILTINS["deepcopy"]),
        "resolve_role": lambda env: Builtin("resolve_role", lambda number: _resolve_role(env.world, number), 1, 1),
        "Channel": _always(Builtin("Channel", channels.make, 0, 0, frozenset(_CHANNEL))),
        "__returns__": lambda env: env.world.get(("returns",)),
        "next_states": lambda env: Builtin("next_states", lambda: _next_states(env.world), 0, 0),
    }
    for role in program.roles:
        reserved[role.name] = _constructor(role.name)
    builtins: dict[str, object] = {
        **BUILTINS,
        "print": Builtin("print", _print, 0, None),
        ANSWER: Builtin(ANSWER, answer, 3, 3),
        "symmetry": domains.module(),
        "symmetric_values": Builtin("symmetric_values", domains.values, 1, 2),
    }
    for name, statements in program.helper_modules:
        reserved[name] = _always(_helper_module(name, statements, builtins, program.options.limits))
    known = Globals(reserved, frozenset(program.state_variables), constants, builtins, watch)
    _run(program.constants, known, constants, program.options.limits)
    domains.closed = channels.closed = True
    return known


def _run(statements: tuple[ast.Statement, ...], known: Globals, constants: dict[str, object], budget: Budget) -> None:
    scope = NameScope(frozenset(), None, False, known)
    environment = Environment(constants, None, ConstantWorld(), None)
    for statement in statements:
        # One after the other: a statement is compiled when the constants before it have their values.
        if isinstance(statement, ast.Helper):
            constants[statement.name] = compile_helper(statement, scope)(environment)
            continue
        METER.begin(budget)
        METER.charge(1 + effect_cost(statement))
        try:
            compile_host_statement(statement, scope)(environment)
        except ModelMistake as problem:
            raise located(problem, statement.span) from None
        except RecursionError:
            raise located(ModelMistake("R16", "calls nested too deeply"), statement.span) from None
        finally:
            METER.end()
    for value in constants.values():
        mark_frozen(value)


def _helper_module(
    name: str, statements: tuple[ast.Statement, ...], builtins: Mapping[str, object], budget: Budget
) -> ModuleValue:
    members: dict[str, object] = {}
    try:
        _run(statements, Globals({}, frozenset(), members, builtins), members, budget)
    except ModelError as error:
        location = "" if error.span is None else f"{error.span.file}:{error.span.line}: "
        raise ModelError(
            "L38", f"module '{name}' failed to load: {location}{error.text}", error.span, error.hint
        ) from None
    return ModuleValue(name, members)


def _next_states(world: Any) -> object:
    found: ListValue = world.code.next_states(world)
    METER.make(found.size() * _NEXT_STATE)
    return found


def _always(value: object) -> Callable[[Environment], Any]:
    return lambda env: value


def _constructor(role: str) -> Callable[[Environment], Any]:
    return lambda env: RoleConstructor(env.world, role)


_CHANNEL = {"ordering": "unordered", "delivery": "exactly_once", "blocking": "fire_and_forget"}


class Channels:
    """The constructor of channels, which numbers them in order of declaration until it is closed."""

    def __init__(self) -> None:
        self.count = 0
        self.closed = False

    def make(self, **options: object) -> Channel:
        if self.closed:
            raise ModelMistake("R4", "a channel can not be created in a step", "make it a constant at the top level")
        for name, value in options.items():
            if value != _CHANNEL[name]:
                raise ModelMistake("R4", f'a channel\'s {name} can only be "{_CHANNEL[name]}"')
        self.count += 1
        return Channel(self.count - 1, f"Channel#{self.count - 1}")


def _resolve_role(world: Any, identity: object) -> Instance:
    if not isinstance(identity, ModelValue):
        raise ModelMistake("R4", "resolve_role() takes the __id__ of a role instance")
    if identity.index not in world.live(identity.name):
        raise ModelMistake("R21", f"there is no live instance {identity.name}#{identity.index}")
    instance: Instance = world.instance((identity.name, identity.index))
    return instance


def _print(*values: object) -> None:
    text = BUILTINS["str"]
    assert isinstance(text, Builtin)
    line = " ".join(str(text.call([value], {})) for value in values)
    METER.charge(_LINE + (len(line) >> 4))
    # Standard error may be closed, which does not affect steps.
    with suppress(OSError):
        sys.stderr.write(spelled(line) + "\n")
