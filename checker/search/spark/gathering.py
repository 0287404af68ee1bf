"""Arrivals at one level: of all the steps that lead to a state, the one that counts as its parent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from interpreter.state.state import State
from interpreter.state.step import StepOrder

Place = TypeVar("Place")
"""Where a state is to be had, so that states nobody needs are never put together."""


class Newcomer(Generic[Place]):
    """A state that was arrived at: the best parent so far, crash steps on that path, and the least number of starts."""

    __slots__ = ("crashes", "order", "place", "source", "starts")

    def __init__(self, source: int, order: StepOrder, starts: int, crashes: int, place: Place) -> None:
        self.source = source
        self.order = order
        self.starts = starts
        self.crashes = crashes
        self.place = place


class Gathering(Generic[Place]):
    """The newcomers by key. Arrivals may come in any order and partly gathered already: the result is the same.

    `encoding` is given when states of one key may differ (a view is in use, language page, 12.5): then the least one is
    kept. Among equal states the parent is least by (crashes, order, key of source).
    """

    def __init__(self, state: Callable[[Place], State], encoding: Callable[[State], str] | None) -> None:
        self.newcomers: dict[int, Newcomer[Place]] = {}
        self.state = state
        self._encoding = encoding

    def add(self, key: int, source: int, order: StepOrder, starts: int, crashes: int, place: Place) -> None:
        """A state is arrived at. `crashes` counts the crash steps on the way there, this one included."""
        known = self.newcomers.get(key)
        if known is None:
            self.newcomers[key] = Newcomer(source, order, starts, crashes, place)
            return
        if starts < known.starts:
            known.starts = starts
        if self._better(source, order, crashes, place, known):
            known.source, known.order, known.crashes, known.place = source, order, crashes, place

    def _better(self, source: int, order: StepOrder, crashes: int, place: Place, known: Newcomer[Place]) -> bool:
        if self._encoding is not None:
            state, other = self.state(place), self.state(known.place)
            if state != other:
                return self._encoding(state) < self._encoding(other)
        return (crashes, order, source) < (known.crashes, known.order, known.source)

    def in_order(self) -> list[tuple[int, Newcomer[Place]]]:
        """The newcomers by key."""
        return sorted(self.newcomers.items(), key=lambda item: item[0])
