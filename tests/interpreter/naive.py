"""A slow reference implementation of loops of choices, literally as the language page defines them (6.3).

Every path is run from its beginning, ordered by the number of its choices and then by the choices. At the header of
every `while` the whole state is recorded, with the order of dicts and sets and with the sharing of containers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interpreter import Machine, State
from interpreter.compile.program import Routine, WhileLoop
from interpreter.execute.beginning import first_frames
from interpreter.execute.environment import Environment
from interpreter.execute.execution import Execution
from interpreter.execute.frames import Frame
from interpreter.execute.headers import Unchosen
from interpreter.execute.view import Recorder
from interpreter.execute.world import World
from interpreter.state.state import MISSING
from interpreter.state.step import (
    GIVEN_UP,
    Abort,
    Aborted,
    Failure,
    Fork,
    ModelError,
    Outcome,
    Result,
    Rule,
    StepKind,
)
from interpreter.values import (
    BagValue,
    Container,
    DictValue,
    FunctionValue,
    GenericMap,
    RecordValue,
    StructValue,
)
from interpreter.values.budget import METER
from interpreter.values.freeze import display

PathEnd = tuple[tuple[int, ...], object]
"""The choices of a path, and its result: the state after it, the span where it ends, or the failure."""


class Headers:
    """The configurations of one step, with the least path of each."""

    def __init__(self, state: State) -> None:
        self.slots = [slot for slot in state.layout.slots if slot[0] in ("heap", "role", "param", "field", "reset")]
        self.least: dict[object, tuple[int, ...]] = {}
        self.begun: dict[int, tuple[int, ...]] = {}

    def come(self, run: Execution, routine: Routine, loop: WhileLoop) -> None:
        scope = run.frames[-1].scopes[-1]
        key = (scope.begun, self._configuration(run), run.enabled, frozenset(run.offered), self._taken(run))
        least = self.least.setdefault(key, run.chosen)
        if (len(least), least) < (len(run.chosen), run.chosen):
            raise Abort(GIVEN_UP, loop.span)

    def _taken(self, run: Execution) -> frozenset[object]:
        return frozenset((choice.location, choice.instance, choice.value) for choice in run.fair)

    def _configuration(self, run: Execution) -> str:
        names = sorted({*self.slots, *run.world.slots}, key=repr)
        met: dict[int, int] = {}
        parts = [self._frame(frame, met) for frame in run.frames]
        parts += [[m.function, repr(m.receiver), self._all(m.arguments.items(), met)] for m in run.world.sent]
        parts += [[name, self._value(run.world.get(name), met)] for name in names]
        return repr([part for part in parts if part[-1] != "MISSING"])

    def _frame(self, frame: Frame, met: dict[int, int]) -> list[Any]:
        scopes: list[Any] = []
        for state in frame.scopes:
            rest = self._all(enumerate(state.rest or ()), met)
            scopes.append((state.scope.number, state.index, state.started, rest))
        return [frame.routine.number, repr(frame.instance), self._all(sorted(frame.locals.items()), met), scopes]

    def _all(self, pairs: Any, met: dict[int, int]) -> list[Any]:
        return [(str(name), self._value(value, met)) for name, value in pairs]

    def _value(self, value: object, met: dict[int, int]) -> Any:
        if isinstance(value, Container):
            if id(value) in met:
                return f"again {met[id(value)]}"
            met[id(value)] = len(met)
            return [value.kind, value.frozen, list(self._inside(value, met))]
        if isinstance(value, tuple):
            return ("tuple", [self._value(item, met) for item in value])
        if isinstance(value, StructValue):
            return ("struct", self._all(sorted(value.fields.items()), met))
        assert not isinstance(value, FunctionValue | Environment)
        return "MISSING" if value is MISSING else (type(value).__name__, display(value))

    def _inside(self, value: Container, met: dict[int, int]) -> Iterator[Any]:
        if isinstance(value, RecordValue):
            yield self._all(sorted(value.fields.items()), met)
        elif isinstance(value, DictValue):
            yield [(self._value(k, met), self._value(v, met)) for k, v in value.entries.values()]
        elif isinstance(value, GenericMap):
            yield [(self._value(k, met), self._value(v, met)) for k, v in value.pairs]
        elif isinstance(value, BagValue):
            # The order of insertion of equal elements is not observable.
            yield sorted([self._value(item, met) for item in value.items], key=repr)
        else:
            yield [self._value(item, met) for item in value.members()]


def expected_paths(machine: Machine, rule: Rule, state: State, most: int) -> list[PathEnd] | None:
    """All paths of a rule that are not given up, in the order of their choices; None: too many."""
    headers = Headers(state)
    waiting: list[tuple[int, ...]] = [()]
    found: list[PathEnd] = []
    runs = 0
    while waiting:
        runs += 1
        if runs > most:
            return None
        # The least one: the fewest choices, then the least choices.
        choices = min(waiting, key=lambda choices: (len(choices), choices))
        waiting.remove(choices)
        try:
            result = _run(machine, rule, state, choices, headers)
        except Unchosen as unchosen:
            waiting += [(*choices, i) for i in range(unchosen.size)]
            continue
        if not (isinstance(result, Aborted) and result.reason == GIVEN_UP):
            found.append((choices, _end(machine, rule, state, result)))
    return sorted(found, key=lambda end: end[0])


def _end(machine: Machine, rule: Rule, state: State, result: Result) -> object:
    if isinstance(result, Outcome):
        target = machine.apply(state, rule, result)
        return (target, result.choices, result.labels, result.returns, result.fair, result.lines)
    return (result.error.code, result.error.span) if isinstance(result, Failure) else (result.reason, result.span)


def _run(machine: Machine, rule: Rule, state: State, choices: tuple[int, ...], headers: Headers) -> Result:
    METER.begin(machine.code.budget)
    recorder = Recorder(machine.view(state))
    world = World(machine.values, recorder, machine.code)
    if rule.kind in (StepKind.CONTINUE, StepKind.DELIVER):
        world.subject = rule.subject
    yields = rule.kind is not StepKind.INIT
    run = Execution(machine.code, world, recorder, first_frames(rule, world), yields)
    run.given(choices)
    run.headers = headers  # type: ignore[assignment]
    run.branches = True
    try:
        run.run()
        return machine._concluded(rule, run)
    except Abort as abort:
        return Aborted(abort.reason, abort.span or run.here(), tuple(run.lines))
    except ModelError as error:
        return Failure(error, (), (), ())
    finally:
        METER.end()


def actual_paths(machine: Machine, rule: Rule, state: State) -> list[PathEnd]:
    """The same paths as the machine runs them."""
    return [
        (
            tuple(event.taken for event in path.events if isinstance(event, Fork)),
            _end(machine, rule, state, path.result),
        )
        for path in machine.paths(rule, machine.view(state))
        if not (isinstance(path.result, Aborted) and path.result.reason == GIVEN_UP)
    ]
