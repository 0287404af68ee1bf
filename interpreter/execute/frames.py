"""Frames and scopes: the position of a running thread, and its composite value when it is parked.

A parked thread is a composite value: one composite per frame whose children are the frame's `self`, locals and the rest
of its loops' elements, described by a `FrameShape` (language page, 5.6 and 6.2).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from interpreter.compile.program import ForLoop, OneOfBlock, ParallelBlock, Routine, Scope, WhileLoop
from interpreter.execute.code import Code
from interpreter.execute.environment import Environment
from interpreter.execute.settlement import Settlement
from interpreter.execute.world import Message, World
from interpreter.state.parked import FrameShape, Position, frame_json, message_json, thread_json
from interpreter.values import Instance
from interpreter.values.intern import NONE, Interner, Tag


@dataclass(slots=True)
class ScopeState:
    """A scope being executed. The fields in use depend on the kind of `scope`:

    a sequence: `index` of the next statement, -1 for the body of an Init that waits to begin; a oneof block: of the
    chosen one, -1 before; a parallel block: of the running one, -1 between two, and `started`; a `for` loop: `rest`; a
    `while`: `begun`, the choices made in this step before the loop began.
    """

    scope: Scope
    index: int = 0
    started: tuple[int, ...] = ()
    rest: deque[object] | None = None
    begun: tuple[int, ...] = ()

    def copy(self) -> ScopeState:
        """A copy."""
        rest = None if self.rest is None else self.rest.copy()
        return ScopeState(self.scope, self.index, self.started, rest, self.begun)


class Frame(Environment):
    """One unfinished call."""

    __slots__ = ("routine", "scopes")

    def __init__(self, routine: Routine, instance: Instance | None, variables: dict[str, object], world: World) -> None:
        super().__init__(variables, instance, world, None)
        self.routine = routine
        self.scopes: list[ScopeState] = [enter(routine.body)]

    @property
    def waits_to_begin(self) -> bool:
        """Whether it is the Init of an instance that waits for the Inits of others created in the same statement."""
        return self.scopes[0].index < 0

    def values(self) -> Iterable[object]:
        """All values that the frame holds."""
        yield from self.locals.values()
        for state in self.scopes:
            if state.rest is not None:
                yield from state.rest


def enter(scope: Scope) -> ScopeState:
    """The state of a block or loop that has just been entered."""
    return ScopeState(scope, index=-1) if isinstance(scope, (OneOfBlock, ParallelBlock)) else ScopeState(scope)


class Freezing(Protocol):
    """Gives the ids of values."""

    def freeze(self, value: object) -> int:
        """The id of a value."""


def park_frame(frame: Frame, settlement: Freezing, interner: Interner) -> int:
    """The id of a frame at a yield point."""
    names = tuple(sorted(frame.locals))
    children = [NONE if frame.instance is None else settlement.freeze(frame.instance)]
    children += [settlement.freeze(frame.locals[name]) for name in names]
    for state in frame.scopes:
        children += [settlement.freeze(item) for item in state.rest or ()]
    return parked_frame(frame.routine, frame.scopes, names, tuple(children), interner)


def parked_frame(
    routine: Routine, scopes: Sequence[ScopeState], names: tuple[str, ...], inside: tuple[int, ...], interner: Interner
) -> int:
    """The id of a frame at a yield point. `inside`: the ids of its `self`, its locals, and the rest of its loops."""
    positions = tuple([Position(one.scope.number, one.index, one.started, len(one.rest or ())) for one in scopes])
    # These determine the rest.
    known = (routine.number, names, positions, inside)
    number = interner.parked.get(known)
    if number is None:
        loops = tuple(isinstance(one.scope, ForLoop) for one in scopes)
        shape = FrameShape(routine.name, routine.number, names, _path(scopes[-1]), positions, loops)
        json_text = frame_json(shape, [interner.json(child) for child in inside])
        number = interner.parked[known] = interner.intern_composite(Tag.FRAME, inside, shape, json_text)
    return number


def park_thread(frames: list[Frame], settlement: Freezing, interner: Interner) -> int:
    """The id of a thread at a yield point."""
    return thread_of([park_frame(frame, settlement, interner) for frame in frames], interner)


def thread_of(frames: Sequence[int], interner: Interner) -> int:
    """The id of the thread with these frames, the outermost first."""
    return interner.intern_composite(Tag.THREAD, tuple(frames), None, thread_json(interner.json(one) for one in frames))


def park_message(message: Message, settlement: Settlement, interner: Interner) -> int:
    """The id of a queued message."""
    names = tuple(sorted(message.arguments))
    children = [settlement.freeze(message.receiver), *[settlement.freeze(message.arguments[name]) for name in names]]
    extra = (message.channel.number, message.channel.name, message.function, names)
    text = message_json(extra, [interner.json(child) for child in children])
    return interner.intern_composite(Tag.MESSAGE, tuple(children), extra, text)


def deliver_frame(message: int, code: Code, world: World) -> Frame:
    """The frame that runs a message's func."""
    children, extra, _ = world.interner.payload(message)
    receiver = world.thaw(children[0])
    assert isinstance(receiver, Instance)
    arguments = {name: world.thaw(child) for name, child in zip(extra[3], children[1:], strict=True)}
    number = code.roles[receiver.role].program.functions[extra[2]]
    return Frame(code.program.routines[number], receiver, arguments, world)


def _path(state: ScopeState) -> str:
    path = state.scope.path
    if isinstance(state.scope, ForLoop | WhileLoop):
        return f"{path}h"
    if isinstance(state.scope, ParallelBlock) and state.index < 0:
        return f"{path}p"
    return f"{path}.{state.index}" if path else str(state.index)


def resume_frames(thread: int, routines: tuple[Routine, ...], world: World) -> list[Frame]:
    """The frames of a parked thread, thawed into a world."""
    return [_resume(frame, routines, world) for frame in world.interner.children(thread)]


def _resume(number: int, routines: tuple[Routine, ...], world: World) -> Frame:
    interner = world.interner
    shape = interner.payload(number)[1]
    assert isinstance(shape, FrameShape)
    values = [world.thaw(child) for child in interner.children(number)]
    instance = values[0]
    assert instance is None or isinstance(instance, Instance)
    routine = routines[shape.number]
    frame = Frame(routine, instance, dict(zip(shape.names, values[1:], strict=False)), world)
    rest = iter(values[1 + len(shape.names) :])
    frame.scopes = []
    for position in shape.positions:
        state = ScopeState(routine.scopes[position.scope], position.at, position.started)
        if isinstance(state.scope, ForLoop):
            state.rest = deque(islice(rest, position.rest))
        frame.scopes.append(state)
    return frame
