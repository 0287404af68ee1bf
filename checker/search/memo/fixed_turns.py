"""`FixedTurns`: the rules that ask turn by turn what they go through, though it is the same in all states.

A comprehension or loop over a constant, a range or a list of role instances reads the state in each of its turns. In
one path of execution all these answers come together, and where they take many values together nearly every state is a
new case. Then each turn is remembered apart, as for a set that is stored by elements, and what follows depends on the
answer alone.
"""

from __future__ import annotations

from typing import Final

from checker.search.memo.list_places import goes_through
from interpreter.compile import program as p
from interpreter.state.step import Rule, StepKind

_PATIENCE: Final = 32
"""If so many new paths more have not asked anything turn by turn than have, it is of no use."""

_ONE_IN: Final = 8
"""Much is new of a rule if a new path comes to so many evaluations: where less is, turns make more new paths at first
than they ever save."""


class FixedTurns:
    """Which rules do so. `allowed`: any may begin to, where it repeats too little otherwise.

    `asked`: whether the last path asked so.
    """

    def __init__(self, program: p.Program) -> None:
        self._program = program
        self.allowed = False
        self.asked = False
        self.rules: dict[Rule, int] = {}
        """By rule, how many paths more have not asked so than have."""
        self._marks: dict[Rule, tuple[int, int, int, int]] = {}
        """By rule, new paths and evaluations when they were a quarter to a half of today's, and then twice as many."""
        self._planned: set[Rule] = set()
        self._ended: set[Rule] = set()
        """Those that have nothing to ask so."""

    def is_often_new(self, rule: Rule, calls: int, evaluations: int) -> bool:
        """Whether much is new of late, of a rule with so many new paths in so many evaluations until now.

        The first evaluations do not count for long: nearly all is new in them, also where most repeats later.
        """
        old_calls, old, mark_calls, mark = self._marks.get(rule, (0, 0, 0, 0))
        if evaluations >= 2 * mark:
            old_calls, old, mark_calls, mark = self._marks[rule] = mark_calls, mark, calls, max(1, evaluations)
        return _ONE_IN * (calls - old_calls) >= evaluations - old

    def plan(self, rule: Rule) -> bool:
        """Whether a rule is to begin so, if it has not yet and may have something to go through."""
        if not self.allowed or rule in self.rules or rule in self._ended:
            return False
        program = self._program
        if rule.kind is StepKind.ASSERT:
            number, helpers = program.assertions[rule.subject].routine, True
        elif rule.kind is StepKind.START:
            number, helpers = rule.subject, False
        else:
            return False
        # Its text is looked at once.
        fits = rule in self._planned or goes_through(program, program.routines[number], helpers)
        (self._planned if fits else self._ended).add(rule)
        return fits

    def begins(self, rule: Rule) -> bool:
        """Whether a rule begins so now."""
        if rule not in self._planned:
            return False
        self._planned.remove(rule)
        self.rules[rule] = 0
        return True

    def ends(self, rule: Rule) -> bool:
        """Whether a rule asks so no more, after it has run a new path: it had nothing to ask."""
        if rule not in self.rules:
            return False
        self.rules[rule] += -1 if self.asked else 1
        if self.rules[rule] < _PATIENCE:
            return False
        del self.rules[rule]
        self._ended.add(rule)
        return True
