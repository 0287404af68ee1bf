"""The course of an exploration, the same for every engine: level after level, judgement, and when to stop (language page, 10.7)."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import Literal as OneOf

from checker.engines.protocol import Engine, Level, Run, Task, Witness
from checker.exploration import Exploration, Finding, PathLink, Progress, Settings, StopReason
from checker.liveness.graph import Graph
from checker.properties.base import Phase, Property
from fizz import Options
from interpreter import Program

ProgressSink = Callable[[Progress], None]
_TICK_S = 0.1


def explore(
    engine: Engine,
    program: Program,
    properties: tuple[Property, ...],
    settings: Settings,
    progress: ProgressSink | None = None,
) -> Exploration:
    """Explore as far as settings and options allow, and judge every property."""
    options = program.options
    everything = settings.keep_going or options.continue_path_on_invariant_failures
    watches = tuple(watch for p in properties if (watch := p.watch(options)) is not None)
    clock = _Clock(settings.timeout_s, progress)
    task = Task(
        program,
        watches,
        settings,
        prune=not everything,
        graph=any(watch.records for watch in watches),
        tick=clock.tick,
    )
    with closing(engine.begin(task)) as run:
        course = _Course(run, options, properties, clock)
        course.go(settings.max_states, on=everything or options.continue_on_invariant_failures)
        return course.judge(everything)


class _Clock:
    """Time since the beginning, and the progress that is told by it."""

    def __init__(self, timeout_s: float | None, sink: ProgressSink | None) -> None:
        self.timeout_s = timeout_s
        self.sink = sink
        self.begun = self.told = time.monotonic()
        self.total = Level()
        self.depth = 0

    @property
    def over(self) -> bool:
        return self.timeout_s is not None and time.monotonic() - self.begun >= self.timeout_s

    def tick(self, states: int, transitions: int) -> None:
        """Tell how far the level under way has come, if it is time to."""
        now = time.monotonic()
        if self.sink is not None and now - self.told >= _TICK_S:
            self.told = now
            self._tell("exploring", states, transitions)

    def judging(self) -> None:
        """Tell that the search for lassos begins."""
        self._tell("judging liveness", 0, 0)

    def _tell(self, phase: OneOf["exploring", "judging liveness"], states: int, transitions: int) -> None:
        if self.sink is not None:
            states, transitions = self.total.states + states, self.total.transitions + transitions
            elapsed_s = time.monotonic() - self.begun
            self.sink(Progress(phase, states, transitions, self.depth, self.total.frontier, elapsed_s))


class _Course:
    """One exploration under way: sums over levels, and the first witness of each property. It is the evidence in the end."""

    def __init__(self, run: Run, options: Options, properties: tuple[Property, ...], clock: _Clock) -> None:
        self.run = run
        self.options = options
        self.properties = properties
        self.clock = clock
        self.total = clock.total
        self.safety = {p.key for p in properties if p.phase is Phase.SAFETY}
        self.initial = self.depth = self.last_cut = 0
        self.stopped: StopReason = "complete"
        self.witnesses: dict[str, Finding] = {}
        self.error: Finding | None = None
        self._graph: Graph | None = None

    # --- exploring -------------------------------------------------------------------------------------------------

    def go(self, max_states: int | None, on: bool) -> None:
        """Explore level after level, until there is no further one or a reason to stop. `on`: violations are no reason."""
        try:
            self._add(self.run.first())
            self.initial = self.total.states
            while (reason := self._reason_to_stop(max_states, on)) is None:
                self.clock.depth += 1
                self._add(self.run.next())
                self.depth = self.clock.depth if self.last_states else self.depth
            self.stopped = reason
        except KeyboardInterrupt:
            self.stopped = "interrupted"

    def _reason_to_stop(self, max_states: int | None, on: bool) -> StopReason | None:
        if not on and (self.error is not None or not self.safety.isdisjoint(self.witnesses)):
            return "violation"
        if self.total.frontier == 0:
            return "violation" if self.total.pruned else "complete"
        if max_states is not None and self.total.states >= max_states:
            return "max_states"
        return "timeout" if self.clock.over else None

    def _add(self, level: Level) -> None:
        self.last_states, self.last_cut = level.states, level.cut
        self.total.add_counts(level)
        for key, witness in level.witnesses.items():
            if key not in self.witnesses:
                self.witnesses[key] = self._finding(key, witness)
        if level.error is not None and self.error is None:
            self.error = self._finding(None, level.error)

    def _finding(self, key: str | None, witness: Witness) -> Finding:
        path = () if witness.source is None else self.run.path(witness.source)
        if witness.order is not None:
            path = (*path, PathLink(witness.order, witness.target))
        return Finding(key, path, instance=witness.instance, error=witness.error)

    # --- judging ---------------------------------------------------------------------------------------------------

    def judge(self, everything: bool) -> Exploration:
        """Conclude phase by phase. Unless `everything` is asked for, what was found in one phase ends the judgement."""
        findings = {key: finding for key, finding in self.witnesses.items() if key in self.safety}
        judged: set[str] = set()
        try:
            for phase in Phase:
                found = bool(findings) or self.error is not None
                if phase > self._last_phase or (phase is not Phase.SAFETY and found and not everything):
                    break
                self._conclude(phase, findings, judged)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        met = frozenset(p.key for p in self.properties if p.met(self))
        if self.stopped in ("violation", "interrupted"):
            judged.clear()
        return Exploration(
            self.stopped,
            self.total.states,
            self.total.transitions,
            self.total.crash_steps,
            self.initial,
            self.cut,
            self.depth,
            findings,
            met,
            frozenset(judged),
            self.error,
            self.run.stats(),
        )

    @property
    def _last_phase(self) -> Phase:
        """How far the judgement may go after this end of the exploration."""
        match self.stopped:
            case "violation":
                return Phase.SAFETY
            case "interrupted":
                return Phase.DEADLOCK
            case "timeout":
                # The time is over; a search for lassos could take as long again.
                return Phase.EXISTS
        return Phase.LIVENESS

    def _conclude(self, phase: Phase, findings: dict[str, Finding], judged: set[str]) -> None:
        checked = [p for p in self.properties if p.phase is phase and p.watch(self.options) is not None]
        if checked and phase is Phase.LIVENESS:
            self.clock.judging()
        for p in checked:
            # An assertion that failed on some state has no answer; only a violation found elsewhere counts.
            if p.key in self.total.broken and p.key not in self.witnesses:
                continue
            found = p.conclude(self)
            if found is not None:
                findings[p.key] = found
            elif not (self.bounded and p.needs_whole_space):
                judged.add(p.key)

    @property
    def cut(self) -> int:
        """States whose steps were not all explored: those at the bound, and the last level if the search was cut there."""
        if self.stopped in ("max_states", "timeout"):
            return self.total.cut - self.last_cut + self.total.frontier
        return self.total.cut

    # --- evidence --------------------------------------------------------------------------------------------------

    @property
    def bounded(self) -> bool:
        return self.cut > 0

    def witness(self, key: str) -> Finding | None:
        return self.witnesses.get(key)

    def graph(self) -> Graph:
        if self._graph is None:
            self._graph = self.run.graph()
        return self._graph

    def answers(self, key: str) -> bytearray:
        return self.run.answers(key)

    def path(self, state: int) -> tuple[PathLink, ...]:
        return self.run.path(self.graph().key(state))
