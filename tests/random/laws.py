"""What must be true of every program: the engines agree, states are canonical, steps know only what they read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import islice
from pathlib import Path

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.report import Report
from checker.search.memo.memo import Memory
from checker.search.registry import ENGINES
from checker.swarm.simulate import simulate
from fizz.model_files import parse_file
from fizz.syntax.printer import print_module
from interpreter import Machine, State, StepKind, compile_module
from interpreter.execute.view import PairView, RememberedView, View
from interpreter.state.step import ExecutionPath, Failure, ModelError, Outcome, Read, Result, Rule
from tests.checker.by_parts import paths_by_parts

IN_PROCESS = tuple(
    name for name, entry in ENGINES.items() if name != "plain" and "spark" not in (name, entry.variant_of)
)
"""The engines and variants that need nothing but this process and are compared with the plain one."""


_BY_ROWS = ("rows", "direct rows")
_BY_COLUMNS = ("columns", "early columns", "direct columns", "two workers")


def two_of(seed: int) -> tuple[str, str]:
    """One of the variants that go by rows and one of those that go by columns: eight seeds in a row have all pairs."""
    return _BY_ROWS[seed // len(_BY_COLUMNS) % len(_BY_ROWS)], _BY_COLUMNS[seed % len(_BY_COLUMNS)]


def told(report: Report) -> Report:
    """A report without what may differ between engines."""
    return replace(report, engine="", elapsed_s=0.0, cpu_s=0.0, peak_memory_mb=0.0, stats={})


def reports(text: str, settings: Settings, engines: Sequence[str] = IN_PROCESS) -> dict[str, Report]:
    """What the plain engine says of a program, and each of these."""
    module = fizz.load("m.fizz", text=text)
    return {engine: told(check(module, engine=engine, settings=settings)) for engine in ("plain", *engines)}


def differences(text: str, settings: Settings, engines: Sequence[str] = IN_PROCESS) -> list[str]:
    """Where engines differ from the plain one, field by field."""
    found = reports(text, settings, engines)
    plain = found.pop("plain")
    return [
        f"{engine}: {name} is {getattr(report, name)!r}, not {getattr(plain, name)!r}"
        for engine, report in found.items()
        for name in [field.name for field in fields(Report) if field.compare]
        if getattr(report, name) != getattr(plain, name)
    ]


def check_agreement(text: str, settings: Settings, engines: Sequence[str] = IN_PROCESS) -> None:
    """All engines tell the same story."""
    found = differences(text, settings, engines)
    assert not found, "\n".join([*found, text])


def with_itself(text: str, folder: Path) -> Path:
    """A file in a folder with a program that refines itself, seen whole."""
    path = folder / "m.fizz"
    path.write_text(text)
    names = fizz.load(path).state_variables
    shown = ", ".join(f'"{name}": {name}' for name in names)
    view = f"\ndef all_of_it({', '.join(names)}):\n    return {{{shown}}}\n"
    path.write_text(f'{text}{view}refines "{path.name}" with all_of_it\n')
    return path


def check_refines_itself(path: Path, walks: int = 4) -> str:
    """No step of a program, crashes and yields included, is one that it does not explain itself; its verdict.

    `path` is of a file that refines itself. Neither a search nor random walks may say otherwise.
    """
    name = f"refines {path.name}"
    report = check(path, settings=Settings(keep_going=True, limits=Limits(states=60, depth=6)))
    [told] = [one for one in report.properties if one.name == name]
    # What it promises of infinite runs it may break by itself.
    assert told.trace is None or told.trace.unmatched is None, told
    assert report.error is None or report.error.diagnostic.code != "R26", report.error
    walked = simulate(path, runs=walks, seed=0, steps=12, shorten=False)
    [of_walks] = [one for one in walked.properties if one.name == name]
    assert of_walks.verdict == "undecided", of_walks
    assert walked.error is None or walked.error.diagnostic.code != "R26", walked.error
    return told.verdict


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
    memory = Memory(machine)
    for before, state in islice(walk(machine, most), 0, None, every):
        view = machine.view(state)
        for candidate in machine.candidates(state, limits=False):
            if candidate.rule.kind is not StepKind.CRASH_ROLE:
                _check_rule(machine, candidate.rule, view)
                _check_joined(memory, candidate.rule, state)
        for number, assertion in enumerate(machine.program.assertions):
            for rule in machine.assertion_rules(number, state):
                if assertion.kind == "transition":
                    _check_by_parts(memory, rule, PairView(memory.view(before), memory.view(state)))
                else:
                    _check_rule(machine, rule, view)


def _check_rule(machine: Machine, rule: Rule, view: View) -> None:
    if machine.together(rule):
        whole = machine.all_paths(rule, view)
        answers = {event.slot: event.answer for event in whole.events if isinstance(event, Read)}
        again = machine.all_paths(rule, RememberedView(answers))
        results = [[said(ExecutionPath((), result)) for result in one.results] for one in (again, whole)]
        assert results[0] == results[1]
        return
    _check_ways(partial(machine.run, rule), machine.paths(rule, view))


def _check_by_parts(memory: Memory, rule: Rule, view: View) -> None:
    _check_ways(partial(memory.runner.whole, rule), paths_by_parts(memory, rule, view))


def _check_ways(run: Callable[[View, tuple[int, ...]], ExecutionPath], ways: Iterator[ExecutionPath]) -> None:
    for way in islice(ways, 60):
        answers = {event.slot: event.answer for event in way.events if isinstance(event, Read)}
        if any(slot[-1] == "state" for slot in answers):
            continue
        if isinstance(way.result, Failure) and not answers:
            # An expensive failure that is known: what it read was recorded when it was met first.
            continue
        forks = tuple(event.taken for event in way.events if not isinstance(event, Read))
        assert said(run(RememberedView(answers), forks)) == said(way)


def _check_joined(memory: Memory, rule: Rule, state: State) -> None:
    """What a rule that reads part by part writes leads where it leads if it reads whole values."""
    machine = memory.machine
    if machine.together(rule):
        whole: Iterator[Result] = iter(machine.all_paths(rule, machine.view(state)).results)
        parts: Iterator[Result] = iter(memory.runner.run(rule, memory.view(state)).results)
    else:
        whole = (way.result for way in machine.paths(rule, machine.view(state)))
        parts = (way.result for way in paths_by_parts(memory, rule, memory.view(state)))
    for one, other in zip(islice(whole, 60), islice(parts, 60), strict=True):
        if isinstance(one, Outcome) and isinstance(other, Outcome):
            assert memory.apply(state, rule, other) == machine.apply(state, rule, one)
            # What shares containers is numbered by who met it first.
            one, other = (replace(outcome, writes=(), thread=None, sent=(), returns=()) for outcome in (one, other))
        assert said(ExecutionPath((), other)) == said(ExecutionPath((), one))


def said(way: ExecutionPath) -> object:
    """A way as something that compares by value, failures too."""
    if isinstance(way.result, Failure):
        error = way.result.error
        return way.events, error.diagnostic, error.calls, way.result.forks
    return way
