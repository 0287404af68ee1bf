"""A run that is stopped while a job is under way: its tasks are asked to end, and report what they have met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience
from checker.core.problems import EnvironmentProblem, ExitCode
from checker.search.spark import worker
from tests.spark.stage import Stage

MODEL = """\
---
deadlock_detection: false
options: {max_actions: 30}
---
action Init: n, m = 0, 0
atomic action Up:
    require n < 9
    n += 1
atomic action Over:
    require m < 9
    m += 1
transition assertion Small(before, after): return after.n < 6
always assertion Few: return n + m < 7
"""


class Stopping:
    """Replaces `Stage.run`: the run is interrupted when the first task of a job is done."""

    def __init__(self, stage: Stage, job: int) -> None:
        self.stage, self.job = stage, stage.jobs + job
        self.patience = Patience()

    def __call__(
        self, group: str, title: str, work: Callable[[bytes], bytes], items: Sequence[bytes], tick: Callable[[], None]
    ) -> list[bytes]:
        stage = self.stage
        stage.jobs += 1
        answers = []
        for index, item in enumerate(items):
            worker._workers[:] = stage._workers[index % 2]
            answers.append(work(item))
            stage._workers[index % 2] = list(worker._workers)
            if stage.jobs == self.job:
                self.patience.interrupt()
                tick()
        return answers


@pytest.mark.parametrize("columns", [False, True])
def test_what_tasks_of_a_stopped_job_have_met(
    columns: bool, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A violation that one task has met is reported, marked, with its path; counts are those of the levels before."""
    model = tmp_path / "m.fizz"
    model.write_text(MODEL)
    settings = Settings(spark_from=1 if columns else 2, spark_conf=(("spark.default.parallelism", "2"),))
    monkeypatch.setattr("checker.search.spark.local.LocalRun.by_columns", lambda self: columns)
    codes: list[ExitCode] = []
    for job in range(2, 12):
        stopping = Stopping(stage, job)
        monkeypatch.setattr(stage, "run", stopping)
        report = check(model, engine="spark", settings=settings, patience=stopping.patience)
        codes.append(report.exit_code)
        depth = Settings(limits=Limits(depth=report.depth))
        limited = check(model, settings=depth)
        assert (report.states, report.transitions) == (limited.states, limited.transitions)
        if report.exit_code is not ExitCode.INTERRUPTED:
            break
        assert report.given_up is None or report.given_up.level == report.depth + 1
    assert codes[-1] is ExitCode.SAFETY and len(codes) > 3
    violated = [one for one in report.properties if one.verdict == "violated"]
    assert violated and not any(one.shortest for one in violated)
    assert all(one.trace is not None and one.steps == report.depth + 1 for one in violated)
    assert not list(tmp_path.rglob("stop-*"))


def test_a_task_that_begins_too_late(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does nothing, and the report says why the run ended."""
    model = tmp_path / "m.fizz"
    model.write_text(MODEL)
    stopping = Stopping(stage, 1)
    monkeypatch.setattr(stage, "run", stopping)
    found = check(model, engine="spark", settings=Settings(spark_from=4), patience=stopping.patience)
    assert (found.exit_code, found.verdict) == (ExitCode.INTERRUPTED, "interrupted")
    assert found.given_up is not None and found.given_up.level == found.depth + 1
    assert found.cut_by in (None, StopReason.INTERRUPTED)


@pytest.mark.parametrize("asked", [True, False])
def test_a_signal_to_the_whole_group(
    asked: bool, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the end was asked for, that Spark's processes are gone too is no trouble of Spark; else it is."""
    model = tmp_path / "m.fizz"
    model.write_text(MODEL)
    patience = Patience()
    whole, last = stage.run, stage.jobs + 3

    def run(*given: Any) -> list[bytes]:
        if stage.jobs == last:
            if asked:
                patience.interrupt()
            raise EnvironmentProblem("the Spark master has turned this run away")
        return whole(*given)

    monkeypatch.setattr(stage, "run", run)
    settings = Settings(spark_from=2, spark_conf=(("spark.default.parallelism", "2"),))
    if not asked:
        with pytest.raises(EnvironmentProblem):
            check(model, engine="spark", settings=settings, patience=patience)
        return
    found = check(model, engine="spark", settings=settings, patience=patience)
    assert (found.exit_code, found.verdict) == (ExitCode.INTERRUPTED, "interrupted")
    assert found.depth > 1 and found.given_up is not None
