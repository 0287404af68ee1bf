"""A model as the oracle of a test: which calls it allows, and in which states the system may be after what it returned.

A call is an action of the model, run from its start to its end without others between, or a func of a role instance, or
the crash of a role instance. The variables of an action's choices are its arguments if the adapter's method has
parameters of their names; other choices are the system's own.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from typing import Literal as OneOf

from checker.conformance.allowed import allowed_value
from checker.core.problems import UsageProblem
from fizz.base.light import dataclass
from interpreter import Machine, State, Step, StepKind
from interpreter.calls import Called, Receiver, calls, function_of
from interpreter.values.observed import from_plain, same

_MOST_STATES: Final = 10_000
_MOST_STEPS: Final = 1_000


class _NoValue:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _NoValue()
"""In place of what a call returns where the model does not say."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the adapter. `call`: the action or func of the model; `inputs`: its parameters but `instance`."""

    name: str
    call: str
    kind: OneOf["action", "func", "crash"]
    inputs: tuple[str, ...]
    takes_instance: bool = False


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call of a method with arguments, pairs of name and text of the value; `instance` of a role, if it has one."""

    method: str
    arguments: tuple[tuple[str, str], ...]
    instance: str | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The arguments by name."""
        return {name: value_of_text(text) for name, text in self.arguments}

    @property
    def text(self) -> str:
        """The call as Python writes it."""
        return f"{self.method}({', '.join(f'{name}={value!r}' for name, value in self.values.items())})"


@dataclass(frozen=True, slots=True)
class CallEffect:
    """One way through a call: the state after it, and the id of what it returns; None: the model does not say."""

    target: State
    returned: int | None


