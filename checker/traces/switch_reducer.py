"""Of the shortest counterexamples the calmest: the one with the fewest context switches.

What engines find is the least by depth and key, whoever moves in it. Here a run is looked for that is as short, ends in
a violation of the same property, and switches less. All that is used is the machine and the run that is known, so the
answer is the same after every engine.
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

MOST_STATES: Final = 1_000
"""States met in a search after which it is given up."""

MOST_JOINED: Final = 2_000
"""Steps of all replays together after which pieces are joined no more."""


class SwitchReducer:
    """Finds calmer stories for the findings of one machine. What an exploration remembers need not be done again."""

    def __init__(self, memory: Memory, patience: Patience | None = None) -> None:
        self.patience = patience or Patience()
        machine = self.machine = memory.machine
        self._contexts = Contexts(machine)
        self._moves = Moves(memory)
        self._goals = Goals(machine, self._moves)

    def calmer(self, finding: Finding, told: Story, property: Property | None) -> tuple[Finding, Story]:
        """A finding with its calmest story, which another instance may decide; as they are, if there is none calmer.

        `property` None: the model fails.
        """
        options = self.machine.program.options
        if options.continue_on_invariant_failures and not options.continue_path_on_invariant_failures:
            # What is the shortest depends on the states that were passed over, which are not known here.
            return finding, told
        if self.patience.over is not None:
            return finding, told
        try:
            found = self._found(finding, told, property)
        except (KeyboardInterrupt, Stop, MemoryError):
            # The answer is known, and whoever has lost patience can do without its calmest story.
            found = None
        return found or (finding, told)

    def _found(self, finding: Finding, told: Story, property: Property | None) -> tuple[Finding, Story] | None:
        goal = self._goals.goal(finding, told, property)
        known = joined = None
        most = goal.length
        if told.is_run:
            known = Walk(self.machine, told.begin, list(told.steps[: goal.length]))
            joined = self._joined(known, goal)
            most = self._contexts.switches(joined, goal.then)
        # A story of states that stand for others is worth less than any run.
        walk = self._searched(goal, told, most) or joined
        answer = self._end(walk, goal) if walk is not None and walk is not known else None
        if walk is None or answer is None:
            return None
        rest = slice(goal.length + 1, None)
        entries, states = (*walk.entries(), *told.entries[rest]), (*walk.states(), *told.states[rest])
        steps = (*walk.steps, *told.steps[goal.length :])
        return replace(finding, instance=answer.instance), Story(entries, states, walk.start, steps, told.beginnings)

    def _searched(self, goal: Goal, told: Story, most: int) -> Walk | None:
        """A run up to the goal with fewer than `most` context switches."""
        try:
            place = FewestSwitches(goal, self._moves, self._contexts, MOST_STATES).calmest(told.beginnings, most)
        except TooLarge:
            return None
        return None if place is None else self._walk(place)

    def _walk(self, place: SearchNode) -> Walk:
        """The way to a place, gone by the machine."""
        walk = Walk(self.machine, place.begin)
        for state, move in reversed(list(path_to(place))):
            walk.take(self._moves.step(state, move))
        return walk

    def _joined(self, walk: Walk, goal: Goal) -> Walk:
        """A run of the same steps, in an order with fewer context switches if one is found."""

        def ended(run: Walk) -> bool:
            return len(run.steps) == goal.length and self._end(run, goal) is not None

        return Joiner(self.machine, ended, MOST_JOINED, goal.then).join(walk)

    def _end(self, walk: Walk, goal: Goal) -> Answer | None:
        """What the goal says of the last step of a run."""
        before = walk.state_after(len(walk.steps) - 1)
        return goal.reached(before, move_of(self.machine, before, walk.steps[-1]), walk.starts)
