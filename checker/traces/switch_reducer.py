"""Of the shortest counterexamples, the one with the fewest context switches.

Engines find the least counterexample by depth and key, without regard to context switches. Here a run is searched that
is as short, violates the same property and has fewer of them. The search uses only the machine and the known run, so
the answer is the same after every engine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from checker.core.exploration import Finding
from checker.core.patience import Patience, Stop
from checker.core.property import Property
from checker.search.contract.assertion_answers import Answer
from checker.search.memo.memo import Memory
from checker.traces.fewest_switches import FewestSwitches, SearchNode, TooLarge
from checker.traces.goal import Goal, Goals
from checker.traces.joining import Joiner
from checker.traces.model_walk import Walk
from checker.traces.moves import Moves, move_of, path_to
from checker.traces.replay import Story
from checker.traces.switches import Contexts
from interpreter.initial_states import initial_states

MOST_STATES: Final = 1_000
"""States after which a search is given up."""

MOST_JOINED: Final = 2_000
"""Steps of all replays together after which no more pieces are joined."""


class SwitchReducer:
    """Finds stories with fewer context switches for the findings of one machine, with the memory of an exploration.

    `most_states`: after so many states a search is given up. `most_joined`: how many steps all replays for one story
    may take together.
    """

    def __init__(
        self,
        memory: Memory,
        patience: Patience | None = None,
        most_states: int = MOST_STATES,
        most_joined: int = MOST_JOINED,
    ) -> None:
        self.patience = patience or Patience()
        self._most_states = most_states
        self._most_joined = most_joined
        machine = self.machine = memory.machine
        self._contexts = Contexts(machine)
        self._moves = Moves(memory)
        self._goals = Goals(machine, self._moves)

    def reduced(self, finding: Finding, story: Story, property: Property | None) -> tuple[Finding, Story]:
        """The finding with the story of fewest context switches, or as given if no story with fewer is found.

        Another instance may decide the new story. `property` None: the model fails.
        """
        options = self.machine.program.options
        if options.continue_on_invariant_failures and not options.continue_path_on_invariant_failures:
            # The shortest length depends on the states that were not expanded, which are not known here.
            return finding, story
        if self.patience.over is not None:
            return finding, story
        try:
            found = self._found(finding, story, property)
        except (KeyboardInterrupt, Stop, MemoryError):
            # The answer is known without this search, so its end is no error.
            found = None
        return found or (finding, story)

    def _found(self, finding: Finding, story: Story, property: Property | None) -> tuple[Finding, Story] | None:
        goal = self._goals.goal(finding, story, property)
        known = joined = None
        most = goal.length
        if story.is_run:
            known = Walk(self.machine, story.begin, list(story.steps[: goal.length]))
            joined = self._joined(known, goal)
            most = self._contexts.switches(joined, goal.then)
        # Any run is better than a story of states that stand for others.
        walk = self._searched(goal, most) or joined
        answer = self._end(walk, goal) if walk is not None and walk is not known else None
        if walk is None or answer is None:
            return None
        rest = slice(goal.length + 1, None)
        entries, states = (*walk.entries(), *story.entries[rest]), (*walk.states(), *story.states[rest])
        steps = (*walk.steps, *story.steps[goal.length :])
        return replace(finding, instance=answer.instance), Story(entries, states, walk.start, steps)

    def _searched(self, goal: Goal, most: int) -> Walk | None:
        """A run to the goal with fewer than `most` context switches."""
        search = FewestSwitches(goal, self._moves, self._contexts, self._most_states)
        try:
            node = search.search(initial_states(self.machine), most)
        except TooLarge:
            return None
        return None if node is None else self._walk(node)

    def _walk(self, node: SearchNode) -> Walk:
        """The path to a node, taken by the machine."""
        walk = Walk(self.machine, node.begin)
        for state, move in reversed(list(path_to(node))):
            walk.take(self._moves.step(state, move))
        return walk

    def _joined(self, walk: Walk, goal: Goal) -> Walk:
        """A run of the same steps, in an order with fewer context switches if there is one."""

        def ended(run: Walk) -> bool:
            return len(run.steps) == goal.length and self._end(run, goal) is not None

        return Joiner(self.machine, ended, self._most_joined, goal.then).join(walk)

    def _end(self, walk: Walk, goal: Goal) -> Answer | None:
        """The answer of the goal for the last step of a run."""
        before = walk.state_after(len(walk.steps) - 1)
        return goal.reached(before, move_of(self.machine, before, walk.steps[-1]), walk.starts)
