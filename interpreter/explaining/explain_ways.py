"""Why a way through a rule is no step: the guard that ended it, and the values of the expressions that decided it.

The way is gone once more, this time watched. A false `require` and a choice without alternatives end a way where they
stand. A way that ran to its end and did nothing was ended by the first condition that led past what could be done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal as OneOf
from typing import assert_never

from fizz import Span, ast
from fizz.light import dataclass
from interpreter import program as p
from interpreter.budget import METER
from interpreter.explaining.reasons import Fact, Reasons
from interpreter.machine import Machine
from interpreter.running.beginning import first_frames
from interpreter.running.code import Code
from interpreter.running.evaluations import Evaluation, Watcher
from interpreter.running.execute import Execution
from interpreter.running.view import Recorder
from interpreter.running.world import World
from interpreter.state import State
from interpreter.statements import instructions
from interpreter.step import Abort, ModelError, Rule, StepKind
from interpreter.values import operations, truth

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


class WayExplainer:
    """Explains ways of one machine that are no steps."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._watcher = Watcher()
        self._code = Code(machine.program, self._watcher.watch)
        self._code.next_states = machine.successors.asked_in
        self._routines = {
            instruction.span: (routine, instruction)
            for routine in machine.program.routines
            for instruction in instructions(routine.body)
        }
        self._gates = _gates(machine.program)

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
        return None if execution.enabled or forced else self._nothing_done(rule)

    def _given_up(self, abort: Abort, place: Span) -> Ending:
        routine, instruction = self._routines[place]
        if isinstance(instruction, p.Guard) and abort.span is not None:
            return self._ending("require", place, routine, instruction.condition)
        if isinstance(instruction, p.Pick) and abort.span is not None:
            asked = [instruction.iterable] if instruction.condition is None else [instruction.condition]
            facts = self._facts(routine, [instruction.iterable, *asked])
            return Ending("oneof", place, instruction.iterable.span, facts)
        return Ending("domain", place, None, ())

    def _nothing_done(self, rule: Rule) -> Ending:
        for evaluation in self._watcher.evaluations:
            gate = None if evaluation.node is None else self._gates.get(id(evaluation.node))
            if gate is not None and evaluation.done and gate.closed(evaluation):
                return self._ending(gate.kind, gate.statement, gate.routine, gate.condition)
        return Ending("nothing done", self.machine.program.routines[rule.subject].span, None, ())

    def _ending(self, kind: GuardKind, statement: Span, routine: p.Routine, condition: ast.Expression) -> Ending:
        return Ending(kind, statement, condition.span, self._facts(routine, [condition]))

    def _facts(self, routine: p.Routine, asked: list[ast.Expression]) -> tuple[Fact, ...]:
        reasons = Reasons(self.machine.program, routine, self._watcher.evaluations)
        for node in asked:
            reasons.why_last(node)
        return reasons.facts


@dataclass(frozen=True, slots=True)
class _Gate:
    """A statement that may be passed by without anything being done."""

    kind: GuardKind
    statement: Span
    routine: p.Routine
    condition: ast.Expression
    closed: Callable[[Evaluation], bool]


def _gates(program: p.Program) -> dict[int, _Gate]:
    """The gates by the identity of the expression that decides: of an `if` with `elif`s the last condition."""
    found: dict[int, _Gate] = {}
    for routine in program.routines:
        for instruction in instructions(routine.body):
            for kind, decides, told, closed in _deciding(instruction):
                found[id(decides)] = _Gate(kind, instruction.span, routine, told, closed)
    return found


def _deciding(
    instruction: p.Instruction,
) -> list[tuple[GuardKind, ast.Expression, ast.Expression, Callable[[Evaluation], bool]]]:
    match instruction:
        case p.Branch(conditions=conditions, suites=suites):
            return [("if", conditions[-1], conditions[0], _false)] if len(conditions) == len(suites) else []
        case p.Loop(body=loop):
            if isinstance(loop, p.WhileLoop):
                return [("while", loop.condition, loop.condition, _false)]
            return [("for", loop.iterable, loop.iterable, _empty)]
        case p.PickBlock(iterable=iterable):
            return [("oneof", iterable, iterable, _empty)]
        case (
            p.Do() | p.CallOrDo() | p.Nothing() | p.Guard() | p.Pick() | p.Leave() | p.LeaveLoop()
            | p.NextIteration() | p.Enter()
        ):  # fmt: skip
            return []
        case _:
            assert_never(instruction)


def _false(evaluation: Evaluation) -> bool:
    return not truth(evaluation.value)


def _empty(evaluation: Evaluation) -> bool:
    return not operations.iterate(evaluation.value)
