"""What an engine is: it begins a run, the run goes level by level, and `explore` asks, judges and stops it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from checker.core.effort import Phases
from checker.core.exploration import PathLink, Settings
from checker.core.level import Level
from checker.core.patience import Patience
from checker.core.property import Looks, Watch
from fizz.base.light import dataclass
from interpreter import Machine, Program

if TYPE_CHECKING:
    from checker.core.demand import ExploredStates
    from checker.search.memo.memo import Memory
WIDE: Final = 100
"""States in the frontier from which columns are faster; before, numpy is not even loaded."""

Tick = Callable[[int, int], None]
"""Called now and then while a level is under way, with the states and transitions that it has brought so far."""


class Watching(NamedTuple):
    """Watches of states, of steps and of dead ends: a field for each of `Looks`, in its order."""

    states: tuple[Watch, ...]
    steps: tuple[Watch, ...]
    dead_ends: tuple[Watch, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """What a run is to do.

    `prune`: states that break a pruning watch are not expanded. `graph`: the run will be searched for lassos, with
    `crash_edges` also for paths to them with crash steps. `machine` makes the program runnable in this process;
    `memory`: one that is runnable already and remembers results. `say` takes messages to the user that are no part of
    the answer; `watched`: the user follows the progress. `phases` measures what the time is spent on. `patience` ends
    the run: it is asked often, wherever a level can be given up. `labels`: the steps of the graph have their labels.
    """

    program: Program
    watches: tuple[Watch, ...]
    settings: Settings
    prune: bool = False
    graph: bool = False
    tick: Tick = lambda states, transitions: None
    machine: Callable[[Program], Machine] = Machine
    say: Callable[[str], None] = lambda sentence: None
    watched: bool = False
    phases: Phases = field(default_factory=Phases)
    memory: Memory | None = None
    patience: Patience = field(default_factory=Patience)
    crash_edges: bool = False
    labels: bool = False

    @property
    def watching(self) -> Watching:
        """The watches by what they look at. An engine unpacks all of them: what it does not use it must name too."""
        by_looks: dict[Looks, list[Watch]] = {looks: [] for looks in Looks}
        for watch in self.watches:
            by_looks[watch.looks].append(watch)
        return Watching(*map(tuple, by_looks.values()))


class Run(Protocol):
    """One exploration under way. States are distinguished by key."""

    @property
    def symmetric(self) -> bool:
        """Whether the states are least images under the symmetries of the model."""
        ...

    @property
    def exact(self) -> bool:
        """Whether all states of equal keys were compared so far, so that no two were taken for one."""
        ...

    def first(self) -> Level:
        """Level 0: the initial states."""
        ...

    def next(self) -> Level:
        """Expand the frontier.

        Raises `Stop` if the patience is over. Then the run is as it was before, and the level is reported unfinished.
        """
        ...

    def path(self, key: int) -> tuple[PathLink, ...]:
        """The path to a state that was found (language page, 12.4)."""
        ...

    def search(self) -> ExploredStates:
        """The search for lassos in what was explored; only if the task asked for it, and after the last level."""
        ...

    def stats(self) -> Mapping[str, object]: ...

    def close(self) -> None:
        """Release what the run holds outside of this process."""
        ...


class Engine(Protocol):
    """Explores. A new engine is one file and one line in the registry, where it is compared with this protocol."""

    name: str

    def begin(self, task: Task) -> Run: ...
