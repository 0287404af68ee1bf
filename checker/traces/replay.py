"""From the links of a finding back to the trace: every step is taken again and described (language page, 12.4)."""

from __future__ import annotations

from collections.abc import Sequence

from checker.core.exploration import Finding, PathLink
from checker.core.property import Looks, Watch
from checker.core.trace import Change, EntryKind, Trace, TraceEntry, WaitingPair
from checker.traces.changes import changes
from checker.traces.guards import stuck
from checker.traces.threads import movers, origins
from checker.traces.why import why
from fizz import Span
from fizz.base.light import dataclass
from interpreter import Machine
from interpreter.initial_states import initial_state
from interpreter.state.state import State
from interpreter.state.step import InitialState, Outcome, Rule, Step, StepFailure, StepKind, step_name

_KINDS: dict[StepKind, EntryKind] = {
    StepKind.START: "start",
    StepKind.CONTINUE: "continue",
    StepKind.DELIVER: "deliver",
    StepKind.CRASH_ROLE: "crash-role",
}


def trace_of(machine: Machine, finding: Finding, story: Story, watch: Watch | None = None) -> Trace:
    """The trace of a finding with this story.

    `watch`: what was watched; the trace then says why it is false, or in a dead end why no step is possible. Without
    one the model fails.
    """
    dead = watch is not None and watch.looks is Looks.DEAD_ENDS
    idle = idle_sentences(machine, story.states[-1]) if finding.stutter else ()
    return Trace(
        story.entries,
        cycle_start=len(finding.path) + len(finding.stem) if finding.cycle else None,
        stutter=finding.stutter,
        fairness=finding.fairness + idle,
        why=why(machine, watch, story.states, len(finding.cycle)),
        stuck=stuck(machine, story.states[-1]) if dead else None,
        waiting=None if finding.waiting is None else WaitingPair(len(finding.path) - 1, finding.waiting),
        unmatched=finding.unmatched,
    )


@dataclass(frozen=True, slots=True)
class Story:
    """A path with its texts: an entry for Init and for each step, and the states after them.

    `begin` is its initial state; `steps` are those that were taken, without a failed one.
    """

    entries: tuple[TraceEntry, ...]
    states: tuple[State, ...]
    begin: InitialState
    steps: tuple[Step, ...]

    @property
    def is_run(self) -> bool:
        """Whether it is a run of the model: states that stand for others need not follow one another."""
        after = (self.begin.state, *(step.target for step in self.steps))
        return after == self.states


def story_of(machine: Machine, finding: Finding) -> Story | None:
    """The story of a finding; None if it has no path, as an `exists` that was never met.

    Under symmetry the story has concrete states: each step is the first one whose target has the next link's key for
    its least image, and a crash only if no other step has. If the model breaks its own symmetry there may be no such
    step; then the story has the stored images.
    """
    replays = (_ConcreteReplay(machine), _StoredReplay(machine)) if finding.reduced else (_StoredReplay(machine),)
    for replay in replays if finding.path else ():
        try:
            return replay.story(finding)
        except _NoSuchStep:
            continue
    return None


def idle_sentences(machine: Machine, state: State) -> tuple[str, ...]:
    """Which actions could change something in a state where the run stops."""
    starts = [one for one in machine.candidates(state) if one.rule.kind is StepKind.START]
    changing = (one for one in starts if any(step.target != state for step in machine.each_step(state, of=one.name)))
    names = dict.fromkeys(machine.actor(one.rule) for one in changing)
    if not names:
        return ()
    return (f"{', '.join(map(str, names))} could start here, but {'is' if len(names) == 1 else 'are'} not `fair`",)


class _NoSuchStep(Exception):
    """No step fits a link: Init failed, or the model breaks the symmetry that it declares."""


class _Replay:
    """Follows the links of one finding from state to state."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._entries: list[TraceEntry] = []
        self._states: list[State] = []
        self._steps: list[Step] = []

    def story(self, finding: Finding) -> Story:
        """The story of a finding."""
        first, *links = finding.path
        begin = initial_state(self.machine, first.order.forks)
        if begin is None or first.key is None:
            raise _NoSuchStep
        self._states.append(self.shown(begin.state, finding))
        self._entries.append(init_entry(self.machine, begin.outcome, self._states[0]))
        for link in (*links, *finding.stem, *finding.cycle):
            self._follow(link, finding)
        return Story(tuple(self._entries), tuple(self._states), begin, tuple(self._steps))

    def _follow(self, link: PathLink, finding: Finding) -> None:
        state = self._states[-1]
        if link.key is None:
            self._entries.append(failed_entry(self.machine, state, self.failure(state, link)))
            return
        step = self.step(state, link)
        if step is None:
            raise _NoSuchStep
        target = self.shown(step.target, finding)
        self._entries.append(step_entry(self.machine, state, step, target))
        self._steps.append(step)
        self._states.append(target)

    def step(self, state: State, link: PathLink) -> Step | None:
        """The step that a link means, if there is one."""
        raise NotImplementedError

    def failure(self, state: State, link: PathLink) -> StepFailure:
        """The failed step that a link means."""
        raise NotImplementedError

    def shown(self, state: State, finding: Finding) -> State:
        """The state that the story has for one that Init or a step made."""
        raise NotImplementedError


class _StoredReplay(_Replay):
    """A story of the stored states: each step is the one of the link's order.

    Where variables are excluded from identity, a step may lead to another state than the stored one of its key; then
    the story has the first state of that key that it met.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._kept: dict[int, State] = {}

    def step(self, state: State, link: PathLink) -> Step | None:
        return self.machine.step(state, link.order)

    def failure(self, state: State, link: PathLink) -> StepFailure:
        for failure in self.machine.steps(state).failures:
            if failure.order == link.order:
                return failure
        raise _NoSuchStep

    def shown(self, state: State, finding: Finding) -> State:
        state = self.machine.canonical(state) if finding.reduced else state
        return self._kept.setdefault(self.machine.key(state), state)


