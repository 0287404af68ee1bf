"""Which states reach a goal: for `liveness: nondeterministic` (language page, 10.5)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

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
    """Where ways are to lead. A cut state may lead anywhere, so it counts as good."""

    GOOD = "cut, or of the set"
    BAD = "not of the set"
    SAFE = "cut, or not reaching the bad ones"


class ReachQuery(NamedTuple):
    """Which goal, for which set of states. `result` is the array that says which states reach it."""

    states: StateSet
    goal: ReachGoal
    result: str

    @property
    def fair(self) -> bool:
        """Are only fair steps gone?"""
        return self.goal is not ReachGoal.BAD


REACHED: Final = "reached"
DOOMED: Final = "reaches bad"


def begin_reach(share: Share, inbound: Sequence[bytes], ways: ReachQuery) -> PassResult:
    """Mark the goal, and what leads there."""
    match ways.goal:
        case ReachGoal.GOOD:
            goal = share["cut"] | members(share, ways.states)
        case ReachGoal.BAD:
            goal = ~members(share, ways.states)
        case ReachGoal.SAFE:
            goal = share["cut"] | ~share[DOOMED]
    return _reach(share, ways, np.zeros(share.states, dtype=np.bool_), np.flatnonzero(goal))


def spread_reach(share: Share, inbound: Sequence[bytes], ways: ReachQuery) -> PassResult:
    """Go on from states elsewhere."""
    reached = share[ways.result].copy()
    states, _ = from_post(inbound, KIND)
    return _reach(share, ways, reached, np.unique(states[~reached[states]]))


def missing(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Tell the least state that does not reach the goal."""
    return PassResult(told=share.least(np.flatnonzero(~share[REACHED])))


def _reach(share: Share, ways: ReachQuery, reached: Mask, wave: Numbers) -> PassResult:
    changed = np.zeros(share.states, dtype=np.bool_)
    into = share.into
    while len(wave):
        changed[wave] = reached[wave] = True
        edges, _ = into.of(wave)
        here, numbers = share.here(into.ends[_usable(share, ways, edges)])
        sources = np.unique(numbers[here])
        wave = sources[~reached[sources]]
    edges, _ = into.of(np.flatnonzero(changed))
    ends = np.unique(into.ends[_usable(share, ways, edges)])
    ends = ends[~share.here(ends)[0]]
    return PassResult({ways.result: reached}, to_post(share, ends, np.zeros(len(ends), dtype=KIND)))


def _usable(share: Share, ways: ReachQuery, edges: Numbers) -> Numbers:
    """Those of some edges that may be gone. That loops are among them makes no difference."""
    usable: Mask = share["fair steps"] if ways.fair else ~share["crash steps"]
    return edges[usable[share.into.marks[edges]]]
