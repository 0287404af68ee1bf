"""Arrivals at one level, row by row: each state once, with its parent and its fewest starts."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from checker.search.contract.parents import is_less
from interpreter.state.state import State
from interpreter.state.step import StepOrder

Key = TypeVar("Key", bound=Hashable)
"""What distinguishes states."""
Handle = TypeVar("Handle")
"""What a state is built from when it is needed."""


class Newcomer(Generic[Handle]):
    """A state of the new level: the best parent so far, crash steps on that path, and the least number of starts.

    `number`: how many other states of the level arrived before it.
    """

    __slots__ = ("crashes", "handle", "number", "order", "source", "starts")

    def __init__(self, number: int, source: int, order: StepOrder, starts: int, crashes: int, handle: Handle) -> None:
        self.number = number
        self.source = source
        self.order = order
        self.starts = starts
        self.crashes = crashes
        self.handle = handle


class Gathering(Generic[Key, Handle]):
    """The newcomers by key. Arrivals may come in any order and partly gathered already: the result is the same.

    `encoding` is given when states of one key may differ (a view is in use): then the one of least encoding is kept and
    expanded, with the parent that leads to it (language page, 12.5). A newcomer's handle changes only then.
    """

    def __init__(self, state: Callable[[Handle], State], encoding: Callable[[State], str] | None) -> None:
        self.newcomers: dict[Key, Newcomer[Handle]] = {}
        self.state = state
        self._encoding = encoding

    def __len__(self) -> int:
        return len(self.newcomers)

    def add(
        self, key: Key, source: int, order: StepOrder, starts: int, crashes: int, handle: Handle
    ) -> Newcomer[Handle]:
        """Add an arrival at a state; what is known of the state then.

        `source`, `order` and `crashes` as in `parents.is_less`; `starts` and `crashes` count this step too.
        """
        known = self.newcomers.get(key)
        if known is None:
            known = self.newcomers[key] = Newcomer(len(self.newcomers), source, order, starts, crashes, handle)
            return known
        if starts < known.starts:
            known.starts = starts
        if self._encoding is not None:
            state, other = self.state(handle), self.state(known.handle)
            if state != other:
                if self._encoding(state) < self._encoding(other):
                    known.source, known.order, known.crashes, known.handle = source, order, crashes, handle
                return known
        if is_less(crashes, order, source, known.crashes, known.order, known.source):
            known.source, known.order, known.crashes = source, order, crashes
        return known
