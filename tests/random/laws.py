"""What must be true of every program: the engines agree, states are canonical, steps know only what they read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import islice

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import Report
from checker.search.registry import ENGINES
from fizz.model_files import parse_file
from fizz.syntax.printer import print_module
from interpreter import Machine, State, StepKind, compile_module
from interpreter.execute.view import PairView, RememberedView, View
from interpreter.state.step import ExecutionPath, Failure, ModelError, Read, Rule

_PATHS = tuple(name for name, entry in ENGINES.items() if "embedded" in (name, entry.variant_of))
"""The embedded engine, and its ways of going on as engines of their own."""


def told(report: Report) -> Report:
    """A report without what may differ between engines."""
    return replace(report, engine="", elapsed_s=0.0, cpu_s=0.0, peak_memory_mb=0.0, stats={})


def reports(text: str, settings: Settings, engines: Sequence[str] = _PATHS) -> dict[str, Report]:
    """What the plain engine says of a program, and each of these."""
    module = fizz.load("m.fizz", text=text)
    return {engine: told(check(module, engine=engine, settings=settings)) for engine in ("plain", *engines)}


def differences(text: str, settings: Settings, engines: Sequence[str] = _PATHS) -> list[str]:
    """Where engines differ from the plain one, field by field."""
    found = reports(text, settings, engines)
    plain = found.pop("plain")
    return [
        f"{engine}: {name} is {getattr(report, name)!r}, not {getattr(plain, name)!r}"
        for engine, report in found.items()
        for name in [field.name for field in fields(Report) if field.compare]
        if getattr(report, name) != getattr(plain, name)
    ]


def check_agreement(text: str, settings: Settings) -> None:
    """All engines tell the same story."""
    found = differences(text, settings)
    assert not found, "\n".join([*found, text])


def check_printing(text: str) -> None:
    """What is printed parses to the same tree, and prints the same."""
    first = parse_file("m.fizz", text)
    assert first.diagnostics == (), (first.diagnostics, text)
    printed = print_module(first.items)
    second = parse_file("m.fizz", printed)
    assert second.diagnostics == (), (second.diagnostics, printed)
    assert repr(second.items) == repr(first.items), printed
    assert print_module(second.items) == printed


# --- states and steps


def machine_of(text: str, symmetry: bool = False) -> Machine | None:
    """The machine of a text; None if the constants fail."""
    program = compile_module(fizz.load("m.fizz", text=text))
    try:
        return Machine(program, symmetry)
    except ModelError:
        return None


def walk(machine: Machine, most: int) -> Iterator[tuple[State, State]]:
    """States, breadth first, each with one from which it is reached; failures are passed over."""
    seen = dict.fromkeys(way.state for way in machine.initial()[0])
    waiting = [(state, state) for state in seen]
    for before, state in waiting:
        yield before, state
        for step in machine.steps(state).steps:
            if step.target not in seen and len(seen) < most:
                seen[step.target] = None
                waiting.append((state, step.target))


def check_canonical(machine: Machine, most: int) -> None:
    """Different states have different encodings; without excluded variables, different keys too."""
    met: dict[str, State] = {}
    keys: set[int] = set()
    for _, state in walk(machine, most):
        encoding = machine.encoding(state)
        assert met.setdefault(encoding, state) == state, encoding
        keys.add(machine.key(state))
    if not machine.program.options.exclude:
        assert len(keys) == len(met)


def check_reads(machine: Machine, most: int, every: int) -> None:
    """Steps and assertions, run again with every slot poisoned that they did not read, come out the same."""
    for before, state in islice(walk(machine, most), 0, None, every):
        view = machine.view(state)
        for candidate in machine.candidates(state, limits=False):
            if candidate.rule.kind is not StepKind.CRASH_ROLE:
                _check_rule(machine, candidate.rule, view)
        for number, assertion in enumerate(machine.program.assertions):
            for rule in machine.assertion_rules(number, state):
                pair = assertion.kind == "transition"
                _check_rule(
                    machine, rule, PairView(machine.parts_view(before), machine.parts_view(state)) if pair else view
                )


def _check_rule(machine: Machine, rule: Rule, view: View) -> None:
    if machine.together(rule):
        whole = machine.all_paths(rule, view)
        answers = {event.slot: event.answer for event in whole.events if isinstance(event, Read)}
        again = machine.all_paths(rule, RememberedView(answers))
        assert [said(ExecutionPath((), result)) for result in again.results] == [
            said(ExecutionPath((), one)) for one in whole.results
        ]
        return
    for way in islice(machine.ways(rule, view), 60):
        answers = {event.slot: event.answer for event in way.events if isinstance(event, Read)}
        if any(slot[-1] == "state" for slot in answers):
            continue
        forks = tuple(event.taken for event in way.events if not isinstance(event, Read))
        assert said(machine.run(rule, RememberedView(answers), forks)) == said(way)


def said(way: ExecutionPath) -> object:
    """A way as something that compares by value, failures too."""
    if isinstance(way.result, Failure):
        error = way.result.error
        return way.events, error.diagnostic, error.calls, way.result.forks
    return way
