"""The lasso through a fair component that is too large for the driver: shortest walks, one pass for each step back.

A pass goes back from the states at one distance of what is wanted to those at the next, until it comes to where the
walk is to begin. From there the driver reads the walk, edge by edge: it goes on by the first edge in step order that
leads nearer, so it is the least of the shortest walks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

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
    from checker.search.spark.liveness.passes import Crew

_BITS = 64


class ComponentReport(NamedTuple):
    """What is in a component here: its least head, what is asked for, and what names are always there, as bits."""

    head: Least | None
    asked: NDArray[np.uint64]
    always: NDArray[np.uint64]


class Back(NamedTuple):
    """A step back: states get this distance, and is `begin` among them. The first step looks for what is wanted.

    `bit` is the number of the obligation that is wanted, `home` the address of the head.
    """

    label: int
    distance: int
    begin: int
    aim: Aim
    bit: int
    home: int


def begin_walks(share: Share, inbound: Sequence[bytes], label: int) -> PassResult:
    """Tell the targets of edges which ones are in the component of this label, and what that asks for."""
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
    told = ComponentReport(share.least(states[share["heads"][states]]), asked, always)
    return PassResult({"walk.out": along}, [along[edges].tobytes() for edges in share.out.shared()], told)


def take_edges(share: Share, inbound: Sequence[bytes], given: Any) -> PassResult:
    """Note which edges that end here are in the component."""
    along = np.zeros(len(share.into.ends), dtype=np.bool_)
    for edges, data in zip(share.into.shared(), inbound, strict=True):
        along[edges] = np.frombuffer(data, dtype=np.bool_)
    return PassResult({"walk.into": along})


def step_back(share: Share, inbound: Sequence[bytes], back: Back) -> PassResult:
    """Give states their distance, and tell those that lead to them. Distances are told with one more: 0 is none."""
    if back.distance == 0:
        distances = np.zeros(share.states, dtype=np.uint32)
        reached = _goal(share, back)
    else:
        distances = share["distance"].copy()
        told, _ = from_post(inbound, KIND)
        reached = np.union1d(told, np.flatnonzero(share["next"]))
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
    """The states that the last edge may lead to, if it is for them that an edge is wanted."""
    goal = share["fair"] == np.uint64(back.label)
    match back.aim:
        case Aim.TAKE:
            goal = np.zeros(share.states, dtype=np.bool_)
        case Aim.LEAVE:
            goal &= ~_has(share["weak"] | share["strong"], back.bit)[share["needs"]]
        case Aim.HOME:
            goal = share.own == np.uint64(back.home)
    return np.flatnonzero(goal)


def _taking(share: Share, back: Back) -> Numbers:
    """The states with an edge that takes what is wanted."""
    wanted = share["walk.out"] & _has(share["takes"], back.bit)[share.out.marks]
    return np.unique(share.out.owners[wanted])


def _has(rows: Array, bit: int) -> Mask:
    """Which rows of bits have this one."""
    word, place = divmod(bit, _BITS)
    return np.asarray((rows[:, word] >> np.uint64(place)) & np.uint64(1), dtype=np.bool_)


class PartitionedPaths:
    """The ways inside a component that lies in partitions (see `Ways`). `graph` grows with the walks."""

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
        told: list[ComponentReport] = crew.make("begin_walks", label)
        crew.make("take_edges")
        found = least([one.head for one in told])
        assert found is not None
        self.home = found.label
        self.head = self._state(self.home)
        asked = np.bitwise_or.reduce([one.asked for one in told]) | np.bitwise_and.reduce([one.always for one in told])
        self.asked = frozenset(o for o, number in self.bits.items() if _has(asked[None, :], number)[0])

    def lasso(self) -> Lasso:
        """The lasso from the least head of the component."""
        return lasso_along(self, self.asked)

    def shortest(self, begin: int, wanted: Wanted) -> list[int]:
        bit = 0 if wanted.obligation is None else self.bits[wanted.obligation]
        address = self._found[begin]
        distance = 0
        while not any(self.crew.make("step_back", Back(self.label, distance, address, wanted.aim, bit, self.home))):
            distance += 1
        # The passes have left other arrays.
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
        """A new edge of the graph of the walks."""
        self.graph.targets.append(self._state(target))
        self.graph.marks.append(mark)
        return len(self.graph.targets) - 1

    def _next(self, state: int, left: int, wanted: Wanted) -> int:
        """The edge by which the walk goes on from a state."""
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
        """The number of a state in the graph of the walks."""
        known = self._numbers.get(address)
        if known is None:
            known = self._numbers[address] = len(self._found)
            self._found.append(address)
            share, number = self._share(known)
            self._keys.append(key_number(share["keys"], number))
            self.graph.needs.append(int(share["needs"][number]))
        return known
