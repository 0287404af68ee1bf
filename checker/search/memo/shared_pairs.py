"""`SharedPairs`: the body of a `leadsto` assertion, run once in a state for all questions about its pairs (10.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from checker.search.memo.memo import Memory
from interpreter.compile.program import PairQuestion
from interpreter.execute.pair_answers import Pair
from interpreter.execute.view import View
from interpreter.state.state import State
from interpreter.state.step import Result, Rule

_MANY: Final = 8
"""Of so many questions the body is run once: what each asks of a state by itself is more than the text says."""
Pairs = Mapping[str, Pair]


class SharedPairs:
    """The verdicts of assertions in one state after another, as `Memory.result` gives them."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        program = memory.machine.program
        questions = {one.number: one.number if one.of is None else one.of for one in program.assertions if one.question}
        count = Counter(questions.values())
        self._of = {number: of for number, of in questions.items() if count[of] >= _MANY}
        self._questions = {number: program.assertions[number].question for number in self._of}
        self._last: dict[tuple[int, tuple[str, int] | None], tuple[State, Pairs | None]] = {}
        self._asked = self._lost = 0
        self._verdicts: tuple[Result, ...] = ()
        """Those that do not hold, and that hold."""
        if self._of:
            # Most models have no such assertion, and need no functions of Python at first.
            from interpreter.direct.compiled_rules import HELD, VIOLATED

            self._verdicts = VIOLATED, HELD

    def result(self, rule: Rule, view: View) -> Result:
        """The verdict of an assertion."""
        known = self._answer(rule, view) if rule.subject in self._of else None
        return self._memory.result(rule, view) if known is None else self._verdicts[known]

    def _answer(self, rule: Rule, view: View) -> bool | None:
        """The answer to a question in a state; None: ask it by itself."""
        if 2 * self._lost > self._asked + _MANY:
            return None
        state, key = view.whole(), (self._of[rule.subject], rule.instance)
        known = self._last.get(key)
        if known is None or known[0] is not state:
            known = self._last[key] = state, self._memory.pairs_in(rule, [state])[0]
            self._asked += 1
            self._lost += known[1] is None
        question = self._questions[rule.subject]
        return None if known[1] is None or question is None else _answer(question, known[1])


def _answer(question: PairQuestion, pairs: Pairs) -> bool:
    if question.key is not None:
        pair = pairs[question.key]
        return pair.p if question.asked else pair.q
    return any(pair.p for pair in pairs.values()) if question.asked else all(pair.q for pair in pairs.values())
