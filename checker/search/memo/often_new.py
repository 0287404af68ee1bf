"""The rules of which much was new, for people: `--stats` names them, with what they read whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from checker.search.memo.run_choice import RunChoice
from interpreter import Machine
from interpreter.state.step import Rule, StepKind

_OFTEN: Final = 500
_ONE_IN: Final = 16
"""Rules are named if so many evaluations needed a run, and at least one in so many: to look one up costs as little
beside it."""
_MOST_NAMED: Final = 5


def often_new(
    machine: Machine, choices: Mapping[Rule, RunChoice], reason: Callable[[Rule], str | None]
) -> dict[str, tuple[int, int]]:
    """How many evaluations needed a run, of how many, by location; those that were run most first.

    `reason`: why a rule is left to the interpreter, if it is.
    """
    found: dict[str, tuple[int, int]] = {}
    for rule, choice in choices.items():
        if rule.kind in (StepKind.START, StepKind.ASSERT):
            why = reason(rule)
            location = _located(machine, rule) + ("" if why is None else f", interpreted: {why}")
            new, asked = found.get(location, (0, 0))
            found[location] = (new + choice.new, asked + choice.evaluations + choice.alike)
    often = {one: known for one, known in found.items() if known[0] >= _OFTEN and _ONE_IN * known[0] >= known[1]}
    return dict(sorted(often.items(), key=lambda item: -item[1][0])[:_MOST_NAMED])


def _located(machine: Machine, rule: Rule) -> str:
    """Where a rule reads all of a container, or begins."""
    from checker.search.memo.whole_reads import first_whole_read

    program = machine.program
    number = program.assertions[rule.subject].routine if rule.kind is StepKind.ASSERT else rule.subject
    read = first_whole_read(program, program.routines[number])
    span = machine.span_of(rule) if read is None else read.span
    return f"{span.file}:{span.line}" + ("" if read is None else f", all of {read.name}")
