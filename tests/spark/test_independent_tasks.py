"""Independent tasks on Spark: the same answers as on cores, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from checker.conformance.validate_log import validate_logs
from checker.core.limits import StopReason
from checker.core.patience import Patience
from checker.core.trials import EarlyEnd
from checker.expectations.promise_runs import run_promises
from checker.expectations.promises import promises_in
from checker.search.spark.java import find_java
from checker.search.spark.spark_connection import open_session
from checker.swarm.simulate import simulate
from checker.sweep.grid import axis_of
from checker.sweep.sweeping import sweep
from checker.tasks.task_runner import TaskPlace, TaskRunner, running_tasks
from tests.simulate.models import module_of
from tests.simulate.test_swarm import RACE
from tests.sweep.conftest import TOKENS

pytestmark = pytest.mark.spark


@pytest.fixture
def runner(spark: Any) -> Iterator[TaskRunner]:
    """A runner on the session of the tests."""
    with running_tasks(TaskPlace(spark=True), Patience(), lambda sentence: None) as found:
        yield found


def test_sweep_as_on_cores(spark: Any, tmp_path: Path) -> None:
    """Each point has the same verdict and counts; one that fails is a row there too."""
    (tmp_path / "tokens.fizz").write_text(TOKENS)
    axes = [axis_of("N", "1..3"), axis_of("LIMIT", "99,4"), axis_of("HALVES", "1,0")]
    here, there = (
        sweep(tmp_path / "tokens.fizz", axes, place=place)
        for place in (TaskPlace(workers=2), TaskPlace(spark=True, master="local[2]"))
    )
    costs = ("elapsed_s", "cpu_s", "peak_memory_mb")
    rows = [
        [{name: value for name, value in one.row.items() if name not in costs} for one in report.results]
        for report in (here, there)
    ]
    assert rows[0] == rows[1]
    assert here.exit_code == there.exit_code == 75


def test_logs_as_here(spark: Any, tmp_path: Path) -> None:
    """Each log has the same verdict, and one that is wrong does not end the others."""
    (tmp_path / "up.fizz").write_text("action Init: x = 0\natomic action Up: x += 1\n")
    (tmp_path / "map.yaml").write_text("order: file\nevents: {up: {action: Up, after: {x: x}}}\n")
    (tmp_path / "logs").mkdir()
    for name, text in (("a", '{"event": "up", "x": 1}'), ("b", '{"event": "up", "x": 2}'), ("c", "no")):
        (tmp_path / "logs" / f"{name}.ndjson").write_text(text)
    here, there = (
        validate_logs(str(tmp_path / "up.fizz"), [str(tmp_path / "logs")], str(tmp_path / "map.yaml"), place=place)
        for place in (None, TaskPlace(spark=True, master="local[2]"))
    )
    assert here.runs == there.runs and here.exit_code == there.exit_code == 14
    assert [run.verdict for run in there.runs] == ["accepted", "rejected", "unreadable"]


def _dying(marker: Path, task: str) -> str:
    if task == "fragile" and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{task} done"


def test_killed_worker(runner: TaskRunner, tmp_path: Path) -> None:
    """Spark does its task again, and the user hears of it."""
    heard: list[str] = []
    found = runner.run(
        ["fragile", "sturdy"],
        partial(_dying, tmp_path / "marker"),
        lambda task, how, elapsed_s: f"{task}: {how}",
        lambda: None,
        lambda task, how: heard.append(f"{task}: {how}"),
    )
    assert dict(found) == {0: "fragile done", 1: "sturdy done"}
    assert heard == ["fragile: its worker died, and Spark did it again, 2 times in all"]


def _sleeping(task: float) -> float:
    import time

    time.sleep(task)
    return task


def test_end_before_all_is_done(runner: TaskRunner, spark: Any) -> None:
    """Tasks are begun in order, as many as there is room for; those under way are ended with the generator."""
    begun: list[float] = []

    def tasks() -> Iterator[float]:
        for task in (0.0, 60.0, 60.0, 60.0, 60.0, 60.0):
            begun.append(task)
            yield task

    with closing(
        runner.run(tasks(), _sleeping, lambda task, how, elapsed_s: -1.0, lambda: None, lambda task, how: None)
    ) as answers:
        assert next(answers) == (0, 0.0)
    assert len(begun) <= runner.at_a_time + 1
    # The session is free again: a task of no length does not wait for a minute.
    again = runner.run([0.0], _sleeping, lambda task, how, elapsed_s: -1.0, lambda: None, lambda task, how: None)
    assert list(again) == [(0, 0.0)]


def _minding(folder: Path, task: str) -> str:
    """Work that goes on until it is to end, and says what it has until then; `rude` does not mind interruptions."""
    if task == "quick":
        return "quick done"
    patience = Patience()
    (folder / task).touch()
    if task == "rude":
        time.sleep(60)
    with patience.deferring_interrupts():
        while patience.over is None:
            time.sleep(0.01)
    return f"{task} interrupted"


@pytest.mark.parametrize(("second", "asked"), [("patient", True), ("rude", True), ("patient", False)])
def test_tasks_under_way_answer(second: str, asked: bool, runner: Any, tmp_path: Path) -> None:
    """They are interrupted and say what they have, where they can be asked; what is done counts in any case."""
    patience = Patience()
    ending = EarlyEnd(patience)
    if not asked:
        runner._sign = None

    def tick() -> bool:
        if (tmp_path / second).exists() and done:
            patience.interrupt()
        return ending.begun()

    done: dict[int, str] = {}
    for index, answer in runner.run(
        ["quick", second],
        partial(_minding, tmp_path),
        lambda task, how, elapsed_s: "died",
        tick,
        lambda task, how: None,
    ):
        done[index] = answer
    assert ending.reason is StopReason.INTERRUPTED
    assert done == {0: "quick done"} | ({1: "patient interrupted"} if asked and second == "patient" else {})
    # Who comes next is not interrupted.
    again = runner.run(["quick"], partial(_minding, tmp_path), lambda *_: "died", lambda: None, lambda *_: None)
    assert list(again) == [(0, "quick done")]


def test_promises_as_tasks(spark: Any, tmp_path: Path) -> None:
    """Each run of `fizzpy test --engine spark` has the result that it has here; a model that does not load too."""
    (tmp_path / "tokens.fizz").write_text(TOKENS)
    (tmp_path / "broken.fizz").write_text("action Init\n")
    (tmp_path / "expect.yaml").write_text(
        "- {model: tokens.fizz, set: {N: 3}, states: 27}\n"
        "- {model: tokens.fizz, set: {N: 3}, states: 28}\n"
        "- {model: broken.fizz, exit: 150}\n"
    )
    promises = promises_in(tmp_path)
    found = []
    for place in (TaskPlace(workers=2), TaskPlace(spark=True)):
        with running_tasks(place, Patience(), lambda sentence: None) as runner:
            kept = dict(run_promises(promises, "embedded", runner, loaded=place.spark))
        found.append([(kept[n].holds, kept[n].differs, kept[n].exit_code) for n in range(len(promises))])
    assert found[0] == found[1]
    assert [holds for holds, *_ in found[0]] == [True, False, True]


def test_walks_as_here(spark: Any) -> None:
    """A simulation on Spark has the report that it has in this process."""
    module = module_of(RACE)
    here, there = (
        replace(simulate(module, runs=40, seed=11, steps=9, place=place), elapsed_s=0.0)
        for place in (None, TaskPlace(spark=True))
    )
    assert here == there
    assert here.walk is not None


def test_session_of_a_notebook(spark: Any) -> None:
    """It is used, and a message says what else was asked for; what it has spent before is left out."""
    heard: list[str] = []
    java = find_java(os.environ)
    asked = {"spark.executor.memory": "9g", "spark.fizzpy.core": "1", "spark.app.name": spark.context.appName}
    session = open_session("spark://elsewhere:7077", asked, java, say=heard.append)
    assert heard == [
        f"the Spark session of this process is used, whose master is {spark.context.master}; "
        "not used: --master, --conf spark.executor.memory"
    ]
    open_session(spark.context.master, {}, java, say=heard.append)
    open_session("local[*]", {}, java, say=heard.append)
    assert len(heard) == 1
    assert 0 <= session.effort().cpu_s < spark.effort().cpu_s
    assert session.effort().memory_mb > 50
    assert session.unseen() is None
