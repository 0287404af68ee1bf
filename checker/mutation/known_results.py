"""What the rules of a model lead to in each of its states, gathered once, so that mutants can be compared with it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from checker.core.patience import Patience
from checker.search.memo.memo import Memory
from fizz import Module, Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.state.state import State
from interpreter.state.step import Failure, Outcome, Result, Rule, StepKind

Effects = frozenset[tuple[object, ...]]
"""What a rule does in a state, and what properties see of it; whatever led to it."""

_LOOPS: Final = (ast.For, ast.While)
_MOST: Final = 1 << 16
_NOTED: Final = (
    ast.Assign,
    ast.AugmentedAssign,
    ast.ExpressionStatement,
    ast.Require,
    ast.Return,
    ast.Choose,
    ast.ChooseBlock,
    ast.FlowBlock,
    ast.If,
)
"""Statements that stand among the lines of a path once they are executed."""


class Case(NamedTuple):
    """The states, by number, in which a rule has the same effects after the same statements.

    `effects`: None, if a path fails. `parks`: a thread waits after one of the paths.
    """

    effects: Effects | None
    lines: frozenset[Span]
    parks: bool
    states: array[int]

    def never_comes_to(self, statement: Span | None) -> bool:
        """Whether the rule behaves as before in these states, if this statement is another; None: not known."""
        return statement is not None and self.effects is not None and not self.parks and statement not in self.lines


class SeenEffects:
    """The effects of results, remembered: a tree gives the same objects again and again."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[Effects | None, Sequence[Result]]] = {}

    def of(self, results: Sequence[Result]) -> Effects | None:
        """The effects of the results of a rule; None, if one of them is a failure."""
        key = tuple(map(id, results))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            # The results are kept, so that no other object has their place in memory.
            known = self._known[key] = (_effects(results), results)
        return known[0]


def _effects(results: Sequence[Result]) -> Effects | None:
    if any(isinstance(one, Failure) for one in results):
        return None
    return frozenset(
        (one.writes, one.thread, one.sent, one.choices, one.may_crash, one.labels, one.returns, one.fair)
        for one in results
        if isinstance(one, Outcome)
    )


def cases_of(memory: Memory, states: Sequence[State], patience: Patience) -> dict[Rule, list[Case]]:
    """By rule, what it leads to in all states in which it may be run. Raises `Stop`."""
    found: dict[Rule, dict[tuple[Effects | None, frozenset[Span], bool], Case]] = {}
    seen = SeenEffects()
    for number, state in enumerate(states):
        view = memory.view(state)
        for candidate in memory.machine.candidates(state):
            patience.ask()
            rule = candidate.rule
            if rule.kind is StepKind.CRASH_ROLE:
                continue
            results = memory.results(rule, view)
            met = frozenset(line for one in results for line in one.lines)
            parks = any(isinstance(one, Outcome) and one.thread is not None for one in results)
            key = seen.of(results), met, parks
            cases = found.setdefault(rule, {})
            if key not in cases:
                cases[key] = Case(*key, array("I"))
            cases[key].states.append(number)
    return {rule: list(cases.values()) for rule, cases in found.items()}


def statement_around(module: Module, place: Span) -> Span | None:
    """The statement at a place, without which nothing is different there; None: there is none, or none that is noted.

    It is the innermost one that is outside of loops, whose turns may be answered without a path.
    """
    for body in _bodies(module):
        if _within(place, body.span):
            return _innermost(body, place, None)
    return None


def _bodies(module: Module) -> Iterator[ast.Block]:
    for item in module.items:
        owned = (*item.actions, *item.functions) if isinstance(item, ast.Role) else (item,)
        for one in owned:
            if isinstance(one, ast.Action | ast.Function) and one.name != "Init":
                yield one.body


def _innermost(block: ast.Block, place: Span, found: Span | None) -> Span | None:
    for statement in block.statements:
        if _within(place, statement.span):
            if isinstance(statement, _LOOPS):
                return found
            around = statement.span if isinstance(statement, _NOTED) else found
            inner = [one for one in nodes_in(statement) if isinstance(one, ast.Block) and _within(place, one.span)]
            return _innermost(inner[0], place, around) if inner else around
    return found


def _within(place: Span, span: Span) -> bool:
    return place.file == span.file and (
        (span.line, span.column)
        <= (place.line, place.column)
        <= (place.end_line, place.end_column)
        <= (span.end_line, span.end_column)
    )
