"""Where the counterexamples of a property end, asked of single moves."""

from __future__ import annotations

from collections.abc import Callable

from checker.core.exploration import Finding
from checker.core.property import Looks, Property, Watch
from checker.search.contract.assertion_answers import Answer, Assertions
from checker.search.contract.bounds import is_cut
from checker.search.contract.level_counts import is_dead_end
from checker.traces.moves import Move, Moves
from checker.traces.replay import Story
from fizz.base.light import dataclass
from interpreter import Machine, ModelError, State, StepKind
from interpreter.state.step import Rule

Reached = Callable[[State, Move, int], Answer | None]
"""Whether a run ends by a move from a state, with so many starts; the answer names the instance that decided."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a run has to end.

    `length`: after how many steps. `starts`, `crashes`: how many actions start and how many crash steps are among them.
    `of_steps`: the last step decides, and not only the state it leads to. `then`: who moves in the step after it, where
    the run is but the beginning of a story.
    """

    length: int
    starts: int
    crashes: int
    reached: Reached
    of_steps: bool = False
    then: Rule | None = None


class Goals:
    """The goals of the findings of one machine."""

    def __init__(self, machine: Machine, moves: Moves) -> None:
        self.machine = machine
        self._moves = moves
        self.assertions = Assertions(machine, machine.parts_view, moves.memory.result)

    def goal(self, finding: Finding, told: Story, property: Property | None) -> Goal:
        """Where other runs may end that show the same as this story.

        Of a violation of safety or a deadlock any that does; of a lasso its first part, where the stem or the cycle
        begins, and where the model fails, all but the last step. `property` None: the model fails.
        """
        watches = () if property is None else property.watches
        watch = next((one for one in watches if one.brings and one.key == finding.key), None)
        if watch is None:
            return self._beginning(finding, told)
        length = len(told.steps)
        if watch.looks is Looks.DEAD_ENDS:
            return Goal(*_effort(told, length), self._dead_end)
        of_steps = watch.looks is Looks.STEPS
        return Goal(*_effort(told, length), self._breaking(watch, of_steps), of_steps)

    def _beginning(self, finding: Finding, told: Story) -> Goal:
        steps = len(told.entries) - 1
        # Where the model fails in an assertion, it may do so after Init.
        rest = len(finding.stem) + len(finding.cycle) if finding.error is None else min(1, steps)
        length = steps - rest
        state = told.states[length]
        return Goal(
            *_effort(told, length),
            lambda before, move, starts: Answer(True) if move.target == state else None,
            then=self._next(told, length) if rest else None,
        )

    def _next(self, told: Story, length: int) -> Rule:
        """Who moves in the step after so many. One that fails is known by its name."""
        if length < len(told.steps):
            return told.steps[length].rule
        name = told.entries[-1].label.partition("[")[0]
        return next(c.rule for c in self.machine.candidates(told.states[length]) if c.name == name)

    def _dead_end(self, before: State, move: Move, starts: int) -> Answer | None:
        cut = is_cut(starts, self.machine.program.options.max_actions)
        after = self._moves.of(move.target)
        return Answer(True) if is_dead_end(after.going, after.fails, cut) else None

    def _breaking(self, watch: Watch, of_steps: bool) -> Reached:
        predicate = watch.predicate
        assert predicate is not None

        def reached(before: State, move: Move, starts: int) -> Answer | None:
            if of_steps and move.crashes:
                return None
            try:
                if of_steps:
                    answer = self.assertions.holds_between(predicate, before, move.target)
                else:
                    answer = self.assertions.holds(predicate, move.target)
            except ModelError:
                return None
            return answer if answer.value is watch.seeks else None

        return reached


def _effort(told: Story, length: int) -> tuple[int, int, int]:
    """So many steps of a story, and how many of these start an action, and how many are crashes."""
    steps = told.steps[:length]
    return length, sum(step.rule.kind is StepKind.START for step in steps), sum(step.crashes for step in steps)
