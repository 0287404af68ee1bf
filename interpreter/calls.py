"""A func called from outside: run to its end as one step, with given arguments, and what it returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fizz import Span
from fizz.base.light import dataclass
from interpreter.compile.program import Routine
from interpreter.execute.execution import Execution
from interpreter.execute.frames import Frame
from interpreter.execute.view import Recorder
from interpreter.execute.world import World
from interpreter.machine import Machine
from interpreter.state.state import State
from interpreter.state.step import (
    NO_OUTCOME,
    Abort,
    Aborted,
    ExecutionPath,
    Failure,
    ModelError,
    Outcome,
    Rule,
    StepKind,
    ends_step,
)
from interpreter.values.budget import METER
from interpreter.values.freeze import freeze
from interpreter.values.problem import ModelMistake

Receiver = tuple[str, int]
"""A role instance: the name of its role, and its number."""


@dataclass(frozen=True, slots=True)
class Called:
    """One way through a call: the state after it, the id of what it returned, and the outcome."""

    target: State
    returned: int
    outcome: Outcome


def function_of(machine: Machine, receiver: Receiver | None, name: str) -> Routine | None:
    """The func of this name: of the receiver's role, or at top level; None if there is none."""
    program = machine.program
    functions = program.functions if receiver is None else program.role(receiver[0]).functions
    number = functions.get(name)
    return None if number is None else program.routines[number]


def calls(
    machine: Machine,
    state: State,
    receiver: Receiver | None,
    routine: Routine,
    arguments: Mapping[str, int],
    only_reads: bool = False,
) -> Iterator[Called | Aborted]:
    """All ways through a call of a func, in the order of its choices; a serial func does not yield in it.

    `arguments`: ids by parameter; parameters without one have their defaults. `only_reads`: the func is known to change
    and choose nothing. Raises `ModelError` if the model fails.
    """
    if only_reads:
        value = _read(machine, state, receiver, routine, arguments)
        if value is not None:
            yield Called(state, value, NO_OUTCOME)
            return
    choices: tuple[int, ...] = ()
    for _ in range(machine.most_paths):
        recorder, world, execution = _begun(machine, state, receiver, routine, arguments)
        execution.given(choices)
        # A call is forced as Init is: it is a step even if it changes nothing.
        rule = Rule(StepKind.INIT, routine.number)
        result = machine.run_to_end(rule, execution)
        returned = _frozen(machine, execution) if isinstance(result, Outcome) else 0
        world.end()
        if isinstance(result, Failure):
            raise result.error
        if isinstance(result, Outcome):
            target = machine.apply(state, rule, result)
            if target is not None:
                yield Called(target, returned, result)
        else:
            yield result
        following = ExecutionPath(tuple(recorder.events), result).next_choices()
        if following is None or ends_step(result):
            return
        choices = following
    raise machine.too_many_paths(Rule(StepKind.INIT, routine.number)).error


def value_of(machine: Machine, name: str, recorder: Recorder) -> int:
    """The id of what a top-level func without parameters returns in the state that a recorder reads: a view (10.9).

    Shared containers are written out, as in all views. Raises `ModelError` if the func fails, chooses or is given up.
    """
    routine = machine.program.routines[machine.program.functions[name]]
    METER.begin(machine.code.budget)
    world = World(machine.values, recorder, machine.code)
    execution = Execution(machine.code, world, recorder, [Frame(routine, None, {}, world)], yields=False)
    result = machine.run_to_end(Rule(StepKind.INIT, routine.number), execution)
    try:
        if isinstance(result, Failure):
            raise result.error
        if isinstance(result, Aborted):
            raise ModelError("R26", f"the view '{name}' has no value: {result.reason}", result.span)
        if execution.forks:
            raise ModelError("R26", f"the view '{name}' chooses", routine.span, "a view has one value in each state")
        return _frozen(machine, execution)
    finally:
        world.end()


def _begun(
    machine: Machine, state: State, receiver: Receiver | None, routine: Routine, arguments: Mapping[str, int]
) -> tuple[Recorder, World, Execution]:
    recorder = Recorder(machine.view(state))
    METER.begin(machine.code.budget)
    world = World(machine.values, recorder, machine.code)
    instance = None if receiver is None else world.instance(receiver)
    given = {name: world.thaw(number) for name, number in arguments.items()}
    frame = Frame(routine, instance, given, world)
    execution = Execution(machine.code, world, recorder, [frame], yields=False)
    for parameter in routine.parameters:
        if parameter.default is not None and parameter.name not in given:
            try:
                frame.locals[parameter.name] = machine.code.default(routine, parameter.name)(frame)
            except ModelMistake as mistake:
                raise ModelError(mistake.code, mistake.text, routine.span, mistake.hint) from None
    return recorder, world, execution


def _read(
    machine: Machine, state: State, receiver: Receiver | None, routine: Routine, arguments: Mapping[str, int]
) -> int | None:
    """The id of what a func returns that only reads; None if it is refused or fails."""
    _, world, execution = _begun(machine, state, receiver, routine, arguments)
    try:
        execution.run()
        return freeze(execution.result, machine.values)
    except (Abort, ModelError, ModelMistake):
        # The way with all that is known of it tells why.
        return None
    finally:
        METER.end()
        world.end()


def _frozen(machine: Machine, execution: Execution) -> int:
    try:
        return freeze(execution.result, machine.values)
    except ModelMistake as mistake:
        span: Span = execution.here()
        raise ModelError(mistake.code, mistake.text, span, mistake.hint) from None
