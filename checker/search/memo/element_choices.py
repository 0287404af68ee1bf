"""Choices among the elements of a set by element: a path is remembered for each element, not for each set.

A rule that chooses among the elements of the set in some slot is asked once for each element, which it finds in the
slot `CHOSEN`, and once for all paths that choose none, or find none: then `CHOSEN` holds `EMPTY` if no element can be
chosen, and `ELSEWHERE` if one can. So a path depends on the element that it takes, and not on the others beside it.
"""

from __future__ import annotations

from typing import Final

from fizz import Span
from interpreter.compile.program import Pick, Routine
from interpreter.compile.statements import instructions
from interpreter.execute.comprehensions import kept_of
from interpreter.state.state import UNBOUND, Slot
from interpreter.state.step import Aborted, Rule

CHOSEN: Final[Slot] = ("chosen",)
ELSEWHERE: Final = UNBOUND
EMPTY: Final = UNBOUND - 1
NOWHERE: Final = Aborted("another path has the result", Span("", 0, 0, 0, 0))
"""The result of a path that has none, because the path for another element, or for none, has it."""


MOST_APART: Final = 255
"""Of more values than this, those that are admitted are found together: a table has a unit for each."""


ONE_IN: Final = 16
"""Much is new of a rule if a new path comes to so many evaluations."""
_WORSE: Final = 4
_LEARNED: Final = 500
"""So many times the new paths before are too many where it has a path for each value, or that many times this."""


class BeginAnew(Exception):
    """The tree of a rule cannot be added to: its paths will ask other questions from now on."""


def chooses_some(routine: Routine) -> bool:
    """Whether a routine has a choice with a condition."""
    picks = (one for one in instructions(routine.body) if isinstance(one, Pick))
    return any(pick.condition is not None or kept_of(pick.iterable) is not None for pick in picks)


class ElementChoices:
    """Which rules choose among elements. `sets`: the slot of the set; each rule has at most one.

    `levels`: how many choices come before that of an element; only for rules that do not admit every element. `apart`:
    the rules that have a path for each value of a choice with a condition, and how many choices come before one such.
    """

    def __init__(self) -> None:
        self.sets: dict[Rule, Slot] = {}
        self.levels: dict[Rule, int] = {}
        self.apart: dict[Rule, set[int]] = {}
        self._until_apart: dict[Rule, tuple[int, int]] = {}
        self._without: set[Rule] = set()
        self._together: set[Rule] = set()
        self._labels: dict[tuple[Rule, str], int] = {}

    def may_be_apart(self, rule: Rule) -> bool:
        """Whether a rule has no path for each value of a choice with a condition, and has not given up."""
        return rule not in self._without and rule not in self._together and rule not in self.apart

    def set_apart(self, rule: Rule, calls: int, evaluations: int) -> None:
        """Have a path for each value of the choices of a rule that have a condition, from now on.

        What is remembered of it must be forgotten. So many new paths came to so many evaluations before.
        """
        self.apart[rule] = set()
        self._until_apart[rule] = calls, evaluations

    def is_worse_apart(self, rule: Rule, calls: int, evaluations: int) -> bool:
        """Whether much more is new of a rule than before it had a path for each value."""
        if rule not in self.apart:
            return False
        before, evaluated = self._until_apart[rule]
        return calls > _WORSE * max(before, _LEARNED) and ONE_IN * (calls - before) >= evaluations - evaluated

    def end_apart(self, rule: Rule) -> None:
        """Have the values of conditions evaluated together again, for good. What is remembered must be forgotten."""
        self.apart.pop(rule, None)
        self._together.add(rule)

    def admits(self, rule: Rule, slot: Slot, level: int | None) -> bool:
        """Whether a rule chooses among the elements in a slot; raises `BeginAnew` if that is new.

        `level`: how many choices it has made before, if it does not admit every element.
        """
        if rule in self._without:
            return False
        known = self.sets.get(rule)
        if known is None:
            self.sets[rule] = slot
            if level is not None:
                self.levels[rule] = level
            raise BeginAnew
        if known == slot and level != self.levels.get(rule):
            # Where an element stands among those that can be chosen would be counted in two ways.
            self.give_up(rule)
            raise BeginAnew
        return known == slot

    def name(self, rule: Rule, label: str, element: int) -> None:
        """Note how a choice is called. Steps of one name count once: if two elements have one name, give up."""
        if self._labels.setdefault((rule, label), element) != element:
            self.give_up(rule)
            raise BeginAnew

    def by_value(self, rule: Rule) -> bool:
        """Whether a rule has paths for single elements or values that it chooses."""
        return rule in self.sets or rule in self.apart

    def give_up(self, rule: Rule) -> None:
        """Let a rule choose as it is written. What is remembered of it must be forgotten."""
        self._without.add(rule)
        self.sets.pop(rule, None)
        self.levels.pop(rule, None)
        self.apart.pop(rule, None)
