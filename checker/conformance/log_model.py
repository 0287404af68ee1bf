"""`LogModel`: a model that logs are compared with, and made anew when too much is remembered of it.

Ids of values are never given back. A log of a million events may meet as many values; where all that was before is
settled, one state goes on, by value, in a new machine.
"""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import Final

from checker.conformance.event_map import Silent
from checker.conformance.judged_states import JudgedStates
from checker.conformance.model_steps import ModelSteps
from checker.conformance.step_fit import StepFit
from checker.core.problems import UsageProblem
from checker.core.property import Property
from checker.properties import properties_of
from fizz.syntax.module import ActionOptions
from interpreter import Machine, Program, State

_MOST_PARTS: Final = 4_000_000
"""Parts of values that a machine knows before a new one goes on: some 80 MB with all that is remembered of them."""
_MOST: Final = 1 << 30
"""In place of no limit."""
_OF_ONE: Final = 40
"""What a value takes beside its members, in members."""


def judged_on_logs(program: Program, selected: tuple[str, ...] | None) -> list[Property]:
    """The properties that the runs of logs are judged by. Raises `UsageProblem` for a name of another one."""
    found = properties_of(program, selected)
    judged = [one for one in found if one.safety and one.kind != "exists"]
    others = [one.name for one in found if one.name in (selected or ()) and one not in judged]
    if others:
        raise UsageProblem(f"'{others[0]}' is not judged on logs", "always and transition assertions are")
    return judged


def _unlimited(program: Program, silent: Silent) -> Program:
    """The program without limits on starts and threads, and without crashes of threads unless they are silent.

    A run of the system knows no bounds of an exploration; and no event tells of the crash of a thread alone.
    """
    options = program.options
    crashes = "crash" in silent.steps
    given = {one.name: ActionOptions(crash_on_yield=False) for one in program.routines} if not crashes else {}
    kept = {key: ActionOptions(crash_on_yield=one.crash_on_yield) for key, one in options.action_options.items()}
    unlimited = replace(options, max_actions=_MOST, max_concurrent_actions=_MOST, action_options={**kept, **given})
    return replace(program, options=unlimited)


class LogModel:
    """A machine, the steps that fit events, the assertions about states, and the states in which runs begin.

    Raises `ModelError` if Init fails. `selected`: the names of the assertions that are judged; None: all that can be.
    `most_parts`: how large it may grow.
    """

    def __init__(
        self,
        program: Program,
        silent: Silent,
        selected: tuple[str, ...] | None = None,
        most_parts: int = _MOST_PARTS,
    ) -> None:
        self.program = _unlimited(program, silent)
        self._silent = silent
        self._judged = judged_on_logs(program, selected)
        self._most_parts = most_parts
        self._begin()

    def _begin(self) -> None:
        self.machine = Machine(self.program)
        steps = ModelSteps(self.machine)
        self.fit = StepFit(self.machine, self._silent, steps)
        self.judged = JudgedStates(steps, self._judged)
        initial, failures = self.machine.initial()
        if failures:
            raise failures[0].error
        self.beginnings = [one.state for one in initial]
        self._counted = len(self.machine.values)
        self._parts = 0

    @property
    def is_full(self) -> bool:
        """Whether so much is remembered that `renewed` would help."""
        values = self.machine.values
        for number in range(self._counted, len(values)):
            self._parts += _OF_ONE + len(values.children(number))
        self._counted = len(values)
        return self._parts > self._most_parts

    def renewed(self, state: State) -> State:
        """The same state in a new machine, which takes the place of the old one, whose states mean nothing then."""
        # Short logs do not need it.
        from checker.search.checkpoints.codec import StateCodec

        packed, met = StateCodec(self.machine).pack_states([state]), self.fit.instances_met()
        self._begin()
        self.fit.met_before = met
        # The old machine and its functions refer to each other.
        gc.collect()
        return StateCodec(self.machine).unpack_states(packed).state(0)
