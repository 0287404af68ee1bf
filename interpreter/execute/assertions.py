"""Assertions: rules that write nothing and answer yes or no (language page, 10.1)."""

from __future__ import annotations

from collections.abc import Set

from fizz import Span
from interpreter.compile.program import AssertionProgram, Program
from interpreter.execute.execution import Execution
from interpreter.execute.frames import Frame
from interpreter.execute.observer import Undecided
from interpreter.execute.state_struct import StateStruct
from interpreter.execute.world import Reader, World
from interpreter.state.state import Slot, State
from interpreter.state.step import Abort, ModelError, Outcome
from interpreter.values import truth


class _Side:
    """One of the two states of a pair view."""

    __slots__ = ("_recorder", "_side")

    def __init__(self, recorder: Reader, side: str) -> None:
        self._recorder = recorder
        self._side = side

    def read(self, slot: Slot) -> int:
        return self._recorder.read((self._side, *slot))

    def whole(self) -> State:
        return self._recorder.whole()


def assertion_frame(
    program: Program, assertion: AssertionProgram, instance: tuple[str, int] | None, world: World
) -> Frame:
    """The frame in which an assertion runs; in a transition assertion the frame's own world is the state after."""
    routine = program.routines[assertion.routine]
    variables: dict[str, object] = {}
    if assertion.kind == "transition":
        before, world = world.beside(_Side(world.recorder, "before")), world.beside(_Side(world.recorder, "after"))
        names = assertion.parameters or ("before", "after")
        variables = {
            names[0]: StateStruct(before, program.state_variables),
            names[1]: StateStruct(world, program.state_variables),
        }
    owner = None if instance is None else world.instance(instance)
    return Frame(routine, owner, variables, world)


def evaluate_assertion(assertion: AssertionProgram, execution: Execution, met: Set[Span]) -> Outcome:
    """The verdict of an assertion whose frame is ready; a path without a value, or given up, is R13.

    Where loops are asked turn by turn, a turn that does not return leaves the verdict open (None). `met` is where the
    parts of expressions are found that were evaluated; with the statements they are the lines of the outcome.
    """
    try:
        execution.run()
    except Undecided:
        return _outcome(execution, met, None)
    except Abort as abort:
        # Steps are given up; an assertion must answer: a false `require` in a func it calls, an exhausted domain.
        text = f"assertion '{assertion.name}' returned no value: {abort.reason}"
        raise ModelError("R13", text, abort.span or execution.here()) from None
    if not execution.returned:
        raise ModelError("R13", f"assertion '{assertion.name}' returned no value", _place(assertion, execution))
    return _outcome(execution, met, truth(execution.result))


def _outcome(execution: Execution, met: Set[Span], verdict: bool | None) -> Outcome:
    lines = (*execution.lines, *sorted(met))
    return Outcome((), None, (), (), (), False, (), (), (), lines, verdict)


def _place(assertion: AssertionProgram, execution: Execution) -> Span:
    return execution.lines[-1] if execution.lines else assertion.span
