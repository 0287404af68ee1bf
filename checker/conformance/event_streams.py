"""The events of the logs of one run, in the orders in which they may come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from checker.conformance.event_sources import Ordered
from checker.conformance.observed_event import Observed

Positions = tuple[int, ...]
"""How many events of each process are explained."""


class EventStream(Protocol):
    """The events that may come next, given how many of each process are explained."""

    def first(self) -> Positions:
        """No event is explained."""

    def next(self, positions: Positions) -> Iterator[tuple[Observed, Positions]]:
        """The events that may come next, and the positions after them."""

    def ended(self, positions: Positions) -> bool:
        """Whether no event is left, if none may come next."""

    def settle(self, positions: Positions) -> None:
        """Events before these positions will not be asked for again."""


class InOrder:
    """All events one after the other, read while the search goes on."""

    def __init__(self, events: Iterator[Observed]) -> None:
        self._events = events
        self._held: list[Observed] = []
        self._from = 0

    def first(self) -> Positions:
        """No event is explained."""
        return (0,)

    def next(self, positions: Positions) -> Iterator[tuple[Observed, Positions]]:
        """The next event."""
        at = positions[0] - self._from
        if at == len(self._held):
            following = next(self._events, None)
            if following is None:
                return
            self._held.append(following)
        yield self._held[at], (positions[0] + 1,)

    def ended(self, positions: Positions) -> bool:
        """If none may come next, none is left."""
        return True

    def settle(self, positions: Positions) -> None:
        """Drop the events before."""
        del self._held[: positions[0] - self._from]
        self._from = positions[0]


class PerProcess:
    """The events of each process in its order, each after those that it needs."""

    def __init__(self, events: Sequence[Sequence[Ordered]]) -> None:
        self._events = events

    def first(self) -> Positions:
        """No event is explained."""
        return tuple([0] * len(self._events))

    def next(self, positions: Positions) -> Iterator[tuple[Observed, Positions]]:
        """The next event of each process, if those that it needs are explained."""
        for process, (events, position) in enumerate(zip(self._events, positions, strict=True)):
            if position < len(events) and all(positions[one] >= count for one, count in events[position].needs):
                yield events[position].event, (*positions[:process], position + 1, *positions[process + 1 :])

    def ended(self, positions: Positions) -> bool:
        """Whether no process has an event left; else two wait for each other."""
        return all(at == len(events) for at, events in zip(positions, self._events, strict=True))

    def settle(self, positions: Positions) -> None:
        """They are held anyway."""
