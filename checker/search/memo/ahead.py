"""Paths of rules that are run ahead: for `next_states()`, before a state is expanded.

What is run for `next_states()` does not count as executed, but what it gives is remembered: it is what the expansion of
the state asks for next. So the lines of such a path are counted when the path is taken.
"""

from __future__ import annotations

from collections.abc import Iterable

from checker.search.memo.remembering import RememberingRunner
from interpreter import Machine
from interpreter.execute.view import View
from interpreter.state.step import ExecutionPath, Result, Rule


class PathsAhead:
    """The results of paths that were run ahead and not taken yet."""

    def __init__(self, machine: Machine, runner: RememberingRunner) -> None:
        self._machine = machine
        self._runner = runner
        self._waiting: dict[int, Result] = {}
        """By identity. They are held, so that no other result has the address."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def run(self, rule: Rule, view: View, choices: tuple[int, ...]) -> ExecutionPath:
        """A path as `RememberingRunner.run` gives it, of which nothing counts as executed yet."""
        with self._runner.folds.quietly():
            path = self._runner.run(rule, view, choices, noted=False)
        self._waiting.update((id(result), result) for result in path.results)
        return path

    def take(self, results: Iterable[Result]) -> None:
        """Count what these results have executed, those among them that were run ahead."""
        for result in results:
            if self._waiting.pop(id(result), None) is not None:
                self._machine.note(result)
