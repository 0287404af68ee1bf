"""`Expander`: steps from a state and judgement of a state, by remembered rules, one row at a time.

The embedded engine and the tasks of the Spark engine share it. It knows neither levels nor the states found before;
counts and witnesses go into the `Level` that is passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Final, NamedTuple

from checker.core.level import STEP_STAGE, Level, StateRef, Witness
from checker.liveness.graph import LiveStep, Obligation, crash_of, obligation_of
from checker.search.contract.assertion_answers import Assertions
from checker.search.contract.judge_watches import Judgement, judge_dead_end, judge_state, judge_step
from checker.search.contract.level_counts import distinct_names, is_dead_end, note_action
from checker.search.contract.protocol import Task
from checker.search.memo.memo import Memory
from checker.search.memo.shared_pairs import SharedPairs
from interpreter.execute.view import View
from interpreter.state.state import State
from interpreter.state.step import (
    NO_OUTCOME,
    Aborted,
    Candidate,
    Failure,
    Outcome,
    Result,
    Rule,
    StepKind,
    StepOrder,
)
from interpreter.values.budget import METER

_CRASH_ROLE: Final = StepKind.CRASH_ROLE
"""To look it up in its class takes a while, and it is asked for each candidate."""
_MOST_IMAGES = 1 << 15
"""Many steps lead to a few states that were met just before: their images and keys are cached."""


Observe = Callable[[int, int, Candidate, tuple[str, ...], bool], None]
"""Called for each step: the keys of source and target, whose step it is, the texts of its choices, is it a crash."""


class Arrival(NamedTuple):
    """A step and where it leads. `crash`: it is a twin or a role crash. `live`: what liveness sees of it, or None."""

    order: StepOrder
    state: State
    key: int
    kind: StepKind
    crash: bool
    live: LiveStep | None


class Expander:
    """Expands and judges states of one program in this process."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.memory = task.memory or Memory(task.machine(task.program), task.phases)
        self.machine = self.memory.machine
        self.symmetric = task.settings.symmetry and self.machine.symmetric
        self.assertions = Assertions(self.machine, self.memory.view, SharedPairs(self.memory).result)
        self.recorded = tuple(watch.key for watch in task.watches if watch.records)
        self._of_states, self._of_steps, self._of_dead_ends = task.watching
        # Actions known to have steps: where these gave up is not counted.
        self.acted: set[int] = set()
        self.observe: Observe | None = None
        self._names: dict[Rule, Obligation | None] = {}
        self._actors: dict[Rule, str] = {}
        self._images: dict[State, tuple[State, int]] = {}

    def image(self, state: State) -> tuple[State, int]:
        """What is stored and expanded instead of a state (language page, 11.3), and its key."""
        known = self._images.get(state)
        if known is None:
            if len(self._images) >= _MOST_IMAGES:
                self._images.clear()
            image = self.machine.canonical(state) if self.symmetric else state
            known = self._images[state] = (image, self.machine.key(image))
        return known

    # --- states ----------------------------------------------------------------------------------------------------

    def judge(self, state: State, at: StateRef, level: Level) -> Judgement:
        """Ask the state assertions."""
        return judge_state(self.assertions, self._of_states, self.task.prune, state, at, level)

    # --- steps -----------------------------------------------------------------------------------------------------

    def expand(self, state: State, at: StateRef, cut: bool, level: Level) -> Iterator[Arrival]:
        """All steps from a state, in step order; no starts from a cut one. They are counted as they are taken."""
        moves = level.transitions
        failed = False
        view = self.memory.view(state)
        for candidate in self.machine.candidates(state, starts=not cut):
            # A state may have thousands of candidates, and remembered results do not look at the patience.
            self.task.patience.ask()
            failed |= yield from self._try_candidate(candidate, state, at, view, level)
        if is_dead_end(level.transitions - moves, failed, cut):
            judge_dead_end(self._of_dead_ends, at, level)

    def sort_out(
        self, candidate: Candidate, results: Sequence[Result], at: Callable[[], StateRef], level: Level
    ) -> tuple[list[Outcome], list[Aborted], bool]:
        """What the execution paths of one candidate lead to, those that gave up, and whether any failed.

        `at` gives the state, as findings refer to it.
        """
        outcomes: list[Outcome] = []
        aborted: list[Aborted] = []
        failed = False
        for result in results:
            if type(result) is Outcome:
                outcomes.append(result)
            elif type(result) is Failure:
                failed = True
                order = StepOrder(candidate.order, result.forks, 0)
                level.fail(Witness(at(), order, error=result.error, stage=STEP_STAGE))
            elif type(result) is Aborted:
                aborted.append(result)
        return outcomes, aborted, failed

    def note(self, rule: Rule, steps: int, aborted: list[Aborted], level: Level) -> None:
        """Note that an action was tried: how many steps it made, and which execution paths gave up."""
        if rule.subject not in self.acted and rule.kind is StepKind.START:
            note_action(rule.subject, steps, [(result.span, 1) for result in aborted], self.acted, level)

    def _try_candidate(
        self, candidate: Candidate, state: State, at: StateRef, view: View, level: Level
    ) -> Generator[Arrival, None, bool]:
        """The steps of one candidate. Returns whether any execution path failed."""
        rule = candidate.rule
        if rule.kind is _CRASH_ROLE:
            assert rule.instance is not None
            target, target_key = self.image(self.machine.crash_role(state, rule.instance))
            order = StepOrder(candidate.order, (), 0)
            level.crash_steps += 1
            if self.observe is not None:
                self.observe(at.key, target_key, candidate, (), True)
            yield Arrival(order, target, target_key, rule.kind, True, self._crash(order, rule, NO_OUTCOME))
            return False
        results = self.memory.results(rule, view)
        outcomes, aborted, failed = self.sort_out(candidate, results, lambda: at, level)
        steps = (yield from self.steps(state, at, candidate, outcomes, level)) if outcomes else 0
        self.note(rule, steps, aborted, level)
        return failed

    def steps(
        self, state: State, at: StateRef, candidate: Candidate, outcomes: list[Outcome], level: Level
    ) -> Generator[Arrival, None, int]:
        """The steps of one candidate. Returns how many there are."""
        rule, kind = candidate.rule, candidate.rule.kind
        names: list[tuple[str, ...]] = []
        crash_names: list[tuple[str, ...]] = []
        fair_name = self.fair_name(rule)
        for outcome in METER.attended(outcomes):
            whole = self.memory.joined(state, outcome)
            target = self.machine.apply(state, rule, whole)
            if target is not None:
                order = StepOrder(candidate.order, outcome.forks, 0)
                image, image_key = self.image(target)
                names.append(outcome.choices)
                if self.observe is not None:
                    self.observe(at.key, image_key, candidate, outcome.choices, False)
                if self._of_steps:
                    judge_step(self.assertions, self._of_steps, state, target, at, order, image_key, level)
                live = LiveStep(order, fair_name, outcome.fair, self.labels(rule, outcome))
                yield Arrival(order, image, image_key, kind, False, live)
            twin = self.machine.apply(state, rule, whole, twin=True) if outcome.may_crash else None
            if twin is not None:
                order = StepOrder(candidate.order, outcome.forks, 1)
                image, image_key = self.image(twin)
                crash_names.append(outcome.choices)
                if self.observe is not None:
                    self.observe(at.key, image_key, candidate, outcome.choices, True)
                yield Arrival(order, image, image_key, kind, True, self._crash(order, rule, outcome))
        level.transitions += distinct_names(names)
        if crash_names:
            level.crash_steps += distinct_names(crash_names)
        return len(names) + len(crash_names)

    def _crash(self, order: StepOrder, rule: Rule, outcome: Outcome) -> LiveStep | None:
        return crash_of(order, self.labels(rule, outcome)) if self.task.crash_edges else None

    def labels(self, rule: Rule, outcome: Outcome) -> tuple[str, ...]:
        """Who acts in a step, and its labels, if the task asks for them."""
        if not self.task.labels:
            return ()
        if rule not in self._actors:
            crashing = "" if rule.instance is None else f"{rule.instance[0]}#{rule.instance[1]}"
            self._actors[rule] = self.machine.actor(rule) or crashing
        return (self._actors[rule], *outcome.labels)

    # --- liveness --------------------------------------------------------------------------------------------------

    def fair_name(self, rule: Rule) -> Obligation | None:
        """The fairness obligation that a step of this rule counts for."""
        if rule not in self._names:
            self._names[rule] = obligation_of(self.machine.fair_name(rule))
        return self._names[rule]

    def available(self, state: State, kinds: tuple[StepKind, ...]) -> list[LiveStep]:
        """The steps of some kinds that exist in a state, also those that are not explored: they matter to fairness."""
        found: list[LiveStep] = []
        for candidate in self.machine.candidates(state):
            rule = candidate.rule
            name = self.fair_name(rule) if rule.kind in kinds else None
            if name is not None and self.may_step(rule, state):
                found.append(LiveStep(StepOrder(candidate.order, (), 0), name, ()))
        return found

    def may_step(self, rule: Rule, state: State) -> bool:
        """Whether a rule has a step in a state."""
        return any(
            type(result) is Outcome and self.memory.apply(state, rule, result) is not None
            for result in self.memory.results(rule, self.memory.view(state))
        )
