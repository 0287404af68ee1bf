"""Exploration row by row, by remembered rules: breadth first, states kept as keys and small numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from checker.core.effort import ROWS
from checker.core.exploration import PathLink
from checker.core.level import KeysCollide, Level, StateRef, Unfinished, Witness
from checker.core.patience import Stop
from checker.liveness.graph import Classes, Graph, LiveStep
from checker.search.contract.bounds import is_cut, starts_after
from checker.search.contract.gathering import Gathering, Newcomer
from checker.search.contract.judge_watches import Judgement
from checker.search.contract.level_counts import count_states, keeps_graph, lacks_steps
from checker.search.contract.parents import crashes_after
from checker.search.contract.protocol import Task
from checker.search.contract.ranks import least, order_of
from checker.search.rows.expander import Arrival, Expander
from checker.search.rows.first_states import first_states
from checker.storage.export import parts_of
from interpreter.state.state import State
from interpreter.state.step import Candidate, Failure, StepKind, StepOrder
from interpreter.values.budget import METER

if TYPE_CHECKING:
    from checker.core.demand import ExploredStates
    from checker.storage.export.level_parts import LevelPart

MOST_COMPARED = 1 << 16
"""So many states are kept, so that states are compared and not their keys alone."""


Fresh = Gathering[int, State]
"""The states met on the level under way, by key; their parents by number."""


@dataclass(slots=True)
class FrontierState:
    """A state of the frontier. `crashes`: the crash steps on its path."""

    number: int
    state: State
    starts: int
    crashes: int
    cut: bool


@dataclass(slots=True)
class Found:
    """All states found so far, numbered by (level, key): their keys and how they were reached.

    `states`: the states themselves, as long as they are few; else None.
    """

    numbers: dict[int, int] = field(default_factory=dict)
    keys: list[int] = field(default_factory=list)
    parents: array[int] = field(default_factory=lambda: array("q"))
    orders: array[int] = field(default_factory=lambda: array("I"))
    order_table: list[StepOrder] = field(default_factory=list)
    states: list[State] | None = None
    _order_numbers: dict[StepOrder, int] = field(default_factory=dict)

    def add(self, key: int, parent: int, order: StepOrder, state: State | None = None) -> int:
        """The next state; its number."""
        number = self.numbers[key] = len(self.keys)
        if self.states is not None and state is not None and number < MOST_COMPARED:
            self.states.append(state)
        else:
            self.states = None
        self.keys.append(key)
        self.parents.append(parent)
        self.orders.append(self.order_number(order))
        return number

    def order_number(self, order: StepOrder) -> int:
        """The number of an order of steps in the table."""
        known = self._order_numbers.get(order)
        if known is None:
            known = self._order_numbers[order] = len(self.order_table)
            self.order_table.append(order)
        return known

    def forget(self, number: int) -> None:
        """Be as before the state of this number was added."""
        for key in self.keys[number:]:
            del self.numbers[key]
        del self.keys[number:], self.parents[number:], self.orders[number:]
        if self.states is not None:
            del self.states[number:]

    def path(self, key: int) -> tuple[PathLink, ...]:
        """The links from Init to a state."""
        links: list[PathLink] = []
        number = self.numbers[key]
        while number >= 0:
            links.append(PathLink(self.order_table[self.orders[number]], self.keys[number]))
            number = self.parents[number]
        return tuple(reversed(links))

    def cost(self, number: int) -> tuple[int, int]:
        """The level of a state, and the crash steps on its path."""
        steps, crashes = -1, 0
        while number >= 0:
            steps += 1
            crashes = crashes_after(crashes, self.order_table[self.orders[number]].crashes)
            number = self.parents[number]
        return steps, crashes

    def ranks(self) -> list[int]:
        """The rank of each state among all, by (level, crashes, key)."""
        ranks = [0] * len(self.keys)
        for rank, number in enumerate(order_of([self.cost(number) for number in range(len(self.keys))])):
            ranks[number] = rank
        return ranks

    def least(self, numbers: Iterable[int]) -> int:
        """Of some states in ascending order the one of least (level, crashes, key)."""
        return least(numbers, self.cost)


class RowRun:
    """One exploration, state by state. The embedded and the Spark engine begin with it."""

    def __init__(self, task: Task, by_turns: bool = True) -> None:
        self.task = task
        self.by_turns = by_turns
        """Whether columns that take over ask lists and dicts by turns, and whether containers are equal."""
        self.expander = Expander(task)
        self.machine = self.expander.machine
        self.bound = task.program.options.max_actions
        self.view_in_use = bool(task.program.options.exclude)
        self.found = Found(states=None if self.view_in_use else [])
        self.waiting: list[FrontierState] = []
        self.recorded = {key: bytearray() for key in self.expander.recorded}
        # The edges are kept as long as liveness may be judged: not once a state was pruned.
        self.wants_graph = task.graph
        self.symmetric = self.expander.symmetric
        self.expander.memory.divider.compares = by_turns and not self.symmetric
        classes = Classes.of(self.machine) if self.symmetric else None
        self.graph_so_far = Graph(self.found.keys.__getitem__, classes, self.found.least, self.found.cost)
        self.level = -1
        self.parts = parts_of(task.settings, self.machine)
        self.exported: list[str] = [] if self.parts is None else self.parts.files
        if self.parts is not None:
            self.expander.observe = partial(self._export_step, self.parts)

    @property
    def known_to_columns(self) -> bool:
        """Can columns expand the states that wait?

        They do not support limits of domains without symmetry, assertions about steps that renumber, and excluded
        variables.
        """
        if self.view_in_use:
            return False
        images = self.machine.images
        _, of_steps, _ = self.task.watching
        if images.by_renaming and not (images.ranked and (not self.symmetric or (images.renumbers and of_steps))):
            return True
        return all(self.machine.plain(waiting.state) for waiting in self.waiting)

    def close(self) -> None:
        self.waiting.clear()

    def give_up(self) -> None:
        """Forget the states that wait, and how all were found: another run has taken them over."""
        self.found = Found(states=None)
        for _ in METER.attended(range(len(self.waiting))):
            self.waiting.pop()

    # --- levels ----------------------------------------------------------------------------------------------------

    def first(self) -> Level:
        with self.task.phases.during(ROWS):
            return self._first()

    def next(self) -> Level:
        with self.task.phases.during(ROWS):
            return self._next()

    def _first(self) -> Level:
        level = Level()
        fresh = self._nothing_met()
        for path in METER.attended(first_states(self.expander.memory)):
            order = StepOrder((), path.forks, 0)
            if isinstance(path, Failure):
                level.fail(Witness(None, order, error=path.error))
                continue
            image, key = self.expander.image(path.state)
            self._arrive(fresh, Arrival(order, image, key, StepKind.INIT, False, None), -1, 0, 0)
        self._complete(level, fresh, [])
        return level

    def _next(self) -> Level:
        level = Level()
        fresh = self._nothing_met()
        edges: list[tuple[FrontierState, list[LiveStep], list[int]]] = []
        acted = set(self.expander.acted)
        expanded = 0
        try:
            for source in self.waiting:
                self._expand(source, fresh, edges, level)
                self.task.tick(len(fresh), level.transitions)
                expanded += 1
            self._complete(level, fresh, edges)
        except Stop as stop:
            self.expander.acted = acted
            if self.parts is not None:
                self.parts.drop()
            path = partial(self._new_path, fresh)
            stop.unfinished = Unfinished.of(level, expanded, path)
            raise
        return level

    def _expand(
        self,
        source: FrontierState,
        fresh: Fresh,
        edges: list[tuple[FrontierState, list[LiveStep], list[int]]],
        level: Level,
    ) -> None:
        live: list[LiveStep] = []
        targets: list[int] = []
        ref = StateRef(self.found.keys[source.number], source.crashes)
        for arrival in METER.attended(self.expander.expand(source.state, ref, source.cut, level)):
            target = self._arrive(fresh, arrival, source.number, source.starts, source.crashes)
            if self.wants_graph and arrival.live is not None:
                live.append(arrival.live)
                targets.append(target)
        if self.wants_graph:
            hidden = self.expander.available(source.state, (StepKind.START,)) if source.cut else []
            edges.append((source, live + hidden, targets))

    def _new_path(self, fresh: Fresh, key: int) -> tuple[PathLink, ...] | None:
        """The path to a state of the level under way; None: it was found before."""
        new = fresh.newcomers.get(key)
        if new is None:
            return None
        before = () if new.source < 0 else self.found.path(self.found.keys[new.source])
        return (*before, PathLink(new.order, key))

    def _arrive(self, fresh: Fresh, arrival: Arrival, parent: int, starts: int, crashes: int) -> int:
        """Record that a step leads to a state: its number, or `~n` if it is the n-th new one of this level."""
        number = self.found.numbers.get(arrival.key)
        if number is not None:
            if self.found.states is not None and self.found.states[number] != arrival.state:
                raise KeysCollide
            return number
        starts, crashes = starts_after(starts, arrival.kind), crashes_after(crashes, arrival.crash)
        new = fresh.add(arrival.key, parent, arrival.order, starts, crashes, arrival.state)
        if self.found.states is not None and new.handle != arrival.state:
            raise KeysCollide
        return ~new.number

    def _nothing_met(self) -> Fresh:
        return Gathering(lambda state: state, self.machine.encoding if self.view_in_use else None)

    def _complete(
        self, level: Level, fresh: Fresh, edges: list[tuple[FrontierState, list[LiveStep], list[int]]]
    ) -> None:
        """Judge the new states, and number them by key: all of them, or none."""
        new = [(key, fresh.newcomers[key]) for key in METER.attended(sorted(fresh.newcomers))]
        judgements: list[Judgement] = []
        for key, one in new:
            judgements.append(self.expander.judge(one.handle, StateRef(key, one.crashes), level))
            self.task.patience.ask()
        level.noted = self.machine.noted()
        waiting, found, drawn = self.waiting, len(self.found.keys), self.graph_so_far.states
        try:
            numbers = self._number(new, judgements)
            self._draw(edges, numbers)
        except Stop:
            self.waiting = waiting
            self.found.forget(found)
            self.graph_so_far.forget(drawn)
            for recorded in self.recorded.values():
                del recorded[found:]
            raise
        self.level += 1
        cut = sum(is_cut(one.starts, self.bound) for _, one in new)
        count_states(level, len(new), new[0][0] if new else None, cut, len(new) - len(self.waiting))
        self.wants_graph = keeps_graph(self.wants_graph, level)
        if self.parts is not None:
            self.parts.flush()

    def _draw(self, edges: list[tuple[FrontierState, list[LiveStep], list[int]]], numbers: list[int]) -> None:
        """Write the states that were expanded into the graph. `numbers`: see `_number`."""
        for source, live, targets in METER.attended(edges):
            known = [target if target >= 0 else numbers[~target] for target in targets]
            self.graph_so_far.add_state(live, known, not source.state.threads, lacks_steps(source.cut, True))

    def _number(self, new: list[tuple[int, Newcomer[State]]], judgements: list[Judgement]) -> list[int]:
        """Add the new states, in order of their keys; their numbers, in order of arrival."""
        numbers = [0] * len(new)
        self.waiting = []
        for (key, one), judgement in METER.attended(zip(new, judgements, strict=True)):
            if self.parts is not None:
                self.parts.state(key, self.level + 1, one.handle)
            number = numbers[one.number] = self.found.add(key, one.source, one.order, one.handle)
            for recorded, answer in zip(self.recorded.values(), judgement.answers, strict=True):
                recorded.append(answer)
            if not judgement.pruned:
                cut = is_cut(one.starts, self.bound)
                self.waiting.append(FrontierState(number, one.handle, one.starts, one.crashes, cut))
        return numbers

    def _export_step(
        self, parts: LevelPart, source: int, target: int, candidate: Candidate, choices: tuple[str, ...], crash: bool
    ) -> None:
        parts.step(source, target, self.level, candidate, choices, crash)

    @property
    def exact(self) -> bool:
        return self.found.states is not None

    # --- afterwards ------------------------------------------------------------------------------------------------

    def path(self, key: int) -> tuple[PathLink, ...]:
        return self.found.path(key)

    def graph(self) -> Graph:
        # The states that wait will not be expanded any more: they keep the names of their steps, and have no edges.
        for source in self.waiting:
            steps = self.expander.available(source.state, (StepKind.CONTINUE, StepKind.START))
            self.graph_so_far.add_state(steps, (), not source.state.threads, lacks_steps(source.cut, False))
        self.waiting = []
        return self.graph_so_far

    def answers(self, key: str) -> bytearray:
        return self.recorded[key]

    def search(self) -> ExploredStates:
        from checker.liveness.graph_search import GraphSearch

        return GraphSearch(self.graph(), self.answers, self.task.patience.ask)

    def stats(self) -> Mapping[str, object]:
        return self.expander.memory.tally().stats()
