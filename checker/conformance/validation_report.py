"""What `fizzpy validate` found: a verdict on each run, what was compared, and why a log is rejected. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from typing import Literal as OneOf

from checker.conformance.observed_event import Doubt, Observed
from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.problems import ExitCode
from checker.core.trace import TraceEntry

LogVerdict = OneOf["accepted", "rejected", "inconclusive", "nothing", "unreadable", "failed"]
Reading = OneOf["one", "every", "some"]
"""Which explanations assertions are judged on: the one that is found; or all, and every one or some must violate it."""
JudgedOn = OneOf["every", "some", "found"]
WORST: Final[tuple[LogVerdict, ...]] = ("failed", "rejected", "unreadable", "nothing", "inconclusive", "accepted")
"""Verdicts, the worst first: that of a report is the worst of its runs."""
CODES: Final[Mapping[LogVerdict, ExitCode]] = {
    "failed": ExitCode.MODEL_ERROR,
    "rejected": ExitCode.REJECTED,
    "unreadable": ExitCode.USAGE,
    "nothing": ExitCode.USAGE,
    "inconclusive": ExitCode.BOUNDED,
    "accepted": ExitCode.PASSED,
}


@dataclass(frozen=True, slots=True)
class NextEvent:
    """An event that nothing explains, and for each state the system may be in why it does not fit."""

    event: Observed
    reasons: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a log is rejected: the last steps of the longest run, the states after it, the events that do not fit.

    `waiting`: how many more events there are of those. `doubtful`: the first event that had several explanations,
    whatever the order of events; the mistake may be there.
    """

    entries: tuple[TraceEntry, ...]
    states: tuple[tuple[tuple[str, str], ...], ...]
    events: tuple[NextEvent, ...]
    waiting: int
    doubtful: Doubt | None


@dataclass(frozen=True, slots=True)
class JudgedAssertion:
    """An assertion that is violated on explanations of a log: on every one, or on some.

    `found`: on the one that was found; a bound ended the search for others. `event`: where it is violated first.
    """

    name: str
    on: JudgedOn
    event: Observed | None


@dataclass(frozen=True, slots=True)
class LogRun:
    """One log, or several that are one run, or the events of a `key` in them.

    `explained`: events; `values`: observed values that were compared; `unsent`: events that receive what is sent in no
    log, so that none is known to be before them. Of several runs, one whose log is `unreadable`,
    or on which the model `failed`, does not end the others: `reason` says why, and `hint` the way out.
    """

    files: tuple[str, ...]
    key: str | None
    verdict: LogVerdict
    lines: int = 0
    ignored: int = 0
    explained: int = 0
    values: int = 0
    silent: int = 0
    nodes: int = 0
    actions: Mapping[str, int] = field(default_factory=dict)
    covered: frozenset[tuple[str, int]] = frozenset()
    reason: str = ""
    hint: str | None = None
    rejection: Rejection | None = None
    judged: tuple[JudgedAssertion, ...] = ()
    unsent: int = 0
    looked_at: OneOf["one", "all", "bounded"] = "one"
    """Which explanations assertions were judged on: a bound may have ended the look at all of them."""

    @property
    def title(self) -> str:
        """What it is called: its files, with the key."""
        return ", ".join(self.files) + ("" if self.key is None else f" [{self.key}]")

    def violated_by(self, reading: Reading) -> list[str]:
        """The assertions that are violated, if that is asked of every explanation, or of some."""
        counted = ("every", "some", "found") if reading == "some" and self.looked_at != "one" else ("every",)
        return [one.name for one in self.judged if one.on in counted]

    def exit_code(self, reading: Reading = "one") -> ExitCode:
        """That of this run alone."""
        code = CODES[self.verdict]
        if code is not ExitCode.PASSED:
            return code
        if self.violated_by(reading):
            return ExitCode.SAFETY
        is_open = self.looked_at == "bounded" or any(one.on == "found" for one in self.judged)
        return ExitCode.BOUNDED if is_open else code

    def row(self, reading: Reading = "one") -> dict[str, object]:
        """The run as a row of a table."""
        return {
            "log": ", ".join(self.files),
            "key": self.key,
            "verdict": self.verdict,
            "exit_code": int(self.exit_code(reading)),
            "lines": self.lines,
            "ignored": self.ignored,
            "events": self.explained,
            "values": self.values,
            "silent": self.silent,
            "nodes": self.nodes,
            "violated": ", ".join(one.name for one in self.judged) or None,
            "event": self._event(),
            "reason": self.reason or None,
        }

    def _event(self) -> str | None:
        """The event that nothing explains."""
        events = () if self.rejection is None else self.rejection.events
        return f"{events[0].event.place} {events[0].event.text}" if events else None


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
    reading: Reading = "one"
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
