"""The Spark engine on Spark: the same answers, the same reports, nothing left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import Report
from checker.expectations.promises import Promise, promises_below
from tests.checker.conftest import explore_toy
from tests.checker.test_agreement import OPTIONS, SETTINGS, comparable, toys
from tests.checker.toy import Toy
from tests.checkpoint.conftest import interrupted_after
from tests.sample import one_in
from tests.spark.conftest import settings_for
from tests.spark.models import MODELS
from tests.spark.toys import explore_flaky

ROOT = Path(__file__).resolve().parents[2]
WORKED = promises_below(ROOT / "tests" / "language" / "worked")

pytestmark = pytest.mark.spark

BUNDLED: list[tuple[str, dict[str, str]]] = [
    ("venice/VeniceOffsetFirst.fizz", {"MAX_WRITES": "1"}),
    ("venice/VeniceLeaderFollower.fizz", {"MAX_WRITES": "1"}),
    ("classics/DieHard.fizz", {}),
    ("kafka/FiniteReplicatedLog.fizz", {}),
]


def same(report: Report) -> Report:
    """A report without what may differ between engines."""
    return replace(report, engine="", elapsed_s=0.0, cpu_s=0.0, peak_memory_mb=0.0, stats={})


def levels(report: Report) -> int:
    """How many levels ran as Spark jobs."""
    count = report.stats["spark_levels"]
    assert isinstance(count, int)
    return count


# --- the same answers
# ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", MODELS)
def test_all_engines_report_the_same(name: str, tmp_path: Path) -> None:
    """Counts, verdicts, counterexamples and warnings, for two and three partitions.

    Liveness is judged in the driver, or in the partitions to the end.
    """
    (tmp_path / "m.fizz").write_text(MODELS[name])
    plain = same(check(tmp_path / "m.fizz", engine="plain"))
    assert same(check(tmp_path / "m.fizz", engine="embedded")) == plain
    for partitions, core in ((2, None), (3, 0)):
        report = check(tmp_path / "m.fizz", engine="spark", settings=settings_for(partitions, core))
        assert same(report) == plain
        assert levels(report) > 0


@pytest.mark.usefixtures("spark")
def test_resumed_in_another_number_of_partitions(tmp_path: Path) -> None:
    """What was found, and the graph for liveness, are divided anew by Spark's workers."""
    path, folder = tmp_path / "m.fizz", str(tmp_path / "c")
    path.write_text(MODELS["lasso"])
    for partitions, place in ((2, {"checkpoint": folder}), (3, {"resume": folder})):
        with interrupted_after(2):
            check(path, engine="spark", settings=settings_for(partitions, checkpoint_every_s=0, **place))
    report = check(path, engine="spark", settings=settings_for(2, 0, resume=folder))
    assert report.stats["partitions"] == 2
    assert same(replace(report, found_before=0)) == same(check(path, engine="embedded"))


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("promise", one_in(3, WORKED), ids=lambda promise: promise.title)
def test_worked_examples(promise: Promise) -> None:
    """The models whose states were counted by hand: the figures are kept, and the report is the plain engine's."""
    chosen = settings_for(2)
    report = promise.run("spark", spark_from=0, spark_conf=chosen.spark_conf, stats=True)
    assert promise.broken_by(report) == []
    assert same(report) == same(promise.run("plain"))
    assert levels(report) > 0


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(("model", "constants"), BUNDLED, ids=lambda value: value if isinstance(value, str) else "")
def test_bundled_models(model: str, constants: Mapping[str, str]) -> None:
    """Models that are worth their name, where every level is a job."""
    path = ROOT / "models" / model
    report = check(path, engine="spark", constants=constants, settings=settings_for(2, core=0))
    assert same(report) == same(check(path, engine="embedded", constants=constants))
    assert levels(report) > report.depth
    assert report.stats["partitions"] == 2
    assert report.stats["tasks"] >= levels(report)
    cpu_s, memory_mb = report.stats["cpu_s elsewhere"], report.stats["memory_mb elsewhere"]
    assert isinstance(cpu_s, float)
    assert isinstance(memory_mb, float)
    assert 0 < cpu_s < report.cpu_s
    assert 0 < memory_mb < report.peak_memory_mb
    evaluations, calls = report.stats["rule evaluations"], report.stats["interpreter calls"]
    assert isinstance(evaluations, int) and isinstance(calls, int)
    assert 0 < calls < evaluations


@pytest.mark.usefixtures("spark")
def test_driver_hands_over_when_the_frontier_is_wide(tmp_path: Path) -> None:
    """Narrow levels are not worth a job: the first ones run in the driver, all of them if none is wide."""
    (tmp_path / "m.fizz").write_text(MODELS["crashes"])
    narrow, some, wide = (
        check(tmp_path / "m.fizz", engine="spark", settings=settings_for(2, spark_from=width))
        for width in (0, 8, 10**6)
    )
    assert levels(narrow) > levels(some) > levels(wide) == 0
    assert same(narrow) == same(some) == same(wide)


@pytest.mark.usefixtures("spark")
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(toys(), SETTINGS, OPTIONS)
def test_random_toys(toy: Toy, chosen: Settings, options: dict[str, object]) -> None:
    """What the stand-in says of many toys, Spark says of some."""
    plain = comparable(explore_toy("plain", toy, chosen, **options))
    spark = replace(chosen, spark_conf=settings_for(3).spark_conf, spark_from=0)
    assert comparable(explore_toy("spark", toy, spark, **options)) == plain


