"""The report of a check: one verdict per property, counts, the leading counterexample. Plain data for printers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from typing import Literal as OneOf

from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.model_result import ModelResult
from checker.core.problems import ExitCode
from checker.core.trace import Trace

if TYPE_CHECKING:
    from checker.core.exploration import GivenUp
    from fizz import Diagnostic


Violation = OneOf["failed", "deadlock"]
Verdict = OneOf["passed", "bounded", "failed", "deadlock", "error", "interrupted"]
PropertyVerdict = OneOf["holds", "holds-within-bound", "violated", "undecided"]


@dataclass(frozen=True, slots=True)
class PropertyReport:
    """`kind` is an assertion kind or "deadlock".

    `steps` is the length of the counterexample, prefix and cycle together. Unless it is the `shortest`, it was found on
    a level that was not finished, so there may be a shorter one. `notes`: what was not judged, in sentences.
    """

    name: str
    kind: str
    verdict: PropertyVerdict
    steps: int | None = None
    trace: Trace | None = None
    instance: str | None = None
    shortest: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """A run-time error of the model: `calls` is the call chain, innermost first, as printable lines.

    `shortest` as in `PropertyReport`.
    """

    diagnostic: Diagnostic
    calls: tuple[str, ...]
    steps: int
    shortest: bool = True


@dataclass(frozen=True, slots=True, repr=False)
class Report(ModelResult):
    """The report of one run.

    `cut_by` names what cut the search: an option of the model, one of the limits, or None. `exact`: no two states were
    taken for one, because states were compared, not only their keys. `excluded`: the state variables that the model
    excludes from identity, so that states which differ only there are one state. `given`: the constants and options of
    the model; `asked`: the settings that decide the answer, by name. `often_new`: the location of each rule of which
    much was new, and how often it was. `given_up`: the level that was unfinished when the search stopped. `exported`:
    the folder with the tables of the state space, if there are any. `found_before`: how many of the states are from the
    checkpoint with which the run began.
    """

    verdict: Verdict
    exit_code: ExitCode
    model: str
    engine: str
    states: int
    transitions: int
    crash_steps: int
    initial: int
    cut: int
    cut_by: StopReason | None
    depth: int
    properties: tuple[PropertyReport, ...]
    trace: Trace | None = None
    leading: str | None = None
    error: ModelFailure | None = None
    warnings: tuple[Diagnostic, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    elapsed_s: float = 0.0
    cpu_s: float = 0.0
    peak_memory_mb: float = 0.0
    stats: Mapping[str, object] = field(default_factory=dict)
    often_new: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    exact: bool = field(default=False, compare=False)
    excluded: tuple[str, ...] = ()
    given: Given = field(default_factory=Given)
    asked: Mapping[str, object] = field(default_factory=dict)
    given_up: GivenUp | None = None
    found_before: int = field(default=0, compare=False)
    exported: str | None = field(default=None, compare=False)

    @property
    def summary(self) -> str:
        """`failed, NeverNegative violated in 4 steps, 39 states`"""
        found = next((p for p in self.properties if p.name == self.leading), None)
        return f"{in_words(self.verdict, found, self.error)}, {self.states:,} states"


def in_words(verdict: str, found: PropertyReport | None, error: ModelFailure | None) -> str:
    """A verdict with what it is about."""
    if error is not None:
        return f"{verdict}, {error.diagnostic.text} after {error.steps} steps"
    if found is None or found.verdict != "violated":
        return verdict
    length = "" if found.steps is None else f" in {found.steps} steps"
    return verdict + (length if found.kind == DEADLOCK else f", {found.name} violated{length}")


DEADLOCK: Final = "deadlock"

_TITLES: Final = {DEADLOCK: "a state has no step left"}


def title_of(kind: str) -> str | None:
    """What a violation of this kind means; None: that the named property is violated."""
    return _TITLES.get(kind)


def heading(name: str, kind: str) -> str:
    """The heading of a violation: `Fine is violated`, `Deadlock`."""
    return f"{name} is violated" if title_of(kind) is None else kind.capitalize()
