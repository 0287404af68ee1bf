"""Violating walks are shortened by replay: still runs of the model, with the same violation, and no step to spare."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from checker.check import check
from checker.swarm.simulate import simulate
from checker.traces.guided import follow
from checker.traces.model_walk import Walk
from checker.traces.save_trace import guide_text
from checker.traces.shorten import Shortener
from checker.traces.walk_report import SimulationReport
from fizz import load
from interpreter import Machine, compile_module

RACE = """\
---
options: {max_actions: 200, max_concurrent_actions: 3, crash_on_yield: true}
---
role Client:
    action Init:
        self.read = 0
    action Add:
        self.read = total
        total = self.read + 1
        done = done + 1
action Init:
    clients = [Client(), Client(), Client()]
    total = 0
    done = 0
    noise = 0
atomic action Noise:
    noise = (noise + 1) % 7
always assertion Counted:
    return total >= done
"""
STUCK = """\
---
options: {max_actions: 300}
---
action Init:
    left, noise = 9, 0
atomic action Take:
    require left > 0
    left -= 1
atomic action Noise:
    require left > 0
    noise = (noise + 1) % 5
"""
STEP = """\
---
options: {max_actions: 300}
---
action Init:
    n, noise = 0, 0
atomic action Up: n = (n + 1) % 9
atomic action Noise: noise += 1
transition assertion Grows(before, after):
    return after.n >= before.n
"""


def walked(text: str, folder: Path, seed: int = 0, shorten: bool = True) -> SimulationReport:
    (folder / "m.fizz").write_text(text)
    return simulate(folder / "m.fizz", runs=50, seed=seed, shorten=shorten)


def labels(report: SimulationReport) -> list[str]:
    assert report.trace is not None
    return [entry.label for entry in report.trace.entries]


@pytest.mark.parametrize(
    ("text", "least"), [(RACE, None), (STUCK, 9), (STEP, 9)], ids=["always", "deadlock", "transition"]
)
@pytest.mark.parametrize("seed", range(4))
def test_no_step_to_spare(text: str, least: int | None, seed: int, tmp_path: Path) -> None:
    """Much shorter than the walk, where that goes as short as can be, with the same verdict and property."""
    whole, short = walked(text, tmp_path, seed, shorten=False), walked(text, tmp_path, seed)
    assert (short.verdict, short.leading, short.walk) == (whole.verdict, whole.leading, whole.walk)
    assert whole.trace is not None and short.trace is not None
    assert short.found_after == whole.found_after == whole.trace.steps
    assert short.trace.steps <= whole.trace.steps
    best = check(tmp_path / "m.fizz").trace
    assert best is not None and best.steps <= short.trace.steps
    if least is not None:
        assert short.trace.steps == least
    assert not any("Noise" in label for label in labels(short))


@pytest.mark.parametrize("text", [RACE, STEP], ids=["always", "transition"])
def test_what_is_left_is_a_run(text: str, tmp_path: Path) -> None:
    """Saved as a guided trace it can be followed, and violates the same."""
    short = walked(text, tmp_path)
    assert short.trace is not None
    lines = guide_text(load(tmp_path / "m.fizz"), short.trace).splitlines()
    again = follow(tmp_path / "m.fizz", lines)
    assert again.leading == short.leading
    assert again.trace is not None
    assert [entry.state for entry in again.trace.entries] == [entry.state for entry in short.trace.entries]


def test_the_same_walk_becomes_the_same_run(tmp_path: Path) -> None:
    """Nothing is drawn while it is shortened."""
    assert walked(RACE, tmp_path, 7).trace == walked(RACE, tmp_path, 7).trace


def test_fewer_changes_of_who_moves(tmp_path: Path) -> None:
    """Steps of one mover stand together where their order does not matter."""
    text = """\
---
options: {max_actions: 100}
---
action Init:
    a, b = 0, 0
atomic action A: a += 1
atomic action B: b += 1
always assertion P:
    return a < 3 or b < 3
"""
    for seed in range(5):
        names = labels(walked(text, tmp_path, seed))[1:]
        assert sorted(names) == ["A"] * 3 + ["B"] * 3
        assert sum(one != other for one, other in pairwise(names)) == 1


def test_it_gives_up_in_time() -> None:
    """Where replays would go on for too long the walk stays as it is: long, but right."""
    machine = Machine(compile_module(load("m.fizz", text=RACE)))

    def ended(walk: Walk) -> bool:
        state = dict(machine.describe(walk.state))
        return int(state["total"]) < int(state["done"])

    chance, whole = Random(0), Walk(machine, machine.initial()[0][0])
    while not ended(whole):
        whole.take(chance.choice([step for step in machine.steps(whole.state).steps if not step.crashes]))
    stopped = Shortener(machine, machine.each_step, ended, most=3).shorten(whole)
    assert ended(stopped) and stopped.steps == whole.steps
    assert len(Shortener(machine, machine.each_step, ended).shorten(whole).steps) < len(whole.steps)
