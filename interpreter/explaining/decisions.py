"""What was decided on a way through a rule: which guards held, which branches were taken, which choices were empty.

A way says which statements it executed, in order. The first statement of a branch comes right after the statement that
decided for it, so the decisions can be read off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, assert_never
from typing import Literal as OneOf

from fizz import Span
from interpreter import program as p
from interpreter.statements import instructions
from interpreter.step import GIVEN_UP, NO_CHOICE, NOT_HELD, NOTHING_DONE, Aborted, Failure, Outcome

NO: Final = 0
YES: Final = 1
_TO_THE_END: Final = (NOTHING_DONE, GIVEN_UP)
"""Reasons of ways that no statement of theirs ended."""

DecidingWord = OneOf["require", "if", "while", "for", "oneof"]
"""With what a statement that decides begins."""


class Decision(NamedTuple):
    """What a statement decided. Of an `if`: the number of the branch, beyond all of them if none was taken. Of others
    `YES` or `NO`: a `require` held, a choice or loop had something, a `while` was entered."""

    place: Span
    branch: int


class Deciding(NamedTuple):
    """A statement that decides. `heads`: with what its branches begin; none: what comes after it is reached only if it
    decided `YES`. `conditions`: what is asked; of an `if` one for each branch but the `else`."""

    word: DecidingWord
    heads: tuple[Span, ...]
    conditions: tuple[Span, ...]

    def passed(self, branch: int) -> bool:
        """Whether a decision did not lead past what could be done."""
        return branch < len(self.heads) if self.word == "if" else branch != NO


class Decisions:
    """Reads decisions off the ways of one program."""

    def __init__(self, program: p.Program) -> None:
        found = ((i.span, _deciding(i)) for routine in program.routines for i in instructions(routine.body))
        self.places = {span: deciding for span, deciding in found if deciding is not None}

    def of(self, result: Outcome | Aborted | Failure) -> Iterator[Decision]:
        """The decisions of a way with this result."""
        lines = result.lines
        if isinstance(result, Failure) or (isinstance(result, Aborted) and result.reason not in _TO_THE_END):
            # The last statement ended the way: by deciding against it, or by a failure within it.
            lines = lines[:-1]
            if isinstance(result, Aborted) and result.reason in (NOT_HELD, NO_CHOICE):
                yield Decision(result.span, NO)
        for index, place in enumerate(lines):
            deciding = self.places.get(place)
            if deciding is not None:
                following = result.lines[index + 1] if index + 1 < len(result.lines) else None
                yield Decision(place, _branch(deciding, following))


def _deciding(instruction: p.Instruction) -> Deciding | None:
    match instruction:
        case p.Guard(condition=condition):
            return Deciding("require", (), (condition.span,))
        case p.Pick(iterable=iterable, condition=condition):
            asked = (iterable,) if condition is None else (iterable, condition)
            return Deciding("oneof", (), tuple(node.span for node in asked))
        case p.Branch(suites=suites, conditions=conditions):
            heads = tuple(suite.instructions[0].span for suite in suites)
            return Deciding("if", heads, tuple(condition.span for condition in conditions))
        case p.PickBlock(body=body, iterable=iterable):
            return Deciding("oneof", (body.instructions[0].span,), (iterable.span,))
        case p.Loop(body=loop):
            asked_for = loop.iterable if isinstance(loop, p.ForLoop) else loop.condition
            word: DecidingWord = "for" if isinstance(loop, p.ForLoop) else "while"
            return Deciding(word, (loop.body.instructions[0].span,), (asked_for.span,))
        case (
            p.Do() | p.CallOrDo() | p.Nothing() | p.Leave() | p.LeaveLoop() | p.NextIteration() | p.Enter()
        ):  # fmt: skip
            return None
        case _:
            assert_never(instruction)


def _branch(deciding: Deciding, following: Span | None) -> int:
    heads = deciding.heads
    if deciding.word == "if":
        return heads.index(following) if following in heads else len(heads)
    return YES if not heads or following in heads else NO
