"""The results of a sweep: a row for each point, plain data for printers and scripts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from typing import Literal as OneOf

from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.problems import ExitCode
from checker.core.report import Verdict
from checker.sweep.forecast import Forecast, forecasts
from checker.sweep.grid import Axis, Point, whole

PointVerdict = Verdict | OneOf["not checked", "not run"]
"""As of a check; "not checked": it was not possible, for the reason in `why`; "not run": the sweep ended before."""

_FOUND: Final = (ExitCode.MODEL_ERROR, ExitCode.SAFETY, ExitCode.DEADLOCK, ExitCode.LIVENESS)
"""What decides the exit code of a sweep, the most severe first."""
_NO_ANSWER: Final = (ExitCode.INTERNAL, ExitCode.SYNTAX, ExitCode.OPTIONS, ExitCode.USAGE, ExitCode.ENVIRONMENT)


@dataclass(frozen=True, slots=True)
class PointResult:
    """A point and its check. `found`: what is violated, in a few words. `why`: why there is no result.

    `complete`: the counts are those of the whole state space, up to `max_actions`.
    """

    point: Point
    verdict: PointVerdict = "not run"
    exit_code: ExitCode = ExitCode.BOUNDED
    states: int | None = None
    transitions: int | None = None
    depth: int | None = None
    cut_by: StopReason | None = None
    found: str | None = None
    why: str | None = None
    complete: bool = False
    elapsed_s: float = 0.0
    cpu_s: float = 0.0
    memory_mb: float = 0.0

    @property
    def violates(self) -> bool:
        """Whether something is wrong with the model at this point."""
        return self.exit_code in _FOUND

    @property
    def row(self) -> dict[str, Any]:
        """The point as a row of a table: its values, as numbers where they are whole, and its result."""
        return {
            **{name: text if (number := whole(text)) is None else number for name, text in self.point.named},
            "verdict": self.verdict,
            "exit_code": int(self.exit_code),
            "found": self.found,
            "why": self.why,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "cut_by": None if self.cut_by is None else self.cut_by.value,
            "complete": self.complete,
            "elapsed_s": round(self.elapsed_s, 3),
            "cpu_s": round(self.cpu_s, 3),
            "peak_memory_mb": round(self.memory_mb, 1),
        }

    @property
    def cost(self) -> tuple[bool, int, tuple[int, tuple[int, ...]]]:
        """By this rows are in order, the cheapest first: states, then size; those without a result are the last."""
        return self.states is None, self.states or 0, self.point.size


@dataclass(frozen=True)
class SweepReport:
    """The points of one grid, those of `results` by cost. `stopped`: why some points were not run, if so."""

    model: str
    given: Given
    axes: tuple[Axis, ...]
    results: tuple[PointResult, ...]
    stopped: StopReason | None = None
    elapsed_s: float = 0.0

    @property
    def first_violation(self) -> PointResult | None:
        """The smallest point at which the model is wrong."""
        wrong = [one for one in self.results if one.violates]
        return min(wrong, key=lambda one: one.point.size, default=None)

    @cached_property
    def forecasts(self) -> tuple[Forecast, ...]:
        """For each line of the grid how many states its next point has, as far as that can be said."""
        known = {one.point.texts: (one.states or 0, one.cpu_s) for one in self.results if one.complete}
        return forecasts(self.axes, known)

    @property
    def exit_code(self) -> ExitCode:
        """130 if it was interrupted; that of what is wrong at some point; that of a point not checked; 3 if cut; 0."""
        codes = {one.exit_code for one in self.results}
        if self.stopped is StopReason.INTERRUPTED:
            return ExitCode.INTERRUPTED
        ranked = (*_FOUND, *_NO_ANSWER)
        return next((code for code in ranked if code in codes), ExitCode.BOUNDED if any(codes) else ExitCode.PASSED)

    def __bool__(self) -> bool:
        return self.exit_code is ExitCode.PASSED

    def __repr__(self) -> str:
        return f"<SweepReport {self.model}: {len(self.results)} points, exit code {int(self.exit_code)}>"
