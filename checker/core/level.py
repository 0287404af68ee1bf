"""The result of one level of an exploration: counts and least witnesses; also of a level that was given up. Plain data.

It has only sums and minima, so a level may be expanded in any order or in parallel and its parts merged
(`Level.merge`): the result is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import NamedTuple

from checker.core.exploration import PathLink
from fizz import Span
from fizz.base.light import dataclass
from interpreter.machine import Note
from interpreter.state.step import ModelError, StepOrder


class StateRef(NamedTuple):
    """A state in a witness: its key, and how many crash steps are on its path."""

    key: int
    crashes: int


@dataclass(frozen=True, slots=True)
class Witness:
    """A state (`at`), or a step from it: then `order` is the step's and `target` the key of where it leads.

    `at` None stands for Init. `error`: the failure of the model there. Of two witnesses the one of lower rank counts.
    """

    at: StateRef | None
    order: StepOrder | None = None
    target: int | None = None
    instance: str | None = None
    error: ModelError | None = None
    stage: int = 0

    @property
    def rank(self) -> tuple[object, ...]:
        key, crashes = self.at or (-1, 0)
        return (crashes, self.stage, key, self.order or ())


# Errors of one length, after as many crash steps, are ordered by where they happen: the step itself, a transition
# assertion, a state assertion.
STEP_STAGE, TRANSITION_STAGE, STATE_STAGE = 0, 1, 2


@dataclass(slots=True)
class Level:
    """The result of one level: the states found on it, the steps that led there, and the least witnesses.

    `states`, `cut` and `frontier` (states to be expanded next) are those of the new level; `transitions`, `crash_steps`
    and dead ends those of the level that was expanded. `pruned` states are not expanded; `broken` are the watches whose
    assertion failed. `acted` are the actions (by routine) that had a step; `aborted` counts where the execution paths
    of the others ended. `noted` is what machines noted on this level and before. `least`: the least key of the states
    found on it.
    """

    states: int = 0
    cut: int = 0
    frontier: int = 0
    transitions: int = 0
    crash_steps: int = 0
    pruned: int = 0
    broken: set[str] = field(default_factory=set)
    acted: set[int] = field(default_factory=set)
    aborted: Counter[tuple[int, Span]] = field(default_factory=Counter)
    noted: set[Note] = field(default_factory=set)
    witnesses: dict[str, Witness] = field(default_factory=dict)
    error: Witness | None = None
    least: int | None = None

    @property
    def sound(self) -> bool:
        """Whether no count is negative."""
        return min(self.states, self.cut, self.frontier, self.transitions, self.crash_steps, self.pruned) >= 0

    def see(self, key: str, witness: Witness) -> None:
        """Keep a witness for a property, if it is the least so far."""
        known = self.witnesses.get(key)
        if known is None or witness.rank < known.rank:
            self.witnesses[key] = witness

    def fail(self, witness: Witness) -> None:
        """Keep a failure of the model, if it is the least so far."""
        if self.error is None or witness.rank < self.error.rank:
            self.error = witness

    def merge(self, other: Level) -> None:
        """Add another part of the same level."""
        frontier = self.frontier
        self.add_counts(other)
        self.frontier += frontier
        for key, witness in other.witnesses.items():
            self.see(key, witness)
        if other.error is not None:
            self.fail(other.error)
        if other.least is not None:
            self.least = other.least if self.least is None else min(self.least, other.least)

    def add_counts(self, later: Level) -> None:
        """Add the counts of a later level; the frontier is then that level's."""
        self.states += later.states
        self.cut += later.cut
        self.frontier = later.frontier
        self.transitions += later.transitions
        self.crash_steps += later.crash_steps
        self.pruned += later.pruned
        self.broken |= later.broken
        self.acted |= later.acted
        self.aborted += later.aborted
        self.noted |= later.noted


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A level that was given up: its result after so many states of the frontier were expanded (None: all).

    `paths`: the paths to those witnesses that were found on this level.
    """

    level: Level
    expanded: int | None
    paths: Mapping[int, tuple[PathLink, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, level: Level, expanded: int | None, path: Callable[[int], tuple[PathLink, ...] | None]) -> Unfinished:
        """`path` gives the path to a state that was found on the level; None: it is an earlier one."""
        witnesses = [*level.witnesses.values(), *([] if level.error is None else [level.error])]
        sources = [witness.at.key for witness in witnesses if witness.at is not None]
        paths = {source: found for source in sources if (found := path(source)) is not None}
        return cls(level, expanded, paths)


class KeysCollide(Exception):
    """Two different states have the same key. For n states the probability is about n * n / 2**129."""

    def __init__(self) -> None:
        super().__init__("two different states have the same key")
