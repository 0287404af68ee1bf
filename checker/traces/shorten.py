"""A random walk that violates a property, made shorter and with fewer context switches.

Steps are left out and others joined. Every attempt is replayed in the model, so the result is a run that ends in the
same violation. No choice is random: the same walk always becomes the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from checker.traces.joining import Joiner
from checker.traces.model_walk import Walk
from interpreter import Machine, State, Step
from interpreter.state.step import InitialState, StepKind

MOST_STEPS: Final = 10_000
"""Steps of all replays together after which the walk stays as it is."""

_LOOKED_THROUGH: Final = 1_000
"""So many steps that are looked through count as one that is taken."""


class StepLabel(NamedTuple):
    """How a step is recognised in another run, where the numbers of threads and messages differ."""

    kind: StepKind
    mover: str
    choices: tuple[str, ...]
    crashes: bool


class Shortener:
    """Shortens walks of one machine. `ended` says whether a walk reaches the violation with its last step.

    `most`: how many steps all replays for one walk may take together.
    """

    def __init__(
        self,
        machine: Machine,
        steps: Callable[[State], Iterable[Step]],
        ended: Callable[[Walk], bool],
        most: int = MOST_STEPS,
    ) -> None:
        self.machine = machine
        self._steps = steps
        self._ended = ended
        self._most = self._left = most

    def shorten(self, walk: Walk) -> Walk:
        """The run to the violation after leaving out and joining steps of the walk."""
        self._left = self._most
        short = self._with_less(walk)
        return Joiner(self.machine, self._ended, self._left).join(short)

    def _with_less(self, walk: Walk) -> Walk:
        """Leave out pieces, large ones first, until no single step can be left out."""
        size = max(len(walk.steps) // 2, 1)
        while True:
            shorter = self._without_a_piece(walk, size)
            if shorter is not None:
                walk = shorter
                size = min(size, max(len(walk.steps) // 2, 1))
            elif size > 1:
                size //= 2
            else:
                return walk

    def _without_a_piece(self, walk: Walk, size: int) -> Walk | None:
        marks = self._marks(walk)
        # From the end: a late step is not needed by the steps before it.
        for begin in range(((len(marks) - 1) // size) * size, -1, -size):
            found = self._replay(walk.start, [*marks[:begin], *marks[begin + size :]])
            if found is not None and len(found.steps) < len(walk.steps):
                return found
        return None

    def _replay(self, start: InitialState, marks: Sequence[StepLabel]) -> Walk | None:
        """The run of these steps up to the violation; steps that are no longer possible are skipped."""
        walk = Walk(self.machine, start)
        if self._ended(walk):
            return walk
        for mark in marks:
            if not self._left:
                return None
            met, step = self._next(walk.state, mark)
            # Most states have a few steps; to look through a million of them costs as much as many replays.
            self._left = max(0, self._left - met // _LOOKED_THROUGH)
            if step is not None:
                self._left = max(0, self._left - 1)
                walk.take(step)
                if self._ended(walk):
                    return walk
        return None

    def _next(self, state: State, mark: StepLabel) -> tuple[int, Step | None]:
        """The first step with this mark, and how many steps come before it."""
        met = 0
        for step in self._steps(state):
            if self._mark(step) == mark:
                return met, step
            met += 1
        return met, None

    def _marks(self, walk: Walk) -> list[StepLabel]:
        return [self._mark(step) for step in walk.steps]

    def _mark(self, step: Step) -> StepLabel:
        mover = self.machine.actor(step.rule) or step.name
        return StepLabel(step.rule.kind, mover, step.outcome.choices, step.crashes)
