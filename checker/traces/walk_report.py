"""What a simulation or a guided trace answers: like a check's report, but nothing in it is a proof. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from checker.core.exit_code import ExitCode
from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.report import ModelFailure, PropertyReport
from checker.core.trace import Trace, TraceEntry

if TYPE_CHECKING:
    from fizz import Diagnostic

WalkVerdict = OneOf["nothing found", "followed", "failed", "deadlock", "error", "interrupted"]


@dataclass(frozen=True, slots=True)
class WalkProgress:
    """How far a simulation has come: of `runs` walks so many were begun, with so many steps in all."""

    walks: int
    runs: int
    steps: int
    elapsed_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkReport:
    """What both have.

    The verdict of a property that is not violated is "undecided", or "holds" for an `exists` that was met.
    """

    verdict: WalkVerdict
    exit_code: ExitCode
    model: str
    properties: tuple[PropertyReport, ...] = ()
    trace: Trace | None = None
    leading: str | None = None
    error: ModelFailure | None = None
    warnings: tuple[Diagnostic, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    given: Given = field(default_factory=Given)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationReport(WalkReport):
    """The answer of a simulation.

    Of `runs` walks that were asked for, `walks` were begun, with `steps` steps in all. `walk` is the number of the one
    that found something, from 0; it was made with the seed `seed + walk`. `found_after`: how many steps it had then, if
    it violated safety; its story may have been shortened. `ends`: why the walks ended, and how many.
    `cut_by`: what ended it before all walks were made.
    """

    runs: int
    seed: int
    walks: int
    steps: int
    walk: int | None = None
    found_after: int | None = None
    ends: Mapping[str, int] = field(default_factory=dict)
    elapsed_s: float = 0.0
    cut_by: StopReason | None = None


@dataclass(frozen=True, slots=True)
class NextStep:
    """A possible step beyond the end of a guided trace, and those after it. `fails`: the model fails in it."""

    entry: TraceEntry
    fails: Diagnostic | None = None
    next: tuple[NextStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidedReport(WalkReport):
    """The answer of a guided trace.

    `explicit`: every step was listed. `extended`: by how many steps `next` goes on; unless `all_listed` that is less
    than was asked for, because there are too many. A violated property says in `steps` after how many steps it was.
    `cut_by`: what ended it before all of the trace was followed, or all steps listed.
    """

    follow: str | None
    explicit: bool
    next: tuple[NextStep, ...] = ()
    extended: int = 0
    all_listed: bool = True
    cut_by: StopReason | None = None
