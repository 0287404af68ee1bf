"""The frames with which a rule begins: a start's own, those of a parked thread, a message's, an assertion's."""

from __future__ import annotations

from interpreter.execute.assertions import assertion_frame
from interpreter.execute.frames import Frame, deliver_frame, resume_frames
from interpreter.execute.world import World
from interpreter.state.step import Rule, StepKind


def first_frames(rule: Rule, world: World) -> list[Frame]:
    """The frames of a rule, outermost first, before anything of it runs in this world."""
    program = world.code.program
    if rule.kind is StepKind.CONTINUE:
        return resume_frames(rule.subject, program.routines, world)
    if rule.kind is StepKind.DELIVER:
        return [deliver_frame(rule.subject, world.code, world)]
    if rule.kind is StepKind.ASSERT:
        return [assertion_frame(program, program.assertions[rule.subject], rule.instance, world)]
    instance = None if rule.instance is None else world.instance(rule.instance)
    return [Frame(program.routines[rule.subject], instance, {}, world)]
