"""Trimming: states without a successor or predecessor left are components by themselves; they are judged and removed.

`alive` states may still be in a larger component. `out.ok` and `into.ok` are the edges that have not been dropped, the
same at both ends of an edge; `outs` and `ins` count those of them between different alive states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.core.demand import NoLasso
from checker.search.spark.liveness.share import (
    KIND,
    Adjacency,
    Array,
    Least,
    Mask,
    Numbers,
    PassResult,
    Share,
    from_post,
    members,
    to_post,
)

_PREDECESSOR, _SUCCESSOR = 0, 1
"""What the receiver of post has lost."""


class TrimProgress(NamedTuple):
    """The numbers of states and edges left in a partition, and the least head that is a fair component by itself."""

    states: int
    edges: int
    found: Least | None


def begin(share: Share, inbound: Sequence[bytes], demand: NoLasso) -> PassResult:
    """Begin a search: states and crash steps that no cycle may have are removed."""
    heads, crashes = members(share, demand.touches), share["crash steps"]
    trimming = _Trimming(
        share,
        heads,
        np.ones(share.states, dtype=np.bool_),
        ~crashes[share.out.marks],
        ~crashes[share.into.marks],
    )
    trimming.count()
    outcome = trimming.go(np.flatnonzero(~members(share, demand.cycle)))
    outcome.arrays |= {
        "heads": heads,
        "fair": np.zeros(share.states, dtype=np.uint64),
        "fair edges": np.zeros(len(trimming.out_ok), dtype=np.bool_),
        "out.ok": trimming.out_ok,
        "into.ok": trimming.into_ok,
    }
    return outcome


def again(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Begin another round: the sources of edges have sent which ones are left, and `doomed` states are removed."""
    before, ok = share["into.ok"], np.zeros(len(share.into.ends), dtype=np.bool_)
    for edges, data in zip(share.into.shared(), inbound, strict=True):
        some = edges[before[edges]]
        ok[some] = np.frombuffer(data, dtype=np.bool_)
    trimming = _Trimming(share, share["heads"], share["alive"].copy(), share["out.ok"], ok)
    trimming.count()
    outcome = trimming.go(np.flatnonzero(share["doomed"]))
    outcome.arrays["into.ok"] = ok
    return outcome


def trim(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Continue after states of other partitions were removed."""
    trimming = _Trimming(share, share["heads"], share["alive"].copy(), share["out.ok"], share["into.ok"])
    trimming.outs, trimming.ins = share["outs"].copy(), share["ins"].copy()
    touched, kinds = from_post(inbound, KIND)
    np.subtract.at(trimming.ins, touched[kinds == _PREDECESSOR], np.uint32(1))
    np.subtract.at(trimming.outs, touched[kinds == _SUCCESSOR], np.uint32(1))
    return trimming.go(np.zeros(0, dtype=np.int64), touched)


class _Trimming:
    """One pass in one partition, until nothing changes within the partition."""

    def __init__(self, share: Share, heads: Mask, alive: Mask, out_ok: Mask, into_ok: Mask) -> None:
        self.share = share
        self.heads = heads
        self.alive = alive
        self.out_ok = out_ok
        self.into_ok = into_ok
        self.outs: NDArray[np.uint32] = np.zeros(0, dtype=np.uint32)
        self.ins: NDArray[np.uint32] = np.zeros(0, dtype=np.uint32)

    def count(self) -> None:
        """Count the edges of each state except its loops, which put no state into a larger component."""
        out, into = self.share.out, self.share.into
        self.outs = out.sums(self.out_ok & ~self.share.loops(out))
        self.ins = into.sums(self.into_ok & ~self.share.loops(into))

    def go(self, doomed: Numbers, touched: Numbers | None = None) -> PassResult:
        """Remove the `doomed` states without judging them, then states that are alone.

        `touched`: the other states that may be alone now; None: any.
        """
        gone = np.zeros(self.share.states, dtype=np.bool_)
        alone: list[Numbers] = []
        self._remove(doomed, gone)
        wave = self._alone(np.flatnonzero(self.alive) if touched is None else touched)
        while len(wave):
            alone.append(wave)
            wave = self._alone(self._remove(wave, gone))
        return PassResult(
            {"alive": self.alive, "outs": self.outs, "ins": self.ins},
            self._post(np.flatnonzero(gone)),
            TrimProgress(int(self.alive.sum()), int(self.outs[self.alive].sum()), self._judge(alone)),
        )

    def _alone(self, states: Numbers) -> Numbers:
        """The states of some that are in no cycle except their loops."""
        lonely = self.alive[states] & ((self.outs[states] == 0) | (self.ins[states] == 0))
        return np.unique(states[lonely])

    def _remove(self, states: Numbers, gone: Mask) -> Numbers:
        """Remove states; returns their neighbours in this partition, once for each lost edge."""
        self.alive[states] = False
        gone[states] = True
        touched = [self._lose(self.share.out, self.out_ok, states, self.ins)]
        touched.append(self._lose(self.share.into, self.into_ok, states, self.outs))
        return np.concatenate(touched)

    def _lose(self, side: Adjacency, ok: Mask, states: Numbers, counts: NDArray[np.uint32]) -> Numbers:
        edges, index = side.of(states)
        some = ok[edges]
        edges, index = edges[some], index[some]
        here, numbers = self.share.here(side.ends[edges])
        here &= numbers != states[index]
        neighbours = numbers[here]
        np.subtract.at(counts, neighbours, np.uint32(1))
        return neighbours

    def _post(self, gone: Numbers) -> list[bytes]:
        ends: list[Array] = []
        kinds: list[Array] = []
        sides = ((self.share.out, self.out_ok, _PREDECESSOR), (self.share.into, self.into_ok, _SUCCESSOR))
        for side, ok, kind in sides:
            edges, _ = side.of(gone)
            others = side.ends[edges[ok[edges]]]
            others = others[~self.share.here(others)[0]]
            ends.append(others)
            kinds.append(np.full(len(others), kind, dtype=KIND))
        return to_post(self.share, np.concatenate(ends), np.concatenate(kinds))

    def _judge(self, alone: list[Numbers]) -> Least | None:
        if not alone:
            return None
        states = np.concatenate(alone)
        states = states[self.heads[states]]
        return self.share.least(states[fair_alone(self.share, states)])


def fair_alone(share: Share, states: Numbers) -> Mask:
    """The states that are fair components by themselves, with their loops."""
    edges, index = share.out.of(states)
    loops = share.out.ends[edges] == share.own[states][index]
    edges, index = edges[loops], index[loops]
    takes, offers = share["takes"], share["offers"]
    while True:
        marks = share.out.marks[edges]
        taken = np.zeros((len(states), takes.shape[1]), dtype=np.uint64)
        np.bitwise_or.at(taken, index, takes[marks])
        bad = ((offers[marks] & ~taken[index]) != 0).any(axis=1)
        if not bad.any():
            break
        edges, index = edges[~bad], index[~bad]
    needs = share["needs"][states]
    wanted = share["strong"][needs] | share["weak"][needs]
    return np.asarray(((wanted & ~taken) == 0).all(axis=1), dtype=np.bool_)
