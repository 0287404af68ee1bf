"""Mementos: the whole state of an execution at a choice, so that each alternative can be run from there.

Mutable objects are restored in place, not copied: object identities and references between them are preserved. Objects
made later are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from interpreter.execute.configuration import HOLDING, held_by
from interpreter.execute.reach import changeable, reachable
from interpreter.values import Container
from interpreter.values.budget import METER

if TYPE_CHECKING:
    from interpreter.execute.execution import Execution


class Memento:
    """The state of an execution at one moment: before a move, or within one that chooses between `alternatives`.

    `resume`: the rest of that move; None: the move is made again.
    """

    __slots__ = ("_containers", "_frames", "_lists", "_rest", "_run", "_world", "resume")

    def __init__(
        self, run: Execution, alternatives: Sequence[object] = (), resume: Callable[[], bool] | None = None
    ) -> None:
        self.resume = resume
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
        containers = {id(part): part for part in _containers(held)}
        # What only one alternative holds is changed after no other choice, which is made once.
        owners: dict[int, int] = {}
        for index, value in enumerate(alternatives):
            for part in _containers([value]) if isinstance(value, HOLDING) else ():
                if owners.setdefault(id(part), index) != index:
                    containers[id(part)] = part
        self._containers = [part.undo() for part in containers.values()]

    def restore(self) -> None:
        """Restores the execution to that state."""
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
        for restore in self._containers:
            restore()


def _containers(held: Iterable[object]) -> Iterator[Container]:
    """The containers that these values hold, but for constants."""
    return (part for part in reachable(held, changeable) if isinstance(part, Container) and not part.frozen)
