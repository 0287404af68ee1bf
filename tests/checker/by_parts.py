"""Execution paths that read containers part by part, and run as the language says otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from checker.search.memo.memo import Memory
from interpreter.execute.view import View
from interpreter.state.step import ExecutionPath, Rule, ends_step


def paths_by_parts(memory: Memory, rule: Rule, view: View) -> Iterator[ExecutionPath]:
    """All paths of a rule, in the order of their choices."""
    choices: tuple[int, ...] | None = ()
    while choices is not None:
        path = memory.runner.whole(rule, view, choices)
        yield path
        choices = None if ends_step(path.result) else path.next_choices()
