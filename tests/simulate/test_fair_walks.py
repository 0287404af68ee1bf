"""Liveness on random walks: only fair lassos are reported, and what is reported is real (language page, 10.4, 13)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.trace import Trace
from checker.swarm.simulate import simulate
from interpreter import Machine, State, Step, StepKind, compile_module
from tests.simulate.models import labels, module_of, simulated

WORKED = sorted((Path(__file__).parents[1] / "language" / "worked").glob("*.fizz"))

NO_CRASH = "---\ndeadlock_detection: false\noptions: {crash_on_yield: false}\n---\n"
CLIMB = """\
action Init: x = 0
atomic action Go:
    require x < 2
    x = x + 1
eventually always assertion Done:
    return x == 2
"""
FLIP = """\
action Init: x = 0
atomic fair action Flip:
    x = fair oneof [0, 1]
always eventually assertion One:
    return x == 1
"""
SWAP = """\
action Init: turn, done = 0, False
atomic fair action Swap:
    turn = 1 - turn
atomic fair action Finish:
    require turn == 1 and not done
    done = True
eventually always assertion Done:
    return done
"""
UNFINISHED = """\
action Init: x = 0
fair action Go:
    require x < 2
    x = x + 1
    y = 3
always eventually assertion Done:
    return x == 2
