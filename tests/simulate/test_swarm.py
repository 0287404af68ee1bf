"""Walks in several processes: the report is that of one process, whatever their number; what is counted on the way."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience
from checker.core.problems import ExitCode
from checker.swarm.simulate import simulate
from checker.tasks.task_runner import TaskPlace
from checker.traces.state_sketch import StateSketch
from checker.traces.walk_report import SimulationReport, WalkProgress
from tests.cli.conftest import ENDLESS, Ended
from tests.faults.processes import below, cpu_s
from tests.simulate.models import COUNTER, module_of

Command = Callable[..., Ended]

RACE = """\
action Init:
    balance = 100

action Withdraw:
    require balance >= 60
    cash = 60
    balance = balance - cash

atomic action Deposit:
    require balance < 60
    balance = balance + 50

atomic action Never:
    require balance > 500
    balance = 0

always assertion Fine: return balance >= 0
exists assertion Low: return balance == 40
exists assertion Rich: return balance > 500
"""


def answer(fizzpy: Command, *arguments: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(fizzpy("simulate", "m.fizz", "--json", *arguments).out)
    found.pop("elapsed_s")
    return found


@pytest.mark.parametrize("steps", ["3", "9"])
def test_any_number_of_workers(steps: str, fizzpy: Command, tmp_path: Path) -> None:
    """The same report, to the letter: nothing found, and a violation that is not in the first block of walks."""
    (tmp_path / "m.fizz").write_text(RACE)
    arguments = ("--runs", "60", "--steps", steps, "--seed", "11")
    alone = answer(fizzpy, *arguments)
    assert alone["verdict"] == ("failed" if steps == "9" else "nothing found")
    if steps == "9":
        assert alone["walk"] in range(4, 60), "in a later block than the first"
    for workers in ("1", "3"):
        assert answer(fizzpy, *arguments, "--workers", workers) == alone


def test_failing_model_in_workers(fizzpy: Command, tmp_path: Path) -> None:
    """It has the error, and the way to it, of the first walk that fails."""
    (tmp_path / "m.fizz").write_text(COUNTER.replace("n += 1", "n += 1 // (1 - n)"))
    alone = answer(fizzpy, "--runs", "40")
    assert alone["exit_code"] == 75
    assert answer(fizzpy, "--runs", "40", "--workers", "2") == alone
    assert fizzpy("simulate", "m.fizz", "--workers", "2", "--property", "None").code == 2
    assert fizzpy("simulate", "m.fizz", "--workers", "0").code == 2
    assert fizzpy("simulate", "m.fizz", "--conf", "spark.a=b").code == 2


def test_what_is_seen(fizzpy: Command, tmp_path: Path) -> None:
    """Distinct states, and actions that walks have taken, of all that there are; also while they go on."""
    (tmp_path / "m.fizz").write_text(RACE)
    found = answer(fizzpy, "--runs", "50", "--steps", "4", "--property", "Low")
    assert (found["acted"], found["actions"]) == (["Deposit", "Withdraw"], 3)
    assert isinstance(found["distinct_states"], int)
    assert found["distinct_states"] == 8
    said = fizzpy("simulate", "m.fizz", "--runs", "50", "--steps", "4", "--property", "Low").out
    assert f"about {found['distinct_states']} distinct states, 2 of 3 actions" in said
    heard: list[WalkProgress] = []
    simulate(module_of(COUNTER), runs=20, seed=0, place=TaskPlace(workers=2), progress=heard.append)
    assert heard[-1].walks == 20
    assert heard[-1].states > 0


def test_end_of_the_patience() -> None:
    """After its time a swarm has the walks made until then; an interruption keeps the blocks that are done."""
    module = module_of(ENDLESS)
    # On a busy machine half a second may be over before a worker has begun.
    for time_s in (0.5, 5, 50):
        timed = simulate(module, runs=50, seed=0, place=TaskPlace(workers=2), limits=Limits(time_s=time_s))
        assert (timed.exit_code, timed.cut_by, timed.verdict) == (ExitCode.BOUNDED, StopReason.TIMEOUT, "nothing found")
        if timed.steps:
            break
    assert timed.steps > 0
    patience = Patience()
    heard: list[WalkProgress] = []

    def interrupt(progress: WalkProgress) -> None:
        heard.append(progress)
        patience.interrupt()

    place = TaskPlace(workers=2)
    ended = simulate(module, runs=5000, seed=0, steps=20, place=place, progress=interrupt, patience=patience)
    assert (ended.exit_code, ended.verdict) == (ExitCode.INTERRUPTED, "interrupted")
    assert 0 < heard[0].walks <= ended.walks < 5000


def interrupted_after(spent_s: float) -> tuple[SimulationReport, list[WalkProgress]]:
    """A swarm that is interrupted when its workers have spent so many CPU seconds, and its progress."""
    patience = Patience()
    others = set(below(os.getpid()))

    def interrupt() -> None:
        while sum(cpu_s(one) for one in below(os.getpid()) if one not in others) < spent_s:
            time.sleep(0.05)
        patience.interrupt()

    heard: list[WalkProgress] = []
    interrupting = threading.Thread(target=interrupt, daemon=True)
    interrupting.start()
    place = TaskPlace(workers=2)
    module = module_of(ENDLESS)
    ended = simulate(module, runs=800, seed=0, steps=100_000, place=place, progress=heard.append, patience=patience)
    return ended, heard


def test_walks_under_way_are_kept() -> None:
    """Where no block of walks is done yet, an interruption keeps the walks that were made of each."""
    # On a busy machine half a second may be spent before a worker has begun.
    for spent_s in (0.5, 2, 8):
        ended, heard = interrupted_after(spent_s)
        assert (ended.exit_code, ended.verdict) == (ExitCode.INTERRUPTED, "interrupted")
        if ended.walks >= 2:
            break
    assert 2 <= ended.walks < 100 and ended.steps > 0
    assert all(one.walks < 100 for one in heard)


def test_rare_actions() -> None:
    """What a walk has taken rarely is drawn more often; which walks these are follows from the seed alone."""
    text = "action Init: a, b = 0, 0\n" + "".join(
        f"atomic action Often{n}:\n    x = oneof range(20)\n    a = x\n" for n in range(2)
    )
    module = module_of(text + "atomic action Rare: b += 1\nexists assertion Three: return b == 3\n", max_actions="12")
    met = {
        rare: sum(simulate(module, runs=1, seed=seed, rare=rare).properties[0].verdict == "holds" for seed in range(30))
        for rare in (False, True)
    }
    assert met[False] < 10 < 20 < met[True]
    one, two = (simulate(module, runs=40, seed=1, rare=True, place=place) for place in (None, TaskPlace(workers=2)))
    assert (one.steps, one.sketch, one.ends) == (two.steps, two.sketch, two.ends)


@pytest.mark.parametrize("count", [0, 1, 100, 5_000, 40_000, 400_000])
def test_sketch_of_states(count: int) -> None:
    """The estimate is within four standard errors; that of a union is that of all states together."""
    generator = random.Random(count)
    keys = [generator.getrandbits(128) for _ in range(count)]
    whole, half, rest = StateSketch(), StateSketch(), StateSketch()
    for number, key in enumerate(keys):
        whole.add(key)
        whole.add(key)
        (half if number % 3 else rest).add(key)
    assert abs(whole.estimate() - count) <= 4 * 0.0081 * count + 0.5
    half.union(rest.registers())
    assert half.registers() == whole.registers()
