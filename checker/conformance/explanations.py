"""All explanations of a log at once: which assertions every one of them violates, and which some.

States are followed event by event, each with what the ways to it have violated: all of them, or one of them. A state
that explains no further event is left behind with its ways, so that at the end is left what explanations violate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from checker.conformance.event_streams import EventStream, Positions
from checker.conformance.log_model import LogModel
from checker.conformance.observed_event import Observed
from checker.core.patience import Patience, Stop
from interpreter import State, Step

_ASKS_EVERY: Final = 256
_SETTLES_EVERY: Final = 500

Node = tuple[State, Positions]


@dataclass(slots=True)
class _Violated:
    """What the ways to a node violate. `some`: by the name of an assertion, the event where it was violated first."""

    some: Mapping[str, Observed | None]
    every: frozenset[str]

    def beyond(self, names: list[str], event: Observed | None) -> _Violated:
        """After a step that violates these."""
        if not names:
            return self
        return _Violated({**dict.fromkeys(names, event), **self.some}, self.every.union(names))

    def joined(self, other: _Violated) -> _Violated:
        """Of the ways of both; `self` if there is nothing new."""
        if other is self or (self.some.keys() >= other.some.keys() and self.every <= other.every):
            return self
        return _Violated({**other.some, **self.some}, self.every & other.every)


@dataclass(slots=True)
class AllExplanations:
    """What they violate. `stopped`: by patience or the bound on nodes. `bounded`: silent steps were left out.

    `found`: whether there is an explanation. `nodes`: how many were looked at.
    """

    some: Mapping[str, Observed | None] = field(default_factory=dict)
    every: frozenset[str] = frozenset()
    found: bool = False
    stopped: bool = False
    bounded: bool = False
    nodes: int = 0


class Explanations:
    """Follows all explanations of a log."""

    def __init__(self, model: LogModel, stream: EventStream, patience: Patience, most: int | None) -> None:
        self._model = model
        self._stream = stream
        self._patience = patience
        self._most = most
        self._answer = AllExplanations()
        self._accepted: _Violated | None = None

    def follow(self) -> AllExplanations:
        """Follow them. Raises `ModelError`, and what reading the events raises."""
        model, answer = self._model, self._answer
        level: dict[Node, _Violated] = {}
        for state in model.beginnings:
            names = model.judged.violated(None, None, state)
            _join(level, (state, self._stream.first()), _Violated({}, frozenset()).beyond(names, None))
        number = 0
        try:
            while level and not answer.stopped:
                number += 1
                if not number % _SETTLES_EVERY:
                    ((state, positions), violated) = next(iter(level.items()))
                    if len(level) == 1 and model.is_full:
                        level = {(model.renewed(state), positions): violated}
                    # All nodes have as many events.
                    self._stream.settle(positions)
                level = self._after_one_event(level)
        except Stop:
            answer.stopped = True
        if self._accepted is not None:
            answer.found, answer.some, answer.every = True, self._accepted.some, self._accepted.every
        return answer

    def _after_one_event(self, level: dict[Node, _Violated]) -> dict[Node, _Violated]:
        """The nodes with one event more. Silent steps come before it, as long as they lead to something new."""
        following: dict[Node, _Violated] = {}
        waiting = level
        for silent in range(self._model.fit.silent.most + 1):
            changed: dict[Node, _Violated] = {}
            for node, violated in list(waiting.items()):
                self._answer.nodes += 1
                if self._is_over():
                    return {}
                if self._explain(node, violated, following):
                    continue
                steps = self._model.fit.silent_steps(node[0])
                if steps and silent == self._model.fit.silent.most:
                    self._answer.bounded = True
                    continue
                for step in steps:
                    reached = (step.target, node[1])
                    if _join(level, reached, self._beyond(node[0], step, step.target, violated, None)):
                        changed[reached] = level[reached]
            if not changed:
                break
            waiting = changed
        return following

    def _explain(self, node: Node, violated: _Violated, following: dict[Node, _Violated]) -> bool:
        """Explain the next events of a node. Whether none is left."""
        state, positions = node
        events = list(self._stream.next(positions))
        if not events and self._stream.ended(positions):
            self._accepted = violated if self._accepted is None else self._accepted.joined(violated)
            return True
        for event, after in events:
            for one in event.readings:
                for step in self._model.fit.moves(state, one):
                    target = state if step is None else step.target
                    _join(following, (target, after), self._beyond(state, step, target, violated, one))
        return False

    def _beyond(
        self, before: State, step: Step | None, after: State, violated: _Violated, event: Observed | None
    ) -> _Violated:
        return violated.beyond(self._model.judged.violated(before, step, after), event)

    def _is_over(self) -> bool:
        answer = self._answer
        asks = not answer.nodes % _ASKS_EVERY
        answer.stopped = (asks and self._patience.over is not None) or (
            self._most is not None and answer.nodes > self._most
        )
        return answer.stopped


def _join(nodes: dict[Node, _Violated], node: Node, violated: _Violated) -> bool:
    """Add the ways to a node. Whether this says something new of it."""
    known = nodes.get(node)
    joined = violated if known is None else known.joined(violated)
    nodes[node] = joined
    return joined is not known
