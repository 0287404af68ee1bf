"""What became of the mutants of a model: plain data for printers and scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, get_args
from typing import Literal as OneOf

from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.problems import ExitCode
from fizz import Span

Fate = OneOf["noticed", "survived", "equivalent", "beyond the budget", "not judged", "does not load", "not run"]
"""What became of a mutant. Equivalent: it has the same states and transitions, by their keys.

Beyond the budget: it has too many states, on every machine. Not judged: time or memory of this one did not suffice.
"""
FATES: Final[tuple[Fate, ...]] = get_args(Fate)


@dataclass(frozen=True, slots=True)
class MutantResult:
    """A mutant and what became of it.

    `by`: the properties that are violated, or `deadlock`, or `error` if it fails while running. `why`: the message of
    one that does not load, or what it went beyond. `function`: where the place is, as `action Sell`. `run`: of several
    runs the one that found this.
    """

    number: int
    change: str
    span: Span
    function: str
    diff: tuple[str, ...]
    fate: Fate
    by: tuple[str, ...] = ()
    why: str | None = None
    states: int | None = None
    elapsed_s: float = 0.0
    run: str | None = None

    @property
    def name(self) -> str:
        """The mutant by what it changes and not by its line: `action Sell: guard dropped: - require left > 0`."""
        lines = [" ".join(line.split()) for line in self.diff if not line.startswith(" ")]
        return ": ".join(filter(None, [self.function, self.change, " / ".join(lines)]))

    @property
    def hint(self) -> str | None:
        """What to do about a mutant that was not run."""
        if self.fate != "does not load":
            return None
        return "nothing is to be done: a check refuses a model with this mistake, whatever its properties are"


def _counted(results: tuple[MutantResult, ...]) -> Mapping[Fate, int]:
    found = Counter(one.fate for one in results)
    return {fate: found[fate] for fate in FATES}


def _survivors(results: tuple[MutantResult, ...]) -> tuple[MutantResult, ...]:
    return tuple(one for one in results if one.fate == "survived")


@dataclass(frozen=True, slots=True)
class MutationReport:
    """The mutants of one model. `states` and `cut` are those of the model itself; `properties` what was asked of each.

    `stopped`: why some mutants were not run, if so.
    """

    model: str
    given: Given
    states: int
    cut: int
    properties: tuple[str, ...]
    budget: int
    results: tuple[MutantResult, ...]
    stopped: StopReason | None = None
    elapsed_s: float = 0.0

    @property
    def counts(self) -> Mapping[Fate, int]:
        """How many mutants had each fate."""
        return _counted(self.results)

    @property
    def survivors(self) -> tuple[MutantResult, ...]:
        """The mutants that no property noticed, though they differ."""
        return _survivors(self.results)

    @property
    def noticed_by(self) -> Mapping[str, tuple[int, int]]:
        """By property, how many mutants it noticed, and how many of them it alone."""
        return {
            name: (
                sum(name in one.by for one in self.results),
                sum(one.by == (name,) for one in self.results),
            )
            for name in (*self.properties, "error")
        }

    @property
    def exit_code(self) -> ExitCode:
        """1 if a mutant survived, 3 if that is open for some, 0 if all were noticed, are equivalent or do not load."""
        if self.stopped is StopReason.INTERRUPTED:
            return ExitCode.INTERRUPTED
        if self.survivors:
            return ExitCode.BROKEN
        undecided = self.counts["beyond the budget"] + self.counts["not judged"] + self.counts["not run"]
        return ExitCode.BOUNDED if undecided else ExitCode.PASSED

    def __repr__(self) -> str:
        fates = ", ".join(f"{count} {fate}" for fate, count in self.counts.items() if count)
        return f"<MutationReport {self.model}: {len(self.results)} mutants; {fates}>"


@dataclass(frozen=True, slots=True)
class SkippedRun:
    """A promised run in which no mutants were tried, and why. `judged`: it would be left out on every machine."""

    run: str
    why: str
    judged: bool = True


@dataclass(frozen=True, slots=True)
class PromisedMutation:
    """The mutants of the models of a folder, each as the run says that knows most of it.

    `runs`: the promised runs that served. `unexplained`: the survivors that no `survivors.yaml` explains. `stale`: the
    mutants that one explains, by file and name, though they do not survive.
    """

    folder: str
    runs: tuple[str, ...]
    skipped: tuple[SkippedRun, ...]
    results: tuple[MutantResult, ...]
    unexplained: tuple[MutantResult, ...] = ()
    stale: tuple[tuple[str, str], ...] = ()
    stopped: StopReason | None = None
    elapsed_s: float = 0.0

    @property
    def counts(self) -> Mapping[Fate, int]:
        """How many mutants had each fate."""
        return _counted(self.results)

    @property
    def survivors(self) -> tuple[MutantResult, ...]:
        """The mutants that no promised run noticed, though they differ."""
        return _survivors(self.results)

    @property
    def exit_code(self) -> ExitCode:
        """1 if a survivor is not explained, 3 if mutants were not tried or not judged, or there is no run, else 0."""
        if self.stopped is StopReason.INTERRUPTED:
            return ExitCode.INTERRUPTED
        if self.unexplained:
            return ExitCode.BROKEN
        undecided = self.counts["not judged"] or not all(one.judged for one in self.skipped)
        return ExitCode.BOUNDED if undecided or self.stopped is not None or not self.runs else ExitCode.PASSED

    def __repr__(self) -> str:
        fates = ", ".join(f"{count} {fate}" for fate, count in self.counts.items() if count)
        return f"<PromisedMutation {self.folder}: {len(self.results)} mutants; {fates}>"
