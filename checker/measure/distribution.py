"""The distribution of what a counter comes to: value by value, from the least one up."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import sparse

from checker.measure.chain import Chain, Ends, Floats, Ints, Mask
from checker.measure.linear import Transient

TAIL: Final = 1e-12
"""The distribution ends where less probability is left."""
_HOPELESS: Final = 2
"""It is given up early if the average would need so many times the work that is allowed."""
_SOLVING: Final = 16
_FEW: Final = 2
_LEAST: Final = 1e-16
"""What is left out at one value, in all states together."""
PERCENTAGES: Final = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)


class DistributionLimits(NamedTuple):
    """How much is done for one distribution, at most.

    `values`: the most values; `work`: the most numbers that are added up, some two minutes of them; `numbers`: the most
    probabilities that are kept at a time, a gigabyte; `tried`: the work after which it may be given up early. In chains
    of more than `small` nodes those are looked at that are come to with `ahead` edges that add something.
    """

    values: int = 200_000
    work: int = 40_000_000_000
    numbers: int = 125_000_000
    tried: int = 400_000_000
    small: int = 20_000
    ahead: int = 32


LIMITS: Final = DistributionLimits()


def distribution_of(
    chain: Chain,
    ends: Ends,
    counter: int,
    expected: float,
    ask: Callable[[], None],
    limits: DistributionLimits = LIMITS,
) -> list[tuple[int, float]]:
    """Values in units with their probabilities, in ascending order, of a counter that grows in no end of the runs.

    The nodes that are left are visited by value: those with the least value first, through all edges that add nothing,
    and then from there to greater values. What is left beyond the last value has at most the probability `TAIL`, unless
    there are very many values. `expected`: what the counter comes to on average, in units.
    """
    front = _Front(_Edges(chain, ends, counter, ask), limits)
    ended: dict[int, float] = {}
    missing = 1.0
    while front.waiting and missing > TAIL:
        ask()
        value = front.waiting[0]
        for gain, share in front.go_on():
            ended[value + gain] = ended.get(value + gain, 0.0) + share
            missing -= share
        if front.too_much(expected) or len(ended) > limits.values:
            break
    # What is to come adds to values from here on: only smaller ones are complete, unless all is there.
    complete = front.waiting[0] if front.waiting and missing > TAIL else None
    return sorted((value, share) for value, share in ended.items() if complete is None or value < complete)


class _Edges:
    """The edges from the nodes that are left, by what they add to a counter; nodes are numbered among these."""

    def __init__(self, chain: Chain, ends: Ends, counter: int, ask: Callable[[], None]) -> None:
        left = ends.transient
        added = chain.gains[:, counter]
        number = np.cumsum(left) - 1
        self.size = size = int(left.sum())
        among = left[chain.source] & left[chain.target]
        leaving = left[chain.source] & ~left[chain.target]
        # Only nodes at edges that add nothing have visits beyond the arrivals.
        self.silent = _matrix(chain, among & (added == 0), number, size)
        at_silent = np.zeros(size, dtype=np.bool_)
        at_silent[self.silent.indices] = True
        at_silent |= np.diff(self.silent.indptr) > 0
        self.places: Ints = np.flatnonzero(at_silent)
        self.still = Transient(self.silent[self.places][:, self.places], ask)
        self.growing: list[tuple[int, Any]] = [
            (int(gain), _matrix(chain, among & (added == gain), number, size))
            for gain in np.unique(added[among & (added > 0)])
        ]
        self.ending: list[tuple[int, Floats]] = []
        for gain in np.unique(added[leaving]):
            edges = leaving & (added == gain)
            shares = np.bincount(number[chain.source[edges]], chain.probability[edges], size)
            self.ending.append((int(gain), np.asarray(shares, dtype=np.float64)))
        self.begin = int(number[chain.begin])

    def ahead(self, reached: Mask, steps: int) -> Ints:
        """The nodes that are come to from some of them with so many edges that add something; these included."""
        edge = np.flatnonzero(reached)
        for _ in range(steps):
            new = edge
            while len(new):
                new = _come_to([self.silent], new, reached)
                edge = np.concatenate([edge, new])
            edge = _come_to([edges for _, edges in self.growing], edge, reached)
            if not len(edge):
                break
        return np.flatnonzero(reached)


def _come_to(matrices: Sequence[Any], nodes: Ints, reached: Mask) -> Ints:
    """The nodes one edge further that were not reached before; then they are."""
    targets = np.concatenate([matrix[nodes].indices for matrix in matrices]) if matrices else nodes[:0]
    new = np.unique(targets[~reached[targets]])
    reached[new] = True
    return np.asarray(new, dtype=np.int64)


class _Front:
    """Where the runs are that have not ended, by the value of the counter.

    Most of the probability is in few of many nodes at a time. `nodes` are those that matter for the next steps:
    vectors and matrices have only these, and are made anew when the probability has moved.
    """

    def __init__(self, edges: _Edges, limits: DistributionLimits) -> None:
        self.edges = edges
        self.limits = limits
        # Where many nodes are at edges that add nothing, solving for these costs more than the rest.
        self._moves = edges.size > limits.small and _SOLVING * len(edges.places) < edges.size
        self.waiting = [0]
        self.work = 0
        self._taken = 0
        self.nodes: Ints = np.array([edges.begin], dtype=np.int64)
        self._arriving: dict[int, Floats] = {0: np.ones(1)}
        self._look(np.arange(edges.size))

    def go_on(self) -> list[tuple[int, float]]:
        """Leave the least value. Returns what ends there: what the last edge adds, and the probability."""
        if self._moves and self._taken % self.limits.ahead == 0:
            self._look(self.edges.ahead(self._occupied(), self.limits.ahead))
        self._taken += 1
        value = heapq.heappop(self.waiting)
        visits = self._visits(self._arriving.pop(value))
        there = np.flatnonzero(visits > _LEAST / self.edges.size)
        active = there if _FEW * len(there) < len(visits) else None
        for gain, matrix in self._growing:
            onward = matrix.T @ visits if active is None else matrix[active].T @ visits[active]
            if onward.any():
                self._arrive(value + gain, onward)
        self.work += len(visits) + self._count * len(there) // max(len(visits), 1) + _SOLVING * len(self.edges.places)
        ended = ((gain, float(np.sum(visits[at] * leave))) for gain, at, leave in self._ending)
        return [(gain, share) for gain, share in ended if share > 0]

    def too_much(self, expected: float) -> bool:
        """Whether the work or the memory is too much, or will be before the value reaches the average."""
        if self.work > self.limits.work or len(self._arriving) * len(self.nodes) > self.limits.numbers:
            return True
        if self.work < self.limits.tried or not self.waiting:
            return False
        return self.work * expected > _HOPELESS * self.limits.work * max(self.waiting[0], 1)

    def _visits(self, arrivals: Floats) -> Floats:
        """How often the nodes are visited, through edges that add nothing too."""
        places = np.zeros(len(self.edges.places))
        places[self._place_of] = arrivals[self._at_places]
        arrivals[self._at_places] = self.edges.still.visits(places)[self._place_of]
        return arrivals

    def _arrive(self, value: int, onward: Floats) -> None:
        if value in self._arriving:
            self._arriving[value] += onward
        else:
            self._arriving[value] = onward
            heapq.heappush(self.waiting, value)

    def _occupied(self) -> Mask:
        """The nodes where there is some probability."""
        found = np.zeros(self.edges.size, dtype=np.bool_)
        for arrivals in self._arriving.values():
            found[self.nodes[arrivals > _LEAST / self.edges.size]] = True
        return found

    def _look(self, nodes: Ints) -> None:
        """Look at these nodes from now on."""
        edges = self.edges
        position = np.full(edges.size, -1, dtype=np.int64)
        position[nodes] = np.arange(len(nodes))
        for value, arrivals in self._arriving.items():
            here = np.flatnonzero(position[self.nodes] >= 0)
            moved = np.zeros(len(nodes))
            moved[position[self.nodes[here]]] = arrivals[here]
            self._arriving[value] = moved
        self.nodes = nodes
        whole = len(nodes) == edges.size
        self._growing = [(gain, one if whole else one[nodes][:, nodes]) for gain, one in edges.growing]
        at = [(gain, np.flatnonzero(leave[nodes]), leave) for gain, leave in edges.ending]
        self._ending = [(gain, here, leave[nodes[here]]) for gain, here, leave in at]
        self._count = sum(one.nnz for _, one in self._growing)
        # Of the nodes at edges that add nothing: which of them, and where they are.
        self._place_of = np.flatnonzero(position[edges.places] >= 0)
        self._at_places = position[edges.places[self._place_of]]


def _matrix(chain: Chain, edges: Any, number: Any, size: int) -> Any:
    return sparse.csr_matrix(
        (chain.probability[edges], (number[chain.source[edges]], number[chain.target[edges]])), shape=(size, size)
    )


def percentiles(distribution: list[tuple[float, float]]) -> dict[float, float]:
    """By percentage the least value that is not exceeded with that probability, as far as the distribution goes."""
    found: dict[float, float] = {}
    total = 0.0
    for value, share in distribution:
        total += share
        for percentage in PERCENTAGES:
            if percentage not in found and total >= percentage / 100 - TAIL:
                found[percentage] = value
    return dict(sorted(found.items()))
