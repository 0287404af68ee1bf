"""The lasso through a fair component that is too large for the driver: shortest walks, one pass for each step back.

A pass goes back from the states at one distance of the goal to those at the next, until it reaches the beginning of the
walk. From there the driver reads the walk, edge by edge: it takes the first edge in step order that leads nearer, so
the result is the least of the shortest walks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from checker.liveness.graph import Graph
from checker.liveness.lasso import Aim, Lasso, Wanted, lasso_along
from checker.search.checkpoints.key_columns import key_number
from checker.search.spark.liveness.share import (
    KIND,
    Array,
    Least,
    Mask,
    Numbers,
    PassResult,
    Share,
    from_post,
    least,
    obligations_of,
    to_post,
)

if TYPE_CHECKING:
    from checker.search.spark.liveness.share import Crew

_BITS = 64


class ComponentReport(NamedTuple):
    """The part of a component in a partition: its least head, the obligations asked for, and those always available."""

    head: Least | None
    asked: NDArray[np.uint64]
    always: NDArray[np.uint64]


class Back(NamedTuple):
    """A step back: states get this distance; the reply is whether `begin` is among them. The first step finds the goal.

    `bit` is the number of the wanted obligation, `home` the address of the head.
    """

    label: int
    distance: int
    begin: int
    aim: Aim
    bit: int
    home: int


def begin_walks(share: Share, inbound: Sequence[bytes], label: int) -> PassResult:
    """Send to the targets of edges which ones are in the component of this label; report what it asks for."""
    states = np.flatnonzero(share["fair"] == np.uint64(label))
    along = share["fair edges"] & (share["fair"] == np.uint64(label))[share.out.owners]
    width = share["takes"].shape[1]
    asked, always = np.zeros(width, dtype=np.uint64), np.full(width, ~np.uint64(0))
    if len(states):
        needs = np.unique(share["needs"][states])
        marks = np.unique(share.out.marks[along])
        asked = np.bitwise_or.reduce(share["strong"][needs], axis=0)
        asked = asked | np.bitwise_or.reduce(share["offers"][marks], axis=0)
        always = np.bitwise_and.reduce(share["weak"][needs], axis=0)
    report = ComponentReport(share.least(states[share["heads"][states]]), asked, always)
    return PassResult({"walk.out": along}, [along[edges].tobytes() for edges in share.out.shared()], report)


def take_edges(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Store which incoming edges are in the component."""
    along = np.zeros(len(share.into.ends), dtype=np.bool_)
    for edges, data in zip(share.into.shared(), inbound, strict=True):
        along[edges] = np.frombuffer(data, dtype=np.bool_)
    return PassResult({"walk.into": along})


def step_back(share: Share, inbound: Sequence[bytes], back: Back) -> PassResult:
    """Give states their distance, and send to their predecessors. Arrays have the distance plus one; 0 is none."""
    if back.distance == 0:
        distances = np.zeros(share.states, dtype=np.uint32)
        reached = _goal(share, back)
    else:
        distances = share["distance"].copy()
        received, _ = from_post(inbound, KIND)
        reached = np.union1d(received, np.flatnonzero(share["next"]))
        if back.distance == 1 and back.aim is Aim.TAKE:
            reached = _taking(share, back)
        reached = reached[distances[reached] == 0]
    distances[reached] = back.distance + 1
    edges, _ = share.into.of(reached)
    ends = np.unique(share.into.ends[edges[share["walk.into"][edges]]])
    here, numbers = share.here(ends)
    following = np.zeros(share.states, dtype=np.bool_)
    following[numbers[here]] = True
    owner, number = back.begin % share.partitions, back.begin // share.partitions
    arrived = owner == share.partition and distances[number] == back.distance + 1
    post = to_post(share, ends[~here], np.zeros(int((~here).sum()), dtype=KIND))
    return PassResult({"distance": distances, "next": following}, post, bool(arrived))


def _goal(share: Share, back: Back) -> Numbers:
    """The states that the last edge may lead to, if its target decides."""
    goal = share["fair"] == np.uint64(back.label)
    match back.aim:
        case Aim.TAKE:
            goal = np.zeros(share.states, dtype=np.bool_)
        case Aim.LEAVE:
            goal &= ~_has(share["weak"] | share["strong"], back.bit)[share["needs"]]
        case Aim.HOME:
            goal = share.own == np.uint64(back.home)
        case _:
            assert_never(back.aim)
    return np.flatnonzero(goal)


