"""How the tasks of a job hear that the run is to end, and what they have met until then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from checker.engines.protocol import Level
from checker.limits import StopReason
from fizz.light import dataclass
from interpreter.step import StepOrder

Origin = tuple[int, StepOrder]
"""How a state was found: the key of the source, and the step."""
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Met:
    """What a task has met: `level` as far as it got. `origins`: of its witnesses the states that the task has found."""

    level: Level
    origins: Mapping[int, Origin]

    @classmethod
    def of(cls, level: Level, origin: Callable[[int], Origin | None]) -> Met:
        """`origin` says how a state was found; None: it was found before."""
        witnesses = [*level.witnesses.values(), *([] if level.error is None else [level.error])]
        keys = [witness.at.key for witness in witnesses if witness.at is not None]
        return cls(level, {key: found for key in keys if (found := origin(key)) is not None})


@dataclass(frozen=True, slots=True)
class Stopped:
    """A task that was not finished."""

    reason: StopReason
    met: Met


def stop_sign(folder: Path, run: str) -> Path:
    """The file that is there once a run is to end. All workers see the folder."""
    return folder / f"stop-{int(run[:_DIGITS], 16)}"
