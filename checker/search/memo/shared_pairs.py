"""`SharedPairs`: the body of a `leadsto` assertion, run once in a state for all questions about its pairs (10.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from checker.search.memo.memo import Memory
from interpreter.compile.program import AssertionProgram
from interpreter.execute.pair_answers import Pair, answer_about
from interpreter.execute.view import View
from interpreter.state.state import State
from interpreter.state.step import Result, Rule

_MANY: Final = 8
"""For so many questions the body is run once; fewer are remembered, each by what it reads."""
Pairs = Mapping[str, Pair]


class SharedPairs:
    """The verdicts of assertions in one state after another, as `Memory.result` gives them."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        asked = [one for one in memory.machine.program.assertions if one.question is not None]
        count = Counter(_assertion(one) for one in asked)
        self._questions = {
            one.number: (_assertion(one), one.question)
            for one in asked
            if one.question is not None and count[_assertion(one)] >= _MANY
        }
        self._last: dict[tuple[int, tuple[str, int] | None], tuple[State, Pairs | None]] = {}
        self._asked = self._lost = 0
        self._verdicts: tuple[Result, ...] = ()
        """Those that do not hold, and that hold."""
        if self._questions:
            # Most models have no such assertion, and need no functions of Python at first.
            from interpreter.direct.compiled_rules import HELD, VIOLATED

            self._verdicts = VIOLATED, HELD

    def result(self, rule: Rule, view: View) -> Result:
        """The verdict of an assertion."""
        known = self._answer(rule, view) if rule.subject in self._questions else None
        return self._memory.result(rule, view) if known is None else self._verdicts[known]

    def _answer(self, rule: Rule, view: View) -> bool | None:
        """The answer to a question in a state; None: ask it by itself."""
        if 2 * self._lost > self._asked + _MANY:
            return None
        assertion, question = self._questions[rule.subject]
        state, key = view.whole(), (assertion, rule.instance)
        known = self._last.get(key)
        if known is None or known[0] is not state:
            known = self._last[key] = state, self._memory.pairs_in(rule, [state])[0]
            self._asked += 1
            self._lost += known[1] is None
        return None if known[1] is None else answer_about(known[1], question.asked, question.key)


def _assertion(question: AssertionProgram) -> int:
    """The number of the assertion that a question is about."""
    return question.number if question.of is None else question.of