def _taking(share: Share, back: Back) -> Numbers:
    """The states with an edge that takes the wanted obligation."""
    wanted = share["walk.out"] & _has(share["takes"], back.bit)[share.out.marks]
    return np.unique(share.out.owners[wanted])


def _has(rows: Array, bit: int) -> Mask:
    """The rows that have this bit."""
    word, shift = divmod(bit, _BITS)
    return np.asarray((rows[:, word] >> np.uint64(shift)) & np.uint64(1), dtype=np.bool_)


class PartitionedPaths:
    """Shortest walks inside a partitioned component (see `ComponentPaths`). `graph` grows with the walks."""

    def __init__(self, crew: Crew, label: int) -> None:
        self.crew = crew
        self.label = label
        self.bits = {o: number for number, o in enumerate(obligations_of(crew.tables))}
        self.graph = Graph(lambda state: self._keys[state])
        self.graph.set_tables(crew.tables.mark_table, crew.tables.need_table)
        self._keys: list[int] = []
        self._found: list[int] = []
        self._numbers: dict[int, int] = {}
        self._edges: dict[int, list[int]] = {}
        self._shares: dict[int, Share] = {}
        reports: list[ComponentReport] = crew.make("begin_walks", label)
        crew.make("take_edges")
        found = least([one.head for one in reports])
        assert found is not None
        self.home = found.label
        self.head = self._state(self.home)
        strong = np.bitwise_or.reduce([one.asked for one in reports])
        asked = strong | np.bitwise_and.reduce([one.always for one in reports])
        self.asked = frozenset(o for o, number in self.bits.items() if _has(asked[None, :], number)[0])

    def lasso(self, most: int) -> Lasso:
        """The lasso from the least head of the component. `most`: see `ShortCycles`."""
        return lasso_along(self, self.asked, most)

    def shortest(self, begin: int, wanted: Wanted) -> list[int]:
        bit = 0 if wanted.obligation is None else self.bits[wanted.obligation]
        address = self._found[begin]
        distance = 0
        while not any(self.crew.make("step_back", Back(self.label, distance, address, wanted.aim, bit, self.home))):
            distance += 1
        # The passes have replaced arrays.
        self._shares.clear()
        walk: list[int] = []
        state = begin
        for left in range(distance, 0, -1):
            walk.append(self._next(state, left, wanted))
            state = self.graph.targets[walk[-1]]
        return walk

    def edges(self, state: int) -> list[int]:
        """The edges of a state in the component, in step order."""
        if state not in self._edges:
            share, number = self._share(state)
            own = slice(int(share.out.first[number]), int(share.out.first[number + 1]))
            inside = share["walk.out"][own]
            ends, marks = share.out.ends[own][inside].tolist(), share.out.marks[own][inside].tolist()
            self._edges[state] = [self._edge(end, mark) for end, mark in zip(ends, marks, strict=True)]
        return self._edges[state]

    def _edge(self, target: int, mark: int) -> int:
        """Add an edge to the graph of the walks."""
        self.graph.targets.append(self._state(target))
        self.graph.marks.append(mark)
        return len(self.graph.targets) - 1

    def _next(self, state: int, left: int, wanted: Wanted) -> int:
        """The next edge of the walk from a state."""
        for edge in self.edges(state):
            if left == 1 and wanted.aim is Aim.TAKE:
                nearer = wanted.obligation in self.graph.mark(edge).takes
            else:
                share, number = self._share(self.graph.targets[edge])
                nearer = int(share["distance"][number]) == left
            if nearer:
                return edge
        raise AssertionError("a state at some distance has an edge that leads nearer")

    def _share(self, state: int) -> tuple[Share, int]:
        """The partition of a state, and its number there."""
        number, partition = divmod(self._found[state], self.crew.partitions)
        if partition not in self._shares:
            self._shares[partition] = self.crew.share(partition)
        return self._shares[partition], number

    def _state(self, address: int) -> int:
        """The number of a state in the graph of the walks, to which it is added at first."""
        known = self._numbers.get(address)
        if known is None:
            known = self._numbers[address] = len(self._found)
            self._found.append(address)
            share, number = self._share(known)
            self._keys.append(key_number(share["keys"], number))
            self.graph.needs.append(int(share["needs"][number]))
        return known
