"""Answers about a chain without free choices: what is reached, what counters come to, what lasts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from checker.measure.aggregation import likely
from checker.measure.chain import Chain, Ends, Floats, Ints, Mask, ends_of
from checker.measure.linear import Transient
from checker.measure.measured import Interval

Ask = Callable[[], None]

_HEADS: Final = 3
_RARE: Final = 30.0
"""A state is no head if another one is so many times as probable."""


class LongRun(NamedTuple):
    """How probable each state is in the long run, and the most that a sum of them may be off.

    `rates`: what one step adds to each counter, in units. `within`: of each node, the share of the steps in its own
    component, once the run has come there; a sum of these over a component is off by at most `within_error`.
    """

    states: Floats
    error: float
    rates: Floats
    within: Floats
    within_error: float


class ChainAnswers:
    """Answers about one chain. Raises what `ask` raises."""

    def __init__(self, chain: Chain, ask: Ask) -> None:
        self.chain = chain
        self.ends: Ends = ends_of(chain)
        self._ask = ask
        self._transient: Transient | None = None

    @property
    def transient(self) -> Transient:
        """The system of the nodes that are left for good."""
        if self._transient is None:
            left = self.ends.transient
            self._transient = Transient(self.chain.matrix()[left][:, left], self._ask)
        return self._transient

    def reaches(self, goal: Mask) -> Interval:
        """The probability that a run comes to one of some nodes."""
        chain = self.chain
        if goal[chain.begin]:
            return Interval(1.0, 1.0)
        stopped = chain.stopped_at(goal)
        may = can_reach(stopped, goal)
        if not may[chain.begin]:
            return Interval(0.0, 0.0)
        if _never_fails(stopped, may):
            return Interval(1.0, 1.0)
        asked = may & ~goal
        matrix = stopped.matrix()
        into = np.asarray(matrix[:, np.flatnonzero(goal)].sum(axis=1)).ravel()[asked]
        if asked.sum() == (self.ends.transient & ~goal).sum() and not (goal & self.ends.transient).any():
            system = self.transient
        else:
            system = Transient(matrix[asked][:, asked], self._ask)
        solved = system.columns(into)
        here = int(np.count_nonzero(asked[: chain.begin]))
        return Interval.around(float(solved.values[here]), float(solved.errors[here]), 0.0, 1.0)

    def endless(self, counter: int) -> Mask:
        """The nodes where runs stay for ever and go on adding to a counter."""
        gain = self.chain.expected_gain(counter)
        growing = np.zeros(self.ends.count, dtype=np.bool_)
        stays = ~self.ends.transient
        growing[self.ends.component[stays & (gain > 0)]] = True
        found = np.zeros(self.chain.nodes, dtype=np.bool_)
        found[stays] = growing[self.ends.component[stays]]
        return found

    def expected(self, counter: int) -> Interval | None:
        """What a counter comes to on average, in units; None: there is no end to it."""
        if self.endless(counter).any():
            return None
        left = self.ends.transient
        solved = self.transient.columns(self.chain.expected_gain(counter)[left])
        here = int(np.count_nonzero(left[: self.chain.begin]))
        return Interval.around(float(solved.values[here]), float(solved.errors[here]), 0.0, np.inf)

    def long_run(self) -> LongRun:
        """The share of steps that begin in each state, in the long run; a run that ended stays where it did."""
        chain, ends = self.chain, self.ends
        matrix = chain.matrix()
        left = ends.transient
        begin = np.zeros(int(left.sum()))
        begin[int(np.count_nonzero(left[: chain.begin]))] = 1.0
        visits, visits_error = self.transient.rows(begin)
        inflow = np.asarray(matrix[left].T @ visits).ravel()
        arrived = np.bincount(ends.component[~left], weights=inflow[~left], minlength=ends.count)
        sizes = np.bincount(ends.component[~left], minlength=ends.count)
        # The visits of a component's nodes between two visits of one of its states.
        large = ~left
        large[~left] = sizes[ends.component[~left]] > 1
        weight, between_error = self._between(large, self._heads(matrix))
        is_state = np.arange(chain.nodes) < chain.states
        totals = np.bincount(ends.component[~left & is_state], weights=weight[~left & is_state], minlength=ends.count)
        within_error = 2 * between_error / float(totals[totals > 0].min()) if between_error else 0.0
        within = np.zeros(chain.nodes)
        within[~left] = weight[~left] / totals[ends.component[~left]]
        share = np.zeros(chain.nodes)
        share[~left] = arrived[ends.component[~left]] * within[~left]
        gains = [float(share @ chain.expected_gain(counter)) for counter in range(chain.gains.shape[1])]
        within[~is_state] = 0.0
        return LongRun(share[: chain.states], visits_error + within_error, np.array(gains), within, within_error)

    def _between(self, large: Mask, heads: Ints) -> tuple[Floats, float]:
        """The visits of each node between two visits of the head of its component; how much all may be off together.

        `large`: the nodes of components of more than one node. Other heads are taken where these are rarely come to.
        """
        matrix = self.chain.matrix()
        weight = np.zeros(self.chain.nodes)
        for further in reversed(range(_HEADS)):
            others = large.copy()
            others[heads] = False
            if not others.any():
                break
            inner = Transient(matrix[others][:, others], self._ask)
            first = np.flatnonzero(large & ~others)
            flow = np.asarray(matrix[first][:, others].sum(axis=0)).ravel()
            weight[others] = inner.visits(flow, roughly=True)
            weight[heads] = 1.0
            often = self._most(weight)
            if further and weight[often].max() > _RARE:
                heads = often
                continue
            weight[others], error = inner.rows(flow)
            return weight, error
        weight[heads] = 1.0
        return weight, 0.0

    def _heads(self, matrix: Any) -> Ints:
        """A state of each component that runs come to often: returns to a rare one take long, and bounds with them."""
        members = np.flatnonzero(~self.ends.transient)
        probable = np.zeros(self.chain.nodes)
        if len(members) > self.ends.count:
            probable[members] = likely(matrix[members][:, members], self._ask)
        return self._most(probable)

    def _most(self, probable: Floats) -> Ints:
        """The most probable state of each component, of equal ones the first."""
        component = self.ends.component[: self.chain.states]
        states = np.flatnonzero(component >= 0)
        order = np.lexsort((-states, probable[states], component[states]))
        last = np.flatnonzero(np.diff(component[states][order], append=-1))
        return np.asarray(states[order[last]], dtype=np.int64)

    def often(self, true: Mask, long_run: LongRun) -> Interval:
        """The share of steps in the long run that begin in some states."""
        ends, left = self.ends, self.ends.transient
        inside = np.where(true & ~left, long_run.within, 0.0)
        shares = np.bincount(ends.component[~left], weights=inside[~left], minlength=ends.count)
        final = np.zeros(self.chain.nodes)
        final[~left] = shares[ends.component[~left]]
        solved = self.transient.columns(np.asarray(self.chain.matrix()[left] @ final))
        here = int(np.count_nonzero(left[: self.chain.begin]))
        error = float(solved.errors[here]) + long_run.within_error
        return Interval.around(float(solved.values[here]), error, 0.0, 1.0)


def _never_fails(stopped: Chain, may: Mask) -> bool:
    """Whether no run comes to a node from which the goal cannot be reached: then it is reached for certain."""
    ahead = stopped.matrix(values=np.ones(len(stopped.source)))
    return bool(may[breadth_first_order(ahead, stopped.begin, return_predecessors=False)].all())


def can_reach(chain: Chain, goal: Mask) -> Mask:
    """The nodes from which some of these can be reached, themselves included."""
    nodes = chain.nodes
    found = goal.copy()
    if not goal.any():
        return found
    backwards = chain.matrix(values=np.ones(len(chain.source))).T.tocsr()
    # One node more, from which all goals can be reached.
    goals = np.flatnonzero(goal)
    extra = sparse.csr_matrix((np.ones(len(goals)), (np.zeros(len(goals), dtype=np.int64), goals)), shape=(1, nodes))
    wide = sparse.bmat([[backwards, None], [extra, sparse.csr_matrix((1, 1))]], format="csr")
    order = breadth_first_order(wide, nodes, return_predecessors=False)
    found[order[order < nodes]] = True
    return found
