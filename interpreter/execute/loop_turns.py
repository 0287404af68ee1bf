"""Statement loops over sets that the set answers, from what single turns give: see `interpreter.values.folding`.

If the turns are independent, the answer is that of the first turn that returns something. If they pass something on,
each is a function of its element and of what it is given, and the answer is what the last one passes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set
from functools import cached_property, partial
from typing import Final

from fizz.base.light import dataclass
from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.compile.independent_turns import is_independent, loop_of, names_in, sequence_of, text_of
from interpreter.compile.passed_on import PassedOn, passed_on
from interpreter.compile.statements import instructions
from interpreter.execute.comprehensions import answers_folds, calls_only_builtins, mentioned
from interpreter.execute.environment import Environment
from interpreter.execute.names import NameScope, readers_of
from interpreter.execute.passed_values import TurnEnd, passed_values, taken_over
from interpreter.state.state import MISSING
from interpreter.values import ListValue
from interpreter.values.container import Container
from interpreter.values.folding import FIRST, GOES_ON, PASSED, RETURNS, Fold, PassingFold

Alone = Callable[[object, TurnEnd], TurnEnd]
"""Runs the turn for an element after such an end of the one before, apart: the environment stays as it is."""


@dataclass(frozen=True, slots=True)
class _Around:
    """A loop, and the routine or `def` that it is in.

    `names`: how often each name is mentioned there. `routine`: its statements, if they are known, and `parameters` what
    is bound where it begins. `acts`: it takes steps.
    """

    loop: p.ForLoop
    names: Counter[str]
    routine: p.Sequence | None
    parameters: frozenset[str]
    state_variables: frozenset[str]
    acts: bool = False


class FoldedLoop:
    """A loop that a set may answer. `find` gives what is around it; most loops are never asked about.

    `canonical`: it goes through sets in canonical order.
    """

    def __init__(self, find: Callable[[], _Around | None], scope: NameScope, canonical: bool) -> None:
        self._canonical = canonical
        self._find = find
        self._scope = scope

    @cached_property
    def _asked(self) -> _First | _Passing | None:
        """What is asked, if the text leaves no doubt."""
        around = self._find()
        if around is None:
            return None
        if is_independent(around.loop, around.names, around.state_variables):
            if not around.acts:
                return _First(around.loop, self._scope)
            return _Passing(around.loop, PassedOn((), frozenset()), self._scope)
        if around.routine is None:
            return None
        passed = passed_on(
            around.loop, around.routine, around.parameters, around.state_variables, self._scope.means_builtin
        )
        return None if passed is None else _Passing(around.loop, passed, self._scope)

    def ask(self, values: object, env: Environment, alone: Alone, enabled: bool = False) -> TurnEnd | None:
        """The end of the loop over these values; the variables are as after it. None: it is to be run as it is written.

        `enabled`: whether the step is enabled before.
        """
        if not (answers_folds(values) or (env.world is not None and env.world.answers(values))):
            return None
        fold = None if self._asked is None else self._asked.fold(env, alone, enabled)
        if self._asked is None or fold is None:
            return None
        if answers_folds(values):
            answer = values.folded(fold)
        else:
            answer = env.world.folded(values, fold, self._canonical)
        if answer is None:
            return None
        assert isinstance(answer[0], ListValue)
        end = self._asked.end(answer[0].items)
        env.locals.update(end.names)
        return end


_BEGIN: Final = TurnEnd(GOES_ON, None, {})


class _Question:
    """The question to a set about a loop over it. `passed`: the names with which each turn is given a value."""

    def __init__(self, loop: p.ForLoop, functions: tuple[str, ...], passed: frozenset[str], scope: NameScope) -> None:
        text = (loop.variables, *text_of(instructions(loop)))
        self.site = (loop.span, functions)
        self.calls = not calls_only_builtins(text, scope)
        self.mentions = mentioned(text)
        # What a turn binds before it reads it is held, too: that does no harm, and such names are rarely bound before.
        self._captured = readers_of(set(names_in(text)) - set(loop.variables.names) - passed, scope)

    def held(self, env: Environment) -> tuple[object, ...]:
        """What turns may use in an environment."""
        return (env.instance, *[read(env) for read in self._captured])


class _First(_Question):
    """The question for what a loop with independent turns returns."""

    def __init__(self, loop: p.ForLoop, scope: NameScope) -> None:
        super().__init__(loop, FIRST, frozenset(), scope)

    def fold(self, env: Environment, alone: Alone, enabled: bool) -> Fold:
        """The question, asked in an environment."""

        def turn(item: object) -> list[object]:
            end = alone(item, _BEGIN)
            return [end.value] if end.how == RETURNS else []

        return Fold(self.site, partial(self.held, env), turn, self.calls, self.mentions)

    def end(self, answer: list[object]) -> TurnEnd:
        """The end of the loop, given the answer."""
        return TurnEnd(RETURNS, answer[0], {}) if answer else _BEGIN


class _Passing(_Question):
    """The question for what the turns of a loop pass on in the end."""

    def __init__(self, loop: p.ForLoop, passed: PassedOn, scope: NameScope) -> None:
        super().__init__(loop, PASSED, frozenset(passed.names), scope)
        self._passed = passed
        self._local = all(scope.depths(name) == [0] for name in passed.names)
        self._known = scope.known

    @property
    def _elsewhere(self) -> Set[str]:
        """The names that are bound everywhere."""
        return self._known.constants.keys() | self._known.builtins.keys()

    def fold(self, env: Environment, alone: Alone, enabled: bool) -> PassingFold | None:
        """The question, asked in an environment; None if names may mean something else there."""
        passed = self._passed
        if not self._local:
            return None
        given: dict[str, object] = {}
        for name in passed.names:
            value = env.locals.get(name, MISSING)
            # A name that is not bound yet may mean a constant; a container that is iterated over must stay the same.
            if name in self._elsewhere if value is MISSING else isinstance(value, Container) and value.iterating:
                return None
            given[name] = value
        start = passed_values(TurnEnd(GOES_ON, None, given, enabled), passed)

        def turn(before: list[object], item: object) -> list[object]:
            return passed_values(alone(item, taken_over(before, passed)), passed)

        return PassingFold(self.site, partial(self.held, env), start, turn, self.calls, self.mentions)

    def end(self, answer: list[object]) -> TurnEnd:
        """The end of the loop, given the answer."""
        return taken_over(answer, self._passed)


def folded_loop(
    loop: p.ForLoop, routine: p.Routine, scope: NameScope, unbroken: Callable[[], frozenset[int]]
) -> FoldedLoop | None:
    """A loop of a routine as a question to a set; None for others than those that end in the same step.

    The routine is an assertion, or one of the `unbroken` ones: the names that it leaves bound are in no state.
    """
    acts = routine.kind != "assertion"
    if not ends_unseen(loop, routine):
        return None

    def find() -> _Around | None:
        if acts and routine.number not in unbroken():
            return None
        assert isinstance(routine.body, p.Sequence)
        names = Counter(names_in(text_of(instructions(routine.body))))
        parameters, state_variables = _names_of(routine.parameters), scope.known.state_variables
        return _Around(loop, names, routine.body, parameters, state_variables, acts)

    return FoldedLoop(find, scope, True)


def ends_unseen(loop: p.ForLoop, routine: p.Routine) -> bool:
    """Whether a loop ends in the step that it begins in, and nothing tells which of its statements were executed."""
    acts = routine.kind != "assertion"
    in_one_step = not loop.parallel and loop.flow == "atomic" and routine.kind != "init"
    return in_one_step and not any(_is_seen(instruction, acts) for instruction in instructions(loop))


def _is_seen(instruction: p.Instruction, acts: bool) -> bool:
    """Whether it is seen that an instruction is executed: it has a label, or returns no value."""
    return (acts and instruction.label is not None) or (isinstance(instruction, p.Leave) and instruction.value is None)


def folded_host_loop(statement: ast.For, around: ast.Helper, scope: NameScope) -> FoldedLoop:
    """As `folded_loop`, of a loop in a `def`."""

    def find() -> _Around | None:
        loop, names = loop_of(statement), Counter(names_in((around.body,)))
        routine, parameters = sequence_of(around.body), _names_of(around.parameters)
        return None if loop is None else _Around(loop, names, routine, parameters, frozenset())

    return FoldedLoop(find, scope, False)


def _names_of(parameters: tuple[ast.Parameter, ...]) -> frozenset[str]:
    return frozenset(parameter.name for parameter in parameters)
