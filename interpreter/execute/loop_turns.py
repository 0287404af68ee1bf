"""Statement loops over sets: one with independent turns is answered by the set, from the results of its turns.

A turn gives what it returns, in a list, or nothing. The answer to the loop is that of the first turn that gives
something: see `interpreter.values.folding`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.compile.independent_turns import is_independent, loop_of, names_in, text_of
from interpreter.compile.statements import instructions
from interpreter.execute.comprehensions import calls_only_builtins
from interpreter.execute.environment import Environment, Evaluator
from interpreter.execute.names import NameScope, searching_reader
from interpreter.state.state import MISSING
from interpreter.values import BagValue, ListValue, SetValue
from interpreter.values.folding import FIRST, Fold

Turn = Callable[[object], list[object]]
"""Runs the turn for an element apart: the environment stays as it is. Gives what the turn returns, in a list."""


class FoldedLoop:
    """A loop with independent turns."""

    def __init__(self, loop: p.ForLoop, scope: NameScope) -> None:
        text = (loop.variables, *text_of(instructions(loop)))
        self._site = (loop.span, FIRST)
        self._calls = not calls_only_builtins(text, scope)
        bound = [(name, scope.depths(name)) for name in sorted(set(names_in(text)) - set(loop.variables.names))]
        # What a turn binds before it reads it is held, too: that does no harm, and such names are rarely bound before.
        self._captured: list[Evaluator] = [
            searching_reader(name, depths, lambda env: MISSING) for name, depths in bound if depths
        ]

    def ask(self, values: object, env: Environment, turn: Turn) -> list[object] | None:
        """What the loop over these values returns, in a list, which is empty if it does not; None: it is to be run as
        it is written."""
        if not isinstance(values, SetValue | BagValue) or type(values) in (SetValue, BagValue):
            return None
        answer = values.folded(Fold(self._site, partial(self._held, env), turn, self._calls))
        if answer is None:
            return None
        assert isinstance(answer[0], ListValue)
        return answer[0].items

    def _held(self, env: Environment) -> tuple[object, ...]:
        return (env.instance, *[read(env) for read in self._captured])


def folded_loop(loop: p.ForLoop, routine: p.Routine, scope: NameScope) -> FoldedLoop | None:
    """A loop of an assertion as a question to a set; None if its turns may depend on each other."""
    if routine.kind != "assertion" or loop.parallel:
        return None
    names = Counter(names_in(text_of(instructions(routine.body))))
    return FoldedLoop(loop, scope) if is_independent(loop, names, scope.known.state_variables) else None


def folded_host_loop(statement: ast.For, around: ast.Block, scope: NameScope) -> FoldedLoop | None:
    """As `folded_loop`, of a loop in a `def` with this body."""
    loop = loop_of(statement)
    if loop is None or not is_independent(loop, Counter(names_in((around,))), frozenset()):
        return None
    return FoldedLoop(loop, scope)
