"""The initial frames of a rule: of a start, a parked thread, a message or an assertion."""

from __future__ import annotations

from fizz.syntax.ast import OF_STEPS
from interpreter.compile.program import AssertionProgram, Program
from interpreter.execute.frames import Frame, deliver_frame, resume_frames
from interpreter.execute.state_struct import StateStruct
from interpreter.execute.world import Reader, World
from interpreter.state.state import Slot, State
from interpreter.state.step import Rule, StepKind


def first_frames(rule: Rule, world: World) -> list[Frame]:
    """The frames of a rule before it runs, thawed into a world, outermost first."""
    program = world.code.program
    if rule.kind is StepKind.CONTINUE:
        return resume_frames(rule.subject, program.routines, world)
    if rule.kind is StepKind.DELIVER:
        return [deliver_frame(rule.subject, world.code, world)]
    if rule.kind is StepKind.ASSERT:
        return [assertion_frame(program, program.assertions[rule.subject], rule.instance, world)]
    instance = None if rule.instance is None else world.instance(rule.instance)
    return [Frame(program.routines[rule.subject], instance, {}, world)]


class StateSide:
    """One of the two states of a pair view."""

    __slots__ = ("_recorder", "_side")

    def __init__(self, recorder: Reader, side: str) -> None:
        self._recorder = recorder
        self._side = side

    def read(self, slot: Slot) -> int:
        return self._recorder.read((self._side, *slot))

    def whole(self) -> State:
        return self._recorder.whole()

    def compared(self, question: str, slot: Slot, other: StateSide, other_slot: Slot) -> int:
        """The answer to a question about what is in a slot of this state and one of the other, or of this one."""
        return self._recorder.read((question, (self._side, *slot), (other._side, *other_slot)))


def assertion_frame(
    program: Program, assertion: AssertionProgram, instance: tuple[str, int] | None, world: World
) -> Frame:
    """The frame in which an assertion runs; in a transition assertion the frame's own world is the state after."""
    routine = program.routines[assertion.routine]
    variables: dict[str, object] = {}
    if assertion.kind in OF_STEPS:
        before, world = (
            world.beside(StateSide(world.recorder, "before")),
            world.beside(StateSide(world.recorder, "after")),
        )
        world.keep_first_values()
        names = assertion.parameters or ("before", "after")
        variables = {
            names[0]: StateStruct(before, program.state_variables),
            names[1]: StateStruct(world, program.state_variables),
        }
    owner = None if instance is None else world.instance(instance)
    return Frame(routine, owner, variables, world)
