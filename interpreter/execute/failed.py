"""Ways that cost much before the model failed on them. Whoever tells of one need not go it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interpreter.execute.view import View, states_of
from interpreter.state.state import State
from interpreter.state.step import ExecutionPath, Failure, Fork, Rule

_MOST_KEPT: Final = 8
"""The first ones are kept: a search goes through states and steps in order, and the least mistake is told."""

Choices = tuple[int, ...] | None
"""The choices of a way; None: all ways through a rule that are followed together."""
_Key = tuple[Rule, tuple[State, ...], Choices]


class CostlyFailures:
    """Some ways through rules of one machine: what was run as a whole, ended in a failure and was not cheap."""

    def __init__(self) -> None:
        self._known: dict[_Key, Sequence[ExecutionPath]] = {}

    def get(self, rule: Rule, view: View, choices: Choices) -> Sequence[ExecutionPath] | None:
        """What is known of a way, or of all of them; None if it must be gone."""
        states = states_of(view) if self._known else None
        return None if states is None else self._known.get((rule, states, choices))

    def add(self, rule: Rule, view: View, choices: Choices, ways: Sequence[ExecutionPath]) -> None:
        """Keep what was run at much cost, if it failed."""
        failed = any(isinstance(way.result, Failure) for way in ways)
        states = states_of(view) if failed and len(self._known) < _MOST_KEPT else None
        if states is not None:
            # Who asks again wants to know what came of it, and which way is the next one.
            self._known[rule, states, choices] = [
                ExecutionPath(tuple(event for event in way.events if isinstance(event, Fork)), way.result)
                for way in ways
            ]
