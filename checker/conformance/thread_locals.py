"""The locals of a thread that waits: what a serial action has chosen in its earlier steps is kept in them."""

from __future__ import annotations

from interpreter import State, Step, StepKind
from interpreter.state.parked import FrameShape
from interpreter.values.intern import Interner, Tag


def kept_before(values: Interner, state: State, step: Step, name: str) -> int | None:
    """The value that a local of a thread has in a state, from which its step goes on; None: it has none of this name.

    A func that the thread is in comes before who has called it.
    """
    if step.rule.kind is not StepKind.CONTINUE:
        return None
    for frame in reversed(values.children(step.rule.subject)):
        shape = values.payload(frame)[1]
        assert isinstance(shape, FrameShape)
        if name in shape.names:
            # The first one is the role instance.
            number = values.children(frame)[1 + shape.names.index(name)]
            return state.get(("cell", values.payload(number)[0])) if values.tag(number) is Tag.REF else number
    return None
