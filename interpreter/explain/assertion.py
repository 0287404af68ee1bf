"""Why an assertion is false: the `return` that gave the verdict, and the values of the expressions that decided it.

The assertion is evaluated once more on the violating state, recording every evaluation. The value returned is traced
back to the deciding parts: for `a and b` the false part, for `all(...)` the false element, for a local name the
expression assigned to it, for `return False` the conditions around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fizz import Span
from fizz.base.light import dataclass
from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.compile.statements import inner, own
from interpreter.execute.assertions import evaluate_assertion
from interpreter.execute.beginning import assertion_frame
from interpreter.execute.code import Code
from interpreter.execute.evaluations import Watcher
from interpreter.execute.execution import Execution
from interpreter.execute.view import PairView, Recorder
from interpreter.execute.world import World
from interpreter.explain.reasons import Fact, Reasons
from interpreter.machine import Machine
from interpreter.state.state import State
from interpreter.state.step import ModelError, Rule


@dataclass(frozen=True, slots=True)
class Explanation:
    """`line`: the statement that returned the verdict. `facts`: the deciding values, the most important first."""

    line: Span
    facts: tuple[Fact, ...]


def explain(machine: Machine, assertion: int, state: State, before: State | None = None) -> Explanation | None:
    """Why an assertion is false in a state, or for the step to it from `before`; None if it is not, or fails."""
    for rule in machine.assertion_rules(assertion, state):
        found = _Explainer(machine, rule).explain(state, before)
        if found is not None:
            return found
    return None


class _Explainer:
    """Explains the result of one rule of an assertion."""

    def __init__(self, machine: Machine, rule: Rule) -> None:
        self.machine = machine
        self.rule = rule
        self.program = machine.program
        self.assertion = machine.program.assertions[rule.subject]
        self.routine = machine.program.routines[self.assertion.routine]
        self.watcher = Watcher()
        self.begun = 0

    def explain(self, state: State, before: State | None) -> Explanation | None:
        """The explanation; None if the assertion is true, or fails."""
        try:
            execution = self._run(state, before)
        except (ModelError, RecursionError):
            return None
        if execution is None:
            return None
        line = execution.lines[-1]
        # Evaluations of constants, which come first, do not count.
        evaluations = [evaluation for evaluation in self.watcher.evaluations if evaluation.number > self.begun]
        reasons = Reasons(self.program, self.routine, evaluations)
        around = surroundings(self.routine.body, line)
        returned = around.returned
        if returned is not None and not isinstance(returned, ast.Literal):
            reasons.why_last(returned)
        for condition in reversed(around.conditions):
            reasons.why_last(condition)
        return Explanation(line, reasons.facts)

    def _run(self, state: State, before: State | None) -> Execution | None:
        machine = self.machine
        code = Code(self.program, self.watcher.watch)
        code.next_states = machine.successors.asked_in
        view = machine.view(state)
        recorder = Recorder(view if before is None else PairView(machine.view(before), view))
        world = World(machine.values, recorder, code)
        frame = assertion_frame(self.program, self.assertion, self.rule.instance, world)
        execution = Execution(code, world, recorder, [frame], False)
        self.begun = max((evaluation.number for evaluation in self.watcher.evaluations), default=0)
        return None if evaluate_assertion(self.assertion, execution, set()).value else execution


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The expression of a `return`, and the conditions of the `if`s around it, the outermost first."""

    returned: ast.Expression | None = None
    conditions: tuple[ast.Expression, ...] = ()


def surroundings(scope: p.Scope, line: Span) -> Surroundings:
    """The surroundings of the `return` with a span; empty if there is none."""
    return next(_search(scope, line, ()), Surroundings())


def _search(scope: p.Scope, line: Span, conditions: tuple[ast.Expression, ...]) -> Iterator[Surroundings]:
    for instruction in own(scope):
        if isinstance(instruction, p.Leave) and instruction.span == line:
            yield Surroundings(instruction.value, conditions)
        if isinstance(instruction, p.Branch):
            for number, suite in enumerate(instruction.suites):
                # An `else` is decided by the last condition.
                deciding = instruction.conditions[min(number, len(instruction.conditions) - 1)]
                yield from _search(suite, line, (*conditions, deciding))
        for body in inner(instruction):
            yield from _search(body, line, conditions)