class _ConcreteReplay(_Replay):
    """A story of concrete states, whose images are the stored ones."""

    def step(self, state: State, link: PathLink) -> Step | None:
        if self.machine.plain(state):
            # This state was stored, or one that differs only in excluded variables.
            step = self.machine.step(state, link.order)
            if step is not None and self._leads_on(step, link):
                return step
        fitting = (step for step in self.machine.each_step(state) if self._leads_on(step, link))
        return min(fitting, key=lambda step: step.crashes, default=None)

    def _leads_on(self, step: Step, link: PathLink) -> bool:
        return self.machine.key(self.machine.canonical(step.target)) == link.key

    def failure(self, state: State, link: PathLink) -> StepFailure:
        failures = self.machine.steps(state).failures
        if not failures:
            raise _NoSuchStep
        return failures[0]

    def shown(self, state: State, finding: Finding) -> State:
        return state


def init_entry(machine: Machine, outcome: Outcome, state: State) -> TraceEntry:
    """Init and the state it leads to."""
    lines = tuple(machine.describe(state))
    return TraceEntry(
        label=step_name("Init", outcome.choices),
        kind="init",
        actor="Init",
        file=outcome.lines[0].file if outcome.lines else None,
        line=outcome.lines[0].line if outcome.lines else None,
        choices=outcome.choices,
        crash=False,
        changes=tuple(Change(place, None, text) for place, text in lines),
        labels=outcome.labels,
        lines=_all_lines(outcome.lines),
        state=lines,
    )


def step_entry(machine: Machine, state: State, step: Step, target: State) -> TraceEntry:
    """A step from `state`; `target` is the state it leads to, or the image of it that is stored."""
    outcome, kind = step.outcome, step.rule.kind
    span = _span(machine, step.rule, outcome.lines)
    after = tuple(machine.describe(target))
    actor = step.actor
    if kind is StepKind.CRASH_ROLE and step.rule.instance is not None:
        actor = f"{step.rule.instance[0]}#{step.rule.instance[1]}"
    return TraceEntry(
        label=step.name,
        kind=_KINDS[kind],
        actor=actor,
        choices=outcome.choices,
        crash=step.crashes,
        changes=tuple(changes(machine.describe(state), after)),
        movers=movers(state, step.rule),
        origins=origins(machine, state, step, target),
        labels=outcome.labels,
        returns=tuple((label, machine.values.text(number)) for label, number in outcome.returns),
        state=after,
        file=None if span is None else span.file,
        line=None if span is None else span.line,
        lines=_all_lines(outcome.lines),
    )


def failed_entry(machine: Machine, state: State, failure: StepFailure) -> TraceEntry:
    """A step in which the model failed: it leads to no state."""
    rule = next(c.rule for c in machine.candidates(state) if c.order == failure.order.candidate)
    span = _span(machine, rule, failure.failure.lines)
    return TraceEntry(
        label=failure.name,
        kind=_KINDS[rule.kind],
        actor=machine.actor(rule),
        choices=failure.failure.choices,
        crash=False,
        changes=(),
        movers=movers(state, rule),
        origins=tuple(range(len(state.threads))),
        fails=True,
        state=tuple(machine.describe(state)),
        file=None if span is None else span.file,
        line=None if span is None else span.line,
        lines=_all_lines(failure.failure.lines),
    )


def _span(machine: Machine, rule: Rule, lines: Sequence[Span]) -> Span | None:
    """The first statement that a step executed; if there is none, where it begins. A role crash has no statement."""
    if lines:
        return lines[0]
    return None if rule.kind is StepKind.CRASH_ROLE else machine.span_of(rule)


def _all_lines(lines: Sequence[Span]) -> tuple[tuple[str, int], ...]:
    """The source lines of the executed statements, each once."""
    return tuple(dict.fromkeys((span.file, span.line) for span in lines))
