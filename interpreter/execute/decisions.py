"""What statements decide: which guards hold, which branches are taken, which choices are empty.

It is written down while it happens, by the code of a machine that is watched: there the lines of a way hold a `Decided`
for each statement that decided, which to all others is the place of the statement and nothing more.
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
"""With what a statement that decides begins."""


class Decision(NamedTuple):
    """What a statement decided: of an `if` the number of the branch, beyond all of them if none was taken. Of others
    `YES` or `NO`: a `require` held, a choice or loop had something, a `while` was entered."""

    place: Span
    branch: int


class Decided(Span):
    """The place of a statement that decided. It equals the place: lines are counted and compared by places alone."""

    branch: int


class Deciding(NamedTuple):
    """A statement that decides. `bodies`: what it may enter; none: what comes after it is reached only if it decided
    `YES`. `conditions`: what is asked; of an `if` one for each branch but the `else`."""

    word: DecidingWord
    routine: p.Routine
    bodies: tuple[p.Scope, ...]
    conditions: tuple[ast.Expression, ...]

    def passed(self, branch: int) -> bool:
        """Whether a decision did not lead past what could be done."""
        return branch < max(len(self.bodies), 1)


def decisions(lines: Iterable[Span]) -> Iterator[Decision]:
    """The decisions among the lines of a way, in order."""
    return (Decision(line, line.branch) for line in lines if isinstance(line, Decided))


def deciding_statements(program: p.Program) -> dict[Span, Deciding]:
    """The statements of a program that decide, by their places."""
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
    """Writes down, in the code of one program, what its statements decide. `statements`: those that do."""

    def __init__(self, program: p.Program) -> None:
        self.statements = deciding_statements(program)
        self._looping: Execution | None = None

    def watched(self, instruction: p.Instruction, operation: Operation) -> Operation:
        """The operation of a statement, which writes down what the statement decides."""
        place = instruction.span
        deciding = self.statements.get(place)
        if deciding is None:
            return operation
        decided = [_decided(place, branch) for branch in range(max(len(deciding.bodies), 1) + 1)]
        *_, no = decided

        def decide(run: Execution, frame: Frame) -> bool:
            # A way may begin anew within the operation of a guard or choice: only if it is passed.
            run.lines[-1] = decided[YES]
            try:
                yields = operation(run, frame)
            except Exception as error:
                ended = isinstance(error, Abort) and error.reason in (NOT_HELD, NO_CHOICE)
                run.lines[-1] = no if ended else place
                raise
            run.lines[-1] = decided[_branch(deciding, frame)]
            return yields

        def loop(run: Execution, frame: Frame) -> bool:
            self._looping = run
            return operation(run, frame)

        return loop if deciding.word == "while" else decide

    def header(self, loop: p.WhileLoop, condition: Callable[[Environment], bool]) -> Callable[[Environment], bool]:
        """The condition of a `while`; what it decides when the statement is executed is written down, and no later."""
        decided = [_decided(loop.span, branch) for branch in (YES, NO)]

        def decide(env: Environment) -> bool:
            run = self._looping
            entered = condition(env)
            if run is not None and run.lines[-1:] == [loop.span]:
                run.lines[-1] = decided[YES if entered else NO]
            return entered

        return decide


def _decided(place: Span, branch: int) -> Decided:
    decided = Decided(*place)
    decided.branch = branch
    return decided


def _branch(deciding: Deciding, frame: Frame) -> int:
    """What was decided, told by the block that the frame is in now."""
    if not deciding.bodies:
        return YES
    entered = frame.scopes[-1] if frame.scopes else None
    if entered is None or (entered.rest is not None and not entered.rest):
        return len(deciding.bodies)
    return next((i for i, body in enumerate(deciding.bodies) if body is entered.scope), len(deciding.bodies))
