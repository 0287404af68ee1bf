"""The attempts to start actions over a whole exploration: which guards they meet, and which they pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field

from checker.analysis.visit import StateObserver, Tour, Visit, VisitedState
from checker.core.patience import Stop
from checker.core.trace import Trace
from checker.traces.guards import Disabled, Guards, is_step
from checker.traces.replay import story_of
from checker.traces.why import source_text
from fizz import Span
from fizz.base.light import dataclass
from interpreter import Machine, Program, State
from interpreter.compile.program import ActionProgram
from interpreter.execute.decisions import deciding_statements, decisions
from interpreter.state.step import Candidate, Result, Rule, StepKind

_MOST_KEPT = 100_000
"""Results whose guards are cached: those of rules without a memo do not recur."""


@dataclass(frozen=True, slots=True)
class GuardCount:
    """A guard of an action, and in how many of its attempts some execution path met it, and some path passed it."""

    file: str
    line: int
    text: str
    met: int
    passed: int


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts of one action. An attempt is a state in which it might start; in a role, a state and an instance.

    `held_back`: attempts that an option prevented, by the option. `fired`: attempts with a step. `guards`: those that
    some execution path met, in the order of the source. `furthest`: the earliest of the attempts without a step that
    passed most guards; `trace` leads there.
    """

    action: str
    attempts: int
    held_back: tuple[tuple[str, int], ...]
    fired: int
    guards: tuple[GuardCount, ...]
    furthest: Disabled | None = None
    trace: Trace | None = None


@dataclass(slots=True)
class _Tally:
    """The counts of one action; `best`: how many guards the furthest attempt passed, and its state."""

    attempts: int = 0
    fired: int = 0
    held_back: Counter[str] = field(default_factory=Counter)
    met: Counter[Span] = field(default_factory=Counter)
    passed: Counter[Span] = field(default_factory=Counter)
    best: tuple[int, VisitedState] | None = None

    def take(self, later: _Tally) -> None:
        """Add what was counted later."""
        self.attempts += later.attempts
        self.fired += later.fired
        self.held_back.update(later.held_back)
        self.met.update(later.met)
        self.passed.update(later.passed)
        if later.best is not None and (self.best is None or later.best[0] > self.best[0]):
            self.best = later.best


class AttemptCounter(StateObserver):
    """Counts the attempts of some actions while states are visited, level by level."""

    def __init__(self, program: Program, actions: Sequence[ActionProgram], instance: tuple[str, int] | None) -> None:
        self.program = program
        self.actions = actions
        self.instance = instance
        self._tallies = {action.routine: _Tally() for action in actions}
        self._new: defaultdict[int, _Tally] = defaultdict(_Tally)
        self._deciding = deciding_statements(program)
        self._known: dict[int, tuple[Result, frozenset[Span], frozenset[Span]]] = {}
        self._guards: Guards | None = None

    def keep(self, visit: Visit) -> None:
        """Add the counts of this level."""
        for routine, tally in self._new.items():
            self._tallies[routine].take(tally)
        self._new.clear()

    def see(self, visit: Visit, visited: VisitedState) -> None:
        """Count the attempts in one state."""
        allowed: set[Rule] | None = None
        for candidate in visit.machine.candidates(visited.state, limits=False):
            rule = candidate.rule
            if rule.kind is not StepKind.START or rule.subject not in self._tallies or not self._asked(rule):
                continue
            if allowed is None:
                allowed = {c.rule for c in visit.candidates(visited)}
            tally = self._new[rule.subject]
            tally.attempts += 1
            if rule in allowed:
                self._try(visit, visited, candidate, tally)
            else:
                limits = self._held_back(visit.machine).limits(rule, visited.state, starts=not visited.cut)
                tally.held_back.update([limits[0].text])

    def _held_back(self, machine: Machine) -> Guards:
        if self._guards is None:
            self._guards = Guards(machine)
        return self._guards

    def _asked(self, rule: Rule) -> bool:
        return self.instance is None or rule.instance == self.instance

    def _try(self, visit: Visit, visited: VisitedState, candidate: Candidate, tally: _Tally) -> None:
        met: set[Span] = set()
        passed: set[Span] = set()
        fired = False
        far = 0
        apply = visit.expander.memory.apply if visit.machine.symmetric else None
        for result in visit.results(candidate.rule, visited):
            _, met_here, passed_here = self._read(result)
            met |= met_here
            passed |= passed_here
            far = max(far, len(passed_here))
            fired |= is_step(apply, visited.state, candidate.rule, result)
        tally.met.update(met)
        tally.passed.update(passed)
        tally.fired += fired
        if not fired and (tally.best is None or far > tally.best[0]):
            tally.best = (far, visited)

    def _read(self, result: Result) -> tuple[Result, frozenset[Span], frozenset[Span]]:
        """The guards that an execution path met, and those that it passed, cached by the identity of its result.

        The cache holds the result too, so that no other object gets its identity.
        """
        known = self._known.get(id(result))
        if known is None:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            made = list(decisions(result.lines))
            passed = frozenset(d.span for d in made if self._deciding[d.span].passed(d.branch))
            known = self._known[id(result)] = (result, frozenset(d.span for d in made), passed)
        return known

    def conclude(self, tour: Tour) -> tuple[Attempts, ...]:
        """The attempts of each action."""
        return tuple(self._attempts(tour, action) for action in self.actions)

    def _attempts(self, tour: Tour, action: ActionProgram) -> Attempts:
        tally = self._tallies[action.routine]
        furthest: Disabled | None = None
        trace: Trace | None = None
        if tally.best is not None and not tally.fired:
            # One step of this model may take longer than the visit may.
            with suppress(Stop), tour.patience.limiting_steps(), tour.patience.grace():
                story = story_of(tour.machine, tour.visit.finding(tally.best[1]))
                if story is not None:
                    furthest = self._furthest(tour.machine, story.states[-1], action.routine)
                    trace = Trace(story.entries)
        return Attempts(
            action=action.key,
            attempts=tally.attempts,
            held_back=tuple(sorted(tally.held_back.items())),
            fired=tally.fired,
            guards=tuple(self._count(span, tally) for span in sorted(tally.met)),
            furthest=furthest,
            trace=trace,
        )

    def _furthest(self, machine: Machine, state: State, routine: int) -> Disabled | None:
        """The attempt that passes most guards in the state of the story, where instances may have other numbers."""
        best: tuple[int, Candidate] | None = None
        for candidate in machine.candidates(state):
            rule = candidate.rule
            if rule.kind is StepKind.START and rule.subject == routine:
                results = [path.result for path in machine.paths(rule, machine.view(state), noted=False)]
                far = max(len(self._read(result)[2]) for result in results)
                if best is None or far > best[0]:
                    best = (far, candidate)
        return None if best is None else self._held_back(machine).one(best[1], state)

    def _count(self, span: Span, tally: _Tally) -> GuardCount:
        deciding = self._deciding[span]
        text = source_text(deciding.conditions[0].span, self.program.sources)
        return GuardCount(span.file, span.line, f"{deciding.word} {text}", tally.met[span], tally.passed[span])
