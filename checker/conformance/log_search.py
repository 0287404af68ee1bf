"""The search for a run of a model that explains all events of a log: best first, by how many events are explained.

A node is a state with the position in each process's events, and how many silent steps were taken since the last event.
No node is visited twice with as many silent steps or more. Where only one node is left, what came before is settled: it
is counted, and dropped, so that a log that determines the run needs no memory. Where many nodes wait that have the same
positions, columns take over (`SilentColumns`).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from checker.conformance.doubt import first_doubt
from checker.conformance.event_streams import EventStream, Positions
from checker.conformance.log_model import LogModel
from checker.conformance.log_nodes import LogNode, path_to
from checker.conformance.observed_event import Doubt, Observed
from checker.core.patience import Patience, Stop
from interpreter import State

if TYPE_CHECKING:
    from checker.conformance.silent_columns import SilentColumns

_KEPT: Final = 200
"""Nodes of a settled run that are kept for the report."""
_SETTLES_EVERY: Final = 500
_CONCLUDING_S: Final = 5.0
"""How long it may take to say what was found when the run is to end."""
WIDE: Final = 2_000
"""Nodes with the same positions, and as many silent steps, from which columns are faster."""

Following = list[tuple[Observed, Positions]]
"""The events that may come next, and the positions after them."""


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

    @property
    def chooses(self) -> bool:
        """Whether `look` may end a run."""

    def look(self, node: LogNode) -> bool:
        """Called for a node that is reached by a step; whether the search may go on from it."""

    def settled(self, nodes: list[LogNode]) -> None:
        """Called with the nodes of a run in order, each once, when they are settled."""

    def leaving(self, node: LogNode) -> None:
        """Called before a new machine goes on from the state of a settled node."""


def search_log(
    model: LogModel,
    stream: EventStream,
    patience: Patience,
    most: int | None,
    follower: Follower,
    wide: int | None = WIDE,
) -> LogSearched:
    """Search for a run that explains all events. Raises `ModelError`, and what reading the events raises.

    `most`: the most nodes. `wide`: nodes that wait from which columns take over; None: they do not.
    """
    search = _Search(model, stream, patience, most, follower, wide)
    try:
        search.run()
    except Stop:
        search.found.stopped = True
    with patience.grace(_CONCLUDING_S):
        return search.concluded()


@dataclass(slots=True)
class _Wide:
    """States by columns that wait. `asked`: the blocks of those that events may follow; None: one step more is next."""

    columns: SilentColumns
    following: Following
    asked: Iterator[list[LogNode]] | None


_LOOKS, _STEPS, _GATHERED = range(3)
"""What is done with a node: it is looked at, or steps silently, or is looked at when all of its kind are there."""
_Rank = tuple[int, int, int]
"""Of what waits: most events first, then fewest silent steps; then by what is done."""
_Group = tuple[Positions, _Rank]


class _Search:
    """A search under way."""

    def __init__(
        self,
        model: LogModel,
        stream: EventStream,
        patience: Patience,
        most: int | None,
        follower: Follower,
        wide: int | None,
    ) -> None:
        self.found = LogSearched()
        self._model = model
        self._stream = stream
        self._patience = patience
        self._most = most
        self._follower = follower
        self._wide = wide if model.fit.fits_columns and not follower.chooses else None
        self._visited: dict[tuple[State, Positions], int] = {}
        """The nodes that were met, with the fewest silent steps since the last event."""
        self._waiting: list[tuple[_Rank, int, LogNode | _Wide]] = []
        self._number = 0
        self._sizes: Counter[_Group] = Counter()
        """How many nodes of equal rank and positions wait."""
        self._columns: dict[Positions, list[SilentColumns]] = {}

    def run(self) -> None:
        """Search until a run is found, nothing waits, or the nodes are too many. Raises `Stop`."""
        found = self.found
        self._arrive([LogNode(state, self._stream.first(), 0, 0) for state in self._model.beginnings])
        while self._waiting and found.accepted is None:
            rank, _, one = heapq.heappop(self._waiting)
            if isinstance(one, _Wide):
                self._go_on(one)
            else:
                self._take(rank, one)
            self._patience.ask()
            if self._most is not None and found.nodes > self._most:
                found.stopped = True
                return

    # --- what waits ------------------------------------------------------------------------------------------------

    def _put(self, rank: _Rank, one: LogNode | _Wide) -> None:
        self._number += 1
        heapq.heappush(self._waiting, (rank, self._number, one))
        if isinstance(one, LogNode) and self._wide is not None:
            self._sizes[one.positions, rank] += 1

    def _arrive(self, nodes: list[LogNode]) -> None:
        """Note nodes that one node leads to, or several of equal positions. Those that are not known wait then."""
        visited = self._visited
        for node in self._unknown(nodes) if self._columns else nodes:
            key = (node.state, node.positions)
            known = visited.get(key)
            if known is not None and known <= node.silent:
                continue
            visited[key] = node.silent
            if self._follower.look(node):
                self._wait(node)

    def _unknown(self, nodes: list[LogNode]) -> list[LogNode]:
        """Those of some nodes that columns have not found."""
        groups: dict[Positions, list[LogNode]] = {}
        for node in nodes:
            groups.setdefault(node.positions, []).append(node)
        for positions in groups:
            for columns in self._columns.get(positions, ()):
                groups[positions] = columns.unknown(groups[positions])
        return [node for group in groups.values() for node in group]

    def _wait(self, node: LogNode) -> None:
        before = node.parent
        if node.event is not None and before is not None and node.positions in self._columns:
            # Columns have taken over there: one after the other, nodes would find most of it again.
            self._put((-before.consumed, before.silent, _GATHERED), node)
        else:
            self._put((-node.consumed, node.silent, _LOOKS), node)

    # --- node by node ----------------------------------------------------------------------------------------------

    def _take(self, rank: _Rank, node: LogNode) -> None:
        """Look at a node, or take the silent steps from it."""
        if not self._waiting and self._wide != 1:
            self._sizes.clear()
        elif self._wide is not None:
            group = (node.positions, rank)
            size = self._sizes[group]
            self._sizes[group] -= 1
            if size == 1:
                del self._sizes[group]
            # Where some have stepped silently and others have not yet, the group of those that have is not complete.
            if size >= self._wide and (rank[-1] != _LOOKS or not node.silent) and self._widen(group, node):
                return
            if rank[-1] == _GATHERED:
                for one in [node, *self._taken_out(group)]:
                    self._put((-one.consumed, one.silent, _LOOKS), one)
                return
        self.found.nodes += 1
        if rank[-1] == _STEPS:
            at, consumed, silent = node.positions, node.consumed, node.silent + 1
            steps = self._model.fit.silent_steps(node.state)
            self._arrive([LogNode(step.target, at, consumed, silent, node, step) for step in steps])
        else:
            self._look(node)

    def _look(self, node: LogNode) -> None:
        found = self.found
        self._note(node)
        if not self._waiting and node.consumed and not node.consumed % _SETTLES_EVERY:
            node = self._settle(node)
        following = list(self._stream.next(node.positions))
        if not following and self._stream.ended(node.positions):
            found.accepted = node
            return
        self._arrive(self._explained(node, following))
        fit = self._model.fit
        if fit.silent_steps(node.state):
            if node.silent < fit.silent.most:
                self._put((-node.consumed, node.silent + 1, _STEPS), node)
            else:
                found.bounded = True

    def _note(self, node: LogNode) -> None:
        """Note a node that explains as many events as any, or more."""
        found = self.found
        if node.consumed > found.most or not found.furthest:
            found.most, found.furthest = node.consumed, []
        if node.consumed == found.most and len(found.furthest) < _KEPT:
            found.furthest.append(node)

    def _explained(self, node: LogNode, following: Following) -> list[LogNode]:
        """The nodes that explain one event more."""
        fit = self._model.fit
        found: list[LogNode] = []
        for event, positions in following:
            steps = [(one, step) for one in event.readings for step in fit.moves(node.state, one)]
            # Of several steps to one state it does not matter which one it was.
            ways = len({s.target if s else node.state for _, s in steps}) if steps[1:] else 1
            for one, taken in steps:
                target = node.state if taken is None else taken.target
                found.append(LogNode(target, positions, node.consumed + 1, 0, node, taken, one, ways))
        return found

    def _taken_out(self, group: _Group) -> list[LogNode]:
        """The nodes of a group, which wait no more."""
        positions, rank = group
        nodes: list[LogNode] = []
        rest = []
        for entry in self._waiting:
            one = entry[-1]
            if entry[0] == rank and isinstance(one, LogNode) and one.positions == positions:
                nodes.append(one)
            else:
                rest.append(entry)
        heapq.heapify(rest)
        self._waiting = rest
        self._sizes.pop(group, None)
        return nodes

    # --- by columns ------------------------------------------------------------------------------------------------

    def _widen(self, group: _Group, node: LogNode) -> bool:
        """Have columns take over the nodes of a group, if there are silent steps from them and an event to come."""
        positions, rank = group
        following = list(self._stream.next(positions))
        if not following or not self._model.fit.silent_steps(node.state):
            return False
        from checker.conformance.silent_columns import SilentColumns

        waiting = self._taken_out(group)
        nodes = [node, *waiting]
        known = [one for (one, at), silent in self._visited.items() if at == positions and silent <= node.silent]
        earlier = tuple(self._columns.get(positions, ()))
        columns = SilentColumns.over(self._model.fit, self._patience, nodes, known, earlier)
        if columns is None:
            self._wide = None
            for one in waiting:
                self._put(rank, one)
            return False
        self._columns.setdefault(positions, []).append(columns)
        asked = None
        if rank[-1] != _STEPS:
            for one in nodes[:_KEPT]:
                self._note(one)
            asked = columns.meeting([event for event, _ in following])
        self._put((-node.consumed, *rank[1:]), _Wide(columns, following, asked))
        return True

    def _go_on(self, wide: _Wide) -> None:
        """Look at some states that columns have found, or take the silent steps from them."""
        columns, found = wide.columns, self.found
        if wide.asked is None:
            if columns.silent >= self._model.fit.silent.most:
                found.bounded |= columns.goes_on()
                return
            new = columns.next()
            found.nodes += new
            if not new:
                return
            wide.asked = columns.meeting([event for event, _ in wide.following])
        block = next(wide.asked, None)
        self._arrive([found for node in block or () for found in self._explained(node, wide.following)])
        consumed = columns.consumed
        if block is None:
            wide.asked = None
            self._put((-consumed, columns.silent + 1, _STEPS), wide)
        else:
            self._put((-consumed, columns.silent, _LOOKS), wide)

    # --- what is settled -------------------------------------------------------------------------------------------

    def _settle(self, node: LogNode) -> LogNode:
        """Nothing else waits: what led here is settled but for the last nodes, which the report may show.

        The node from which the search goes on.
        """
        model, found, follower = self._model, self.found, self._follower
        path = path_to(node)
        if model.is_full:
            self._note_doubt(path)
            follower.settled(path)
            follower.leaving(node)
            node = LogNode(model.renewed(node.state), node.positions, node.consumed, node.silent)
        elif len(path) > _KEPT:
            follower.settled(path[:-_KEPT])
            self._note_doubt(path[: 1 - _KEPT])
            path[-_KEPT].parent = None
        self._visited = {(node.state, node.positions): node.silent}
        self._columns.clear()
        found.furthest = [node]
        self._stream.settle(node.positions)
        return node

    def _note_doubt(self, path: list[LogNode]) -> None:
        """Note the first doubtful event of a run, if none before it was."""
        if self.found.doubtful is None:
            self.found.doubtful = first_doubt(path, self._model.fit, self._model.beginnings)

    def concluded(self) -> LogSearched:
        """What was found."""
        found = self.found
        last = found.accepted or (found.furthest[0] if found.furthest else None)
        if last is not None:
            path = path_to(last)
            if found.accepted is None and not found.stopped:
                self._note_doubt(path)
            self._follower.settled(path)
        return found
