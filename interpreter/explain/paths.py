"""Why a way through a rule is no step: the guard that ended it, and the values of the expressions that decided it.

The way is gone once more, this time watched. A false `require` and a choice without alternatives end a way where they
stand. A way that ran to its end and did nothing was ended by the first condition that led past what could be done.
"""

from __future__ import annotations

from typing import Literal as OneOf

from fizz import Span
from fizz.base.light import dataclass
from fizz.syntax import ast
from interpreter.execute.beginning import first_frames
from interpreter.execute.code import Code
from interpreter.execute.decisions import Deciding, Decisions, decisions
from interpreter.execute.evaluations import Watcher
from interpreter.execute.execution import Execution
from interpreter.execute.view import Recorder
from interpreter.execute.world import World
from interpreter.explain.reasons import Fact, Reasons
from interpreter.machine import Machine
from interpreter.state.state import State
from interpreter.state.step import Abort, ModelError, Rule, StepKind
from interpreter.values.budget import METER

GuardKind = OneOf["require", "if", "while", "for", "oneof", "domain", "given up", "nothing done"]
"""What ended a way: a `require`; an `if`, `while`, `for` or `oneof` block that was passed by; a `oneof` over nothing; a
domain without another value; `given up`: the header of a loop of choices, where a lesser way was; `nothing done`: no
statement that could be named."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The guard that ended a way. `statement` is where it stands, `condition` the expression that decided; None: the
    statement as a whole. `facts`: its value and those of its parts, the most telling first."""

    kind: GuardKind
    statement: Span
    condition: Span | None
    facts: tuple[Fact, ...]


class PathExplainer:
    """Explains ways of one machine that are no steps."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._watcher = Watcher()
        watching = Decisions(machine.program)
        self._statements = watching.statements
        self._code = Code(machine.program, self._watcher.watch, watching)
        self._code.next_states = machine.successors.asked_in

    def explain(self, rule: Rule, state: State, choices: tuple[int, ...]) -> Ending | None:
        """What ended the way with these choices; None if it is a step, or fails."""
        self._watcher.evaluations.clear()
        METER.begin(self._code.budget)
        recorder = Recorder(self.machine.view(state))
        world = World(self.machine.values, recorder, self._code)
        if rule.kind in (StepKind.CONTINUE, StepKind.DELIVER):
            world.subject = rule.subject
        execution = Execution(self._code, world, recorder, first_frames(rule, world))
        execution.given(choices)
        try:
            execution.run()
        except Abort as abort:
            return self._given_up(abort, abort.span or execution.here())
        except ModelError:
            return None
        finally:
            METER.end()
        forced = rule.kind is not StepKind.START
        return None if execution.enabled or forced else self._nothing_done(rule, execution.lines)

    def _given_up(self, abort: Abort, place: Span) -> Ending:
        deciding = self._statements.get(place)
        if abort.span is None or deciding is None or deciding.bodies:
            return Ending("domain", place, None, ())
        return self._ending(place, deciding, deciding.conditions)

    def _nothing_done(self, rule: Rule, lines: list[Span]) -> Ending:
        for decision in decisions(lines):
            deciding = self._statements[decision.place]
            if not deciding.passed(decision.branch):
                return self._ending(decision.place, deciding, deciding.conditions[:1])
        return Ending("nothing done", self.machine.program.routines[rule.subject].span, None, ())

    def _ending(self, place: Span, deciding: Deciding, asked: tuple[ast.Expression, ...]) -> Ending:
        reasons = Reasons(self.machine.program, deciding.routine, self._watcher.evaluations)
        for node in asked:
            reasons.why_last(node)
        return Ending(deciding.word, place, asked[0].span, reasons.facts)
