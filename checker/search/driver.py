"""`SearchDriver`: an exploration level after level, what was found first, and when to stop (language page, 10.7)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol
from typing import Literal as OneOf

from checker.core.exploration import Finding, GivenUp, PathLink, Progress, Settings
from checker.core.level import Level, Unfinished, Witness
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.property import Property
from checker.search.contract.bounds import not_all_explored, reason_to_end
from checker.search.contract.protocol import Run
from fizz.base.light import dataclass
from interpreter import ModelError, Program

if TYPE_CHECKING:
    from checker.search.refinement.refining import Refining

ProgressSink = Callable[[Progress], None]
_TICK_S = 0.1


class Clock:
    """Time since the beginning, and the progress that is reported by it. `found_before`: the states of a checkpoint."""

    def __init__(self, sink: ProgressSink | None = None) -> None:
        self.sink = sink
        self.begun = self.reported = time.monotonic()
        self.total = Level()
        self.depth = 0
        self.found_before = 0

    def tick(self, states: int, transitions: int) -> None:
        """Report how far the level under way has come, if it is time to."""
        now = time.monotonic()
        if self.sink is not None and now - self.reported >= _TICK_S:
            self.reported = now
            self._report("exploring", states, transitions)

    def judging(self) -> None:
        """Report that the search for lassos begins."""
        self._report("judging liveness", 0, 0)

    def _report(self, phase: OneOf["exploring", "judging liveness"], states: int, transitions: int) -> None:
        if self.sink is not None:
            states, transitions = self.total.states + states, self.total.transitions + transitions
            elapsed_s = time.monotonic() - self.begun
            self.sink(
                Progress(phase, states, transitions, self.depth, self.total.frontier, elapsed_s, self.found_before)
            )


@dataclass(frozen=True, slots=True)
class DriverState:
    """A driver between two levels, as it is saved. `reached` is the number of the last level.

    `files`: the files of the model, which spans name.
    """

    total: Level
    last: Level
    initial: int
    depth: int
    reached: int
    witnesses: Mapping[str, Finding]
    error: Finding | None
    deepest: tuple[PathLink, ...] = ()
    files: tuple[str, ...] = ()


class Saver(Protocol):
    """Saves a driver between two levels, at intervals, and restores one.

    `settings` are those of the run that it saves.
    """

    @property
    def settings(self) -> Settings: ...

    def unreduced(self) -> AbstractContextManager[Saver]:
        """The checkpoints of the same exploration again, without symmetry."""
        ...

    def resumed(self, driver: SearchDriver) -> bool:
        """Restore the driver from a saved state; False if there is none."""
        ...

    def level_done(self, driver: SearchDriver) -> None:
        """A level is complete, and another one follows."""
        ...

    def ended(self, driver: SearchDriver) -> None:
        """The exploration has ended, for the reason that the driver holds."""
        ...


class SearchDriver:
    """One exploration under way: sums over levels, and the first witness of each property."""

    def __init__(
        self,
        run: Run,
        program: Program,
        properties: tuple[Property, ...],
        clock: Clock,
        patience: Patience,
        refining: Refining | None = None,
    ) -> None:
        self.run = run
        self.refining = refining
        self.patience = patience
        self.program = program
        self.clock = clock
        self.total = clock.total
        self.initial = self.depth = 0
        self.reached = -1
        self.stopped = StopReason.COMPLETE
        self.witnesses: dict[str, Finding] = {}
        self.error: Finding | None = None
        self.unfinished: Unfinished | None = None
        self.torn = False
        """Whether the run was stopped in a state from which it cannot continue."""
        self._safety = {watch.key for p in properties for watch in p.safety}
        self._last = Level()
        self._least: int | None = None
        self._deepest: tuple[PathLink, ...] = ()

    def go(self, limits: Limits, on: bool, saver: Saver | None = None) -> None:
        """Explore until there is no further level or a reason to stop. `on`: violations are none."""
        try:
            if saver is None or not saver.resumed(self):
                self._begin()
            self._refine(self.reached)
            while (reason := self._reason_to_stop(limits, on)) is None:
                if saver is not None:
                    saver.level_done(self)
                self.clock.depth += 1
                self._add(self.run.next())
                if self._last.states:
                    self.depth = self.clock.depth
                self._refine(self.reached)
            self.stopped = self._refined_on(on) if reason is StopReason.COMPLETE else reason
        except Stop as stop:
            self.stopped, self.torn = stop.reason, stop.torn
            if stop.unfinished is not None:
                self._give_up(stop.unfinished)
        except MemoryError:
            self.stopped, self.torn = StopReason.MEMORY, True
        except KeyboardInterrupt:
            self.stopped, self.torn = StopReason.INTERRUPTED, True
        if saver is not None:
            saver.ended(self)

    def _refine(self, level: int) -> None:
        """Search the runs beside those of abstract models as far as a level."""
        if self.refining is not None:
            self.refining.go_to(level)
            self._fail_refining(self.refining)

    def _refined_on(self, on: bool) -> StopReason:
        """Search them to the end, although there are no more states, unless there is a violation."""
        while self.refining is not None and not self.refining.over and (on or not self.refining.findings):
            self.refining.next()
            self._fail_refining(self.refining)
            if self.patience.over is not None:
                return self.patience.over
        violated = self._violated and not on
        return StopReason.VIOLATION if violated else StopReason.COMPLETE

    def _fail_refining(self, refining: Refining) -> None:
        if self.error is None:
            self.error = refining.error

    @property
    def _violated(self) -> bool:
        refined = self.refining is not None and bool(self.refining.findings)
        return refined or self.error is not None or not self._safety.isdisjoint(self.witnesses)

    def _give_up(self, level: Unfinished) -> None:
        """Take the findings of a level that was not finished. Those of levels before come first."""
        self.unfinished = level
        self._meet(level.level)

    def _begin(self) -> None:
        self._add(self.run.first())
        self.initial = self.total.states
        if not self.initial and self.error is None:
            self.error = Finding(None, (), error=self._no_initial_state())

    def saved(self) -> DriverState:
        """What another driver needs to go on."""
        return DriverState(
            self.total,
            self._last,
            self.initial,
            self.depth,
            self.reached,
            self.witnesses,
            self.error,
            self.deepest,
            self.program.files,
        )

    def restore(self, state: DriverState) -> None:
        """Take the state of the driver that was saved."""
        self.total.add_counts(state.total)
        self._last = state.last
        self.initial, self.depth, self.reached = state.initial, state.depth, state.reached
        self.clock.depth, self.clock.found_before = state.reached, state.total.states
        self.witnesses, self.error = dict(state.witnesses), state.error
        self._deepest = state.deepest

    def _no_initial_state(self) -> ModelError:
        init = self.program.init
        span = None if init is None else self.program.routines[init].span
        return ModelError("R19", "no initial state: every way through Init is aborted", span)

    def _reason_to_stop(self, limits: Limits, on: bool) -> StopReason | None:
        return reason_to_end(self.total, self.reached, limits, self._violated and not on) or self.patience.over

    def _add(self, level: Level) -> None:
        self._last = level
        self.reached += 1
        self.total.add_counts(level)
        if level.least is not None:
            self._least = level.least
        self._meet(level)

    def _meet(self, level: Level) -> None:
        for key, witness in level.witnesses.items():
            if key not in self.witnesses:
                self.witnesses[key] = self._finding(key, witness)
        if level.error is not None and self.error is None:
            self.error = self._finding(None, level.error)

    def _finding(self, key: str | None, witness: Witness) -> Finding:
        path = () if witness.at is None else self._path(witness.at.key)
        if witness.order is not None:
            path = (*path, PathLink(witness.order, witness.target))
        return Finding(
            key,
            path,
            instance=witness.instance,
            error=witness.error,
            reduced=self.run.symmetric,
            unfinished=self.unfinished is not None,
        )

    def _path(self, key: int) -> tuple[PathLink, ...]:
        new = None if self.unfinished is None else self.unfinished.paths.get(key)
        return self.run.path(key) if new is None else new

    @property
    def given_up(self) -> GivenUp | None:
        """The level that was not finished, if there is one."""
        level = self.unfinished
        if level is None:
            return None
        waiting = self.total.frontier
        return GivenUp(self.reached + 1, waiting if level.expanded is None else level.expanded, waiting)

    @property
    def deepest(self) -> tuple[PathLink, ...]:
        """The path to a state of the last level that has any: to that of the least key."""
        return self._deepest if self._least is None else self.run.path(self._least)

    @property
    def cut(self) -> int:
        """States whose steps were not all explored: those at the bound, and the last level of a search that was cut."""
        return not_all_explored(self.total, self._last, self.stopped)
