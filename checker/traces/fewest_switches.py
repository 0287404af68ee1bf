"""The search for a run of a given length with the fewest context switches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from checker.search.contract.bounds import is_cut, starts_after
from checker.search.contract.parents import crashes_after
from checker.traces.goal import Goal
from checker.traces.moves import Move, Moves
from checker.traces.switches import Context, Contexts
from interpreter import State
from interpreter.state.step import InitialState

_Key = tuple[object, ...]


class TooLarge(Exception):
    """More states were met than a search may meet."""


@dataclass(slots=True, eq=False)
class SearchNode:
    """A way to be in a state: who has moved last decides what a step costs. `before` None: after Init."""

    state: State
    begin: InitialState
    context: Context | None = None
    starts: int = 0
    crashes: int = 0
    before: SearchNode | None = None
    move: Move | None = None


class FewestSwitches:
    """Goes through runs by their number of context switches, and among these by their length.

    Of several ways to be in a state with the same mover the one with the fewest switches counts, then the one with the
    least last step in the step order, then the one from the state of least key. Runs that come to a state later than
    others do are no shortest ones.
    """

    def __init__(self, goal: Goal, moves: Moves, contexts: Contexts, most_states: int) -> None:
        self.goal = goal
        self.moves = moves
        self.contexts = contexts
        self.most_states = most_states
        self.machine = moves.machine
        self.bound = self.machine.program.options.max_actions
        self._levels: dict[State, int] = {}
        self._cheapest: dict[_Key, int] = {}
        self._waiting: defaultdict[tuple[int, int], dict[_Key, SearchNode]] = defaultdict(dict)

    def calmest(self, beginnings: Sequence[InitialState], most: int) -> SearchNode | None:
        """Where the calmest run ends, if one has fewer than `most` switches. Raises `TooLarge`."""
        for begin in beginnings:
            self._arrive(SearchNode(begin.state, begin), 0, 0)
        for switches in range(most):
            for level in range(self.goal.length):
                for place in self._waiting.pop((switches, level), {}).values():
                    self._go_on(place, switches, level, most)
            ends = self._waiting.pop((switches, self.goal.length), {}).values()
            for place in sorted(ends, key=self._rank_of_end):
                if self._is_end(place):
                    return place
        return None

    def _go_on(self, place: SearchNode, switches: int, level: int, most: int) -> None:
        if self._levels[place.state] < level:
            return
        for move in self.moves.of(place.state, starts=not is_cut(place.starts, self.bound)).moves:
            context = self.contexts.after(move.rule, move.thread)
            total = switches + (not self.contexts.goes_on(place.context, move.rule))
            if level + 1 == self.goal.length and self.goal.then is not None:
                total += not self.contexts.goes_on(context, self.goal.then)
            if total < most:
                starts = starts_after(place.starts, move.rule.kind)
                crashes = crashes_after(place.crashes, move.crashes)
                if starts <= self.goal.starts and crashes <= self.goal.crashes:
                    there = SearchNode(move.target, place.begin, context, starts, crashes, place, move)
                    self._arrive(there, total, level + 1)

    def _arrive(self, place: SearchNode, switches: int, level: int) -> None:
        if self._levels.get(place.state, level) < level:
            return
        self._levels[place.state] = level
        if len(self._levels) > self.most_states:
            raise TooLarge
        key = self._key(place, level)
        if self._cheapest.get(key, switches) < switches:
            return
        self._cheapest[key] = switches
        waiting = self._waiting[switches, level]
        if key not in waiting or self._is_before(place, waiting[key]):
            waiting[key] = place

    def _key(self, place: SearchNode, level: int) -> _Key:
        """Places with the same key go on alike."""
        effort = (place.starts, place.crashes)
        if level < self.goal.length:
            return (level, place.state, place.context, effort)
        source = None
        if self.goal.of_steps and place.before is not None and place.move is not None:
            source = (place.before.state, place.move.order)
        return (level, place.state, source, effort)

    def _is_end(self, place: SearchNode) -> bool:
        if place.before is None or place.move is None:
            return False
        if (place.starts, place.crashes) != (self.goal.starts, self.goal.crashes):
            return False
        return self.goal.reached(place.before.state, place.move, place.starts) is not None

    # --- ranks: which of several comes first -----------------------------------------------------------------------

    def _rank(self, place: SearchNode) -> tuple[object, ...]:
        threads, context = place.state.threads, place.context
        owner, thread = ("", None) if context is None else context
        seat = threads.index(thread) if thread in threads else -1
        return (self.moves.key(place.state), owner, seat)

    def _is_before(self, place: SearchNode, other: SearchNode) -> bool:
        """Does the last move of the one come first? Most orders differ, and keys are sums over whole states."""
        if place.move is not None and other.move is not None and place.move.order != other.move.order:
            return place.move.order < other.move.order
        return self._rank_of_move(place) < self._rank_of_move(other)

    def _rank_of_move(self, place: SearchNode) -> tuple[object, ...]:
        if place.before is None or place.move is None:
            return (place.begin.forks,)
        return (place.move.order, self._rank(place.before))

    def _rank_of_end(self, place: SearchNode) -> tuple[object, ...]:
        key = self.moves.key(place.state)
        return (0 if self.goal.of_steps else key, self._rank_of_move(place))
