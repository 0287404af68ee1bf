"""Ways that read containers part by part, and are run as the language says otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from checker.search.memo.memo import Memory
from interpreter.execute.view import View
from interpreter.state.step import ExecutionPath, Rule, ends_step


def ways_by_parts(memory: Memory, rule: Rule, view: View) -> Iterator[ExecutionPath]:
    """All ways through a rule, in the order of their choices."""
    choices: tuple[int, ...] | None = ()
    while choices is not None:
        way = memory.runner.whole(rule, view, choices)
        yield way
        choices = None if ends_step(way.result) else way.next_choices()
