"""How the tasks of a job learn that the run is to end, and what they have met until then."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from checker.core.limits import StopReason
from fizz.base.light import dataclass

if TYPE_CHECKING:
    pass
from checker.search.spark.assignment import PartialLevel

_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Stopped:
    """A task that was not finished."""

    reason: StopReason
    partial_level: PartialLevel


def stop_sign(folder: Path, run: str) -> Path:
    """The file that is there once a run is to end. All workers see the folder."""
    return folder / f"stop-{int(run[:_DIGITS], 16)}"
