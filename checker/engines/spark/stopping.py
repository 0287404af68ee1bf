"""How the tasks of a job hear that the run is to end, and what they have met until then."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from checker.engines.protocol import Level
from checker.limits import StopReason
from fizz.light import dataclass
from interpreter.step import StepOrder

if TYPE_CHECKING:
    from checker.engines.spark.assignment import Assignment

Origin = tuple[int, StepOrder]
"""How a state was found: the key of the source, and the step."""
_DIGITS = 12


class Working(Protocol):
    """A partition in a task: what the task was given, and what taking it in and expanding it has brought so far."""

    assignment: Assignment
    arrived: Level
    expanded: Level

    def origin(self, key: int) -> Origin | None:
        """How a state was found; None: it was found before."""
        ...


@dataclass(frozen=True, slots=True)
class Met:
    """What a task has met: `level` as far as it got. `origins`: of its witnesses the states that the task has found."""

    level: Level
    origins: Mapping[int, Origin]

    @classmethod
    def of(cls, partition: Working) -> Met:
        """What was met so far on the way to the level that is being found."""
        if partition.assignment.judged:
            return cls(partition.expanded, {})
        level = partition.arrived
        witnesses = [*level.witnesses.values(), *([] if level.error is None else [level.error])]
        keys = [witness.at.key for witness in witnesses if witness.at is not None]
        return cls(level, {key: found for key in keys if (found := partition.origin(key)) is not None})


@dataclass(frozen=True, slots=True)
class Stopped:
    """A task that was not finished."""

    reason: StopReason
    met: Met


def stop_sign(folder: Path, run: str) -> Path:
    """The file that is there once a run is to end. All workers see the folder."""
    return folder / f"stop-{int(run[:_DIGITS], 16)}"
