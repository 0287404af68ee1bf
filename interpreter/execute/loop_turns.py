"""Statement loops over sets: one with independent turns is answered by the set, from the results of its turns.

A turn gives what it returns, in a list, or nothing. The answer to the loop is that of the first turn that gives
something: see `interpreter.values.folding`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial

from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.compile.independent_turns import is_independent, loop_of, names_in, text_of
from interpreter.compile.statements import instructions
from interpreter.execute.comprehensions import answers_folds, calls_only_builtins
from interpreter.execute.environment import Environment
from interpreter.execute.names import NameScope, readers_of
from interpreter.values import ListValue
from interpreter.values.folding import FIRST, Fold

Turn = Callable[[object], list[object]]
"""Runs the turn for an element apart: the environment stays as it is. Gives what the turn returns, in a list."""


class FoldedLoop:
    """A loop that a set may answer. `independent` gives it, if its turns are; most loops are never asked about."""

    def __init__(self, independent: Callable[[], p.ForLoop | None], scope: NameScope) -> None:
        self._independent = independent
        self._scope = scope

    @cached_property
    def _asked(self) -> _Asked | None:
        """What is asked, if the turns are independent."""
        loop = self._independent()
        return None if loop is None else _Asked(loop, self._scope)

    def ask(self, values: object, env: Environment, turn: Turn) -> list[object] | None:
        """What the loop over these values returns, in a list, which is empty if it does not; None: it is to be run as
        it is written."""
        if not answers_folds(values) or self._asked is None:
            return None
        answer = values.folded(self._asked.fold(env, turn))
        if answer is None:
            return None
        assert isinstance(answer[0], ListValue)
        return answer[0].items


class _Asked:
    """The question for what a loop with independent turns returns."""

    def __init__(self, loop: p.ForLoop, scope: NameScope) -> None:
        text = (loop.variables, *text_of(instructions(loop)))
        self._site = (loop.span, FIRST)
        self._calls = not calls_only_builtins(text, scope)
        # What a turn binds before it reads it is held, too: that does no harm, and such names are rarely bound before.
        self._captured = readers_of(set(names_in(text)) - set(loop.variables.names), scope)

    def fold(self, env: Environment, turn: Turn) -> Fold:
        """The question, asked in an environment."""
        return Fold(self._site, partial(self._held, env), turn, self._calls)

    def _held(self, env: Environment) -> tuple[object, ...]:
        return (env.instance, *[read(env) for read in self._captured])


def folded_loop(loop: p.ForLoop, routine: p.Routine, scope: NameScope) -> FoldedLoop | None:
    """A loop of a routine as a question to a set; None for loops that take steps."""
    if routine.kind != "assertion" or loop.parallel:
        return None

    def independent() -> p.ForLoop | None:
        names = Counter(names_in(text_of(instructions(routine.body))))
        return loop if is_independent(loop, names, scope.known.state_variables) else None

    return FoldedLoop(independent, scope)


def folded_host_loop(statement: ast.For, around: ast.Block, scope: NameScope) -> FoldedLoop:
    """As `folded_loop`, of a loop in a `def` with this body."""

    def independent() -> p.ForLoop | None:
        loop = loop_of(statement)
        return loop if loop is not None and is_independent(loop, Counter(names_in((around,))), frozenset()) else None

    return FoldedLoop(independent, scope)
