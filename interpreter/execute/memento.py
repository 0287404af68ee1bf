"""Mementos: all that a way is before a choice, so that each alternative can be gone from there.

What can be changed is put back as it was, not copied: the objects stay the same, and so does all that they know of each
other. What was made after is forgotten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interpreter.execute.configuration import HOLDING, held_by
from interpreter.execute.reach import changeable, reachable
from interpreter.values import Container
from interpreter.values.budget import METER

if TYPE_CHECKING:
    from interpreter.execute.execution import Execution


class Memento:
    """What an execution is at this moment."""

    __slots__ = ("_containers", "_frames", "_lists", "_rest", "_run", "_world")

    def __init__(self, run: Execution) -> None:
        self._run = run
        world = run.world
        self._frames = [(frame, frame.locals.copy(), [state.copy() for state in frame.scopes]) for frame in run.frames]
        lists: tuple[list[Any], ...] = (run.forks, run.labels, run.lines, run.fair, run.returns)
        self._lists = [(one, one.copy()) for one in lists]
        self._rest = (run.enabled, run.offered.copy(), run.moves, METER.spent, run.recorder.saved())
        self._world = world.saved()
        held: list[object] = [value for value in world.slots.values() if isinstance(value, HOLDING)]
        held += world.cells.values()
        held += [value for frame in run.frames for value in held_by(frame)]
        held += [value for message in world.sent for value in message.arguments.values()]
        parts = reachable(held, changeable) if held else ()
        self._containers = [part.undo() for part in parts if isinstance(part, Container) and not part.frozen]

    def restore(self) -> None:
        """Make the execution what it was."""
        run = self._run
        run.frames[:] = [frame for frame, _, _ in self._frames]
        for frame, variables, scopes in self._frames:
            frame.locals = variables.copy()
            frame.scopes = [state.copy() for state in scopes]
        for one, content in self._lists:
            one[:] = content
        run.enabled, offered, run.moves, spent, asked = self._rest
        METER.resume(spent)
        run.offered = offered.copy()
        run.recorder.restore(asked)
        run.world.restore(self._world)
        for put_back in self._containers:
            put_back()
