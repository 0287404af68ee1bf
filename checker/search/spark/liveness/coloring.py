"""Components by colours (Orzan, 2004): a state's colour is the greatest address from which it can be reached.

The states of a colour that reach the one whose address it is are a strongly connected component, and every component
lies within one colour. Addresses ascend with levels, by and large, so that a chain of components gets many colours at
once.
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
    """Give each state its own address, and spread the greater ones."""
    color = np.where(share["alive"], share.own, np.uint64(0))
    return _spread(share, color, np.flatnonzero(share["alive"]))


def spread_colors(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Go on with colours from elsewhere."""
    color = share["color"].copy()
    return _spread(share, color, _raise(color, share["alive"], *from_post(inbound, ADDRESS)))


def _spread(share: Share, color: Colors, wave: Numbers) -> PassResult:
    changed = np.zeros(share.states, dtype=np.bool_)
    while len(wave):
        changed[wave] = True
        here, numbers, place = _neighbours(share, share.out, share["out.ok"], wave)
        wave = _raise(color, share["alive"], numbers[here], color[wave][place[here]])
    return PassResult({"color": color}, _tell(share, share.out, share["out.ok"], np.flatnonzero(changed), color))


def _raise(color: Colors, alive: Mask, states: Numbers, values: Colors) -> Numbers:
    """Let states have colours that are greater than theirs; those that have changed."""
    better = alive[states] & (values > color[states])
    states = states[better]
    np.maximum.at(color, states, values[better])
    return np.unique(states)


def begin_marks(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Mark the states whose colour is their own address, and what reaches them within their colour."""
    roots = share["alive"] & (share["color"] == share.own)
    return _mark(share, np.zeros(share.states, dtype=np.bool_), np.flatnonzero(roots))


def spread_marks(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Go on from marked states elsewhere."""
    marked = share["marked"].copy()
    return _mark(share, marked, _fit(share, marked, *from_post(inbound, ADDRESS)))


def _mark(share: Share, marked: Mask, wave: Numbers) -> PassResult:
    changed = np.zeros(share.states, dtype=np.bool_)
    color = share["color"]
    while len(wave):
        changed[wave] = marked[wave] = True
        here, numbers, place = _neighbours(share, share.into, share["into.ok"], wave)
        wave = _fit(share, marked, numbers[here], color[wave][place[here]])
    return PassResult({"marked": marked}, _tell(share, share.into, share["into.ok"], np.flatnonzero(changed), color))


def _fit(share: Share, marked: Mask, states: Numbers, colors: Colors) -> Numbers:
    """Those of some states that are to be marked, if they lead to marked ones of these colours."""
    fits = share["alive"][states] & ~marked[states] & (share["color"][states] == colors)
    return np.unique(states[fits])


def _neighbours(share: Share, way: Adjacency, ok: Mask, states: Numbers) -> tuple[Mask, Numbers, Numbers]:
    """The other ends of edges: which are here, their numbers, and for each the place of its state among `states`."""
    edges, place = way.of(states)
    some = ok[edges]
    here, numbers = share.here(way.ends[edges[some]])
    return here, numbers, place[some]


def _tell(share: Share, way: Adjacency, ok: Mask, states: Numbers, values: Array) -> list[bytes]:
    """Tell the values of some states to their neighbours elsewhere."""
    edges, place = way.of(states)
    ends = way.ends[edges]
    some = ok[edges] & ~share.here(ends)[0]
    return to_post(share, ends[some], values[states][place[some]])
