"""The steps of a rule whose choices were observed: other alternatives are never run."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.execute.beginning import first_frames
from interpreter.execute.execution import Admits, Execution
from interpreter.execute.view import Recorder
from interpreter.execute.world import World
from interpreter.machine import Machine
from interpreter.state.state import State
from interpreter.state.step import Candidate, ExecutionPath, Failure, Outcome, Result, Step, StepKind, ends_step
from interpreter.values.budget import METER


def observed_steps(machine: Machine, state: State, candidate: Candidate, admits: Admits) -> Iterator[Step]:
    """The steps of a candidate with choices that are admitted. Raises `ModelError` where the model fails.

    The numbers of alternatives in their orders are those among admitted ones: such a step is not found by its order.
    """
    for result in _results(machine, state, candidate, admits):
        if isinstance(result, Failure):
            raise result.error
        if isinstance(result, Outcome):
            yield from machine.steps_of(state, candidate, result)


def _results(machine: Machine, state: State, candidate: Candidate, admits: Admits) -> Iterator[Result]:
    rule, view = candidate.rule, machine.view(state)
    choices: tuple[int, ...] = ()
    for _ in range(machine.most_paths):
        recorder = Recorder(view)
        METER.begin(machine.code.budget)
        world = World(machine.values, recorder, machine.code)
        if rule.kind in (StepKind.CONTINUE, StepKind.DELIVER):
            world.subject = rule.subject
        execution = Execution(machine.code, world, recorder, first_frames(rule, world))
        execution.admits = admits
        execution.given(choices)
        result = machine.run_to_end(rule, execution)
        world.end()
        yield result
        following = ExecutionPath(tuple(recorder.events), result).next_choices()
        if following is None or ends_step(result):
            return
        choices = following
    yield machine.too_many_paths(rule)
