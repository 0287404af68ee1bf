"""`Machine`: a program made runnable in this process. Code and caches are here, never in a state."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import ClassVar

from fizz import Span
from interpreter.compile.program import Program
from interpreter.execute.assertions import evaluate_assertion
from interpreter.execute.beginning import first_frames
from interpreter.execute.code import Code
from interpreter.execute.costly_failures import CostlyFailures
from interpreter.execute.decisions import Decisions
from interpreter.execute.describe import Describer
from interpreter.execute.environment import located
from interpreter.execute.evaluated_parts import EvaluatedParts
from interpreter.execute.execution import Execution
from interpreter.execute.frames import park_message, park_thread
from interpreter.execute.headers import Headers, Unchosen
from interpreter.execute.memento import Memento
from interpreter.execute.next_states import Successors
from interpreter.execute.observer import Observer
from interpreter.execute.view import Recorder, StateView, View
from interpreter.execute.world import World
from interpreter.initial_states import beginnings
from interpreter.state.alike import Alike
from interpreter.state.candidates import Candidates
from interpreter.state.canonical import Canonical
from interpreter.state.encoding import Encoder
from interpreter.state.model_limits import LimitSetting, ModelLimits
from interpreter.state.state import Slot, State
from interpreter.state.step import (
    NO_OUTCOME,
    NOTHING_DONE,
    Abort,
    Aborted,
    Candidate,
    ExecutionPath,
    Expansion,
    Failure,
    FairName,
    InitialState,
    ModelError,
    Outcome,
    Result,
    Rule,
    Step,
    StepFailure,
    StepKind,
    StepOrder,
    ends_step,
    failed_step,
    step_name,
)
from interpreter.state.transitions import Transitions
from interpreter.values.budget import METER
from interpreter.values.intern import Interner
from interpreter.values.problem import ModelMistake

Note = Span | LimitSetting
"""An event that a machine records: a statement executed, or a start or a crash prevented by a setting."""


def _choices_of(ended: tuple[tuple[int, ...], ExecutionPath]) -> tuple[int, ...]:
    return ended[0]


class Machine:
    """Runs rules on views, and steps on states. The ids in its states are those of `values`.

    With `symmetry` every state it makes is the least image. The `lines` of outcomes of assertions include, after the
    statements, the parts of expressions that were evaluated. If the machine is `watched`, the lines of all paths
    include the decisions of statements, and `parts` also collects those evaluated in steps. With the `values` of
    another machine it takes that one's states too.
    """

    most_paths: ClassVar[int] = 1_000_000
    """The most execution paths of one step; more are a mistake of the model."""

    def __init__(
        self, program: Program, symmetry: bool = False, watched: bool = False, values: Interner | None = None
    ) -> None:
        self.program = program
        self.symmetry = symmetry
        self.values = Interner() if values is None else values
        self.limits = ModelLimits(program)
        self._executed: set[Note] = set()
        self.parts = EvaluatedParts(program, watched)
        self.code = Code(program, self.parts.watch, Decisions(program) if watched else None, self.parts.met)
        self.successors = Successors(self.steps)
        self.code.next_states = self.successors.asked_in
        self._failed = CostlyFailures()
        self.transitions = Transitions(program, self.values, self.limits)
        self._encoder = Encoder(program, self.values)
        symmetric_roles = tuple(role for role in program.roles if role.symmetric)
        layouts = self.transitions.layouts
        self.images = Canonical(self.values, layouts, self._encoder, self.code.domains.shapes, symmetric_roles)
        self.alike = Alike(self.values)
        self._describer = Describer(self.code, self.values)
        self.possible = Candidates(program, self.values, self.limits, self.transitions)
        actions = chain(program.actions, *(role.actions for role in program.roles))
        self._fairness = {action.routine: action.fairness for action in actions}

    # --- one execution path of one rule ----------------------------------------------------------------------------

    def run(self, rule: Rule, view: View, choices: tuple[int, ...] = (), noted: bool = True) -> ExecutionPath:
        """One execution path of a rule: the given choices, and the first alternative at each later choice.

        `noted`: the statements count as executed. For a transition assertion the view is a pair view; role crashes are
        not run as rules (see `crash_role`). A path that is known as an expensive failure has its choices as its only
        events.
        """
        known_failure = self._failed.get(rule, view, choices)
        return self.execute(rule, view, choices, noted) if known_failure is None else known_failure[0]

    def known_failure(self, rule: Rule, view: View) -> Failure | None:
        """The failure of a rule on a view if it is cached: an expensive one on the first path, which ends the step."""
        known = self._failed.get(rule, view, ())
        result = None if known is None else known[0].result
        return result if isinstance(result, Failure) and result.ends_step else None

    def execute(
        self,
        rule: Rule,
        view: View,
        choices: tuple[int, ...] = (),
        noted: bool = True,
        observer: Observer | None = None,
    ) -> ExecutionPath:
        """As `run`, without the cache of failures.

        An `observer` follows the path. If it `shares` the budget, the path raises `ShareSpent` beyond its share.
        """
        recorder = Recorder(view)
        shared = observer is not None and observer.shares
        METER.begin(self.code.budget, shared)
        execution = self._begin(rule, recorder, observer)
        execution.given(choices)
        if observer is not None:
            observer.begin(execution)
        result = self.run_to_end(rule, execution)
        if noted and rule.kind is not StepKind.ASSERT:
            self._executed.update(execution.lines)
        execution.world.end()
        path = ExecutionPath(tuple(recorder.events), result)
        if METER.much and not shared:
            self._failed.add(rule, view, choices, [path])
        return path

    def _begin(self, rule: Rule, recorder: Recorder, observer: Observer | None) -> Execution:
        """An execution before its first move."""
        world = self._world(recorder, observer)
        if rule.kind in (StepKind.CONTINUE, StepKind.DELIVER):
            world.subject = rule.subject
        if rule.kind is StepKind.ASSERT:
            self.parts.met.clear()
        yields = rule.kind in (StepKind.START, StepKind.CONTINUE, StepKind.DELIVER)
        execution = Execution(self.code, world, recorder, first_frames(rule, world), yields)
        execution.observer = observer
        return execution

    def _world(self, recorder: Recorder, observer: Observer | None) -> World:
        if observer is not None:
            return observer.world(self.values, recorder, self.code)
        return World(self.values, recorder, self.code)

    def run_to_end(self, rule: Rule, execution: Execution) -> Result:
        """Runs an execution to its end; its result."""
        try:
            if rule.kind is StepKind.ASSERT:
                assertion = self.program.assertions[rule.subject]
                result: Result = evaluate_assertion(assertion, execution, self.parts.met)
            else:
                execution.run()
                result = self._concluded(rule, execution)
        except Abort as abort:
            result = Aborted(abort.reason, abort.span or execution.here(), tuple(execution.lines))
        except ModelError as error:
            # The traceback refers to all values of the path.
            error.__traceback__ = error.__context__ = None
            forks = execution.forks
            result = Failure(
                error, tuple(f.label for f in forks), tuple(f.taken for f in forks), tuple(execution.lines)
            )
        finally:
            METER.end()
        if execution.observer is not None:
            execution.observer.end(execution)
        return result

    def note(self, result: Outcome | Aborted | Failure) -> None:
        """Counts the lines of a result as executed: of an assertion, or of a step executed in another process."""
        self._executed.update(result.lines)
        if isinstance(result, Outcome) and result.thread is not None:
            # A setting that prevents a crash of its thread is recorded.
            self.limits.may_crash(self.transitions.root(result.thread)[0])

    def note_lines(self, lines: Iterable[Span]) -> None:
        """Counts lines of steps or assertions as executed that were run without the interpreter."""
        self._executed.update(lines)

    def noted(self) -> set[Note]:
        """The statements executed so far, and the limits that were effective."""
        return self._executed | self.limits.effective

    def _concluded(self, rule: Rule, execution: Execution) -> Outcome | Aborted:
        """The result of a finished path: an outcome, or `Aborted` if it had no effect (language page, 6.3)."""
        forced = rule.kind in (StepKind.CONTINUE, StepKind.DELIVER, StepKind.INIT)
        if not (execution.enabled or forced):
            return Aborted(NOTHING_DONE, self.program.routines[rule.subject].span, tuple(execution.lines))
        world, frames = execution.world, execution.frames
        returned = [value for _, value in execution.returns]
        parked = [value for frame in frames for value in frame.values()]
        try:
            sent_values = [value for message in world.sent for value in message.arguments.values()]
            settlement = world.settlement([*parked, *returned, *sent_values])
            if execution.observer is not None:
                execution.observer.settled(settlement)
            thread = park_thread(frames, settlement, self.values) if frames else None
            sent = tuple(park_message(message, settlement, self.values) for message in world.sent)
            writes = world.writes(settlement)
            returns = tuple((label, settlement.freeze(value)) for label, value in execution.returns)
        except ModelMistake as problem:
            raise located(problem, execution.lines[-1]) from None
        may_crash = False
        if thread is not None:
            may_crash = self.limits.may_crash(self.transitions.root(thread)[0])
        return Outcome(
            writes=writes,
            thread=thread,
            sent=sent,
            choices=tuple(fork.label for fork in execution.forks),
            forks=tuple(fork.taken for fork in execution.forks),
            may_crash=may_crash,
            labels=tuple(execution.labels),
            returns=returns,
            fair=tuple(execution.fair),
            lines=tuple(execution.lines),
        )

    def together(self, rule: Rule) -> bool:
        """Whether the paths of a rule may enter a loop of choices, and are followed together."""
        if rule.kind in (StepKind.START, StepKind.INIT):
            return rule.subject in self.program.choice_loops.roots
        if not self.program.choice_loops.roots or rule.kind not in (StepKind.CONTINUE, StepKind.DELIVER):
            return False
        if rule.kind is StepKind.CONTINUE:
            return self.transitions.root(rule.subject)[0] in self.program.choice_loops.roots
        children, extra, _ = self.values.payload(rule.subject)
        role, _ = self.values.payload(children[0])
        return self.code.roles[role].program.functions[extra[2]] in self.program.choice_loops.roots

    def _together(
        self, rule: Rule, view: View, recorder: Recorder, noted: bool, observer: Observer | None = None
    ) -> list[ExecutionPath]:
        """All paths of a rule in the order of their choices, without those that a lesser one makes redundant.

        A path with fewer choices is less than one with more (language page, 6.3), so that paths are run breadth first
        from choice to choice. All of them read through the recorder of the view, which records the reads of all.
        """
        beginning = self._world(recorder, observer)
        own = Recorder(recorder)
        execution = self._begin(rule, own, observer)
        execution.headers = headers = Headers(self.program.choice_loops.loops, beginning)
        execution.branches = True
        spent = 0
        much = False
        waiting: deque[tuple[tuple[int, ...], Memento | None]] = deque([((), None)])
        ended: list[tuple[tuple[int, ...], ExecutionPath]] = []
        failures: list[ExecutionPath] = []
        while waiting:
            choices, memento = waiting.popleft()
            METER.begin(self.code.budget)
            if memento is not None:
                execution.go_on(memento, choices)
            try:
                result = self.run_to_end(rule, execution)
            except Unchosen as unchosen:
                waiting += [((*choices, i), execution.memento) for i in range(unchosen.size)]
            else:
                spent += execution.moves
                much |= METER.much
                ended.append((choices, ExecutionPath(tuple(own.events), result)))
                if noted:
                    self._executed.update(execution.lines)
                if ends_step(result):
                    break
            # Each waiting path will end.
            if len(ended) + len(waiting) > self.most_paths:
                failures = [ExecutionPath((), self.too_many_paths(rule))]
                break
            if spent + headers.spent > self.code.budget.charges:
                failures = [ExecutionPath((), headers.endless(self.code.budget.charges))]
                break
        execution.world.end()
        beginning.end()
        paths = headers.marked([path for _, path in sorted(ended, key=_choices_of)] + failures, self.code.marks_choices)
        if much or METER.is_much(spent + headers.spent):
            self._failed.add(rule, view, None, paths)
        return paths

    def branched(self, rule: Rule, view: View, noted: bool = True) -> Iterator[ExecutionPath]:
        """The same as `paths`, but what paths have in common is run once.

        It pays where there are many: to save the state at a choice costs as much as some statements.
        """
        known = self._failed.get(rule, view, None)
        if known is not None:
            yield from known
            return
        recorder = Recorder(view)
        execution = self._begin(rule, recorder, None)
        execution.branches = True
        open_choices: list[tuple[Memento, tuple[int, ...], Iterator[int]]] = []
        paths: list[ExecutionPath] = []
        much = False
        choices: tuple[int, ...] | None = ()
        try:
            while choices is not None:
                if len(paths) == self.most_paths:
                    paths.append(ExecutionPath((), self.too_many_paths(rule)))
                    yield paths[-1]
                    break
                METER.begin(self.code.budget)
                if open_choices:
                    execution.go_on(open_choices[-1][0], choices)
                try:
                    result = self.run_to_end(rule, execution)
                except Unchosen as unchosen:
                    assert execution.memento is not None
                    open_choices.append((execution.memento, choices, iter(range(unchosen.size))))
                else:
                    if noted:
                        self._executed.update(execution.lines)
                    paths.append(ExecutionPath(tuple(recorder.events), result))
                    much |= METER.much
                    yield paths[-1]
                    if ends_step(result):
                        break
                choices = None
                while open_choices and choices is None:
                    _, before, left = open_choices[-1]
                    choices = next(((*before, index) for index in left), None)
                    if choices is None:
                        open_choices.pop()
        finally:
            execution.world.end()
        if much:
            self._failed.add(rule, view, None, paths)

    def all_paths(self, rule: Rule, view: View, observer: Observer | None = None, noted: bool = True) -> ExecutionPath:
        """All paths of a rule that are followed together as one, with their reads."""
        recorder = Recorder(view)
        paths = self._together(rule, view, recorder, noted, observer)
        first, *others = [path.result for path in paths]
        return ExecutionPath(tuple(recorder.events), first, others=tuple(others))

    def paths(
        self, rule: Rule, view: View, noted: bool = True, choices: tuple[int, ...] = ()
    ) -> Iterator[ExecutionPath]:
        """All execution paths of a rule, in the order of their choices, by running it again for each.

        The first beyond the budget (R20, R24) is the last. `choices`: of the first one, unless all run together.
        """
        if self.together(rule):
            yield from self._failed.get(rule, view, None) or self._together(rule, view, Recorder(view), noted)
            return
        if rule.kind is StepKind.INIT and not choices:
            yield from self.branched(rule, view, noted)
            return
        for _ in range(self.most_paths):
            path = self.run(rule, view, choices, noted)
            yield path
            following = path.next_choices()
            if following is None or ends_step(path.result):
                return
            choices = following
        yield ExecutionPath((), self.too_many_paths(rule))

    def too_many_paths(self, rule: Rule) -> Failure:
        """R22: the failure in place of all paths of a rule after the first `most_paths`."""
        text = f"more than {self.most_paths:,} ways through one step"
        return Failure(ModelError("R22", text, self.span_of(rule)), (), (), ())

    # --- candidates ------------------------------------------------------------------------------------------------

    def candidates(self, state: State, starts: bool = True, limits: bool = True) -> list[Candidate]:
        """The rules that may step in a state, in step order, role crashes included.

        `starts` False: no action starts (the bound of the exploration). `limits` False: regardless of limits.
        """
        return self.possible.all(state, starts, limits)

    # --- steps -----------------------------------------------------------------------------------------------------

    def apply(self, state: State, rule: Rule, outcome: Outcome, twin: bool = False) -> State | None:
        """The target of a step, or of its crash twin; None if a domain's limit forbids it (language page, 11.2)."""
        return self._settled(self.transitions.apply(state, rule, outcome, twin))

    def crash_role(self, state: State, instance: tuple[str, int]) -> State:
        """The state after the crash of a role instance."""
        target = self._settled(self.transitions.crash_role(state, instance))
        assert target is not None
        return target

    def _settled(self, state: State) -> State | None:
        if not self.images.needed:
            return state
        settled = self.images.settled(state)
        return self.canonical(settled) if settled is not None and self.symmetry else settled

    def canonical(self, state: State) -> State:
        """The image of least key under the symmetries that the model declares (language page, 11.3)."""
        return self.images.least(state) if self.images.needed else state

    def origins(
        self, state: State, rule: Rule, outcome: Outcome, target: State, twin: bool = False
    ) -> tuple[int | None, ...]:
        """For each thread after a step, by its number there, its number before; None for one that the step began.

        `target`: the target of the step, or its canonical image.
        """
        origins = self.transitions.origins(state, rule, outcome, twin)
        if not self.images.needed:
            return tuple(origins)
        if rule.kind is StepKind.CRASH_ROLE and rule.instance is not None:
            reached = self.transitions.crash_role(state, rule.instance)
        else:
            reached = self.transitions.apply(state, rule, outcome, twin)
        for renaming in (self.images.settling, self.images.leading):
            renamed = None if reached == target else renaming(reached)
            if renamed is not None:
                origins = [origins[index] for index in self.images.order(reached, renamed)]
                reached = self.images.image(reached, renamed)
        return tuple(origins)

    def parked(self, state: State, rule: Rule, outcome: Outcome, target: State) -> int | None:
        """The thread of a step that is no crash, as it is in the target; None if it ended."""
        thread = outcome.thread
        if thread is None or not (self.values.references(thread) or self.images.needed):
            return thread
        # In the target shared containers are renumbered, and symmetric values may be renamed.
        before = state.threads.index(rule.subject) if rule.kind is StepKind.CONTINUE else None
        return target.threads[self.origins(state, rule, outcome, target).index(before)]

    def plain(self, state: State) -> bool:
        """Whether a state and all its successors have no symmetric values, so that they are their only images."""
        return not self.images.needed or (self.images.lasting and not self.images.used(state))

    @property
    def symmetric(self) -> bool:
        """Whether the model declares any symmetry."""
        return self.images.needed

    def view(self, state: State) -> View:
        """A view of a state, without a cache."""
        return StateView(state, self.values)

    def beginnings(self, choices: tuple[int, ...] = ()) -> Iterator[InitialState | Failure]:
        """What `initial` returns, one by one in the order of the choices. `choices` as in `paths`."""
        return beginnings(self, choices)

    def initial(self) -> tuple[list[InitialState], list[Failure]]:
        """The initial states in the order of the choices of Init, and the failures of Init."""
        found: list[InitialState] = []
        failures: list[Failure] = []
        for one in self.beginnings():
            if isinstance(one, Failure):
                failures.append(one)
            else:
                found.append(one)
        return found, failures

    def steps(self, state: State, starts: bool = True, limits: bool = True, of: str | None = None) -> Expansion:
        """All steps of a state in step order, computed without a cache: the basis of the plain engine.

        `of`: only those of the candidate with this name.
        """
        steps: list[Step] = []
        failures: list[StepFailure] = []
        aborted: Counter[Span] = Counter()
        for candidate, result in self.results(state, starts, limits, of):
            if isinstance(result, Aborted):
                aborted[result.span] += 1
            elif isinstance(result, Failure):
                failures.append(failed_step(candidate, result))
            else:
                steps += self.steps_of(state, candidate, result)
        return Expansion(tuple(steps), tuple(failures), aborted)

    def each_step(self, state: State, of: str | None = None) -> Iterator[Step]:
        """The steps of a state in step order, one by one: there may be a million. `of` as in `steps`."""
        for candidate, result in self.results(state, of=of):
            if isinstance(result, Outcome):
                yield from self.steps_of(state, candidate, result)

    def results(
        self, state: State, starts: bool = True, limits: bool = True, of: str | None = None
    ) -> Iterator[tuple[Candidate, Result]]:
        """For each candidate the result of each path, in step order; of a role crash `NO_OUTCOME`. As `steps` else."""
        view = self.view(state)
        for candidate in self.candidates(state, starts, limits):
            if of in (None, candidate.name):
                yield from ((candidate, result) for result in self.results_of(candidate, view, limits, ()))

    def results_of(self, candidate: Candidate, view: View, noted: bool, choices: tuple[int, ...]) -> Iterator[Result]:
        """The results of one candidate. `noted` and `choices` as in `paths`."""
        if candidate.rule.kind is StepKind.CRASH_ROLE:
            return iter((NO_OUTCOME,))
        known = None if noted or choices else self.successors.directly(candidate.rule, view.whole())
        paths = self.paths(candidate.rule, view, noted, choices)
        return (path.result for path in paths) if known is None else iter(known)

    def step(self, state: State, order: StepOrder) -> Step | None:
        """The step of this order alone; None if there is none."""
        candidate = next((c for c in self.candidates(state) if c.order == order.candidate), None)
        if candidate is None:
            return None
        if candidate.rule.kind is StepKind.CRASH_ROLE:
            return self._role_crash(state, candidate)
        if self.together(candidate.rule):
            # Whether a path is given up depends on all the others.
            return next((step for step in self.each_step(state, of=candidate.name) if step.order == order), None)
        result = self.run(candidate.rule, self.view(state), order.forks).result
        steps = self.steps_of(state, candidate, result) if isinstance(result, Outcome) else ()
        return next((step for step in steps if step.order == order), None)

    def _role_crash(self, state: State, candidate: Candidate) -> Step:
        rule = candidate.rule
        assert rule.instance is not None
        order = StepOrder(candidate.order, (), 0)
        return Step(order, candidate.name, rule, self.crash_role(state, rule.instance), True, None, NO_OUTCOME)

    def steps_of(self, state: State, candidate: Candidate, outcome: Outcome) -> Iterator[Step]:
        """The step of an outcome of a candidate, and its crash twin; neither if the limit of a domain forbids it."""
        rule = candidate.rule
        if rule.kind is StepKind.CRASH_ROLE:
            yield self._role_crash(state, candidate)
            return
        for twin in (False, True) if outcome.may_crash else (False,):
            target = self.apply(state, rule, outcome, twin)
            if target is not None:
                order = StepOrder(candidate.order, outcome.forks, int(twin))
                name = step_name(candidate.name, outcome.choices, twin)
                yield Step(order, name, rule, target, twin, self.actor(rule), outcome)

    def span_of(self, rule: Rule) -> Span:
        """The span where a rule begins: the head of its routine, or the statement its thread is at."""
        return self._describer.span_of(rule)

    # --- names and keys --------------------------------------------------------------------------------------------

    def actor(self, rule: Rule) -> str | None:
        """The action that moves, `Act` or `Node#0.Act`: for a thread its root action or message function."""
        if rule.kind is StepKind.CONTINUE:
            return self._describer.label(*self.transitions.root(rule.subject))
        if rule.kind is StepKind.START:
            return self._describer.label(rule.subject, rule.instance)
        if rule.kind is StepKind.DELIVER:
            children, extra, _ = self.values.payload(rule.subject)
            role, number = self.values.payload(children[0])
            return f"{role}#{number}.{extra[2]}"
        return None

    def fair_name(self, rule: Rule) -> tuple[FairName, str] | None:
        """The fairness condition that a step satisfies, with its strength; None for unfair starts and crashes."""
        if rule.kind is StepKind.CONTINUE:
            return FairName("thread", str(self.actor(rule))), "strong"
        if rule.kind is StepKind.START:
            fairness = self._fairness.get(rule.subject)
            return None if fairness is None else (FairName("action", str(self.actor(rule))), fairness)
        return None

    def slot_sum(self, slot: Slot, number: int, element: bool = False) -> int:
        """What a slot with this value, or this `element` of its set, adds to the key. A thread is in `("thread",)`."""
        return self._encoder.element_sum(slot, number) if element else self._encoder.slot_sum(slot, number)

    def key(self, state: State) -> int:
        """The 128-bit key of a state (language page, 5.6.1); printed `f"{key:032x}"`."""
        return self._encoder.key(state)

    def encoding(self, state: State) -> str:
        """The full encoding of a state (language page, 5.6), excluded variables included."""
        return self._encoder.encoding(state)

    def describe(self, state: State) -> list[tuple[str, str]]:
        """The state as text: (path, text), in the order of language 5.5."""
        return self._describer.lines(state)

    def assertion_rules(self, assertion: int, state: State) -> list[Rule]:
        """The rules that decide an assertion in a state: one, or one per live instance of its role that is asked."""
        program = self.program.assertions[assertion]
        if program.role is None:
            return [Rule(StepKind.ASSERT, assertion)]
        numbers = program.asked_of(state.layout.live.get(program.role, ()))
        return [Rule(StepKind.ASSERT, assertion, (program.role, number)) for number in numbers]
