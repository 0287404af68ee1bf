"""Helpers to make a text runnable, to walk through all of its states, and to get its first mistake."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import Report
from interpreter import Machine, State, Step, StepKind, compile_module
from interpreter.state.step import ModelError

WITHOUT_CRASHES = "---\noptions: {crash_on_yield: false}\ndeadlock_detection: false\n---\n"
"""Front matter for models without crashes and deadlock detection."""


def module_of(text: str, crashing: bool = False, **options: str) -> fizz.Module:
    """The module of a text; without crashes, unless `crashing` is True or it has front matter of its own."""
    text = dedent(text).lstrip("\n")
    head = WITHOUT_CRASHES if not crashing and not text.startswith("---") else ""
    return fizz.load("m.fizz", text=head + text, options=options)


def machine_of(text: str, crashing: bool = False, symmetry: bool = False, **options: str) -> Machine:
    """The machine of a text."""
    return Machine(compile_module(module_of(text, crashing, **options)), symmetry)


def report_of(text: str, engine: str = "embedded", crashing: bool = False, **settings: object) -> Report:
    """The report of a text."""
    return check(module_of(text, crashing), engine=engine, settings=Settings(**settings))  # type: ignore[arg-type]


def walk(machine: Machine, most: int = 1_000_000) -> Iterator[tuple[State, tuple[Step, ...]]]:
    """The states and their steps, breadth first, up to the bound of the model; no more than `most` states."""
    initial, failures = machine.initial()
    assert not failures, failures[0].error
    bound = machine.program.options.max_actions
    found = {one.state: (0, 0) for one in initial}  # level and starts
    waiting = list(found)
    for state in waiting:
        level, starts = found[state]
        expansion = machine.steps(state, starts=starts < bound)
        assert not expansion.failures, expansion.failures[0].failure.error.text
        yield state, expansion.steps
        for step in expansion.steps:
            reached = (level + 1, starts + (step.rule.kind is StepKind.START))
            if step.target in found:
                found[step.target] = min(found[step.target], reached)
            elif len(found) < most:
                found[step.target] = reached
                waiting.append(step.target)


def states_of(text: str, **options: str) -> list[dict[str, str]]:
    """All states of a text in words, in the order in which they are met."""
    machine = machine_of(text, **options)
    return [dict(machine.describe(state)) for state, _ in walk(machine)]


def ends_of(text: str, **options: str) -> list[dict[str, str]]:
    """The states without steps, in words, in the order in which they are met."""
    machine = machine_of(text, **options)
    return [dict(machine.describe(state)) for state, steps in walk(machine) if not steps]


def count(text: str, crashing: bool = False, **options: str) -> int:
    """The number of states of a text."""
    return sum(1 for _ in walk(machine_of(text, crashing, **options)))


def error_of(text: str, crashing: bool = False) -> ModelError:
    """The mistake that the run of a text meets first: in a constant, in Init, in a step or in an assertion."""
    module = module_of(text, crashing)
    found = check(module)
    assert found.error is not None, f"no error: {found.verdict}"
    said = found.error.diagnostic
    error = ModelError(str(said.code), said.text, said.span, said.hint)
    error.calls = found.error.calls
    return error
