"""`LogNode`: a state of the model with the events of a log that it explains, and the way to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from checker.conformance.event_streams import Positions
from checker.conformance.observed_event import Observed
from interpreter import State, Step


@dataclass(slots=True)
class LogNode:
    """A state that explains some events. `ways`: to how many states its event leads, where it came from.

    `origin`: gives this node with its parents, where it was found by columns, which do not make them.
    """

    state: State
    positions: Positions
    consumed: int
    silent: int
    parent: LogNode | None = None
    step: Step | None = None
    event: Observed | None = None
    ways: int = 1
    origin: Callable[[], LogNode] | None = None

    def settle_origin(self) -> None:
        """Have the parents made, if they are not."""
        if self.origin is not None:
            same, self.origin = self.origin(), None
            self.parent, self.step, self.event, self.ways = same.parent, same.step, same.event, same.ways


def path_to(node: LogNode) -> list[LogNode]:
    """The nodes of a run that are still known, in order."""
    path: list[LogNode] = []
    current: LogNode | None = node
    while current is not None:
        current.settle_origin()
        path.append(current)
        current = current.parent
    return path[::-1]
