"""The states that reach a goal, for `liveness: nondeterministic` (language page, 10.5)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, assert_never

import numpy as np

from checker.core.demand import StateSet
from checker.search.spark.liveness.share import (
    KIND,
    Mask,
    Numbers,
    PassResult,
    Share,
    from_post,
    members,
    to_post,
)


class ReachGoal(Enum):
    """The states to be reached. A cut state may lead anywhere, so it counts as good."""

    GOOD = "cut, or of the set"
    BAD = "not of the set"
    SAFE = "cut, or not reaching the bad ones"


class ReachQuery(NamedTuple):
    """A goal for a set of states. `result` names the array of the states that reach it.

    `by_any`: any steps but crashes lead there.
    """

    states: StateSet
    goal: ReachGoal
    result: str
    by_any: bool = False

    @property
    def fair(self) -> bool:
        """Whether only fair steps count."""
        return self.goal is not ReachGoal.BAD and not self.by_any


REACHED: Final = "reached"
DOOMED: Final = "reaches bad"


def begin_reach(share: Share, inbound: Sequence[bytes], query: ReachQuery) -> PassResult:
    """Mark the goal, and the states that reach it."""
    match query.goal:
        case ReachGoal.GOOD:
            goal = share["cut"] | members(share, query.states)
        case ReachGoal.BAD:
            goal = ~members(share, query.states)
        case ReachGoal.SAFE:
            goal = share["cut"] | ~share[DOOMED]
        case _:
            assert_never(query.goal)
    return _reach(share, query, np.zeros(share.states, dtype=np.bool_), np.flatnonzero(goal))


def spread_reach(share: Share, inbound: Sequence[bytes], query: ReachQuery) -> PassResult:
    """Continue from states of other partitions."""
    reached = share[query.result].copy()
    states, _ = from_post(inbound, KIND)
    return _reach(share, query, reached, np.unique(states[~reached[states]]))


def missing(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Report the least state that does not reach the goal."""
    return PassResult(reply=share.least(np.flatnonzero(~share[REACHED])))


def _reach(share: Share, query: ReachQuery, reached: Mask, wave: Numbers) -> PassResult:
    changed = np.zeros(share.states, dtype=np.bool_)
    into = share.into
    while len(wave):
        changed[wave] = reached[wave] = True
        edges, _ = into.of(wave)
        here, numbers = share.here(into.ends[_usable(share, query, edges)])
        sources = np.unique(numbers[here])
        wave = sources[~reached[sources]]
    edges, _ = into.of(np.flatnonzero(changed))
    ends = np.unique(into.ends[_usable(share, query, edges)])
    ends = ends[~share.here(ends)[0]]
    return PassResult({query.result: reached}, to_post(share, ends, np.zeros(len(ends), dtype=KIND)))


def _usable(share: Share, query: ReachQuery, edges: Numbers) -> Numbers:
    """The edges that count. Loops among them make no difference."""
    usable: Mask = share["fair steps"] if query.fair else ~share["crash steps"]
    return edges[usable[share.into.marks[edges]]]
