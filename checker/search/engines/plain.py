"""The plain engine: the exploration contract (language page, 12) word for word, state by state, without memory.

It shares the interpreter with the other engines and nothing else that makes them fast; tests hold them to its answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final

from checker.core.demand import ExploredStates
from checker.core.exploration import PathLink
from checker.core.level import STEP_STAGE, Level, StateRef, Unfinished, Witness
from checker.core.patience import Stop
from checker.liveness.graph import Classes, Graph, LiveStep, crash_of, obligation_of
from checker.liveness.graph_search import GraphSearch
from checker.search.contract.assertion_answers import Assertions
from checker.search.contract.bounds import is_cut, starts_after
from checker.search.contract.gathering import Gathering, Newcomer
from checker.search.contract.judge_watches import judge_dead_end, judge_state, judge_step
from checker.search.contract.level_counts import count_states, distinct_names, is_dead_end, lacks_steps, note_action
from checker.search.contract.parents import crashes_after
from checker.search.contract.protocol import Task
from checker.search.contract.ranks import rank
from interpreter.execute.view import View
from interpreter.state.state import State
from interpreter.state.step import Aborted, Candidate, Failure, Outcome, Rule, Step, StepKind, StepOrder, failed_step
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
    answers: tuple[bool, ...] = ()

    @property
    def path(self) -> tuple[PathLink, ...]:
        links = []
        node: FoundState | None = self
        while node is not None:
            links.append(PathLink(node.order, node.key))
            node = node.parent
        return tuple(reversed(links))

    @property
    def ref(self) -> StateRef:
        return StateRef(self.key, self.crashes)

    @property
    def rank(self) -> tuple[int, int, int]:
        """Of several states with a finding the one of least rank is reported (language page, 12.4)."""
        return rank(self.level, self.crashes, self.key)


Arrivals = Gathering[Hashable, tuple[State, int]]
"""The states that a level leads to, with their keys, by their identities."""
NO_SOURCE: Final = -1
"""The key of the source of an initial state."""


class PlainRun:
    """One exploration by the plain engine."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._of_states, self._of_steps, self._of_dead_ends = task.watching
        self.recorded = tuple(watch.key for watch in task.watches if watch.records)
        # The machine that renders the findings afterwards: it need not run a step again that failed at much cost.
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
        arrived = self._arrivals()
        states, failures = self.machine.initial()
        for failure in failures:
            level.fail(Witness(None, StepOrder((), failure.forks, 0), error=failure.error))
        for path in states:
            state = self.image(path.state)
            handle = state, self.machine.key(state)
            arrived.add(self.identity(state), NO_SOURCE, StepOrder((), path.forks, 0), 0, 0, handle)
        return self._complete(level, arrived)

    def next(self) -> Level:
        level = Level()
        arrived = self._arrivals()
        expanded = 0
        try:
            for source in self.frontier:
                self._expand(source, level, arrived)
                self.task.tick(len(arrived), level.transitions)
                expanded += 1
            return self._complete(level, arrived)
        except Stop as stop:
            found = {node.key: node.path for _, node in self._found(arrived)}
            stop.unfinished = Unfinished.of(level, expanded, found.get)
            raise

    def _arrivals(self) -> Arrivals:
        encoding = self.machine.encoding if self.task.program.options.exclude else None
        return Gathering(lambda handle: handle[0], encoding)

    def _expand(self, source: FoundState, level: Level, arrived: Arrivals) -> None:
        machine, state = self.machine, source.state
        found: Counter[int] = Counter()
        failed = False
        before = level.transitions
        candidate: Candidate | None = None
        # A state may have a million steps, so that they are taken one by one.
        names: list[tuple[str, ...]] = []
        crash_names: list[tuple[str, ...]] = []
        for one, result in machine.results(state, starts=not source.cut):
            if one is not candidate:
                self._count(names, crash_names, level)
                candidate = one
            if isinstance(result, Failure):
                failed = True
                failure = failed_step(one, result)
                level.fail(Witness(source.ref, failure.order, error=result.error, stage=STEP_STAGE))
            elif isinstance(result, Outcome):
                for step in machine.steps_of(state, one, result):
                    target = self._arrive(arrived, source, step)
                    found[step.rule.subject] += step.rule.kind is StepKind.START
                    (crash_names if step.crashes else names).append(result.choices)
                    if not step.crashes:
                        states = state, step.target
                        judge_step(self.assertions, self._of_steps, *states, source.ref, step.order, target, level)
        self._count(names, crash_names, level)
        source.expanded = True
        self._note_actions(source, found, level)
        if is_dead_end(level.transitions - before, failed, source.cut):
            judge_dead_end(self._of_dead_ends, source.ref, level)

    @staticmethod
    def _count(names: list[tuple[str, ...]], crash_names: list[tuple[str, ...]], level: Level) -> None:
        """Count the steps of one candidate, by their choices, and begin to count those of the next one."""
        level.transitions += distinct_names(names)
        level.crash_steps += distinct_names(crash_names)
        names.clear()
        crash_names.clear()

    def _note_actions(self, source: FoundState, found: Counter[int], level: Level) -> None:
        """Note which actions step here, so many times `found` by routine, and where the others give up."""
        for candidate in self.machine.candidates(source.state, starts=not source.cut):
            rule = candidate.rule
            if rule.kind is StepKind.START and rule.subject not in self.acted:
                paths = () if found[rule.subject] else self.machine.paths(rule, self.machine.view(source.state))
                gave_up = [(path.result.span, 1) for path in paths if isinstance(path.result, Aborted)]
                note_action(rule.subject, found[rule.subject], gave_up, self.acted, level)

    def _arrive(self, arrived: Arrivals, source: FoundState, step: Step) -> int:
        """Record that a step leads to a state; the key of the state."""
        state = self.image(step.target)
        identity = self.identity(state)
        known = self.nodes.get(identity)
        if known is not None:
            return known.key
        starts, crashes = starts_after(source.starts, step.rule.kind), crashes_after(source.crashes, step.crashes)
        handle = state, self.machine.key(state)
        return arrived.add(identity, source.key, step.order, starts, crashes, handle).handle[1]

    def image(self, state: State) -> State:
        """What is stored and expanded instead of a state (language page, 11.3)."""
        return self.machine.canonical(state) if self.symmetric else state

    def identity(self, state: State) -> Hashable:
        """What distinguishes a stored state from others."""
        return self.machine.key(state) if self.task.program.options.exclude else state

    def _found(self, arrived: Arrivals) -> list[tuple[Hashable, FoundState]]:
        """The states that were arrived at, by key."""
        above = {node.key: node for node in self.frontier}
        found = [(identity, self._node(one, above.get(one.source))) for identity, one in arrived.newcomers.items()]
        return sorted(found, key=lambda item: item[1].key)

    def _node(self, one: Newcomer[tuple[State, int]], parent: FoundState | None) -> FoundState:
        level = 0 if parent is None else parent.level + 1
        state, key = one.handle
        cut = is_cut(one.starts, self.bound)
        return FoundState(state, key, parent, one.order, one.starts, level, one.crashes, cut)

    def _complete(self, level: Level, arrived: Arrivals) -> Level:
        new = self._found(arrived)
        for _, node in METER.attended(new):
            judgement = judge_state(self.assertions, self._of_states, self.task.prune, node.state, node.ref, level)
            node.pruned = judgement.pruned
            node.answers = judgement.answers
        # Up to here `Stop` may be raised; of a level all is kept, or nothing.
        frontier = [node for _, node in METER.attended(new) if not node.pruned]
        self.nodes.update(new)
        self.frontier = frontier
        level.noted = self.machine.noted()
        least = new[0][1].key if new else None
        count_states(level, len(new), least, sum(node.cut for _, node in new), len(new) - len(frontier))
        return level

    # --- afterwards ------------------------------------------------------------------------------------------------

    def path(self, key: int) -> tuple[PathLink, ...]:
        return next(node.path for node in self.nodes.values() if node.key == key)

    def graph(self) -> Graph:
        """The graph, built by expanding every state again. Nodes are in order of level and key."""
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
            graph.add_state(live, targets, not node.state.threads, lacks_steps(node.cut, node.expanded))
        return graph

    @staticmethod
    def _was_explored(node: FoundState, step: Step) -> bool:
        return node.expanded and not (node.cut and step.rule.kind is StepKind.START)

    def _live(self, step: Step) -> LiveStep:
        if step.crashes:
            return crash_of(step.order)
        return LiveStep(step.order, obligation_of(self.machine.fair_name(step.rule)), step.outcome.fair)

    def answers(self, key: str) -> bytearray:
        assert key in self.recorded, f"the answers of {key} were not recorded"
        position = self.recorded.index(key)
        return bytearray(node.answers[position] for node in self.nodes.values())

    def search(self) -> ExploredStates:
        return GraphSearch(self.graph(), self.answers, self.task.patience.ask)

    def stats(self) -> Mapping[str, object]:
        return {}
