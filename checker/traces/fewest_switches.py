"""The search for a run of a given length with the fewest context switches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
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
    """The search met more states than it may."""


@dataclass(slots=True, eq=False)
class SearchNode:
    """A state and what was done to reach it. `context`: the last mover, which decides what the next step costs.

    `starts`, `crashes`: how many actions started and how many steps were crashes. `before` None: a state after Init.
    """

    state: State
    begin: InitialState
    context: Context | None = None
    starts: int = 0
    crashes: int = 0
    before: SearchNode | None = None
    move: Move | None = None


class FewestSwitches:
    """Searches runs by their number of context switches, then by their length, with a bucket of nodes for each pair.

    Of several paths to a state with the same mover, the one with the fewest switches counts, then the one whose last
    step is least in the step order, then the one from the state of least key. A path that reaches a state on a later
    level than another is dropped: it is no part of a shortest run; unless it ends with the step that decides.
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

    def search(self, beginnings: Iterable[InitialState], most: int) -> SearchNode | None:
        """The end of the run with the fewest switches, or None if all have `most` or more. Raises `TooLarge`."""
        if not most:
            return None
        for begin in beginnings:
            self._arrive(SearchNode(begin.state, begin), 0, 0)
        for switches in range(most):
            for level in range(self.goal.length):
                for node in self._waiting.pop((switches, level), {}).values():
                    self._go_on(node, switches, level, most)
            ends = self._waiting.pop((switches, self.goal.length), {}).values()
            for node in sorted(ends, key=self._rank_of_end):
                if self._is_end(node):
                    return node
        return None

    def _go_on(self, node: SearchNode, switches: int, level: int, most: int) -> None:
        if self._levels[node.state] < level:
            return
        for move in self.moves.of(node.state, starts=not is_cut(node.starts, self.bound)).moves:
            context = self.contexts.after(move.rule, move.thread)
            total = switches + (not self.contexts.goes_on(node.context, move.rule))
            if level + 1 == self.goal.length and self.goal.then is not None:
                total += not self.contexts.goes_on(context, self.goal.then)
            if total < most:
                starts = starts_after(node.starts, move.rule.kind)
                crashes = crashes_after(node.crashes, move.crashes)
                if starts <= self.goal.starts and crashes <= self.goal.crashes:
                    following = SearchNode(move.target, node.begin, context, starts, crashes, node, move)
                    self._arrive(following, total, level + 1)

    def _arrive(self, node: SearchNode, switches: int, level: int) -> None:
        # A last step that decides may lead back to an earlier level: it is the step that is part of a shortest run.
        if not (self.goal.of_steps and level == self.goal.length):
            if self._levels.get(node.state, level) < level:
                return
            self._levels[node.state] = level
        if len(self._levels) > self.most_states:
            raise TooLarge
        key = self._key(node, level)
        if self._cheapest.get(key, switches) < switches:
            return
        self._cheapest[key] = switches
        waiting = self._waiting[switches, level]
        if key not in waiting or self._is_before(node, waiting[key]):
            waiting[key] = node

    def _key(self, node: SearchNode, level: int) -> _Key:
        """Nodes with the same key have the same continuations."""
        effort = (node.starts, node.crashes)
        if level < self.goal.length:
            return (level, node.state, node.context, effort)
        source = None
        if self.goal.of_steps and node.before is not None and node.move is not None:
            source = (node.before.state, node.move.order)
        return (level, node.state, source, effort)

    def _is_end(self, node: SearchNode) -> bool:
        if node.before is None or node.move is None:
            return False
        if (node.starts, node.crashes) != (self.goal.starts, self.goal.crashes):
            return False
        return self.goal.reached(node.before.state, node.move, node.starts) is not None

    # --- ranks: which of several nodes comes first -----------------------------------------------------------------

    def _rank(self, node: SearchNode) -> tuple[object, ...]:
        threads, context = node.state.threads, node.context
        owner, thread = ("", None) if context is None else context
        index = threads.index(thread) if thread in threads else -1
        return (self.moves.key(node.state), owner, index)

    def _is_before(self, node: SearchNode, other: SearchNode) -> bool:
        """Whether the last move of the one comes first. Orders are compared first: keys cost a pass over the state."""
        if node.move is not None and other.move is not None and node.move.order != other.move.order:
            return node.move.order < other.move.order
        return self._rank_of_move(node) < self._rank_of_move(other)

    def _rank_of_move(self, node: SearchNode) -> tuple[object, ...]:
        if node.before is None or node.move is None:
            return (node.begin.forks,)
        return (node.move.order, self._rank(node.before))

    def _rank_of_end(self, node: SearchNode) -> tuple[object, ...]:
        key = self.moves.key(node.state)
        return (0 if self.goal.of_steps else key, self._rank_of_move(node))
