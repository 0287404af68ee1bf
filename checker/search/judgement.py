"""The judgement after the exploration, kind by kind (language page, 10.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from checker.core.exploration import Exploration, Finding, PathLink
from checker.core.limits import UNTIMELY, StopReason
from checker.core.patience import Stop
from checker.core.property import Phase, Property
from checker.search.driver import SearchDriver
from fizz import Options, Span
from interpreter import Program
from interpreter.compile.program import ActionProgram

if TYPE_CHECKING:
    from checker.core.graph_search import ExploredStates


class SearchEvidence:
    """What a course brought, as properties ask for it."""

    def __init__(self, course: SearchDriver) -> None:
        self.course = course
        self._search: ExploredStates | None = None

    @property
    def options(self) -> Options:
        return self.course.program.options

    @property
    def bounded(self) -> bool:
        return self.course.cut > 0

    def witness(self, key: str) -> Finding | None:
        return self.course.witnesses.get(key)

    def search(self) -> ExploredStates:
        if self._search is None:
            self._search = self.course.run.search()
        return self._search

    def path(self, key: int) -> tuple[PathLink, ...]:
        return self.course.run.path(key)


class Judge:
    """Concludes phase by phase. `unreduced` explores again without symmetry, which only liveness may need."""

    def __init__(
        self, course: SearchDriver, properties: tuple[Property, ...], unreduced: Callable[[], SearchDriver]
    ) -> None:
        self.course = course
        self.evidence = SearchEvidence(course)
        self.properties = properties
        self.findings: dict[str, Finding] = {}
        self.judged: set[str] = set()
        self._unreduced = unreduced
        self._whole: SearchEvidence | None = None
        self._stopped: StopReason | None = None

    def judge(self, everything: bool) -> Exploration:
        """The exploration with its findings. Unless `everything` is asked for, the first phase to find is the last."""
        course, total = self.course, self.course.total
        for p in self.properties:
            if p.phase is Phase.SAFETY and (finding := self._witness(p)) is not None:
                self.findings[p.key] = finding
        try:
            for phase in Phase:
                found = bool(self.findings) or course.error is not None
                if phase > self._last_phase or (phase is not Phase.SAFETY and found and not everything):
                    break
                self._conclude(phase)
        except Stop as stop:
            self._stopped = stop.reason
        except MemoryError:
            self._stopped, course.torn = StopReason.MEMORY, True
        except KeyboardInterrupt:
            self._stopped, course.torn = StopReason.INTERRUPTED, True
        if self._stopped is StopReason.INTERRUPTED:
            course.stopped = StopReason.INTERRUPTED
        if course.stopped in (StopReason.VIOLATION, StopReason.INTERRUPTED):
            self.judged.clear()
        return Exploration(
            stopped=course.stopped,
            states=total.states,
            transitions=total.transitions,
            crash_steps=total.crash_steps,
            initial=course.initial,
            cut=course.cut,
            depth=course.depth,
            findings=self.findings,
            met=frozenset(p.key for p in self.properties if p.met(self.evidence)),
            judged=frozenset(self.judged),
            error=course.error,
            reduced=course.run.symmetric,
            exact=course.run.exact,
            idle_actions=self._idle_actions() if self._whole_explored else {},
            noted=frozenset(total.noted) if self._whole_explored else None,
            deepest=course.deepest if (course.stopped.bounds or course.cut) and not course.torn else (),
            given_up=course.given_up,
            judging_stopped=self._stopped,
            torn=course.torn,
            stats=course.run.stats(),
        )

    @property
    def _last_phase(self) -> Phase:
        """How far the judgement may go after this end of the exploration."""
        match self.course.stopped:
            case StopReason.VIOLATION:
                return Phase.SAFETY
            case StopReason.INTERRUPTED:
                return Phase.DEADLOCK
            case StopReason.TIMEOUT | StopReason.MEMORY:
                # The time is over, or the room; a search for lassos could take as much again.
                return Phase.EXISTS
        return Phase.LIVENESS

    def _conclude(self, phase: Phase) -> None:
        checked = [p for p in self.properties if p.phase is phase and p.checked(self.evidence.options)]
        if checked and phase is Phase.LIVENESS:
            self.course.clock.judging()
        for p in checked:
            # An assertion that failed on some state has no answer; only a violation found elsewhere counts.
            if self._witness(p) is None and any(watch.key in self.course.total.broken for watch in p.watches):
                continue
            found = p.conclude(self.evidence)
            if found is not None and phase is Phase.LIVENESS and self.course.run.symmetric:
                # Among least images instances lose their names, but fairness is per instance: ask the whole space.
                found = p.conclude(self._whole_space())
            if found is not None:
                self.findings[p.key] = found
            elif not (self.evidence.bounded and p.needs_whole_space):
                self.judged.add(p.key)

    def _witness(self, p: Property) -> Finding | None:
        """The shortest of what the watches of a property have brought."""
        brought = (self.course.witnesses.get(watch.key) for watch in p.watches)
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
        course = self.course
        return course.stopped is StopReason.COMPLETE and not course.cut and course.error is None

    def _idle_actions(self) -> dict[str, Span]:
        """The actions that never had a step in the whole space, with the place where they gave up most often."""
        course = self.course
        idle: dict[str, Span] = {}
        for action in all_actions(course.program):
            places = {span: n for (routine, span), n in course.total.aborted.items() if routine == action.routine}
            if action.routine not in course.total.acted and places:
                idle[action.key] = min(places, key=lambda span: (-places[span], span))
        return idle


def all_actions(program: Program) -> list[ActionProgram]:
    """The actions of the model and of its roles, in that order."""
    return [*program.actions, *(action for role in program.roles for action in role.actions)]