# --- faults
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("failure", ["raise", "exit"])
def test_a_task_that_fails_is_tried_again(failure: str, tmp_path: Path) -> None:
    """An exception in a worker, or its death, changes nothing about the answer."""
    folder = tmp_path / failure
    folder.mkdir()
    expected = explore_flaky("plain", folder, Settings())
    (folder / "armed").touch()
    shaken = explore_flaky("spark rows", folder, settings_for(2))
    assert not (folder / "armed").exists()
    assert comparable(shaken) == comparable(expected)


@pytest.mark.usefixtures("spark")
def test_files_are_in_the_folder_that_is_named(tmp_path: Path) -> None:
    """The folder for files can be named; nothing stays in it. One that cannot be used is named with code 74."""
    from checker.core.problems import EnvironmentProblem

    (tmp_path / "m.fizz").write_text(MODELS["lasso"])
    place = tmp_path / "shared"
    chosen = settings_for(2)
    here = replace(chosen, spark_conf=(*chosen.spark_conf, ("spark.fizzpy.folder", str(place))))
    assert levels(check(tmp_path / "m.fizz", engine="spark", settings=here)) > 0
    assert list(place.iterdir()) == []
    nowhere = replace(chosen, spark_conf=(("spark.fizzpy.folder", str(tmp_path / "m.fizz")),))
    with pytest.raises(EnvironmentProblem, match="cannot be used"):
        check(tmp_path / "m.fizz", engine="spark", settings=nowhere)


# --- the command
# -----------------------------------------------------------------------------------------------------------


def command(folder: Path, *arguments: str) -> list[str]:
    """The command line of a run that leaves the driver at once; `folder` gets the model."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import fizzpy; sys.exit(fizzpy.main())"
    (folder / "m.fizz").write_text(MODELS["crashes"])
    return [sys.executable, "-c", code, "check", "m.fizz", *arguments]


def surroundings(folder: Path, **more: str) -> dict[str, str]:
    """An environment with a folder of its own for temporary files, and without our packages on the path."""
    (folder / "tmp").mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | {"TMPDIR": str(folder / "tmp")} | more


def left_behind(folder: Path) -> list[str]:
    """What lies in the folder for temporary files, apart from what Java keeps there while it runs."""
    return [path.name for path in (folder / "tmp").iterdir() if not path.name.startswith("hsperfdata")]


def report_of(folder: Path, environment: Mapping[str, str], *arguments: str) -> dict[str, Any]:
    """The JSON report of a run that says nothing else, and leaves nothing behind."""
    done = subprocess.run(
        command(folder, "--json", *arguments), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert left_behind(folder) == []
    report: dict[str, Any] = json.loads(done.stdout)
    for name in ("engine", "elapsed_s", "cpu_s", "peak_memory_mb"):
        del report[name]
    return report


def test_command_on_the_java_that_pip_brings(tmp_path: Path) -> None:
    """Where the path has no Java, the packaged one runs Spark; the report is that of the embedded engine."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for folder in ("/bin", "/usr/bin"):
        for program in Path(folder).iterdir():
            if "java" not in program.name and not (programs / program.name).exists():
                (programs / program.name).symlink_to(program)
    environment = surroundings(tmp_path, PATH=str(programs), JAVA_HOME="")
    expected = report_of(tmp_path, environment)
    assert (
        report_of(tmp_path, environment, "--engine", "spark", "--master", "local[2]", "--spark-from", "0") == expected
    )


def test_executors_get_our_code_with_the_job(tmp_path: Path) -> None:
    """Executors that are processes of their own find nothing of ours installed, and need nothing."""
    import pyspark

    work = Path(pyspark.__file__).parent / "work"
    before = set(work.iterdir()) if work.is_dir() else None
    try:
        spark = ("--engine", "spark", "--master", "local-cluster[2,1,1024]", "--spark-from", "0")
        environment = surroundings(tmp_path)
        assert report_of(tmp_path, environment, *spark) == report_of(tmp_path, environment)
    finally:
        # Spark's own trial cluster logs into its installation.
        for folder in set(work.iterdir()) - (before or set()) if work.is_dir() else ():
            shutil.rmtree(folder)
        if before is None and work.is_dir():
            work.rmdir()


# The third level is at work when the states found on the second one are on disk.
@pytest.mark.parametrize(
    ("number", "sign", "states"),
    [(signal.SIGTERM, "fizzpy-*/found-3-*", 10), (signal.SIGINT, "fizzpy-spark-*", 1)],
    ids=["at work", "while Spark starts"],
)
def test_interruptions_cancel_and_report(number: signal.Signals, sign: str, states: int, tmp_path: Path) -> None:
    """An interrupted run reports the levels that were finished, with code 130, and leaves nothing behind."""
    arguments = command(tmp_path, "--engine", "spark", "--master", "local[2]", "--spark-from", "0", "--json")
    (tmp_path / "m.fizz").write_text(
        "---\noptions: {max_actions: 1000000}\n---\naction Init: a, b, c = 0, 0, 0\n"
        "atomic action A: a += 1\natomic action B: b += 1\natomic action C: c += 1\n"
    )
    running = subprocess.Popen(
        arguments, cwd=tmp_path, env=surroundings(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # On a busy machine minutes may pass; a signal before its time would show something else.
    deadline = time.monotonic() + 600
    while not list((tmp_path / "tmp").glob(sign)):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    running.send_signal(number)
    # Java is not left alone before it is there, which takes its time on a busy machine.
    out, err = running.communicate(timeout=120)
    assert (running.returncode, err) == (130, "")
    report = json.loads(out)
    assert report["verdict"] == "interrupted"
    assert report["states"] >= states
    assert left_behind(tmp_path) == []
