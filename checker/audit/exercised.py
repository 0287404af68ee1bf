"""A machine that also writes down which parts of the expressions of steps were evaluated."""

from __future__ import annotations

from checker.audit.visit import Visit, Visited
from fizz import Span
from interpreter import Machine, Program
from interpreter.running.execute import Picks
from interpreter.running.view import View
from interpreter.step import Restart, Rule, Way


class ExercisedMachine(Machine):
    """`exercised` are the places of all parts that any way evaluated."""

    def __init__(self, program: Program, symmetry: bool = False) -> None:
        super().__init__(program, symmetry, every_part=True)
        self.exercised: set[Span] = set()

    def run(
        self,
        rule: Rule,
        view: View,
        choices: tuple[int, ...] = (),
        remembered: bool = False,
        known: Picks | None = None,
        noted: bool = True,
        restart: Restart | None = None,
    ) -> Way:
        """As in `Machine`."""
        way = super().run(rule, view, choices, remembered, known, noted, restart)
        self.exercised |= self.parts.met
        return way


class ExercisedParts:
    """Of what the machine of a visit has written down, that which complete levels brought."""

    def __init__(self) -> None:
        self.exercised: frozenset[Span] = frozenset()

    def begin(self, visit: Visit) -> None:
        """The machine writes down by itself."""

    def see(self, visit: Visit, visited: Visited) -> None:
        """As above."""

    def keep(self, visit: Visit) -> None:
        """What was written down until now counts."""
        assert isinstance(visit.machine, ExercisedMachine)
        if len(visit.machine.exercised) > len(self.exercised):
            self.exercised = frozenset(visit.machine.exercised)
