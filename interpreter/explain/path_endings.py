"""Why an execution path is no step: the guard that ended it, and the values of the expressions that decided it.

The path is executed once more, recording every evaluation. A false `require` or a choice without alternatives ends a
path itself. A path that ran to its end without an effect was ended by the first condition that skipped statements.
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
"""What ended a path: a `require`; an `if`, `while`, `for` or `oneof` block that was skipped; a `oneof` over nothing; an
exhausted domain; `given up`: the header of a loop of choices, where an earlier path was; `nothing done`: no particular
statement."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The guard that ended a path. `statement`: its span; `condition`: that of the deciding expression, None for the
    statement as a whole. `facts`: its value and those of its parts, the most important first."""

    kind: GuardKind
    statement: Span
    condition: Span | None
    facts: tuple[Fact, ...]


class PathExplainer:
    """Explains execution paths of one machine that are no steps."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._watcher = Watcher()
        watching = Decisions(machine.program)
        self._statements = watching.statements
        self._code = Code(machine.program, self._watcher.watch, watching)
        self._code.next_states = machine.successors.asked_in

    def explain(self, rule: Rule, state: State, choices: tuple[int, ...]) -> Ending | None:
        """The guard that ended the path with these choices; None if it is a step, or fails."""
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
            return self._aborted(abort, abort.span or execution.here())
        except ModelError:
            return None
        finally:
            METER.end()
        forced = rule.kind is not StepKind.START
        return None if execution.enabled or forced else self._nothing_done(rule, execution.lines)

    def _aborted(self, abort: Abort, span: Span) -> Ending:
        deciding = self._statements.get(span)
        if abort.span is None or deciding is None or deciding.bodies:
            return Ending("domain", span, None, ())
        return self._ending(span, deciding, deciding.conditions)

    def _nothing_done(self, rule: Rule, lines: list[Span]) -> Ending:
        for decision in decisions(lines):
            deciding = self._statements[decision.span]
            if not deciding.passed(decision.branch):
                return self._ending(decision.span, deciding, deciding.conditions[:1])
        return Ending("nothing done", self.machine.program.routines[rule.subject].span, None, ())

    def _ending(self, span: Span, deciding: Deciding, conditions: tuple[ast.Expression, ...]) -> Ending:
        reasons = Reasons(self.machine.program, deciding.routine, self._watcher.evaluations)
        for node in conditions:
            reasons.why_last(node)
        return Ending(deciding.word, span, conditions[0].span, reasons.facts)
