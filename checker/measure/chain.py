"""`Chain`: the graph of a model as a Markov chain, or with free choices as a Markov decision process, in columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from checker.liveness.graph import FairnessMark, Graph
from checker.measure.step_weights import CannotWeigh, StateWeights, Weighing
from checker.search.columns.edges import same_steps

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class CannotWeighState(Exception):
    """The steps of a state do not fit: `state` is its number, that of the states if it is Init."""

    def __init__(self, state: int, why: CannotWeigh) -> None:
        super().__init__(why.text)
        self.state = state
        self.why = why


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain over nodes: first the `states` of the model, then Init, then what lies inside of steps.

    Edge i leads from `source[i]` to `target[i]` with `probability[i]`, and adds `gains[i]` to the counters, in units.
    At the nodes in `free` a scheduler takes one of the edges, each of which has probability 1. A node without edges
    ends the run. All nodes can be reached from Init.
    """

    states: int
    nodes: int
    source: Ints
    target: Ints
    probability: Floats
    gains: Ints
    free: Mask
    met: frozenset[str]

    @property
    def begin(self) -> int:
        """The node of Init."""
        return self.states

    def matrix(self, edges: Mask | None = None, values: Floats | None = None) -> Any:
        """The edges, or some of them, as a sparse matrix of their probabilities, or other values."""
        kept = np.ones(len(self.source), dtype=np.bool_) if edges is None else edges
        data = (self.probability if values is None else values)[kept]
        return sparse.csr_matrix((data, (self.source[kept], self.target[kept])), shape=(self.nodes, self.nodes))

    def expected_gain(self, counter: int) -> Floats:
        """What one step from each node adds to a counter on average, in units."""
        added = self.probability * self.gains[:, counter]
        return np.bincount(self.source, weights=added, minlength=self.nodes).astype(np.float64)

    def state_before(self, nodes: Mask) -> int:
        """The first state whose steps lead into some nodes inside of steps; that of Init if there is no other."""
        inside = nodes.copy()
        while True:
            sources = self.source[inside[self.target]]
            new = sources[(sources > self.states) & ~inside[sources]]
            if not len(new):
                return int(sources[sources <= self.states].min())
            inside[new] = True

    def stopped_at(self, ends: Mask) -> Chain:
        """The same chain, in which runs end at some nodes."""
        kept = ~ends[self.source]
        return Chain(
            self.states, self.nodes, self.source[kept], self.target[kept], self.probability[kept], self.gains[kept],
            self.free, self.met,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ends:
    """The components in which runs stay for ever. `component[i]` is that of a node, -1 if it is left again.

    `count`: how many there are. Runs that end are in a component of one node, without edges.
    """

    component: Ints
    count: int

    @property
    def transient(self) -> Mask:
        """The nodes that are left for good."""
        return self.component < 0


def ends_of(chain: Chain) -> Ends:
    """The bottom strongly connected components of the graph."""
    count, component = connected_components(chain.matrix(), directed=True, connection="strong")
    leaves = component[chain.source] != component[chain.target]
    left = np.zeros(count, dtype=np.bool_)
    left[component[chain.source[leaves]]] = True
    numbers = np.full(count, -1, dtype=np.int64)
    numbers[~left] = np.arange(np.count_nonzero(~left))
    return Ends(numbers[component], int(np.count_nonzero(~left)))


@dataclass(frozen=True, slots=True)
class InitMarks:
    """Init as a state: a mark for each path through it, with the number of its state, and those of all marks."""

    marks: tuple[FairnessMark, ...]
    targets: Ints


def steps_of(graph: Graph, state: int) -> list[FairnessMark]:
    """The marks of the steps of a state."""
    return [graph.mark_table[mark] for mark in graph.marks[graph.first[state] : graph.first[state + 1]]]


def chain_of(graph: Graph, beginning: InitMarks, weighing: Weighing, ask: Callable[[], None]) -> Chain:
    """The chain of a graph whose steps have labels. Raises `CannotWeighState` for the first state that does not fit."""
    states = graph.states
    first = _column(graph.first, np.uint64).astype(np.int64)
    targets = _column(graph.targets, np.uint32).astype(np.int64)
    marks = _column(graph.marks, np.uint32).astype(np.int64)
    lengths = np.diff(first)
    position = np.arange(len(marks)) - np.repeat(first[:-1], lengths)
    shapes, examples = same_steps(marks, np.zeros(len(marks), dtype=np.bool_), position, first)
    builder = _Builder(states, len(weighing.units.names))
    builder.add(_weights(weighing, beginning.marks, states), np.array([states]), np.array([0]), beginning.targets)
    order = np.argsort(shapes, kind="stable")
    ends = np.cumsum(np.bincount(shapes, minlength=len(examples)))
    # In the order of their first states, so that the state that is named is the first that does not fit.
    for shape in np.argsort(examples, kind="stable").tolist():
        ask()
        members = order[ends[shape - 1] if shape else 0 : ends[shape]]
        example = int(members.min())
        steps = [graph.mark_table[mark] for mark in marks[first[example] : first[example + 1]].tolist()]
        builder.add(_weights(weighing, steps, example), members, first[members], targets)
    return builder.chain()


def _weights(weighing: Weighing, steps: Sequence[FairnessMark], state: int) -> StateWeights:
    try:
        return weighing.of(steps)
    except CannotWeigh as problem:
        raise CannotWeighState(state, problem) from None


def _column(column: array[int], kind: Any) -> NDArray[Any]:
    return np.frombuffer(column.tobytes(), dtype=kind) if len(column) else np.zeros(0, dtype=kind)


class _Builder:
    """Gathers the edges of a chain, for many states with equal weights at a time."""

    def __init__(self, states: int, counters: int) -> None:
        self._states = states
        self._nodes = states + 1
        self._counters = counters
        self._edges: list[tuple[Ints, Ints, Floats, Ints]] = []
        self._free: list[Ints] = []
        self._met: set[str] = set()

    def add(self, weights: StateWeights, states: Ints, begins: Ints, targets: Ints) -> None:
        """Add states with these weights; the targets of the steps of one are those from its `begins` on."""
        inner = weights.nodes - 1
        base = self._nodes + inner * np.arange(len(states))
        self._nodes += inner * len(states)
        self._met |= weights.met
        for edge in weights.edges:
            if edge.probability <= 0:
                continue
            source = states if edge.source == 0 else base + edge.source - 1
            if edge.step >= 0:
                target = targets[begins + edge.step]
            else:
                target = states if edge.node == 0 else base + edge.node - 1
            gains = np.broadcast_to(np.array(edge.gains, dtype=np.int64), (len(states), self._counters))
            self._edges.append((source, target, np.full(len(states), edge.probability), gains))
        self._free += [base + node - 1 for node in sorted(weights.free)]

    def chain(self) -> Chain:
        """The chain of all that was added."""
        if self._edges:
            source, target, probability, gains = (np.concatenate(columns) for columns in zip(*self._edges, strict=True))
        else:
            source = target = np.zeros(0, dtype=np.int64)
            probability, gains = np.zeros(0), np.zeros((0, self._counters), dtype=np.int64)
        free = np.zeros(self._nodes, dtype=np.bool_)
        for nodes in self._free:
            free[nodes] = True
        whole = Chain(
            self._states, self._nodes, source.astype(np.int64), target.astype(np.int64), probability,
            gains.astype(np.int64), free, frozenset(self._met),
        )  # fmt: skip
        return _reached(whole)


def _reached(chain: Chain) -> Chain:
    """The chain without the edges of nodes that are never reached, because a probability is 0."""
    order = sparse.csgraph.breadth_first_order(
        chain.matrix(values=np.ones(len(chain.source))), chain.begin, return_predecessors=False
    )
    if len(order) == chain.nodes:
        return chain
    unreached = np.ones(chain.nodes, dtype=np.bool_)
    unreached[order] = False
    return chain.stopped_at(unreached)
