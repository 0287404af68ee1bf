"""The reports of a simulation and a guided trace: like a check's report, but nothing in them is a proof. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.model_result import ModelResult
from checker.core.problems import ExitCode
from checker.core.report import ModelFailure, PropertyReport, in_words
from checker.core.trace import Trace, TraceEntry
from checker.traces.state_sketch import StateSketch

if TYPE_CHECKING:
    from fizz import Diagnostic

WalkVerdict = OneOf["nothing found", "followed", "failed", "deadlock", "error", "interrupted"]


@dataclass(frozen=True, slots=True)
class WalkProgress:
    """The progress of a simulation: of `runs` walks, `walks` were begun, with `steps` steps in all.

    About `states` distinct states were seen, and `acted` of all `actions` were started.
    """

    walks: int
    runs: int
    steps: int
    elapsed_s: float
    states: int = 0
    acted: int = 0
    actions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WalkReport(ModelResult):
    """The fields of both reports. A property that is not violated is "undecided", an `exists` that was met "holds"."""

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

    @property
    def summary(self) -> str:
        """The verdict, and what is violated."""
        return in_words(self.verdict, next((p for p in self.properties if p.name == self.leading), None), self.error)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SimulationReport(WalkReport):
    """The report of a simulation.

    Of `runs` requested walks, `walks` were begun, with `steps` steps in all. `walk` is the number, from 0, of the one
    that found something; its seed is `seed + walk`. `found_after`: how many steps it had then, if it violated safety;
    its trace may be shorter. `ends`: how many walks ended, by the reason. `acted`: the actions that were started, of
    `actions` that there are. `sketch`: a `StateSketch` of the states that were seen. `cut_by`: what
    ended the simulation early.
    """

    runs: int
    seed: int
    walks: int
    steps: int
    walk: int | None = None
    found_after: int | None = None
    ends: Mapping[str, int] = field(default_factory=dict)
    acted: frozenset[str] = frozenset()
    actions: int = 0
    sketch: bytes = b""
    elapsed_s: float = 0.0
    cut_by: StopReason | None = None

    @property
    def distinct_states(self) -> int:
        """About how many distinct states the walks saw, instances and symmetric values with their names."""
        return StateSketch(self.sketch).estimate() if self.sketch else 0


@dataclass(frozen=True, slots=True)
class NextStep:
    """A possible step after the end of a guided trace, and those after it. `fails`: the model fails in it."""

    entry: TraceEntry
    fails: Diagnostic | None = None
    next: tuple[NextStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GuidedReport(WalkReport):
    """The report of a guided trace.

    `explicit`: every step was listed. `extended`: the depth of `next`; unless `all_listed` that is less than requested,
    because there are too many steps. `steps` of a violated property: after how many steps it was violated. `cut_by`:
    what ended the run before the trace was followed and all steps were listed.
    """

    follow: str | None
    explicit: bool
    next: tuple[NextStep, ...] = ()
    extended: int = 0
    all_listed: bool = True
    cut_by: StopReason | None = None
