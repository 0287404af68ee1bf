"""The goal of a counterexample: which moves end a run that shows the same violation."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

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
"""Whether a move from a state, after so many starts, ends a run; the answer names the deciding instance."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a run has to end.

    `length`: its steps. `starts`, `crashes`: how many of them start an action and how many are crashes. `of_steps`: the
    last step decides, not only its target. `then`: the rule of the step after the run, if the story goes on.
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
        self.assertions = Assertions(machine, moves.memory.view, moves.memory.result)

    def goal(self, finding: Finding, story: Story, property: Property | None) -> Goal:
        """Where a run must end to show the same as this story.

        For safety and deadlock: at any violation of the property. For a lasso: at the state where the stem or the cycle
        begins. Where the model fails (`property` None): at the state before the last step.
        """
        watches = () if property is None else property.watches
        watch = next((one for one in watches if one.brings and one.key == finding.key), None)
        if watch is None:
            return self._beginning(finding, story)
        length = len(story.steps)
        match watch.looks:
            case Looks.DEAD_ENDS:
                return Goal(*_effort(story, length), self._dead_end)
            case Looks.STEPS:
                return Goal(*_effort(story, length), self._breaking(watch, True), of_steps=True)
            case Looks.STATES:
                return Goal(*_effort(story, length), self._breaking(watch, False))
            case _:
                assert_never(watch.looks)

    def _beginning(self, finding: Finding, story: Story) -> Goal:
        steps = len(story.entries) - 1
        # An assertion may fail after Init, without a step.
        rest = len(finding.stem) + len(finding.cycle) if finding.error is None else min(1, steps)
        length = steps - rest
        state = story.states[length]
        return Goal(
            *_effort(story, length),
            lambda before, move, starts: Answer(True) if move.target == state else None,
            then=self._next(story, length) if rest else None,
        )

    def _next(self, story: Story, length: int) -> Rule:
        """The rule of the step after so many. A failed step is found by its name."""
        if length < len(story.steps):
            return story.steps[length].rule
        name = story.entries[-1].label.partition("[")[0]
        return next(c.rule for c in self.machine.candidates(story.states[length]) if c.name == name)

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


def _effort(story: Story, length: int) -> tuple[int, int, int]:
    """The length, and how many of so many first steps start an action and how many are crashes."""
    steps = story.steps[:length]
    return length, sum(step.rule.kind is StepKind.START for step in steps), sum(step.crashes for step in steps)
