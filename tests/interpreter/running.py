"""Short ways to make a text runnable, to walk through all of its states, and to ask what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import Report
from interpreter import Machine, State, Step, StepKind, compile_module
from interpreter.state.step import ModelError

CALM = "---\noptions: {crash_on_yield: false}\ndeadlock_detection: false\n---\n"
"""Front matter for models in which nothing crashes and everything may end."""


def module_of(text: str, calm: bool = True, **options: str) -> fizz.Module:
    """The module of a text; unless `calm` is False or it has front matter of its own, without crashes."""
    text = dedent(text).lstrip("\n")
    head = CALM if calm and not text.startswith("---") else ""
    return fizz.load("m.fizz", text=head + text, options=options)


def machine_of(text: str, calm: bool = True, symmetry: bool = False, **options: str) -> Machine:
    """The machine of a text."""
    return Machine(compile_module(module_of(text, calm, **options)), symmetry)


def report_of(text: str, engine: str = "embedded", calm: bool = True, **settings: object) -> Report:
    """The report of a text."""
    return check(module_of(text, calm), engine=engine, settings=Settings(**settings))  # type: ignore[arg-type]


def walk(machine: Machine, most: int = 1_000_000) -> Iterator[tuple[State, tuple[Step, ...]]]:
    """The states and their steps, breadth first, up to the bound of the model; no more than `most` states."""
    initial, failures = machine.initial()
    assert not failures, failures[0].error
    bound = machine.program.options.max_actions
    found = {way.state: (0, 0) for way in initial}  # level and starts
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


def count(text: str, calm: bool = True, **options: str) -> int:
    """How many states a text has."""
    return sum(1 for _ in walk(machine_of(text, calm, **options)))


def error_of(text: str, calm: bool = True) -> ModelError:
    """The mistake that the run of a text meets first: in a constant, in Init, in a step or in an assertion."""
    module = module_of(text, calm)
    found = check(module)
    assert found.error is not None, f"no error: {found.verdict}"
    said = found.error.diagnostic
    error = ModelError(str(said.code), said.text, said.span, said.hint)
    error.calls = found.error.calls
    return error
