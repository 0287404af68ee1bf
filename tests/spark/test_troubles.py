"""Failures of Spark are explained in a sentence; bugs are reported as bugs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from checker.check import check
from checker.core.problems import EnvironmentProblem
from checker.search.spark import cluster
from checker.search.spark.spark_connection import SparkConnection
from checker.search.spark.troubles import NO_EXECUTOR_YET, TaskFailed, explained
from tests.spark.conftest import Stage, settings_for
from tests.spark.models import MODELS

FROM_JAVA = type("Py4JJavaError", (Exception,), {"__module__": "py4j.protocol"})
JOB = "An error occurred while calling o1.collect.\n: org.apache.spark.SparkException: Job aborted\n"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (": ModuleNotFoundError: No module named 'numpy'", "the Python of a Spark executor has no numpy"),
        (": [PYTHON_VERSION_MISMATCH] 3.12 3.11", "is of another version than this one"),
        ('Caused by: java.io.IOException: Cannot run program "/x/python"', "does not find the Python"),
        ("ExecutorLostFailure (executor 1 exited)", "a Spark worker died"),
        ("ShuffleMapStage 7 has failed the maximum allowable number of times: 4", "executors of Spark are lost again"),
        ("Caused by: java.lang.Oddity: never seen\n\tat a.b(c)\n", "Spark gave up: java.lang.Oddity: never seen"),
    ],
)
def test_troubles_of_machines(said: str, text: str) -> None:
    """Code 74 and a hint, also for an unknown failure."""
    found = explained(FROM_JAVA(JOB + said))
    assert isinstance(found, EnvironmentProblem)
    assert text in found.text
    assert found.hint


def test_bugs(spark: SparkConnection) -> None:
    """The exception of the task comes first, in one line, and all that Spark says after it."""

    def fail(_: bytes) -> bytes:
        raise ValueError("no such luck")

    with pytest.raises(TaskFailed) as raised:
        spark.run("g", "t", fail, [b""], lambda: None)
    first, _, rest = str(raised.value).partition("\n")
    assert first.startswith("ValueError: no such luck")
    assert "Traceback" in rest
    mistake = ValueError("of the driver")
    assert explained(mistake) is mistake


def context(broadcast: Callable[[object], object] = repr, stopped: bool = False, executors: int = 1) -> Any:
    """Something like a Spark context of a cluster. Spark counts the driver as an executor."""
    tracker = SimpleNamespace(getExecutorInfos=lambda: [object()] * executors)
    scala = SimpleNamespace(isStopped=lambda: stopped, statusTracker=lambda: tracker)
    return SimpleNamespace(
        uiWebUrl=None,
        master="spark://a:7077",
        applicationId="app-1",
        broadcast=broadcast,
        _jsc=SimpleNamespace(sc=lambda: scala),
    )


def test_a_master_that_turns_the_run_away() -> None:
    """Spark notices some time after it has started, and stops by itself; what fails then is a consequence."""

    def fail(_: object) -> object:
        raise FROM_JAVA(JOB)

    with pytest.raises(EnvironmentProblem, match="has turned this run away"):
        SparkConnection(context(fail, stopped=True)).broadcast(b"")
    with pytest.raises(EnvironmentProblem, match=r"Spark gave up: org\.apache\.spark\.SparkException: Job aborted"):
        SparkConnection(context(fail)).broadcast(b"")


def test_no_executor(tmp_path: Path, stage: Stage) -> None:
    """If a cluster gives a run no executor for some time, the user is told so once."""
    assert SparkConnection(context(executors=1)).has_no_executor
    assert not SparkConnection(context(executors=2)).has_no_executor
    (tmp_path / "m.fizz").write_text(MODELS["lasso"])
    said: list[str] = []
    for alone, patience_s in ((True, -1.0), (True, 99.0), (False, -1.0)):
        with patch.object(stage, "has_no_executor", alone), patch.object(cluster, "_PATIENCE_S", patience_s):
            check(tmp_path / "m.fizz", engine="spark", settings=settings_for(2), say=said.append)
    assert said == [NO_EXECUTOR_YET]
