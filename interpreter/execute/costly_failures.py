"""A cache of expensive execution paths that failed, so that reporting one does not run it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interpreter.execute.view import View, states_of
from interpreter.state.state import State
from interpreter.state.step import ExecutionPath, Failure, Fork, Rule

_MOST_KEPT: Final = 8
"""The first ones are kept: a search goes through states and steps in order and reports the least failure."""

Choices = tuple[int, ...] | None
"""The choices of a path; None: all paths of a rule that are followed together."""
_Key = tuple[Rule, tuple[State, ...], Choices]


class CostlyFailures:
    """Some complete and expensive execution paths of one machine that ended in a failure."""

    def __init__(self) -> None:
        self._known: dict[_Key, Sequence[ExecutionPath]] = {}

    def get(self, rule: Rule, view: View, choices: Choices) -> Sequence[ExecutionPath] | None:
        """The known path with these choices, or all paths of the rule; None if it has to be run."""
        states = states_of(view) if self._known else None
        return None if states is None else self._known.get((rule, states, choices))

    def add(self, rule: Rule, view: View, choices: Choices, paths: Sequence[ExecutionPath]) -> None:
        """Adds expensive paths if one of them failed."""
        failed = any(isinstance(path.result, Failure) for path in paths)
        states = states_of(view) if failed and len(self._known) < _MOST_KEPT else None
        if states is not None:
            # Later callers need the result and the choices of the next path only.
            self._known[rule, states, choices] = [
                ExecutionPath(tuple(event for event in path.events if isinstance(event, Fork)), path.result)
                for path in paths
            ]
