"""Decisions of statements: which guards hold, which branches are taken, which choices are empty.

The code of a watched machine records them: the lines of a path contain a `Decided` for each deciding statement, which
equals the span of the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never
from typing import Literal as OneOf

from fizz import Span
from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.compile.statements import instructions
from interpreter.state.step import NO_CHOICE, NOT_HELD, Abort

if TYPE_CHECKING:
    from interpreter.execute.code import Operation
    from interpreter.execute.environment import Environment
    from interpreter.execute.execution import Execution
    from interpreter.execute.frames import Frame

YES: Final = 0
NO: Final = 1

DecidingWord = OneOf["require", "if", "while", "for", "oneof"]
"""The keyword of a deciding statement."""


class Decision(NamedTuple):
    """A decision of a statement: of an `if` the number of the branch, one beyond the last if none was taken. Of others
    `YES` or `NO`: a `require` held, a choice or loop had elements, a `while` was entered."""

    span: Span
    branch: int


class Decided(Span):
    """The span of a deciding statement, with its decision. It equals the plain span: lines are compared by spans."""

    branch: int


class Deciding(NamedTuple):
    """A deciding statement. `bodies`: the blocks it may enter; empty: the next statement is reached only on `YES`.
    `conditions`: the expressions evaluated; of an `if` one for each branch but the `else`."""

    word: DecidingWord
    routine: p.Routine
    bodies: tuple[p.Scope, ...]
    conditions: tuple[ast.Expression, ...]

    def passed(self, branch: int) -> bool:
        """Whether a decision entered a body, or let the path continue."""
        return branch < max(len(self.bodies), 1)


def decisions(lines: Iterable[Span]) -> Iterator[Decision]:
    """The decisions among the lines of a path, in order."""
    return (Decision(line, line.branch) for line in lines if isinstance(line, Decided))


def deciding_statements(program: p.Program) -> dict[Span, Deciding]:
    """The deciding statements of a program, by span."""
    found = ((i.span, _deciding(r, i)) for r in program.routines for i in instructions(r.body))
    return {span: deciding for span, deciding in found if deciding is not None}


def _deciding(routine: p.Routine, instruction: p.Instruction) -> Deciding | None:
    match instruction:
        case p.Guard(condition=condition):
            return Deciding("require", routine, (), (condition,))
        case p.Pick(iterable=iterable, condition=condition):
            return Deciding("oneof", routine, (), (iterable,) if condition is None else (iterable, condition))
        case p.Branch(suites=suites, conditions=conditions):
            return Deciding("if", routine, suites, conditions)
        case p.PickBlock(body=body, iterable=iterable):
            return Deciding("oneof", routine, (body,), (iterable,))
        case p.Loop(body=loop):
            if isinstance(loop, p.ForLoop):
                return Deciding("for", routine, (loop,), (loop.iterable,))
            return Deciding("while", routine, (loop,), (loop.condition,))
        case (
            p.Do() | p.CallOrDo() | p.Nothing() | p.Leave() | p.LeaveLoop() | p.NextIteration() | p.Enter()
        ):  # fmt: skip
            return None
        case _:
            assert_never(instruction)


class Decisions:
    """Records the decisions of a program's statements in its code. `statements`: the deciding ones."""

    def __init__(self, program: p.Program) -> None:
        self.statements = deciding_statements(program)
        self._looping: Execution | None = None

    def watched(self, instruction: p.Instruction, operation: Operation) -> Operation:
        """The operation of a statement, which also records its decision."""
        span = instruction.span
        deciding = self.statements.get(span)
        if deciding is None:
            return operation
        decided = [_decided(span, branch) for branch in range(max(len(deciding.bodies), 1) + 1)]
        *_, no = decided

        def decide(run: Execution, frame: Frame) -> bool:
            # The operation of a guard or choice may restart the path: only after it is passed.
            run.lines[-1] = decided[YES]
            try:
                yields = operation(run, frame)
            except Exception as error:
                ended = isinstance(error, Abort) and error.reason in (NOT_HELD, NO_CHOICE)
                run.lines[-1] = no if ended else span
                raise
            run.lines[-1] = decided[_branch(deciding, frame)]
            return yields

        def loop(run: Execution, frame: Frame) -> bool:
            self._looping = run
            return operation(run, frame)

        return loop if deciding.word == "while" else decide

    def header(self, loop: p.WhileLoop, condition: Callable[[Environment], bool]) -> Callable[[Environment], bool]:
        """The condition of a `while`; records the decision when the statement is executed, not at later headers."""
        decided = [_decided(loop.span, branch) for branch in (YES, NO)]

        def decide(env: Environment) -> bool:
            run = self._looping
            entered = condition(env)
            if run is not None and run.lines[-1:] == [loop.span]:
                run.lines[-1] = decided[YES if entered else NO]
            return entered

        return decide


def _decided(span: Span, branch: int) -> Decided:
    decided = Decided(*span)
    decided.branch = branch
    return decided


def _branch(deciding: Deciding, frame: Frame) -> int:
    """The decision, from the block that the frame has entered."""
    if not deciding.bodies:
        return YES
    entered = frame.scopes[-1] if frame.scopes else None
    if entered is None or (entered.rest is not None and not entered.rest):
        return len(deciding.bodies)
    return next((i for i, body in enumerate(deciding.bodies) if body is entered.scope), len(deciding.bodies))
