"""What `fizzpy validate` found: a verdict on each run, what was compared, and why a log is rejected. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from checker.conformance.observed_event import Observed
from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.problems import ExitCode
from checker.core.trace import TraceEntry

LogVerdict = OneOf["accepted", "rejected", "inconclusive", "nothing"]


@dataclass(frozen=True, slots=True)
class NextEvent:
    """An event that nothing explains, and for each state the system may be in why it does not fit."""

    event: Observed
    reasons: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a log is rejected: the last steps of the longest run, the states after it, the events that do not fit.

    `doubtful`: the first event that had several explanations, or followed a silent step; the mistake may be there.
    """

    entries: tuple[TraceEntry, ...]
    states: tuple[tuple[tuple[str, str], ...], ...]
    events: tuple[NextEvent, ...]
    doubtful: Observed | None


@dataclass(frozen=True, slots=True)
class JudgedAssertion:
    """An assertion that is violated on explanations of a log: on every one, or on some.

    `found`: on the one that was found; a bound ended the search for others. `event`: where it is violated first.
    """

    name: str
    on: OneOf["every", "some", "found"]
    event: Observed | None


@dataclass(frozen=True, slots=True)
class LogRun:
    """One log, or several that are one run. `explained`: events; `values`: observed values that were compared."""

    files: tuple[str, ...]
    verdict: LogVerdict
    lines: int
    ignored: int
    explained: int
    values: int
    silent: int
    nodes: int
    actions: Mapping[str, int]
    covered: frozenset[tuple[str, int]]
    reason: str = ""
    rejection: Rejection | None = None
    judged: tuple[JudgedAssertion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """The report. `all_actions` and `all_lines`: those of the model that logs may exercise."""

    verdict: LogVerdict
    exit_code: ExitCode
    model: str
    map: str
    runs: tuple[LogRun, ...]
    all_actions: tuple[str, ...]
    all_lines: frozenset[tuple[str, int]]
    sources: Mapping[str, str]
    cut_by: StopReason | None = None
    elapsed_s: float = 0.0
    given: Given = field(default_factory=Given)

    @property
    def actions(self) -> dict[str, int]:
        """How often each action of the model was a step, over all runs."""
        return {key: sum(run.actions.get(key, 0) for run in self.runs) for key in self.all_actions}

    @property
    def covered(self) -> frozenset[tuple[str, int]]:
        """The lines that ran, over all runs."""
        return frozenset().union(*(run.covered for run in self.runs)) & self.all_lines
