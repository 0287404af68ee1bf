"""Tables in front of read trees, for states that are looked at one by one.

Most evaluations of a rule ask for a few slots whose values were met together before. The values at these positions of a
state are the key: one look-up instead of a walk that asks question by question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final

from checker.search.memo.comparisons import is_comparison
from checker.search.memo.division import ROOT_LENGTH
from interpreter.state.state import Slot, State
from interpreter.state.step import Result

_MOST: Final = 1 << 14
"""Results that one table holds."""
_TRIAL: Final = 256
_WORTHWHILE: Final = 0.2
"""The least share of hits after so many look-ups."""
_OF_LAYOUT: Final = ("live", "names", "cells")
"""Derived slots that are the same in all states of a layout."""


class RowTable:
    """The results of one rule in states of one layout, by the values in all slots that it was seen to ask for.

    The answers in states of one key are the same, so the rule asks the same questions there. `use`: it pays. Of a rule
    about steps the states are pairs: that after the step, and that before it.
    """

    __slots__ = ("_before", "_hits", "_key", "_known", "_layout", "_lookups", "_slots", "use")

    def __init__(self, state: State, before: State | None) -> None:
        self.use = True
        self._begin(state, before)

    def _begin(self, state: State, before: State | None) -> None:
        self._layout = state.layout
        self._before = None if before is None else before.layout
        self._slots: set[Slot] = set()
        self._known: dict[Any, Sequence[Result]] = {}
        self._key: Callable[[tuple[int, ...]], Any] = len
        self._lookups = self._hits = 0

    def get(self, state: State, before: State | None) -> Sequence[Result] | None:
        """The results in a state, or for a step, if they are known."""
        if before is None:
            values, same = state.values, state.layout is self._layout
        else:
            values = state.values + before.values
            same = state.layout is self._layout and before.layout is self._before
        if not same:
            self._begin(state, before)
            return None
        found = self._known.get(self._key(values))
        self._lookups += 1
        if found is not None:
            self._hits += 1
        elif self._lookups >= _TRIAL and self._hits < _WORTHWHILE * self._lookups:
            self.use = False
            self._known.clear()
        return found

    def add(self, state: State, before: State | None, asked: set[Slot], results: Sequence[Result]) -> None:
        """The results in a state, or for a step, for which the rule has asked for these slots, or parts of them."""
        new = asked - self._slots
        if new:
            self._slots |= new
            self._look_at(new)
        elif len(self._known) >= _MOST:
            self._known.clear()
        if self.use:
            self._known[self._key(state.values if before is None else state.values + before.values)] = results

    def _look_at(self, new: set[Slot]) -> None:
        """Make the key of the roots of all slots; not if answers depend on more."""
        positions: set[int] = set()
        for asked in self._slots:
            if is_comparison(asked):
                continue  # not answered: both are read
            slot, index, begin = asked, self._layout.index, 0
            if self._before is not None:
                slot = asked[1:]
                if asked[0] == "before":
                    index, begin = self._before.index, len(self._layout.slots)
            length = ROOT_LENGTH.get(str(slot[0]))
            position = index.get(slot if length is None else slot[:length])
            if position is not None:
                positions.add(begin + position)
            elif length is None and slot[0] not in _OF_LAYOUT:
                self.use = False
        self._known.clear()
        self._key = itemgetter(*sorted(positions)) if positions else len
