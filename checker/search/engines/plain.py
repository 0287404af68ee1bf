"""The plain engine: the exploration contract (language page, 12) word for word, state by state, without memory.

It shares the interpreter with the other engines and nothing else that makes them fast; tests hold them to its answers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from checker.core.exploration import PathLink
from checker.core.graph_search import ExploredStates
from checker.core.level import STATE_STAGE, STEP_STAGE, TRANSITION_STAGE, Level, StateRef, Unfinished, Witness
from checker.core.patience import Stop
from checker.core.property import Looks, Watch
from checker.liveness.asking import GraphSearch
from checker.liveness.graph import Classes, Graph, LiveStep, crash_of, obligation_of
from checker.search.contract.assertions import Assertions
from checker.search.contract.protocol import Task
from interpreter.execute.view import View
from interpreter.state.state import State
from interpreter.state.step import Aborted, Failure, ModelError, Outcome, Rule, Step, StepKind, StepOrder
from interpreter.values.budget import METER


class PlainEngine:
    name = "plain"

    def begin(self, task: Task) -> PlainRun:
        return PlainRun(task)


@dataclass(slots=True, eq=False)
class FoundState:
    """A state that was found, and how (`parent` None: by Init). `crashes`: the crash steps on its path."""

    state: State
    key: int
    parent: FoundState | None
    order: StepOrder
    starts: int
    level: int
    crashes: int
    cut: bool = False
    expanded: bool = False
    pruned: bool = False
    answers: dict[str, bool] = field(default_factory=dict)

    @property
    def path(self) -> tuple[PathLink, ...]:
        links = []
        node: FoundState | None = self
        while node is not None:
            links.append(PathLink(node.order, node.key))
            node = node.parent
        return tuple(reversed(links))

    @property
    def place(self) -> StateRef:
        return StateRef(self.key, self.crashes)

    @property
    def rank(self) -> tuple[int, int, int]:
        """Of several states at which something is wrong the one of least rank is told (language page, 12.4)."""
        return self.level, self.crashes, self.key


class PlainRun:
    """One exploration by the plain engine."""

    def __init__(self, task: Task) -> None:
        self.task = task
        # The machine that tells of what is found has run the steps before then: a failing one may have cost much.
        machine = self.machine = task.machine(task.program) if task.memory is None else task.memory.machine
        self.assertions = Assertions(machine, machine.view, self._decide)
        self.symmetric = task.settings.symmetry and self.machine.symmetric
        self.bound = task.program.options.max_actions
        self.nodes: dict[Hashable, FoundState] = {}
        self.frontier: list[FoundState] = []
        self.acted: set[int] = set()

    def close(self) -> None:
        pass

    @property
    def exact(self) -> bool:
        return not self.task.program.options.exclude

    def _decide(self, rule: Rule, view: View) -> Outcome | Aborted | Failure:
        result = self.machine.run(rule, view).result
        self.machine.note(result)
        return result

    # --- levels ----------------------------------------------------------------------------------------------------

    def first(self) -> Level:
        level = Level()
        arrived: dict[Hashable, FoundState] = {}
        states, failures = self.machine.initial()
        for failure in failures:
            level.fail(Witness(None, StepOrder((), failure.forks, 0), error=failure.error))
        for way in states:
            self._arrive(arrived, None, StepOrder((), way.forks, 0), self.image(way.state), 0)
        return self._complete(level, arrived)

    def next(self) -> Level:
        level = Level()
        arrived: dict[Hashable, FoundState] = {}
        expanded = 0
        try:
            for source in self.frontier:
                self._expand(source, level, arrived)
                self.task.tick(len(arrived), level.transitions)
                expanded += 1
            return self._complete(level, arrived)
        except Stop as stop:
            found = {node.key: node.path for node in arrived.values()}
            stop.unfinished = Unfinished.of(level, expanded, found.get)
            raise

    def _expand(self, source: FoundState, level: Level, arrived: dict[Hashable, FoundState]) -> None:
        expansion = self.machine.steps(source.state, starts=not source.cut)
        source.expanded = True
        for failure in expansion.failures:
            level.fail(Witness(source.place, failure.order, error=failure.failure.error, stage=STEP_STAGE))
        for step in METER.attended(expansion.steps):
            starts = source.starts + (step.rule.kind is StepKind.START)
            target = self._arrive(arrived, source, step.order, self.image(step.target), starts)
            if not step.crashes:
                self._judge_step(source, step, target.key, level)
        self._note_idle(source, level, {s.rule.subject for s in expansion.steps if s.rule.kind is StepKind.START})
        names = {step.name for step in expansion.steps if not step.crashes}
        level.transitions += len(names)
        level.crash_steps += len({step.name for step in expansion.steps if step.crashes})
        if not names and not source.cut and not expansion.failures:
            for watch in self.task.watching(Looks.DEAD_ENDS):
                level.see(watch.key, Witness(source.place))

    def _note_idle(self, source: FoundState, level: Level, acted: set[int]) -> None:
        """Note where the actions that never had a step give up."""
        self.acted |= acted
        level.acted |= acted
        for candidate in self.machine.candidates(source.state, starts=not source.cut):
            rule = candidate.rule
            if rule.kind is StepKind.START and rule.subject not in self.acted:
                results = [way.result for way in self.machine.ways(rule, self.machine.view(source.state))]
                level.aborted.update((rule.subject, r.span) for r in results if isinstance(r, Aborted))

    def _arrive(
        self,
        arrived: dict[Hashable, FoundState],
        source: FoundState | None,
        order: StepOrder,
        state: State,
        starts: int,
    ) -> FoundState:
        """A step leads to a state.

        Of those that lead to a new state, the least by (crashes on the way, order, key of source) is its parent.
        """
        identity = self.identity(state)
        known = self.nodes.get(identity)
        if known is not None:
            return known
        above, crashes = (-1, 0) if source is None else (source.level, source.crashes)
        found = FoundState(state, self.machine.key(state), source, order, starts, above + 1, crashes + order.crashes)
        other = arrived.get(identity)
        if other is not None:
            found.starts = other.starts = min(found.starts, other.starts)
            if self._rank(other) <= self._rank(found):
                return other
        arrived[identity] = found
        return found

    def image(self, state: State) -> State:
        """What is stored and expanded in place of a state (language page, 11.3)."""
        return self.machine.canonical(state) if self.symmetric else state

    def identity(self, state: State) -> Hashable:
        """What tells a stored state apart from others."""
        return self.machine.key(state) if self.task.program.options.exclude else state

    def _rank(self, node: FoundState) -> tuple[object, ...]:
        # States that differ in excluded variables only are one state: that of the least encoding is kept (12.5).
        view = self.machine.encoding(node.state) if self.task.program.options.exclude else ""
        return (view, node.crashes, node.order, -1 if node.parent is None else node.parent.key)

    def _complete(self, level: Level, arrived: dict[Hashable, FoundState]) -> Level:
        new = sorted(arrived.items(), key=lambda item: item[1].key)
        for _, node in METER.attended(new):
            node.cut = node.starts >= self.bound
            level.cut += node.cut
            self._judge_state(node, level)
        # Up to here somebody may end the run; of a level all is kept, or nothing.
        frontier = [node for _, node in METER.attended(new) if not node.pruned]
        self.nodes.update(new)
        self.frontier = frontier
        level.noted = self.machine.noted()
        level.states = len(new)
        level.least = new[0][1].key if new else None
        level.pruned = len(new) - len(self.frontier)
        level.frontier = len(self.frontier)
        return level

    # --- assertions ------------------------------------------------------------------------------------------------

    def _judge_state(self, node: FoundState, level: Level) -> None:
        for watch in self.task.watching(Looks.STATES):
            assert watch.predicate is not None
            try:
                answer = self.assertions.holds(watch.predicate, node.state)
            except ModelError as error:
                self._broken(watch, Witness(node.place, error=error, stage=STATE_STAGE), level)
                continue
            if watch.records:
                node.answers[watch.key] = answer.value
            if answer.value is watch.seeks:
                level.see(watch.key, Witness(node.place, instance=answer.instance))
                node.pruned |= watch.prunes and self.task.prune

    def _judge_step(self, source: FoundState, step: Step, target: int, level: Level) -> None:
        for watch in self.task.watching(Looks.STEPS):
            assert watch.predicate is not None
            try:
                answer = self.assertions.holds_between(watch.predicate, source.state, step.target)
            except ModelError as error:
                witness = Witness(source.place, step.order, target, error=error, stage=TRANSITION_STAGE)
                self._broken(watch, witness, level)
                continue
            if answer.value is watch.seeks:
                level.see(watch.key, Witness(source.place, step.order, target, answer.instance))

    def _broken(self, watch: Watch, witness: Witness, level: Level) -> None:
        level.broken.add(watch.key)
        level.fail(witness)

    # --- afterwards ------------------------------------------------------------------------------------------------

    def path(self, key: int) -> tuple[PathLink, ...]:
        return next(node.path for node in self.nodes.values() if node.key == key)

    def graph(self) -> Graph:
        """The graph, from a second look at every state: nodes were found level by level, and by key within a level."""
        nodes = list(self.nodes.values())
        number = {node.key: i for i, node in enumerate(nodes)}
        graph = Graph(
            lambda state: nodes[state].key,
            Classes.of(self.machine) if self.symmetric else None,
            lambda states: min(states, key=lambda state: nodes[state].rank),
            lambda state: nodes[state].rank[:2],
        )
        for node in nodes:
            steps = [s for s in self.machine.steps(node.state).steps if self.task.crash_edges or not s.crashes]
            explored = [s for s in steps if self._was_explored(node, s)]
            hidden = [s for s in steps if not s.crashes and not self._was_explored(node, s)]
            targets = [number[self.machine.key(self.image(step.target))] for step in explored]
            live = [self._live(step) for step in (*explored, *hidden)]
            graph.add_state(live, targets, not node.state.threads, node.cut or not node.expanded)
        return graph

    @staticmethod
    def _was_explored(node: FoundState, step: Step) -> bool:
        return node.expanded and not (node.cut and step.rule.kind is StepKind.START)

    def _live(self, step: Step) -> LiveStep:
        if step.crashes:
            return crash_of(step.order)
        return LiveStep(step.order, obligation_of(self.machine.fair_name(step.rule)), step.outcome.fair)

    def answers(self, key: str) -> bytearray:
        return bytearray(node.answers.get(key, False) for node in self.nodes.values())

    def search(self) -> ExploredStates:
        return GraphSearch(self.graph(), self.answers, self.task.patience.ask)

    def stats(self) -> Mapping[str, object]:
        return {}
