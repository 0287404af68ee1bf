"""The search for a run of a model that explains all events of a log: best first, by how many events are explained.

A node is a state with the position in each process's events, and how many silent steps were taken since the last event.
No node is visited twice with as many silent steps or more. Where only one node is left, what came before is settled: it
is counted, and dropped, so that a log that determines the run needs no memory.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from checker.conformance.doubt import first_doubt
from checker.conformance.event_sources import Ordered
from checker.conformance.log_model import LogModel
from checker.conformance.observed_event import Doubt, Observed
from checker.core.patience import Patience
from interpreter import State, Step

_ASKS_EVERY: Final = 256
_KEPT: Final = 200
"""Nodes of a settled run that are kept for the report."""
_SETTLES_EVERY: Final = 500

Positions = tuple[int, ...]
Visited = dict[tuple[State, Positions], int]
"""The nodes that were met, with the fewest silent steps since the last event."""


class EventStream(Protocol):
    """The events that may come next, given how many of each process are explained."""

    def first(self) -> Positions:
        """No event is explained."""

    def next(self, positions: Positions) -> Iterator[tuple[Observed, Positions]]:
        """The events that may come next, and the positions after them."""

    def ended(self, positions: Positions) -> bool:
        """Whether no event is left, if none may come next."""

    def settle(self, positions: Positions) -> None:
        """Events before these positions will not be asked for again."""


class InOrder:
    """All events one after the other, read while the search goes on."""

    def __init__(self, events: Iterator[Observed]) -> None:
        self._events = events
        self._held: list[Observed] = []
        self._from = 0

    def first(self) -> Positions:
        """No event is explained."""
        return (0,)

    def next(self, positions: Positions) -> Iterator[tuple[Observed, Positions]]:
        """The next event."""
        at = positions[0] - self._from
        if at == len(self._held):
            following = next(self._events, None)
            if following is None:
                return
            self._held.append(following)
        yield self._held[at], (positions[0] + 1,)

    def ended(self, positions: Positions) -> bool:
        """If none may come next, none is left."""
        return True

    def settle(self, positions: Positions) -> None:
        """Drop the events before."""
        del self._held[: positions[0] - self._from]
        self._from = positions[0]


class PerProcess:
    """The events of each process in its order, each after those that it needs."""

    def __init__(self, events: Sequence[Sequence[Ordered]]) -> None:
        self._events = events

    def first(self) -> Positions:
        """No event is explained."""
        return tuple([0] * len(self._events))

    def next(self, positions: Positions) -> Iterator[tuple[Observed, Positions]]:
        """The next event of each process, if those that it needs are explained."""
        for process, (events, position) in enumerate(zip(self._events, positions, strict=True)):
            if position < len(events) and all(positions[one] >= count for one, count in events[position].needs):
                yield events[position].event, (*positions[:process], position + 1, *positions[process + 1 :])

    def ended(self, positions: Positions) -> bool:
        """Whether no process has an event left; else two wait for each other."""
        return all(at == len(events) for at, events in zip(positions, self._events, strict=True))

    def settle(self, positions: Positions) -> None:
        """They are held anyway."""


@dataclass(slots=True)
class LogNode:
    """A state that explains some events. `ways`: to how many states its event leads, where it came from."""

    state: State
    positions: Positions
    consumed: int
    silent: int
    parent: LogNode | None = None
    step: Step | None = None
    event: Observed | None = None
    ways: int = 1


@dataclass(slots=True)
class LogSearched:
    """The end of a search. `accepted`: the last node of a run that explains all; `furthest`: nodes with most events.

    `stopped`: by patience or by the bound on nodes. `bounded`: a silent step was left out because of their bound.
    `blocked`: the events that may come next after the furthest nodes.
    """

    accepted: LogNode | None = None
    furthest: list[LogNode] = field(default_factory=list)
    stopped: bool = False
    bounded: bool = False
    nodes: int = 0
    most: int = 0
    doubtful: Doubt | None = None
    """Of the run that is settled or got furthest."""


class Follower(Protocol):
    """What is done with the nodes of a search."""

    def look(self, node: LogNode) -> bool:
        """Called for a node that is reached by a step; whether the search may go on from it."""

    def settled(self, nodes: list[LogNode]) -> None:
        """Called with the nodes of a run in order, each once, when they are settled."""

    def leaving(self, node: LogNode) -> None:
        """Called before a new machine goes on from the state of a settled node."""


def search_log(
    model: LogModel, stream: EventStream, patience: Patience, most: int | None, follower: Follower
) -> LogSearched:
    """Search for a run that explains all events. Raises `ModelError`, and what reading the events raises."""
    found = LogSearched()
    fit, look, settled = model.fit, follower.look, follower.settled
    visited: Visited = {}
    waiting: list[tuple[int, int, int, int, LogNode]] = []
    number = 0

    def put(node: LogNode, silently: bool = False) -> None:
        nonlocal number
        number += 1
        heapq.heappush(waiting, (-node.consumed, node.silent + silently, int(silently), number, node))

    for state in model.beginnings:
        start = LogNode(state, stream.first(), 0, 0)
        visited[state, start.positions] = 0
        if look(start):
            put(start)
    while waiting:
        *_, silently, _, node = heapq.heappop(waiting)
        found.nodes += 1
        if (not found.nodes % _ASKS_EVERY and patience.over is not None) or (most is not None and found.nodes > most):
            found.stopped = True
            break
        if silently:
            for step in fit.silent_steps(node.state):
                _arrive(
                    LogNode(step.target, node.positions, node.consumed, node.silent + 1, node, step), visited, look, put
                )
            continue
        if node.consumed > found.most or not found.furthest:
            found.most, found.furthest = node.consumed, []
        if node.consumed == found.most and len(found.furthest) < _KEPT:
            found.furthest.append(node)
        if not waiting and node.consumed and not node.consumed % _SETTLES_EVERY:
            node = _settle(node, model, stream, visited, follower, found)
            fit = model.fit
        following = list(stream.next(node.positions))
        if not following and stream.ended(node.positions):
            found.accepted = node
            break
        for event, positions in following:
            found_steps = [(one, step) for one in event.readings for step in fit.moves(node.state, one)]
            # Of several steps to one state it does not matter which one it was.
            ways = len({s.target if s else node.state for _, s in found_steps}) if found_steps[1:] else 1
            for one, taken in found_steps:
                target = node.state if taken is None else taken.target
                after = LogNode(target, positions, node.consumed + 1, 0, node, taken, one, ways)
                _arrive(after, visited, look, put)
        if fit.silent_steps(node.state):
            if node.silent < fit.silent.most:
                put(node, True)
            else:
                found.bounded = True
    last = found.accepted or (found.furthest[0] if found.furthest else None)
    if last is not None:
        path = path_to(last)
        if found.accepted is None:
            _note_doubt(path, model, found)
        settled(path)
    return found


def _arrive(node: LogNode, visited: Visited, look: Callable[[LogNode], bool], put: Callable[[LogNode], None]) -> None:
    key = (node.state, node.positions)
    known = visited.get(key)
    if known is not None and known <= node.silent:
        return
    visited[key] = node.silent
    if look(node):
        put(node)


def _settle(
    node: LogNode,
    model: LogModel,
    stream: EventStream,
    visited: Visited,
    follower: Follower,
    found: LogSearched,
) -> LogNode:
    """Nothing else waits: what led here is settled but for the last nodes, which the report may show.

    The node from which the search goes on.
    """
    path = path_to(node)
    if model.is_full:
        _note_doubt(path, model, found)
        follower.settled(path)
        follower.leaving(node)
        node = LogNode(model.renewed(node.state), node.positions, node.consumed, node.silent)
    elif len(path) > _KEPT:
        follower.settled(path[:-_KEPT])
        _note_doubt(path[: 1 - _KEPT], model, found)
        path[-_KEPT].parent = None
    visited.clear()
    visited[node.state, node.positions] = node.silent
    found.furthest = [node]
    stream.settle(node.positions)
    return node


def _note_doubt(path: list[LogNode], model: LogModel, found: LogSearched) -> None:
    """Note the first doubtful event of a run, if none before it was."""
    if found.doubtful is None:
        found.doubtful = first_doubt(path, model.fit, model.beginnings)


def path_to(node: LogNode) -> list[LogNode]:
    """The nodes of a run that are still known, in order."""
    path: list[LogNode] = []
    current: LogNode | None = node
    while current is not None:
        path.append(current)
        current = current.parent
    return path[::-1]
