"""Random walks through a model, one after the other (language page, 13), each with a seed of its own.

A block of walks has the same result wherever it is made, and whatever walks were made before it.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from checker.core.demand import violated_by_one_run
from checker.core.exploration import Finding
from checker.core.given import Given
from checker.core.limits import StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import ExitCode
from checker.core.property import Looks, Phase, Property
from checker.core.report import ModelFailure, PropertyReport
from checker.core.trace import Trace, TraceEntry
from checker.properties import KINDS, Kinds, concerning, properties_of
from checker.properties.refines import Refines
from checker.search.contract.bounds import is_cut
from checker.search.contract.level_counts import is_dead_end
from checker.search.known_pairs import PairsOfModel
from checker.traces.fair_phase import FairPhase, Judged, WalkedLasso
from checker.traces.guards import stuck
from checker.traces.model_walk import Questions, Said, Walk
from checker.traces.offers import Beginnings, Offer, OfferCache, Offers
from checker.traces.replay import failed_entry, idle_sentences, step_entry
from checker.traces.shorten import Shortener
from checker.traces.state_sketch import StateSketch
from checker.traces.walk_report import SimulationReport, WalkProgress, WalkVerdict
from checker.traces.walked_refinements import WalkedRefinements
from checker.traces.why import why
from fizz import Module
from interpreter import Machine, ModelError, State, Step
from interpreter.state.step import StepKind

WalkProgressSink = Callable[[WalkProgress], None]
_TICK_S = 0.1
_REMEMBERED = 10_000
"""The most states whose steps are cached."""

STEPS_PER_START = 10
"""The default length of a walk: so many steps for each start that `max_actions` allows."""


@dataclass(frozen=True, slots=True)
class _Violation:
    """A property and its counterexample. That of a state or step ends there."""

    property: Property
    phase: Phase
    trace: Trace
    instance: str | None = None


class _Failed(Exception):
    """The model failed on the walk: the error, and the trace up to it."""

    def __init__(self, error: ModelError, entries: Sequence[TraceEntry]) -> None:
        super().__init__(error.text)
        self.error = error
        self.entries = tuple(entries)


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """How walks are made: number i (from 0) has the seed `seed` + i.

    `steps` limits their length; `shorten`: a walk that violates safety is replayed until no step of it can be left out.
    `rare`: of the steps, those are drawn more often whose action the walk has taken rarely. `kinds` are the known
    property kinds.
    """

    seed: int
    steps: int | None = None
    shorten: bool = True
    rare: bool = False
    selected: tuple[str, ...] | None = None
    kinds: Kinds = field(default_factory=lambda: KINDS)


def walk_block(
    module: Module,
    settings: WalkSettings,
    given: Given,
    first: int,
    runs: int,
    patience: Patience,
    progress: WalkProgressSink | None = None,
) -> SimulationReport:
    """Make `runs` walks from number `first` on; stop at the first violation. `progress` is called from time to time.

    Raises `Problem` for what cannot be judged on walks.
    """
    begun = time.monotonic()
    seed, selected, kinds = settings.seed, settings.selected, settings.kinds
    pairs = PairsOfModel(module)
    program = pairs.program()
    properties = properties_of(program, selected, kinds)
    tally = _Tally(runs, progress)
    walk: int | None = None
    violations: list[_Violation] = []
    failed: _Failed | None = None
    interrupted = False
    cut_by: StopReason | None = None
    tally.actions = len(program.actions)
    try:
        with patience.deferring_interrupts(), patience.limiting_steps():
            longest = settings.steps or STEPS_PER_START * program.options.max_actions
            walker: _Walker | None = None
            while tally.walks < runs and not violations:
                if walker is None:
                    machine = Machine(program)
                    if pairs.seen_by(machine):
                        program = pairs.program()
                        machine = Machine(program)
                    properties = properties_of(program, selected, kinds)
                    walker = _Walker(machine, properties, longest, tally, settings, patience)
                walk = first + tally.walks
                tally.walks += 1
                try:
                    violations = walker.walk(random.Random(seed + walk))
                except _Failed as end:
                    if not pairs.learnt_from(end.error):
                        raise
                    # The same walk again, with these pairs too.
                    program, walker = pairs.program(), None
                    tally.walks = walk - first
    except Stop as stop:
        cut_by = stop.reason
        interrupted = stop.reason is StopReason.INTERRUPTED
    except MemoryError:
        cut_by = StopReason.MEMORY
    except _Failed as end:
        failed = end
    except ModelError as error:
        failed = _Failed(error, ())
    except KeyboardInterrupt:
        interrupted = True
    found = bool(violations) or failed is not None
    reports = tuple(_report(p, violations, tally) for p in properties)
    violations.sort(key=lambda v: (v.phase, v.trace.steps, properties.index(v.property)))
    leading = violations[0] if violations else None
    trace = None if leading is None else leading.trace
    if failed is not None:
        trace = Trace(failed.entries) if failed.entries else None
    verdict, exit_code = _verdict(leading, failed, interrupted, cut_by)
    return SimulationReport(
        verdict=verdict,
        exit_code=exit_code,
        model=module.path,
        properties=reports,
        trace=trace,
        leading=None if leading is None else leading.property.name,
        error=None if failed is None else _failure(failed),
        warnings=concerning(module.warnings, reports),
        sources=module.sources,
        given=given,
        runs=runs,
        seed=seed,
        walks=tally.walks,
        steps=tally.steps,
        walk=walk if found else None,
        found_after=tally.found_after,
        ends=tally.ends,
        acted=frozenset(tally.acted),
        actions=tally.actions,
        sketch=tally.sketch.registers(),
        elapsed_s=time.monotonic() - begun,
        cut_by=cut_by,
    )


def _report(p: Property, violations: Sequence[_Violation], tally: _Tally) -> PropertyReport:
    for violation in violations:
        if violation.property is p:
            trace = violation.trace
            return PropertyReport(p.name, p.kind, "violated", trace.steps, trace, violation.instance)
    return PropertyReport(p.name, p.kind, "holds" if p.key in tally.met else "undecided")


def _verdict(
    leading: _Violation | None, failed: _Failed | None, interrupted: bool, cut_by: StopReason | None
) -> tuple[WalkVerdict, ExitCode]:
    if interrupted:
        return "interrupted", ExitCode.INTERRUPTED
    if failed is not None:
        return "error", ExitCode.MODEL_ERROR
    if leading is None:
        return "nothing found", ExitCode.PASSED if cut_by is None else ExitCode.BOUNDED
    return leading.phase.verdict, leading.phase.exit_code


def _failure(failed: _Failed) -> ModelFailure:
    return ModelFailure(failed.error.diagnostic, failed.error.calls, max(len(failed.entries) - 1, 0))


def rare_step(offers: Offers, taken: Counter[str], generator: random.Random) -> Step:
    """A step, drawn so that what the walk has done n times has the weight 1 / (n + 1); `taken` counts it.

    First the action, thread or message is drawn, then one of its steps.
    """
    weights = [1 / (1 + taken[offer.candidate.name]) if offer.steps else 0.0 for offer in offers.offers]
    (number,) = generator.choices(range(len(weights)), weights)
    chosen = offers.offers[number]
    taken[chosen.candidate.name] += 1
    before = sum(offer.steps for offer in offers.offers[:number])
    return offers.step(before + generator.randrange(chosen.steps))


class _Tally:
    """What all walks did together, also if they are interrupted. Reports the progress."""

    def __init__(self, runs: int, sink: WalkProgressSink | None) -> None:
        self.runs = runs
        self.sink = sink
        self.begun = self.reported = time.monotonic()
        self.walks = 0
        self.steps = 0
        self.met: set[str] = set()
        self.found_after: int | None = None
        self.ends: Counter[str] = Counter()
        self.acted: set[str] = set()
        self.actions = 0
        self.sketch = StateSketch()

    def step(self, step: Step) -> None:
        """Another step was taken."""
        self.steps += 1
        if step.rule.kind is StepKind.START and step.actor is not None:
            self.acted.add(step.actor)
        now = time.monotonic()
        if self.sink is not None and now - self.reported >= _TICK_S:
            self.reported = now
            self.sink(
                WalkProgress(
                    self.walks,
                    self.runs,
                    self.steps,
                    now - self.begun,
                    self.sketch.estimate(),
                    len(self.acted),
                    self.actions,
                )
            )


@contextmanager
def _at(walk: Walk) -> Iterator[None]:
    """An assertion that fails in the block fails in the last state of the walk. Raises `_Failed`."""
    try:
        yield
    except ModelError as error:
        raise _Failed(error, walk.entries()) from None


class _Walker:
    """Makes walks through one machine."""

    def __init__(
        self,
        machine: Machine,
        properties: Sequence[Property],
        longest: int,
        tally: _Tally,
        settings: WalkSettings,
        patience: Patience,
    ) -> None:
        self.patience = patience
        self.machine = machine
        self.shortens = settings.shorten
        self.rare = settings.rare
        self.questions = Questions(machine, properties)
        self.refinements = WalkedRefinements(machine, [p for p in properties if isinstance(p, Refines)], patience)
        self.longest = longest
        self.tally = tally
        self.bound = machine.program.options.max_actions
        options = machine.program.options
        demands = [(p, demand) for p in properties if p.checked(options) for demand in p.demands(options)]
        of_runs = [(p, violated_by_one_run(demand)) for p, demand in demands]
        self.of_ends = [Judged(p, demand, n) for n, (p, demand) in enumerate(of_runs) if demand is not None]
        self._initial: Beginnings | None = None
        self._offers = OfferCache(machine, _REMEMBERED)

    def walk(self, generator: random.Random) -> list[_Violation]:
        """Make one walk. Returns what it violates; raises `_Failed`."""
        initial = self._initial_states()
        walk = Walk(self.machine, initial.state(generator.randrange(initial.count)))
        # After so many starts all steps are fair, unless liveness is not judged.
        last_unfair = generator.randrange(self.bound) if self.of_ends else None
        phase = FairPhase(self.machine, self.questions.assertions, self.of_ends)
        taken: Counter[str] = Counter()
        with _at(walk):
            said = self.questions.of_state(walk.state)
            phase.pass_by(0, walk.state)
            unexplained = self.refinements.begin(walk.state)
        found = self._seen(walk, said) + self._unexplained(walk, unexplained)
        while not found:
            self.patience.ask()
            offers = self._offers_of(walk)
            cut = is_cut(walk.starts, self.bound)
            if is_dead_end(offers.moves, offers.failure is not None, cut) and (dead := self.questions.of_dead_end()):
                return self._violations(walk, dead)
            settled = last_unfair is not None and walk.starts >= last_unfair
            if settled or (self.of_ends and not offers.moves):
                with _at(walk):
                    lassos = phase.arrive(len(walk.steps), walk.state, offers)
                if lassos:
                    return [self._lasso(walk, lasso) for lasso in lassos]
            fair = offers.fair() if settled else None
            end = self._end(walk, offers, fair)
            if end is not None:
                self.tally.ends[end] += 1
                return []
            if fair is None and self.rare:
                step = rare_step(offers, taken, generator)
            elif fair is None:
                step = offers.step(generator.randrange(offers.moves + offers.crashes))
            else:
                step = offers.move(generator.randrange(sum(offer.moves for offer in fair)), fair)
            if settled:
                phase.leave(step, offers)
            found = self._go(walk, step)
            with _at(walk):
                phase.pass_by(len(walk.steps), walk.state)
        return found

    def _initial_states(self) -> Beginnings:
        if self._initial is None:
            beginnings = Beginnings(self.machine)
            if beginnings.failure is not None:
                raise _Failed(beginnings.failure.error, ())
            if not beginnings.count:
                init = self.machine.program.init
                span = None if init is None else self.machine.program.routines[init].span
                raise _Failed(ModelError("R19", "no initial state: every way through Init is aborted", span), ())
            self._initial = beginnings
        return self._initial

    def _offers_of(self, walk: Walk) -> Offers:
        """The steps of the last state. Raises `_Failed` if one of them fails, even if another would be drawn."""
        offers = self._offers.of(walk.state)
        if not offers.walked:
            offers.walked = True
            self.tally.sketch.add(self.machine.key(walk.state))
        failure = offers.failure
        if failure is not None and not is_cut(walk.starts, self.bound):
            failed = failed_entry(self.machine, walk.state, failure)
            raise _Failed(failure.failure.error, [*walk.entries(), failed])
        return offers

    def _end(self, walk: Walk, offers: Offers, fair: Sequence[Offer] | None) -> str | None:
        """Why the walk ends here, if it does. `fair`: those from which the next step is drawn; None: from all."""
        if is_cut(walk.starts, self.bound):
            return "max_actions"
        if len(walk.steps) >= self.longest:
            return "length"
        # Crashes that change nothing would go on for ever.
        if fair is None and not offers.moves:
            return "no step left" if all(step.target == walk.state for step in offers.steps()) else None
        return "no step left" if fair == [] else None

    def _go(self, walk: Walk, step: Step) -> list[_Violation]:
        before = walk.state
        walk.take(step)
        self.tally.step(step)
        with _at(walk):
            said = self.questions.of_step(before, step) + self.questions.of_state(walk.state)
            unexplained = self.refinements.go(walk.state)
        return self._seen(walk, said) + self._unexplained(walk, unexplained)

    # --- findings --------------------------------------------------------------------------------------------------

    def _seen(self, walk: Walk, said: Sequence[Said]) -> list[_Violation]:
        self.tally.met.update(one.property.key for one in said if one.property.phase is Phase.EXISTS)
        return self._violations(walk, [one for one in said if one.property.phase is not Phase.EXISTS])

    def _violations(self, walk: Walk, said: Sequence[Said]) -> list[_Violation]:
        if said:
            self.tally.found_after = len(walk.steps)
        return [self._violation(walk, one) for one in said]

    def _violation(self, walk: Walk, said: Said) -> _Violation:
        """The violation with its trace, which after shortening ends in the same one, of the same instance."""
        if self.shortens:
            # The walk itself is an answer, so shortening may be cut.
            with suppress(Stop):
                walk = Shortener(self.machine, self._steps, lambda run: said in self._said(run)).shorten(walk)
        with self.patience.grace():
            reason = why(self.machine, said.watch, walk.states(), 0)
            end = stuck(self.machine, walk.state) if said.watch.looks is Looks.DEAD_ENDS else None
            trace = Trace(tuple(walk.entries()), why=reason, stuck=end)
        phase = Phase.SAFETY if said.watch in said.property.safety else said.property.phase
        return _Violation(said.property, phase, trace, said.instance)

    def _unexplained(self, walk: Walk, refinements: Sequence[Refines]) -> list[_Violation]:
        """The refinements that the last step of a walk violates, each with a shorter run."""
        if refinements:
            self.tally.found_after = len(walk.steps)
        return [self._refuted(walk, one) for one in refinements]

    def _refuted(self, walk: Walk, of: Refines) -> _Violation:
        def ended(run: Walk) -> bool:
            try:
                return self.refinements.end_at(run, of)
            except ModelError:
                return False

        if self.shortens:
            with suppress(Stop):
                walk = Shortener(self.machine, self._steps, ended).shorten(walk)
        with self.patience.grace():
            trace = Trace(tuple(walk.entries()), unmatched=self.refinements.unmatched(walk, of))
        return _Violation(of, Phase.SAFETY, trace)

    def _said(self, run: Walk) -> tuple[Said, ...]:
        """The properties that the end of a run violates; none if the model fails there."""
        try:
            said = self.questions.of_state(run.state)
            if run.steps:
                said += self.questions.of_step(run.state_after(len(run.steps) - 1), run.steps[-1])
            moves = self._offers.of(run.state).moves
        except ModelError:
            return ()
        dead = is_dead_end(moves, False, is_cut(run.starts, self.bound))
        return said + self.questions.of_dead_end() if dead else said

    def _steps(self, state: State) -> Iterator[Step]:
        return self._offers.of(state).steps()

    def _lasso(self, walk: Walk, lasso: WalkedLasso) -> _Violation:
        beyond = (*lasso.stem, *lasso.cycle)
        entries = walk.entries(lasso.prefix)
        entries += [step_entry(self.machine, state, step, step.target) for state, step in beyond]
        states = walk.states(lasso.prefix) + [step.target for _, step in beyond]
        idle = idle_sentences(self.machine, states[-1]) if lasso.stutter else ()
        fairness = lasso.fairness + idle
        cycle_start = len(entries) - len(lasso.cycle) if lasso.cycle else None
        found = Finding(lasso.of.key, (), waiting=None if lasso.waiting is None else lasso.waiting.pair)
        reason = why(self.machine, lasso.of.watch_of(found), states, len(lasso.cycle))
        trace = Trace(tuple(entries), cycle_start, lasso.stutter, fairness, reason, waiting=lasso.waiting)
        return _Violation(lasso.of, lasso.of.phase, trace)
