"""Visits to all states of a model, for analyses other than verdicts.

The exploration is that of the embedded engine, row by row; it continues after violations and failures of the model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from checker.core.exploration import Finding, Settings
from checker.core.level import Level
from checker.core.limits import StopReason
from checker.core.patience import Patience
from checker.core.problems import ExitCode
from checker.core.property import Property, watches_of
from checker.search.contract.protocol import Task
from checker.search.driver import Clock, ProgressSink, SearchDriver
from checker.search.rows.row_run import RowRun
from interpreter import Machine, Program, State
from interpreter.state.step import Candidate, Outcome, Result, Rule, StepKind

CandidateResults = tuple[Rule, Sequence[Result]]
"""A rule that may step, and the results of all its execution paths, in the order of their choices."""


@dataclass(frozen=True)
class VisitedState:
    """A state that is being visited. `cut`: it is at the bound on starts, where no action starts.

    Its steps are found once, for all observers; those of crashes are left out.
    """

    visit: Visit
    number: int
    state: State
    cut: bool

    @cached_property
    def steps(self) -> list[CandidateResults]:
        """The rules that may step here, with their results."""
        rules = [one.rule for one in self.visit.candidates(self) if one.rule.kind is not StepKind.CRASH_ROLE]
        return [(rule, self.visit.results(rule, self)) for rule in rules]

    @cached_property
    def targets(self) -> list[State]:
        """The states after the steps."""
        apply = self.visit.expander.memory.apply
        found = (
            apply(self.state, rule, result)
            for rule, results in self.steps
            for result in results
            if isinstance(result, Outcome)
        )
        return [target for target in found if target is not None]


class StateObserver(ABC):
    """Observes the states of a visit. Observations count only when `keep` is called, at the end of a complete level."""

    def begin(self, visit: Visit) -> None:  # noqa: B027 - only Init runs before there is a state
        """Called before the first state."""

    @abstractmethod
    def see(self, visit: Visit, visited: VisitedState) -> None:
        """Called with each state."""

    @abstractmethod
    def keep(self, visit: Visit) -> None:
        """Called when a level is complete."""


class Visit(RowRun):
    """An exploration that shows each state to observers before expanding it."""

    def __init__(self, task: Task, observers: Sequence[StateObserver]) -> None:
        super().__init__(task)
        self._observers = observers

    def first(self) -> Level:
        for observer in self._observers:
            observer.begin(self)
        return self._kept(super().first())

    def next(self) -> Level:
        for waiting in self.waiting:
            self.task.patience.ask()
            visited = VisitedState(self, waiting.number, waiting.state, waiting.cut)
            for observer in self._observers:
                observer.see(self, visited)
        return self._kept(super().next())

    def _kept(self, level: Level) -> Level:
        for observer in self._observers:
            observer.keep(self)
        return level

    def candidates(self, visited: VisitedState) -> list[Candidate]:
        """The rules that may step in a state of this exploration."""
        return self.machine.candidates(visited.state, starts=not visited.cut)

    def results(self, rule: Rule, visited: VisitedState) -> Sequence[Result]:
        """The results of all execution paths of a rule, in the order of their choices."""
        return self.expander.memory.results(rule, self.expander.memory.view(visited.state))

    def finding(self, visited: VisitedState) -> Finding:
        """A finding with the path to a state."""
        return Finding(None, self.path(self.found.keys[visited.number]), reduced=self.symmetric)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitExtent:
    """The extent of a visit to all states. `stopped` and `cut` as in `Exploration`."""

    states: int
    stopped: StopReason
    cut: int

    @property
    def whole(self) -> bool:
        """Whether every state was visited, and all its steps."""
        return self.stopped is StopReason.COMPLETE and not self.cut

    @property
    def exit_code(self) -> ExitCode:
        if self.stopped is StopReason.INTERRUPTED:
            return ExitCode.INTERRUPTED
        return ExitCode.PASSED if self.whole else ExitCode.BOUNDED


@dataclass(frozen=True, slots=True)
class Tour:
    """A finished visit to all states, with its driver."""

    visit: Visit
    driver: SearchDriver

    @property
    def patience(self) -> Patience:
        return self.driver.patience

    @property
    def machine(self) -> Machine:
        return self.visit.machine


def visit_all(
    program: Program,
    settings: Settings,
    observers: Sequence[StateObserver],
    progress: ProgressSink | None = None,
    properties: tuple[Property, ...] | None = None,
    patience: Patience | None = None,
) -> Tour:
    """Visit every state, in the order of level and key, as far as the settings allow.

    It ends where a check of these properties would; None: only at the limits. `patience` as in `check`.
    """
    clock, patience = Clock(progress), patience or Patience(settings.limits)

    def tick(states: int, transitions: int) -> None:
        clock.tick(states, transitions)
        patience.ask()

    options = program.options
    everything = properties is None or settings.keep_going or options.continue_path_on_invariant_failures
    watches = tuple(replace(watch, records=False) for watch in watches_of(properties or (), options))
    with patience.deferring_interrupts(), patience.limiting_steps():
        machine = partial(Machine, watched=True)
        task = Task(program, watches, settings, not everything, tick=tick, machine=machine, patience=patience)
        visit = Visit(task, observers)
        driver = SearchDriver(visit, program, properties or (), clock, patience)
        driver.go(settings.limits, everything or options.continue_on_invariant_failures)
    return Tour(visit, driver)
