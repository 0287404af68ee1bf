"""A step is a function of what it read: nothing that it did not ask for may change it, and no chance either."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import fizz
from checker.expectations.promises import promises_below
from checker.search.memo.memo import Memory
from interpreter import Machine, State, StepKind, compile_module
from interpreter.execute.view import PairView, RememberedView, View
from interpreter.state.step import ExecutionPath, Failure, ModelError, Read, Rule
from tests.checker.by_parts import paths_by_parts
from tests.interpreter.running import walk
from tests.sample import one_in

ROOT = Path(__file__).resolve().parents[2]
MODELS = [
    *sorted((ROOT / "tests" / "language" / "worked").glob("*.fizz")),
    *sorted({promise.model for promise in promises_below(ROOT / "models")}),
]
SHARING = ROOT / "tests" / "interpreter" / "sharing.fizz"


def name(path: Path) -> str:
    return path.stem


def machine_for(path: Path) -> Machine:
    return Machine(compile_module(fizz.load(path)))


def forks_of(path: ExecutionPath) -> tuple[int, ...]:
    return tuple(event.taken for event in path.events if not isinstance(event, Read))


def comparable(path: ExecutionPath) -> object:
    """A path with its failure, if it is one, in a form that compares by value."""
    if isinstance(path.result, Failure):
        error: ModelError = path.result.error
        return path.events, error.diagnostic, error.calls, path.result.forks
    return path


def asked(path: ExecutionPath) -> RememberedView:
    """A view of the answers that a path read, and nothing else."""
    return RememberedView({event.slot: event.answer for event in path.events if isinstance(event, Read)})


def check_rule(machine: Machine, rule: Rule, view: View) -> None:
    """A rule that reads values as wholes."""
    if machine.together(rule):
        check_together(partial(machine.all_paths, rule), view)
        return
    for path in machine.paths(rule, view):
        if not reads_all(path):
            assert comparable(machine.run(rule, asked(path), forks_of(path))) == comparable(path)


def check_by_parts(memory: Memory, rule: Rule, view: View) -> None:
    """A rule that reads containers part by part."""
    if memory.machine.together(rule):
        check_together(partial(memory.runner.run, rule), view)
        return
    for path in paths_by_parts(memory, rule, view):
        if not reads_all(path):
            assert comparable(memory.runner.whole(rule, asked(path), forks_of(path))) == comparable(path)


def check_together(all_paths: Callable[[View], ExecutionPath], view: View) -> None:
    """Which paths exist depends on the reads of all of them."""
    whole = all_paths(view)
    again = all_paths(asked(whole))
    assert [comparable(ExecutionPath((), result)) for result in again.results] == [
        comparable(ExecutionPath((), one)) for one in whole.results
    ]


def reads_all(path: ExecutionPath) -> bool:
    """Whether a path read the whole state."""
    return any(isinstance(event, Read) and event.slot[-1] == "state" for event in path.events)


def sample(machine: Machine, most: int, every: int) -> list[State]:
    """Every so many of the first states."""
    states = []
    for number, (state, _) in enumerate(walk(machine, most)):
        if number >= most:
            break
        if number % every == 0:
            states.append(state)
    return states


@pytest.mark.parametrize("path", one_in(3, [*MODELS, SHARING]), ids=name)
def test_steps_read_what_they_need(path: Path) -> None:
    """Sampled steps and assertions, run again with every unread slot poisoned, come out the same."""
    machine = machine_for(path)
    memory = Memory(machine)
    for state in sample(machine, *((1200, 20) if path == SHARING else (120, 3))):
        rules = [c.rule for c in machine.candidates(state, limits=False) if c.rule.kind is not StepKind.CRASH_ROLE]
        for number, assertion in enumerate(machine.program.assertions):
            if assertion.kind != "transition":
                rules += machine.assertion_rules(number, state)
        for rule in rules:
            check_rule(machine, rule, machine.view(state))
            check_by_parts(memory, rule, memory.view(state))


@pytest.mark.parametrize("path", [*MODELS, SHARING], ids=name)
def test_transition_assertions_read_what_they_need(path: Path) -> None:
    """The same for pairs of states."""
    machine = machine_for(path)
    transitions = [a.number for a in machine.program.assertions if a.kind == "transition"]
    if not transitions:
        return
    memory = Memory(machine)
    for before in sample(machine, 60, 3):
        for step in machine.steps(before).steps[:4]:
            for number in transitions:
                for rule in machine.assertion_rules(number, step.target):
                    check_rule(machine, rule, PairView(machine.view(before), machine.view(step.target)))
                    check_by_parts(memory, rule, PairView(memory.view(before), memory.view(step.target)))


def test_reads_and_forks_in_order() -> None:
    """Questions are written down once, in order, among the choices."""
    text = """
action Init:
    a, b, c = 1, 2, 3
atomic action Go:
    x = oneof [a, a + b]
    c = x + b + a
"""
    machine = Machine(compile_module(fizz.load("m.fizz", text=text)))
    (initial,), _ = machine.initial()
    rule = next(c.rule for c in machine.candidates(initial.state))
    events = [
        event.slot if isinstance(event, Read) else (event.label, event.size)
        for event in machine.run(rule, machine.view(initial.state), (1,)).events
    ]
    assert events == [("heap", "a"), ("heap", "b"), ("Any:x=3", 2)]


STORY = """
import sys
import fizz
from checker.expectations.promises import promises_below
from interpreter import Machine, compile_module
from tests.interpreter.running import walk
from hashlib import sha256

for path in sys.argv[1:]:
    machine = Machine(compile_module(fizz.load(path)))
    digest = sha256()
    for number, (state, steps) in enumerate(walk(machine, 100)):
        if number >= 40:
            break
        for text in (machine.encoding(state), f"{machine.key(state):032x}", str(machine.describe(state))):
            digest.update(text.encode())
        for step in steps:
            digest.update(f"{step.order} {step.name} {machine.key(step.target)} {step.outcome.labels}".encode())
    print(path, digest.hexdigest())
"""


def test_no_chance() -> None:
    """Steps, their order, encodings and keys do not depend on the seed of Python's hashes."""
    stories = set()
    paths = [*MODELS[::6], SHARING]
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", STORY, *map(str, paths)]
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, cwd=ROOT)
        stories.add(run.stdout)
    assert len(stories) == 1
    assert stories.pop().count("\n") == len(paths)
