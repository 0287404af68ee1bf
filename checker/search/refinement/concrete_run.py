"""The refining model, explored without symmetry, with the views of its states and all its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from checker.core.level import Level, StateRef
from checker.core.property import Watch
from checker.liveness.graph import Graph
from checker.search.contract.assertion_answers import Assertions
from checker.search.contract.judge_watches import judge_state
from checker.search.contract.protocol import Task
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.refinement.view_values import ConcreteViews
from interpreter import Machine, ModelError, State

if TYPE_CHECKING:
    from checker.core.exploration import PathLink
    from checker.search.columns.column_frontier import Frontier

Ints = np.ndarray[Any, np.dtype[np.int64]]


class FailedView(NamedTuple):
    """A view that failed on a state: the state's number and the error."""

    number: int
    error: ModelError


class ConcreteRun:
    """One exploration by the embedded engine. Crash steps are steps like others.

    `prune`: at states where these watches find what they seek no run goes on. `viewed` has for each view the number of
    what is seen in each state, by number.
    """

    def __init__(self, task: Task, prune: Sequence[Watch]) -> None:
        self._run = EmbeddedEngine().begin(task)
        self._task = task
        self._prune = prune
        self.machine: Machine = self._run.machine
        self._assertions = Assertions(
            self.machine, self.machine.view, lambda rule, view: self.machine.run(rule, view, noted=False).result
        )
        self._views: list[ConcreteViews] = []
        self.viewed: list[Ints] = []
        self.failed: list[FailedView] = []
        """Of the last level: the views that failed."""
        self.ended: set[int] = set()
        """The states from which no run goes on."""
        self.level = -1
        self.found = 0

    def view(self, views: ConcreteViews) -> None:
        """Look at states through these views too. Only before the first level."""
        self._views.append(views)
        self.viewed.append(np.zeros(0, dtype=np.int64))

    def first(self) -> None:
        self._note(self._run.first())

    def next(self) -> None:
        self._note(self._run.next())

    @property
    def graph(self) -> Graph:
        """The steps of all states that were expanded, crashes among them."""
        return self._run.graph_so_far

    def key(self, number: int) -> int:
        return self.graph.key(number)

    def halves(self, numbers: Ints) -> tuple[Any, Any]:
        """The keys of some states, in halves."""
        return self._run.halves(numbers)

    def path(self, key: int) -> tuple[PathLink, ...]:
        return self._run.path(key)

    def finished_graph(self) -> Graph:
        """The graph after the last level, also with the states that were not expanded."""
        return self._run.graph()

    @property
    def waits(self) -> bool:
        """Whether there are states to be expanded."""
        return self._new > 0

    def _note(self, level: Level) -> None:
        self._new = level.states
        self.level += 1
        self.failed = []
        columns = [np.full(level.states, -1, dtype=np.int64) for _ in self._views]
        for numbers, part in self._run.new_states():
            for views, column in zip(self._views, columns, strict=True):
                self._look(views, numbers - self.found, part, column)
            if self._prune:
                states = part if isinstance(part, list) else part.packing.states(part.rows, np.arange(len(part.rows)))
                self._end(numbers, states)
        self.viewed = [np.concatenate(pair) for pair in zip(self.viewed, columns, strict=True)]
        self.found += level.states

    def _end(self, numbers: Ints, states: Sequence[State]) -> None:
        for number, state in zip(numbers.tolist(), states, strict=True):
            judged = judge_state(self._assertions, self._prune, True, state, StateRef(0, 0), Level())
            if judged.pruned:
                self.ended.add(number)

    def _look(self, views: ConcreteViews, places: Ints, part: list[State] | Frontier, column: Ints) -> None:
        """Look at the new states of one layout, or at those that wait row by row."""
        if isinstance(part, list):
            column[places] = self._seen(views, places, part)
            return
        while True:
            reads = len(views.reads)
            examples, like = _alike(views, part)
            states = part.packing.states(part.rows, examples)
            seen = self._seen(views, places[examples], states)
            if len(views.reads) == reads:
                column[places] = seen[like]
                return

    def _seen(self, views: ConcreteViews, places: Ints, states: Sequence[State]) -> Ints:
        """The numbers of the views of some states, -1 where the view fails."""
        seen = np.full(len(states), -1, dtype=np.int64)
        for index, state in enumerate(states):
            self._task.patience.ask()
            try:
                seen[index] = views.of(state)
            except ModelError as error:
                self.failed.append(FailedView(self.found + int(places[index]), error))
        return seen


def _alike(views: ConcreteViews, part: Frontier) -> tuple[Ints, Ints]:
    """Of rows that are alike in all that the view read so far: an example of each kind, and the kind of each row."""
    slots = views.reads_of(part.packing.layout)
    every = np.arange(len(part.rows))
    if slots is None:
        return every, every
    mask = part.packing.mask_whole(slots)
    kinds = np.zeros(len(part.rows), dtype=np.int64)
    for word, bits in zip(part.rows.words, mask, strict=True):
        if bits:
            _, codes = np.unique(word & bits, return_inverse=True)
            _, kinds = np.unique(kinds * (int(codes.max()) + 1) + codes, return_inverse=True)
    _, examples, like = np.unique(kinds, return_index=True, return_inverse=True)
    return examples, like


def each_edge(graph: Graph, states: Ints) -> tuple[Ints, Ints, Ints]:
    """The steps of some states: positions of their sources among these, indexes of their marks, targets."""
    # Buffers must be given up before the graph grows.
    first = np.frombuffer(graph.first, dtype=np.uint64).astype(np.int64)
    counts = first[states + 1] - first[states]
    sources = np.repeat(np.arange(len(states)), counts)
    ends = np.cumsum(counts)
    edges = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts) + first[states][sources]
    marks = np.frombuffer(graph.marks, dtype=np.uint32).take(edges).astype(np.int64)
    targets = np.frombuffer(graph.targets, dtype=np.uint32).take(edges).astype(np.int64)
    return sources, marks, targets


def in_parts(states: Ints, most: int = 1 << 16) -> Iterator[Ints]:
    """Some states at a time."""
    for begin in range(0, len(states), most):
        yield states[begin : begin + most]