"""


def test_unfair_action_may_stop() -> None:
    """A stutter where only an unfair action could start; the report names it."""
    report = simulated(NO_CRASH + CLIMB, runs=300)
    assert (report.exit_code, report.leading) == (13, "Done")
    assert report.trace is not None
    assert report.trace.stutter
    assert report.trace.cycle_start is None
    assert any("Go could start here" in sentence for sentence in report.trace.fairness)


def test_fair_action_goes_on() -> None:
    """With `fair` nothing is found."""
    assert simulated(NO_CRASH + CLIMB.replace("atomic action", "atomic fair action"), runs=300).exit_code == 0


def test_unfinished_threads_go_on() -> None:
    """A thread that waits at a yield is no stutter; with crashes the rest of it does not matter."""
    assert simulated(NO_CRASH + UNFINISHED, runs=200).exit_code == 0
    assert simulated(NO_CRASH.replace("false}", "true}") + UNFINISHED, runs=200).exit_code == 0


def test_fair_choice() -> None:
    """A cycle that passes over an alternative of a fair choice is not fair; without `fair` it is."""
    assert simulated(NO_CRASH + FLIP, runs=200, max_actions="20").exit_code == 0
    report = simulated(NO_CRASH + FLIP.replace("fair oneof", "oneof"), runs=200, max_actions="20")
    assert report.exit_code == 13
    assert report.trace is not None and report.trace.cycle_start is not None
    cycle = labels(report.trace)[report.trace.cycle_start - 1 :]
    assert cycle == ["Flip[Any:x=0]"]


def test_weak_and_strong_fairness() -> None:
    """The cycle of two swaps is fair to a weakly fair action that is not always available, and unfair to a strong."""
    report = simulated(NO_CRASH + SWAP, runs=200, max_actions="20")
    assert report.exit_code == 13
    assert report.trace is not None and report.trace.cycle_start is not None
    assert labels(report.trace)[report.trace.cycle_start - 1 :] == ["Swap", "Swap"]
    assert any("Finish is weakly fair" in sentence for sentence in report.trace.fairness)
    strong = SWAP.replace("atomic fair action Finish", "atomic fair<strong> action Finish")
    assert simulated(NO_CRASH + strong, runs=200, max_actions="20").exit_code == 0


def test_no_crash_on_the_cycle() -> None:
    """Crashes may precede the cycle and are never drawn in the fair phase."""
    text = NO_CRASH.replace("crash_on_yield: false", "crash_on_yield: true") + (
        "action Init: x, y = 0, 0\n"
        "fair action Go:\n    require x == y\n    x = 1 - x\n    y = x\n"
        "always eventually assertion Equal:\n    return x == y\n"
    )
    report = simulated(text, runs=200)
    assert report.exit_code == 13
    assert report.trace is not None
    assert report.trace.entries[-1].crash
    assert report.trace.stutter


def test_liveness_off_and_nondeterministic() -> None:
    """Then walks do not judge liveness, and go on to the end."""
    for value in ("off", "nondeterministic"):
        report = simulated(NO_CRASH.replace("---\n", f"---\nliveness: {value}\n", 1) + CLIMB, runs=100)
        assert report.exit_code == 0
        assert report.steps == 200


@pytest.mark.parametrize("path", WORKED, ids=lambda path: path.stem)
def test_findings_are_those_of_the_exploration(path: Path) -> None:
    """What a walk finds is violated; what the exploration finds violated, many walks find too."""
    known = check(path, settings=Settings(keep_going=True, symmetry=False))
    report = simulate(path, runs=300, seed=1)
    for p in report.properties:
        if p.verdict == "violated":
            same = next(q for q in known.properties if q.name == p.name)
            assert same.verdict == "violated" or known.cut
    if known.exit_code in (11, 12, 13, 75):
        assert report.exit_code == known.exit_code


@pytest.mark.parametrize("path", WORKED, ids=lambda path: path.stem)
def test_lassos_return_and_are_fair(path: Path) -> None:
    """The cycle leads back to where it began, and is fair by the definition, written out once more."""
    report = simulate(path, runs=200, seed=2)
    for p in report.properties:
        if p.trace is not None and (p.trace.cycle_start is not None or p.trace.stutter):
            machine = Machine(compile_module(module_of(path.read_text(encoding="utf-8"))))
            assert is_fair(machine, list(cycle_of(machine, p.trace)))


def cycle_of(machine: Machine, trace: Trace) -> Iterator[tuple[State, Step | None]]:
    """The states of the cycle, each with the step that leaves it; None: stutter."""
    state = next(w.state for w in machine.initial()[0] if tuple(machine.describe(w.state)) == trace.entries[0].state)
    first = len(trace.entries) if trace.cycle_start is None else trace.cycle_start
    head = state
    for number, entry in enumerate(trace.entries[1:], start=1):
        step = next(
            s
            for s in machine.steps(state).steps
            if s.name == entry.label and tuple(machine.describe(s.target)) == entry.state
        )
        if number >= first:
            assert not step.crashes
            yield state, step
        state = step.target
        if number == first - 1:
            head = state
    if trace.stutter:
        yield state, None
    else:
        assert state == head


def is_fair(machine: Machine, cycle: list[tuple[State, Step | None]]) -> bool:
    """Language page, 10.4: strong names available somewhere are taken, weak ones available everywhere, fair choices."""
    taken = {machine.fair_name(step.rule) for _, step in cycle if step is not None}
    available = []
    for state, step in cycle:
        siblings = [s for s in machine.steps(state).steps if not s.crashes]
        available.append({name for s in siblings if (name := machine.fair_name(s.rule)) is not None})
        for choice in () if step is None else step.outcome.fair:
            offered = {
                replaced.value
                for s in siblings
                if s.rule == step.rule and s.order.forks[: choice.fork] == step.order.forks[: choice.fork]
                for replaced in s.outcome.fair
                if replaced.fork == choice.fork
            }
            if not offered <= {c.value for _, s in cycle if s is not None for c in s.outcome.fair}:
                return False
    strong = {name for names in available for name in names if name[1] == "strong"}
    weak = {name for name in set.intersection(*available) if name[1] == "weak"}
    return strong | weak <= taken


def test_the_check_of_the_test_itself() -> None:
    """The written-out definition refuses the cycle that leaves a fair choice out."""
    machine = Machine(compile_module(module_of(NO_CRASH + FLIP)))
    state = machine.initial()[0][0].state
    step = next(s for s in machine.steps(state).steps if s.rule.kind is StepKind.START)
    assert not is_fair(machine, [(state, step)])
    assert is_fair(machine, [(state, replace(step, outcome=replace(step.outcome, fair=())))])
