"""Least and greatest values over all schedulers: the chain with free choices as a Markov decision process.

Both bounds of each value are proved by the process itself: values that grow from 0 are never too great, and values that
no step can increase are never too small (Park induction). Where a scheduler may go round for ever without gain, the
nodes it goes round in are joined to one, so that both bounds meet (maximal end components; Haddad and Monmege,
"Interval iteration algorithm for MDPs and IMDPs", 2018; Hartmanns and Kaminski, "Optimistic value iteration", 2020).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from checker.measure.chain import Chain, Floats, Ints, Mask
from checker.measure.chain_answers import can_reach
from checker.measure.measured import Interval, Quantity

_PRECISION: Final = 1e-9
_ROUNDS: Final = 1_000_000
_EVERY: Final = 32
_ROUNDING: Final = 1e-13


class SchedulerAnswers:
    """Answers about a process. Raises what `ask` raises."""

    def __init__(self, chain: Chain, ask: Callable[[], None]) -> None:
        self._chain = chain
        self._ask = ask
        order = np.argsort(chain.source, kind="stable")
        self._process = _Process(
            chain.nodes, chain.source[order], chain.target[order], chain.probability[order], chain.free
        )
        self._gains = chain.gains[order]

    def reaches(self, goal: Mask) -> Quantity:
        """The probability that a run comes to one of some nodes."""
        begin = self._chain.begin
        if goal[begin]:
            return Quantity(Interval(1.0, 1.0), Interval(1.0, 1.0))
        whole = self._process.without(goal)
        avoiding = whole.largest(~goal, all_of=whole.plain, some_of=whole.free)
        least = self._between(whole, goal, avoiding, begin, greatest=False)
        may = can_reach(self._chain.stopped_at(goal), goal)
        if not may[begin]:
            return Quantity(Interval(0.0, 0.0), Interval(0.0, 0.0))
        joined, place = whole.joined(may & ~goal)
        goals = np.zeros(joined.nodes, dtype=np.bool_)
        goals[place[goal]] = True
        never = np.ones(joined.nodes, dtype=np.bool_)
        never[place[may]] = False
        greatest = self._between(joined, goals, never, int(place[begin]), greatest=True)
        return Quantity(least, greatest)

    def _between(self, process: _Process, goal: Mask, never: Mask, begin: int, greatest: bool) -> Interval:
        """Both bounds of a probability: from below from 0, from above from 1."""
        low = goal.astype(np.float64)
        high = 1.0 - never.astype(np.float64)
        fixed = goal | never
        for turn in range(_ROUNDS):
            if turn % _EVERY == 0:
                self._ask()
                if high[begin] - low[begin] <= _PRECISION:
                    break
            before = low
            low = np.where(fixed, low, process.best(low, None, greatest))
            high = np.where(fixed, high, process.best(high, None, greatest))
            if turn % _EVERY == 0 and turn and np.array_equal(before, low) and high[begin] - low[begin] < 1e-7:
                break
        return Interval(max(low[begin] - _ROUNDING, 0.0), min(high[begin] + _ROUNDING, 1.0))

    def expected(self, counter: int) -> Quantity:
        """What a counter comes to on average, in units."""
        gains = self._gains[:, counter].astype(np.float64)
        return Quantity(self._least_expected(gains), self._greatest_expected(gains))

    def _greatest_expected(self, gains: Floats) -> Interval | None:
        process, begin = self._process, self._chain.begin
        inside = process.end_components(np.ones(process.nodes, dtype=np.bool_))
        among = (inside[process.source] >= 0) & (inside[process.source] == inside[process.target])
        if (gains[among] > 0).any():
            return None
        joined, place, kept = process.joined_by(inside)
        return self._optimistic(joined, gains[kept], np.zeros(joined.nodes, np.bool_), int(place[begin]), True)

    def _least_expected(self, gains: Floats) -> Interval | None:
        process, begin = self._process, self._chain.begin
        # Where a scheduler can go on for ever without gain.
        quiet = process.largest(np.ones(process.nodes, dtype=np.bool_), process.plain, process.free, edges=gains == 0)
        if quiet[begin]:
            return Interval(0.0, 0.0)
        surely = process.surely(quiet)
        if not surely[begin]:
            return None
        allowed = ~process.free[process.source] | surely[process.target]
        kept = surely[process.source] & allowed & ~quiet[process.source]
        return self._optimistic(process.only(kept), gains[kept], quiet, begin, False)

    def _optimistic(self, process: _Process, gains: Floats, fixed: Mask, begin: int, greatest: bool) -> Interval:
        low = np.zeros(process.nodes)
        slack = _PRECISION
        for turn in range(_ROUNDS):
            after = np.where(fixed, 0.0, process.best(low, gains, greatest))
            change = float(np.abs(after - low).max(initial=0.0))
            low = after
            if turn % _EVERY == 0:
                self._ask()
            if change > slack * max(1.0, float(low.max(initial=0.0))) / 16:
                continue
            high = np.where(fixed, 0.0, low * (1 + slack) + slack)
            for _ in range(4 * _EVERY):
                again = np.where(fixed, 0.0, process.best(high, gains, greatest))
                if (again <= high).all():
                    return Interval(float(low[begin]) * (1 - _ROUNDING), float(high[begin]) * (1 + _ROUNDING))
                high = np.minimum(high, again)
                low = np.where(fixed, 0.0, process.best(low, gains, greatest))
                if not (high >= low).all():
                    break
            slack /= 4
            if slack < 1e-15:
                break
        return Interval(float(low[begin]), np.inf)


class _Process:
    """Nodes and edges, by source. At `free` nodes one edge is taken, at the others all, by their probabilities."""

    def __init__(self, nodes: int, source: Ints, target: Ints, probability: Floats, free: Mask) -> None:
        self.nodes = nodes
        self.source = source
        self.target = target
        self.probability = probability
        self.free = free
        counts = np.bincount(source, minlength=nodes)
        self._there = np.flatnonzero(counts)
        self._firsts = (np.cumsum(counts) - counts)[self._there]

    @property
    def plain(self) -> Mask:
        return ~self.free

    def best(self, values: Floats, gains: Floats | None, greatest: bool) -> Floats:
        """The value of each node one step earlier; 0 where a run ends."""
        found = np.zeros(self.nodes)
        if not len(self.source):
            return found
        onward = values[self.target] if gains is None else values[self.target] + gains
        sums = np.add.reduceat(onward * self.probability, self._firsts)
        picked = (np.maximum if greatest else np.minimum).reduceat(onward, self._firsts)
        found[self._there] = np.where(self.free[self._there], picked, sums)
        return found

    def only(self, edges: Mask) -> _Process:
        """The process with some edges alone."""
        return _Process(self.nodes, self.source[edges], self.target[edges], self.probability[edges], self.free)

    def without(self, ends: Mask) -> _Process:
        """The process in which runs end at some nodes."""
        return self.only(~ends[self.source])

    def largest(self, among: Mask, all_of: Mask, some_of: Mask, edges: Mask | None = None) -> Mask:
        """The largest set of nodes that can be stayed in for ever, or where runs end, along these `edges`."""
        inside = among.copy()
        allowed = np.ones(len(self.source), dtype=np.bool_) if edges is None else edges
        degree = np.bincount(self.source, minlength=self.nodes)
        while True:
            good = allowed & inside[self.target]
            counts = np.bincount(self.source[good], minlength=self.nodes)
            stays = inside & ((degree == 0) | (all_of & (counts == degree)) | (some_of & (counts > 0)))
            if np.array_equal(stays, inside):
                return inside
            inside = stays

    def surely(self, goal: Mask) -> Mask:
        """The nodes from which some scheduler comes to the goal with probability 1."""
        inside = np.ones(self.nodes, dtype=np.bool_)
        while True:
            leaves = np.bincount(self.source[~inside[self.target]], minlength=self.nodes) > 0
            reached = goal.copy()
            while True:
                towards = reached[self.target] & inside[self.target]
                some = np.bincount(self.source[towards], minlength=self.nodes) > 0
                more = reached | (some & inside & (self.free | ~leaves))
                if np.array_equal(more, reached):
                    break
                reached = more
            if np.array_equal(reached, inside):
                return inside
            inside = reached

    def end_components(self, among: Mask) -> Ints:
        """The maximal end component of each node, -1 for none: a scheduler can go round in it for ever."""
        inside = among.copy()
        edges = np.ones(len(self.source), dtype=np.bool_)
        degree = np.bincount(self.source, minlength=self.nodes)
        while True:
            edges &= inside[self.source] & inside[self.target]
            graph = sparse.csr_matrix(
                (np.ones(int(edges.sum())), (self.source[edges], self.target[edges])), shape=(self.nodes, self.nodes)
            )
            _, component = connected_components(graph, directed=True, connection="strong")
            edges &= component[self.source] == component[self.target]
            counts = np.bincount(self.source[edges], minlength=self.nodes)
            stays = inside & (counts > 0) & (self.free | (counts == degree))
            if np.array_equal(stays, inside):
                return np.where(inside, component, -1).astype(np.int64)
            inside = stays

    def joined(self, among: Mask) -> tuple[_Process, Ints]:
        """The process in which the end components among some nodes are one node each, and the new number of nodes."""
        process, place, _ = self.joined_by(self.end_components(among))
        return process, place

    def joined_by(self, component: Ints) -> tuple[_Process, Ints, Ints]:
        """As `joined`, for these components; also which edges there are, by their numbers."""
        names = np.where(component >= 0, self.nodes + component, np.arange(self.nodes))
        _, place = np.unique(names, return_inverse=True)
        place = place.astype(np.int64)
        nodes = int(place.max(initial=-1)) + 1
        inner = (component[self.source] >= 0) & (component[self.source] == component[self.target])
        free = np.zeros(nodes, dtype=np.bool_)
        free[place[self.free]] = True
        free[place[component >= 0]] = True
        kept = np.flatnonzero(~inner)
        kept = kept[np.argsort(place[self.source[kept]], kind="stable")]
        joined = _Process(nodes, place[self.source[kept]], place[self.target[kept]], self.probability[kept], free)
        return joined, place, kept
