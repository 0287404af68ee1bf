"""Components by colours (Orzan, 2004): a state's colour is the greatest address from which it can be reached.

The states of a colour that reach the state with that address are a strongly connected component, and every component
has one colour. Addresses mostly ascend with levels, so a chain of components gets many colours in one round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.search.spark.liveness.share import (
    ADDRESS,
    Adjacency,
    Array,
    Mask,
    Numbers,
    PassResult,
    Share,
    from_post,
    to_post,
)

Colors = NDArray[np.uint64]


def begin_colors(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Give each state its own address as colour, and spread greater ones."""
    color = np.where(share["alive"], share.own, np.uint64(0))
    return _spread(share, color, np.flatnonzero(share["alive"]))


def spread_colors(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Spread colours from other partitions."""
    color = share["color"].copy()
    return _spread(share, color, _raise(color, share["alive"], *from_post(inbound, ADDRESS)))


def _spread(share: Share, color: Colors, wave: Numbers) -> PassResult:
    changed = np.zeros(share.states, dtype=np.bool_)
    while len(wave):
        changed[wave] = True
        here, numbers, index = _neighbours(share, share.out, share["out.ok"], wave)
        wave = _raise(color, share["alive"], numbers[here], color[wave][index[here]])
    return PassResult({"color": color}, _sent(share, share.out, share["out.ok"], np.flatnonzero(changed), color))


def _raise(color: Colors, alive: Mask, states: Numbers, values: Colors) -> Numbers:
    """Give states the values that are greater than their colours; returns the states that changed."""
    better = alive[states] & (values > color[states])
    states = states[better]
    np.maximum.at(color, states, values[better])
    return np.unique(states)


def begin_marks(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Mark the states whose colour is their own address, and the states that reach them within their colour."""
    roots = share["alive"] & (share["color"] == share.own)
    return _mark(share, np.zeros(share.states, dtype=np.bool_), np.flatnonzero(roots))


def spread_marks(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Continue from marked states of other partitions."""
    marked = share["marked"].copy()
    return _mark(share, marked, _fit(share, marked, *from_post(inbound, ADDRESS)))


def _mark(share: Share, marked: Mask, wave: Numbers) -> PassResult:
    changed = np.zeros(share.states, dtype=np.bool_)
    color = share["color"]
    while len(wave):
        changed[wave] = marked[wave] = True
        here, numbers, index = _neighbours(share, share.into, share["into.ok"], wave)
        wave = _fit(share, marked, numbers[here], color[wave][index[here]])
    return PassResult({"marked": marked}, _sent(share, share.into, share["into.ok"], np.flatnonzero(changed), color))


def _fit(share: Share, marked: Mask, states: Numbers, colors: Colors) -> Numbers:
    """The states to be marked, of states that lead to marked ones of these colours."""
    fits = share["alive"][states] & ~marked[states] & (share["color"][states] == colors)
    return np.unique(states[fits])


def _neighbours(share: Share, side: Adjacency, ok: Mask, states: Numbers) -> tuple[Mask, Numbers, Numbers]:
    """The other ends of edges: which are in this partition, their numbers, and the index of each in `states`."""
    edges, index = side.of(states)
    some = ok[edges]
    here, numbers = share.here(side.ends[edges[some]])
    return here, numbers, index[some]


def _sent(share: Share, side: Adjacency, ok: Mask, states: Numbers, values: Array) -> list[bytes]:
    """The values of some states, as post to their neighbours in other partitions."""
    edges, index = side.of(states)
    ends = side.ends[edges]
    some = ok[edges] & ~share.here(ends)[0]
    return to_post(share, ends[some], values[states][index[some]])
