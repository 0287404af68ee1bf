"""The input and output of an engine: settings, findings, counts. Plain data; `conclude` makes the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal as OneOf

from checker.core.limits import Limits, StopReason
from checker.core.trace import Unmatched
from fizz import Span
from fizz.base.light import dataclass
from interpreter.machine import Note
from interpreter.state.step import ModelError, StepOrder


@dataclass(frozen=True, slots=True)
class Settings:
    """How to explore, apart from the model's own options. One frozen value, made by the command or a script."""

    keep_going: bool = False
    limits: Limits = Limits()
    properties: tuple[str, ...] | None = None
    symmetry: bool = True
    stats: bool = False
    workers: int | None = 1
    """How many processes the embedded engine may use; None: as many as there are cores, where that pays."""
    spark_from: int = 200_000
    spark_master: str = "local[*]"
    spark_conf: tuple[tuple[str, str], ...] = ()
    checkpoint: str | None = None
    checkpoint_every_s: float = 60.0
    resume: str | None = None
    export: str | None = None
    memory_mb: int | None = None
    """The memory that stored states may take before they are written to the disk."""

    @property
    def kept_in(self) -> str | None:
        """The folder for checkpoints, if any are written."""
        return self.resume or self.checkpoint

    def is_over(self, stopped: StopReason) -> bool:
        """Whether a run that stopped for this reason is over; otherwise it may resume from its checkpoint."""
        return self.kept_in is None or stopped is not StopReason.INTERRUPTED

    @property
    def asked(self) -> Mapping[str, object]:
        """The settings that decide the answer, by name, without those that have their default."""
        deciding: dict[str, object] = {
            "keep_going": self.keep_going,
            **self.limits.asked,
            "properties": list(self.properties or ()),
            "no_symmetry": not self.symmetry,
        }
        return {name: value for name, value in deciding.items() if value}


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run. `depth` is the current level, `frontier` the number of states that are being expanded.

    `found_before`: how many of the states are from the checkpoint with which the run began, `elapsed_s` ago.
    """

    phase: OneOf["exploring", "judging liveness", "replaying"]
    states: int
    transitions: int
    depth: int
    frontier: int
    elapsed_s: float
    found_before: int = 0


@dataclass(frozen=True, slots=True)
class PathLink:
    """A step of a path: its position in the step order (language page, 12.2) and the key of its target.

    The first link of a path is Init: its order has only the choices of Init. The key of a failed step is None.
    """

    order: StepOrder
    key: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The shortest witness of one violated property (language page, 12.4).

    `path` leads from the initial state (its first link has the order of Init's choices) to the state of the finding;
    for a transition assertion or a failed step the last link is that step. `stem`, of a property that has one, leads
    from there to the head of the cycle. `cycle` (lasso) returns to the last state before it; `stutter` means the run
    may stay there. `fairness` says in sentences why the run is fair. `unfinished`: it was found on a level that was
    given up, so another witness may come before it. `waiting`: the pair of a `leadsto` assertion that waits from the
    end of the path on, empty if there is only one. `unmatched`: how the last step leaves an abstract model. `reduced`:
    the keys are those of least images under symmetry (language page, 11.3).
    """

    key: str | None
    path: tuple[PathLink, ...]
    cycle: tuple[PathLink, ...] = ()
    stutter: bool = False
    instance: str | None = None
    error: ModelError | None = None
    reduced: bool = False
    fairness: tuple[str, ...] = ()
    unfinished: bool = False
    stem: tuple[PathLink, ...] = ()
    waiting: str | None = None
    unmatched: Unmatched | None = None

    @property
    def steps(self) -> int:
        """The length of the trace: Init is no step."""
        return max(len(self.path) - 1, 0) + len(self.stem) + len(self.cycle)


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A level that was given up: its number, and how many of the `waiting` states before it were expanded."""

    level: int
    expanded: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Exploration:
    """Counts and findings. `findings` maps a property's key to its least witness.

    `met`: properties that hold whatever is still unexplored. `judged`: those that were judged to the end; a property
    that is neither found, met nor judged is undecided. `cut` counts the states whose steps were not all explored.
    `reduced`: states are counted up to symmetry. `exact`: states were compared, not only their keys. `idle_actions`:
    after a complete exploration, the actions without a step and where they gave up most often. `noted`: what machines
    noted in such an exploration, else None. `deepest`: of a search that was cut, a path to its last level. `given_up`:
    the level that was unfinished when the search stopped, which is not counted. `untested`: by property what no state
    of a complete exploration put to the test, in sentences. `judging_stopped`: why the judgement ended early after the
    exploration had ended. `found_before`: the states of the checkpoint that the search went on from. `torn`: the search
    was stopped at an arbitrary point, so its objects may be inconsistent.
    `exported`: the tables of states and transitions are written. `abstractly_cut`: the bound of an abstract
    model left a refinement undecided. `parts_cut`: that of a model which this one joins was met.
    `notes`: by property what was not judged, in sentences.
    """

    stopped: StopReason
    states: int
    transitions: int
    crash_steps: int
    initial: int
    cut: int
    depth: int
    findings: Mapping[str, Finding]
    met: frozenset[str] = frozenset()
    judged: frozenset[str] = frozenset()
    error: Finding | None = None
    reduced: bool = False
    exact: bool = field(default=False, compare=False)
    idle_actions: Mapping[str, Span] = field(default_factory=dict)
    noted: frozenset[Note] | None = None
    found_before: int = field(default=0, compare=False)
    deepest: tuple[PathLink, ...] = ()
    given_up: GivenUp | None = None
    untested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    judging_stopped: StopReason | None = None
    torn: bool = False
    exported: bool = False
    abstractly_cut: bool = False
    parts_cut: bool = False
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stats: Mapping[str, object] = field(default_factory=dict)

    @property
    def bounded(self) -> bool:
        return self.cut > 0 or self.stopped.bounds or self.parts_cut

    @property
    def answered(self) -> bool:
        """Whether a level that was given up has brought a finding."""
        return any(finding.unfinished for finding in (*self.findings.values(), *filter(None, [self.error])))
