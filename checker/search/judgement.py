"""The judgement after the exploration, kind by kind (language page, 10.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from checker.core.exploration import Exploration, Finding, PathLink
from checker.core.limits import UNTIMELY, StopReason
from checker.core.patience import Stop
from checker.core.property import Phase, Property
from checker.search.driver import SearchDriver
from fizz import Options, Span
from interpreter import Program
from interpreter.compile.program import ActionProgram

if TYPE_CHECKING:
    from checker.core.demand import ExploredStates


class SearchEvidence:
    """What a search found, as properties ask for it."""

    def __init__(self, driver: SearchDriver) -> None:
        self.driver = driver
        self._search: ExploredStates | None = None

    @property
    def options(self) -> Options:
        return self.driver.program.options

    @property
    def bounded(self) -> bool:
        return self.driver.cut > 0 or self.driver.program.bounded

    @property
    def reduced(self) -> bool:
        return self.driver.run.symmetric

    def witness(self, key: str) -> Finding | None:
        refining = self.driver.refining
        found = None if refining is None else refining.findings.get(key)
        return self.driver.witnesses.get(key) if found is None else found

    def unexplained(self, key: str) -> bool:
        return self.driver.refining is None or self.driver.refining.undecided(key)

    def search(self) -> ExploredStates:
        if self._search is None:
            self._search = self.driver.run.search()
        return self._search

    def path(self, key: int) -> tuple[PathLink, ...]:
        return self.driver.run.path(key)


class Judge:
    """Concludes phase by phase. `unreduced` explores again without symmetry, which only liveness may need."""

    def __init__(
        self, driver: SearchDriver, properties: tuple[Property, ...], unreduced: Callable[[], SearchDriver]
    ) -> None:
        self.driver = driver
        self.evidence = SearchEvidence(driver)
        self.properties = properties
        self.findings: dict[str, Finding] = {}
        self.judged: set[str] = set()
        self.untested: dict[str, tuple[str, ...]] = {}
        self._unreduced = unreduced
        self._whole: SearchEvidence | None = None
        self._stopped: StopReason | None = None

    def judge(self, everything: bool) -> Exploration:
        """The exploration with its findings. Unless `everything` is asked for, the first phase to find is the last."""
        driver, total = self.driver, self.driver.total
        for p in self.properties:
            if (finding := self._witness(p) if p.safety else self._refuted(p)) is not None:
                self.findings[p.key] = finding
        try:
            for phase in Phase:
                found = bool(self.findings) or driver.error is not None
                if phase > self._last_phase or (phase is not Phase.SAFETY and found and not everything):
                    break
                self._conclude(phase)
        except Stop as stop:
            self._stopped = stop.reason
        except MemoryError:
            self._stopped, driver.torn = StopReason.MEMORY, True
        except KeyboardInterrupt:
            self._stopped, driver.torn = StopReason.INTERRUPTED, True
        if self._stopped is StopReason.INTERRUPTED:
            driver.stopped = StopReason.INTERRUPTED
        if driver.stopped in (StopReason.VIOLATION, StopReason.INTERRUPTED):
            self.judged.clear()
        return Exploration(
            stopped=driver.stopped,
            states=total.states,
            transitions=total.transitions,
            crash_steps=total.crash_steps,
            initial=driver.initial,
            cut=driver.cut,
            depth=driver.depth,
            findings=self.findings,
            met=frozenset(p.key for p in self.properties if p.met(self.evidence)),
            judged=frozenset(self.judged),
            error=driver.error,
            reduced=driver.run.symmetric,
            exact=driver.run.exact,
            idle_actions=self._idle_actions() if self._whole_explored else {},
            noted=frozenset(total.noted) if self._whole_explored else None,
            deepest=driver.deepest if (driver.stopped.bounds or driver.cut) and not driver.torn else (),
            given_up=driver.given_up,
            found_before=driver.clock.found_before,
            untested=self.untested if self._whole_explored else {},
            judging_stopped=self._stopped,
            torn=driver.torn,
            abstractly_cut=driver.refining is not None and driver.refining.cut,
            parts_cut=driver.program.bounded,
            notes={} if driver.refining is None else {p.key: driver.refining.notes(p.key) for p in self.properties},
            stats=driver.run.stats(),
        )

    @property
    def _last_phase(self) -> Phase:
        """How far the judgement may go after this end of the exploration."""
        match self.driver.stopped:
            case StopReason.VIOLATION:
                return Phase.SAFETY
            case StopReason.INTERRUPTED:
                return Phase.DEADLOCK
            case StopReason.TIMEOUT | StopReason.MEMORY:
                # The time is over, or the room; a search for lassos could take as much again.
                return Phase.EXISTS
            case StopReason.COMPLETE | StopReason.MAX_ACTIONS | StopReason.MAX_STATES | StopReason.MAX_DEPTH:
                return Phase.LIVENESS
            case _:
                assert_never(self.driver.stopped)

    def _conclude(self, phase: Phase) -> None:
        checked = [p for p in self.properties if p.phase is phase and p.checked(self.evidence.options)]
        if phase is Phase.LIVENESS:
            # What was found of them violates safety.
            checked = [p for p in checked if p.key not in self.findings]
        if checked and phase is Phase.LIVENESS:
            self.driver.clock.judging()
        if phase is Phase.LIVENESS:
            self._judge_endless()
        for p in checked:
            # An assertion that failed on some state has no answer; only a violation found on another state counts.
            if self._witness(p) is None and any(watch.key in self.driver.total.broken for watch in p.watches):
                continue
            found = p.conclude(self.evidence)
            if found is not None and phase is Phase.LIVENESS and self.evidence.reduced:
                # Among least images instances lose their names, but fairness is per instance: ask the whole space.
                found = p.conclude(self._whole_space())
            if found is not None:
                self.findings[p.key] = found
            elif not (self.evidence.bounded and p.needs_whole_space) and not p.undecided(self.evidence):
                self.judged.add(p.key)
                self.untested[p.key] = p.untested(self.evidence)

    def _judge_endless(self) -> None:
        """Judge what abstract models promise of infinite runs."""
        refining = self.driver.refining
        if refining is None:
            return
        for p in [one for one in self.properties if one.key in self.judged]:
            found = refining.endless(p.key)
            if found is not None and found.error is not None:
                self.judged.discard(p.key)
                self.driver.error = self.driver.error or found
            elif found is not None:
                self.findings[p.key] = found

    def _refuted(self, p: Property) -> Finding | None:
        """The violation of a refinement."""
        refining = self.driver.refining
        return None if refining is None else refining.findings.get(p.key)

    def _witness(self, p: Property) -> Finding | None:
        """The shortest of what the watches of a property have brought."""
        brought = (self.driver.witnesses.get(watch.key) for watch in p.watches if p.decided_by(watch))
        return min((one for one in brought if one is not None), key=lambda one: one.steps, default=None)

    def _whole_space(self) -> SearchEvidence:
        if self._whole is None:
            again = self._unreduced()
            if again.stopped in UNTIMELY:
                raise Stop(again.stopped)
            self._whole = SearchEvidence(again)
        return self._whole

    @property
    def _whole_explored(self) -> bool:
        driver = self.driver
        return driver.stopped is StopReason.COMPLETE and not driver.cut and driver.error is None

    def _idle_actions(self) -> dict[str, Span]:
        """The actions that never had a step in the whole space, with the location where they gave up most often."""
        driver = self.driver
        idle: dict[str, Span] = {}
        for action in all_actions(driver.program):
            places = {span: n for (routine, span), n in driver.total.aborted.items() if routine == action.routine}
            if action.routine not in driver.total.acted and places:
                idle[action.key] = min(places, key=lambda span: (-places[span], span))
        return idle


def all_actions(program: Program) -> list[ActionProgram]:
    """The actions of the model and of its roles, in that order."""
    return [*program.actions, *(action for role in program.roles for action in role.actions)]
