"""Judging components: after a round of colouring, four passes find which are fair and what to drop of the others.

The states of a component may be in several partitions. Its data is combined in the partition of the state whose address
is its colour. The passes are `label`, `gather`, `decide`, `apply`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from checker.search.spark.liveness.share import Array, Mask, PassResult, Share

_NONE: Final = np.uint64((1 << 64) - 1)
_DONE, _FAIR, _AGAIN = 0, 1, 2

Words = NDArray[np.uint64]


def label(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Send the label of the target of each edge to its source."""
    labels = _labels(share)
    into, ok = share.into, share["into.ok"]
    return PassResult(post=[labels[into.owners[edges[ok[edges]]]].tobytes() for edges in into.shared()])


def _labels(share: Share) -> Words:
    """The colour of each state with its mark: an edge within one label is inner to its component."""
    labels = share["color"] * np.uint64(2) + share["marked"]
    return np.where(share["alive"], labels, _NONE)


class _Regions:
    """The marked states of a partition by component, and their inner edges."""

    def __init__(self, share: Share, inner: Mask) -> None:
        states = np.flatnonzero(share["alive"] & share["marked"])
        order = np.argsort(share["color"][states], kind="stable")
        self.states = states[order]
        self.colors, self.first, self.of_state = np.unique(
            share["color"][self.states], return_index=True, return_inverse=True
        )
        edges, index = share.out.of(self.states)
        some = inner[edges]
        self.edges, self.of_edge = edges[some], self.of_state[index[some]]
        self.owners = (self.colors % np.uint64(share.partitions)).astype(np.int64)


def _row(share: Share) -> np.dtype[Any]:
    """The row of a component: its number, whether it has a head, the obligations taken, asked for, always available."""
    width = share["takes"].shape[1]
    words = [(name, np.uint64, (width,)) for name in ("taken", "asked", "always")]
    return np.dtype([("number", np.uint32), ("heads", np.bool_), *words])


def _answer(share: Share) -> np.dtype[Any]:
    return np.dtype([("verdict", np.uint8), ("taken", np.uint64, (share["takes"].shape[1],))])


def gather(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Find the inner edges, and send a row for the part of each component in this partition."""
    labels, out, ok = _labels(share), share.out, share["out.ok"]
    inner = np.zeros(len(ok), dtype=np.bool_)
    for edges, data in zip(out.shared(), inbound, strict=True):
        some = edges[ok[edges]]
        inner[some] = np.frombuffer(data, dtype=np.uint64) == labels[out.owners[some]]
    inner &= share["alive"][out.owners]
    found = _Regions(share, inner)
    rows = np.zeros(len(found.colors), dtype=_row(share))
    if len(rows):
        needs, marks = share["needs"][found.states], out.marks[found.edges]
        rows["number"] = found.colors // np.uint64(share.partitions)
        rows["heads"] = np.logical_or.reduceat(share["heads"][found.states], found.first)
        rows["asked"] = np.bitwise_or.reduceat(share["strong"][needs], found.first, axis=0)
        rows["always"] = np.bitwise_and.reduceat(share["weak"][needs], found.first, axis=0)
        component, mark = np.divmod(np.unique(found.of_edge * len(share["takes"]) + marks), len(share["takes"]))
        for column, table in (("taken", share["takes"]), ("asked", share["offers"])):
            np.bitwise_or.at(rows[column], component, table[mark])
    post = [rows[found.owners == owner].tobytes() for owner in range(share.partitions)]
    return PassResult({"inner": inner}, post)


def decide(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Judge the components whose colours are addresses of this partition, and send the verdicts back."""
    kind = _row(share)
    received = [np.frombuffer(data, dtype=kind) for data in inbound]
    rows = np.concatenate(received)
    _, component = np.unique(rows["number"], return_inverse=True)
    count = int(component.max()) + 1 if len(rows) else 0
    answers = np.zeros(count, dtype=_answer(share))
    if count:
        order = np.argsort(component, kind="stable")
        first = np.searchsorted(component[order], np.arange(count))
        taken, asked = (np.bitwise_or.reduceat(rows[c][order], first, axis=0) for c in ("taken", "asked"))
        always = np.bitwise_and.reduceat(rows["always"][order], first, axis=0)
        bad, skipped = _any(asked & ~taken), _any(always & ~taken)
        headless = ~np.logical_or.reduceat(rows["heads"][order], first)
        answers["verdict"] = np.where(headless, _DONE, np.where(bad, _AGAIN, np.where(skipped, _DONE, _FAIR)))
        answers["taken"] = taken
    ends = np.cumsum([len(part) for part in received])
    return PassResult(post=[answers[part].tobytes() for part in np.split(component, ends[:-1])])


def apply(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Remove components that are done, and from the others the states and edges that no fair cycle has.

    Reports the least head in a fair component, with its label in `fair`.
    """
    inner, alive = share["inner"], share["alive"]
    found = _Regions(share, inner)
    answers = np.zeros(len(found.colors), dtype=_answer(share))
    for owner, data in enumerate(inbound):
        answers[found.owners == owner] = np.frombuffer(data, dtype=answers.dtype)
    of_state, of_edge = answers[found.of_state], answers[found.of_edge]
    needs, marks = share["needs"][found.states], share.out.marks[found.edges]
    done = of_state["verdict"] != _AGAIN
    doomed = np.zeros(share.states, dtype=np.bool_)
    doomed[found.states[done | _any(share["strong"][needs] & ~of_state["taken"])]] = True
    ok = inner.copy()
    ok[found.edges[(of_edge["verdict"] != _AGAIN) | _any(share["offers"][marks] & ~of_edge["taken"])]] = False
    outcome = PassResult({"doomed": doomed & alive, "out.ok": ok})
    fair = found.states[of_state["verdict"] == _FAIR]
    if len(fair):
        labels, edges = share["fair"].copy(), share["fair edges"].copy()
        labels[fair] = share["color"][fair] + np.uint64(1)
        edges[found.edges[of_edge["verdict"] == _FAIR]] = True
        outcome.arrays |= {"fair": labels, "fair edges": edges}
        outcome.reply = share.least(fair[share["heads"][fair]], labels)
    before = share["out.ok"]
    outcome.post = [ok[edges[before[edges]]].tobytes() for edges in share.out.shared()]
    return outcome


def _any(bits: Array) -> Mask:
    """The rows with any bit."""
    return np.asarray((bits != 0).any(axis=1), dtype=np.bool_)