def value_of_text(text: str) -> Any:
    """The value that a choice's text shows; a text that is no literal of Python stands for itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


class TestedModel:
    """A machine, and the methods of an adapter. `silent`: actions that happen by themselves, between calls."""

    __test__ = False

    def __init__(
        self,
        machine: Machine,
        methods: Sequence[Method],
        silent: Iterable[str] = (),
        arguments: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
        receiver: Receiver | None = None,
    ) -> None:
        self.machine = machine
        self.methods = {method.name: method for method in methods}
        self._by_call = {method.call: method for method in methods if method.kind == "action"}
        self._funcs = [method for method in methods if method.kind == "func"]
        self._crash = next((method for method in methods if method.kind == "crash"), None)
        self._silent = frozenset(silent)
        self._arguments = arguments or {}
        self._receiver = receiver
        self._effects: dict[State, dict[ModelCall, list[CallEffect]]] = {}

    def beginnings(self) -> frozenset[State]:
        """The states in which the system may be at first. Raises `ModelError`."""
        states, failures = self.machine.initial()
        if failures:
            raise failures[0].error
        return self._settled({one.state for one in states})

    def moves(self, states: frozenset[State]) -> list[ModelCall]:
        """The calls that all of these states allow, in the order of the model."""
        each = [self.effects(state) for state in states]
        return [move for move in each[0] if all(move in effects for effects in each[1:])] if each else []

    def after(self, states: frozenset[State], move: ModelCall, returned: Any) -> frozenset[State]:
        """The states after a call that returned this; none if the model does not explain it."""
        values = self.machine.values
        found = {
            effect.target
            for state in states
            for effect in self.effects(state).get(move, ())
            if effect.returned is None or same(values, effect.returned, returned)
        }
        return self._settled(found)

    def expected(self, states: frozenset[State], move: ModelCall) -> list[Any]:
        """What a call may return, as it is `allowed`; `NOTHING` where the model does not say."""
        ids = {effect.returned for state in states for effect in self.effects(state).get(move, ())}
        known = [allowed_value(self.machine.values, one) for one in sorted(one for one in ids if one is not None)]
        return [*known, *([NOTHING] if None in ids else [])]

    def crashes(self, move: ModelCall) -> bool:
        """Whether it is the crash of a role instance."""
        return self._crash is not None and move.method == self._crash.name

    # --- effects ---------------------------------------------------------------------------------------------------

    def effects(self, state: State) -> dict[ModelCall, list[CallEffect]]:
        """The calls of a state, each with all ways through it. Remembered. Raises `ModelError`."""
        known = self._effects.get(state)
        if known is None:
            if len(self._effects) >= _MOST_STATES:
                self._effects.clear()
            known = {}
            for move, effect in self._each(state):
                known.setdefault(move, []).append(effect)
            self._effects[state] = known
        return known

    def _each(self, state: State) -> Iterator[tuple[ModelCall, CallEffect]]:
        expansion = self.machine.steps(state)
        if expansion.failures:
            raise expansion.failures[0].failure.error
        for step in expansion.steps:
            if step.rule.kind is StepKind.CRASH_ROLE:
                if self._crash is not None and step.rule.instance is not None:
                    crashed = "{}#{}".format(*step.rule.instance)
                    arguments = (("instance", repr(crashed)),)
                    yield ModelCall(self._crash.name, arguments, crashed), CallEffect(step.target, None)
            elif step.rule.kind is StepKind.START and not step.crashes:
                instance, action = _parts(step.actor)
                method = self._by_call.get(action)
                if method is not None:
                    yield from self._whole(step, method, instance)
        for method in self._funcs:
            yield from self._called(state, method)

    def _whole(self, step: Step, method: Method, instance: str | None) -> Iterator[tuple[ModelCall, CallEffect]]:
        """The action from its start to its end."""
        pending = [(step, step.outcome.choices)]
        for _ in range(_MOST_STEPS):
            if not pending:
                return
            last, choices = pending.pop()
            if last.outcome.thread is None:
                named = dict(label.removeprefix("Any:").split("=", 1) for label in choices if label.startswith("Any:"))
                inputs = tuple((name, named[name]) for name in method.inputs if name in named)
                if method.takes_instance and instance is not None:
                    inputs = (("instance", repr(instance)), *inputs)
                returned = next((number for _, number in last.outcome.returns), None)
                yield ModelCall(method.name, inputs, instance), CallEffect(last.target, returned)
                continue
            for following in self.machine.steps(last.target).steps:
                if following.rule.kind is StepKind.CONTINUE and not following.crashes:
                    pending.append((following, (*choices, *following.outcome.choices)))
        raise UsageProblem(f"the action '{method.call}' has more than {_MOST_STEPS:,} steps in one call")

    def _called(self, state: State, method: Method) -> Iterator[tuple[ModelCall, CallEffect]]:
        """A func with each combination of the arguments that the adapter names."""
        routine = function_of(self.machine, self._receiver, method.call)
        assert routine is not None
        values = self.machine.values
        given = self._arguments.get(method.name, {})
        for combination in itertools.product(*(given.get(name, ()) for name in method.inputs)):
            bound = {name: from_plain(values, value) for name, value in zip(method.inputs, combination, strict=True)}
            texts = tuple((name, repr(value)) for name, value in zip(method.inputs, combination, strict=True))
            for way in calls(self.machine, state, self._receiver, routine, bound):
                if isinstance(way, Called):
                    yield ModelCall(method.name, texts), CallEffect(way.target, way.returned)

    def _settled(self, states: set[State]) -> frozenset[State]:
        """These states, and those after deliveries and silent actions."""
        found, waiting = set(states), list(states)
        while waiting:
            state = waiting.pop()
            for step in self.machine.steps(state).steps if self._silent or state.messages else ():
                own = step.rule.kind is StepKind.START and _parts(step.actor)[1] in self._silent
                own = own or step.rule.kind is StepKind.DELIVER
                if own and not step.crashes and step.outcome.thread is None and step.target not in found:
                    found.add(step.target)
                    waiting.append(step.target)
            if len(found) > _MOST_STATES:
                raise UsageProblem(
                    f"the system may be in more than {_MOST_STATES:,} states after one call",
                    "observe more: let the methods return what tells the states apart",
                )
        return frozenset(found)


def _parts(actor: str | None) -> tuple[str | None, str]:
    """The instance, if there is one, and the action."""
    instance, _, action = str(actor).rpartition(".")
    return instance or None, action
