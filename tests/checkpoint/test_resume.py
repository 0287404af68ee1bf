"""A run that is interrupted and resumed, however often, answers as one that was left in peace."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import UsageProblem
from checker.report.page import Page
from checker.report.terminal_report import print_report
from checker.search.driver import SearchDriver
from checker.search.spark.redistribution import MergeTask
from checker.storage.file_store import FileStore
from tests.checkpoint.conftest import WIDE, comparable, interrupted_after, level_by_level
from tests.sample import one_in
from tests.spark.conftest import Stage, settings_for
from tests.spark.models import MODELS

ALL = {**MODELS, "wide": WIDE}


@pytest.fixture(params=one_in(2, ALL))
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "m.fizz"
    path.write_text(ALL[request.param])
    return path


@pytest.mark.parametrize("keep_going", [False, True])
def test_rows(model: Path, tmp_path: Path, keep_going: bool) -> None:
    """After each level, while the embedded engine goes row by row (and later by columns, where a model is wide)."""
    chosen = Settings(keep_going=keep_going)
    report, runs = level_by_level(model, tmp_path / "c", lambda run: "embedded", chosen)
    assert comparable(report) == comparable(check(model, settings=chosen))
    assert runs > report.depth or report.exit_code in (11, 12, 75)


@pytest.mark.parametrize("keep_going", [False, True])
def test_columns(model: Path, tmp_path: Path, keep_going: bool) -> None:
    """The same by columns."""
    chosen = Settings(keep_going=keep_going)
    report, runs = level_by_level(model, tmp_path / "c", lambda run: "early columns", chosen)
    assert comparable(report) == comparable(check(model, settings=chosen))
    assert runs > 1


@pytest.mark.parametrize("keep_going", [False, True])
def test_spark(model: Path, tmp_path: Path, stage: Stage, keep_going: bool) -> None:
    """The same with levels as jobs on partitions."""
    chosen = settings_for(3, keep_going=keep_going)
    report, runs = level_by_level(model, tmp_path / "c", lambda run: "spark", chosen)
    assert comparable(report) == comparable(check(model, settings=Settings(keep_going=keep_going)))
    assert runs > 1


@pytest.mark.parametrize(("name", "numbers"), [("wide", (2, 3, 2)), ("lasso", (4, 3)), ("workers", (1, 2))])
def test_another_number_of_partitions(
    name: str, numbers: tuple[int, ...], tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run divides anew what the one before has found, also for liveness, and if tasks are done twice."""
    monkeypatch.setattr(stage, "twice", name == "lasso")
    model, folder = tmp_path / "m.fizz", tmp_path / "c"
    model.write_text(ALL[name])
    told: list[str] = []
    for asked in numbers:
        place = {"resume": str(folder)} if folder.exists() else {"checkpoint": str(folder)}
        with interrupted_after(2):
            settings = settings_for(asked, 0, checkpoint_every_s=0, **place)
            check(model, engine="spark", settings=settings, say=told.append)
    said = [
        f"the checkpoint has {one} partitions; they are divided anew into {other}" for one, other in pairwise(numbers)
    ]
    assert [one for one in told if not one.startswith("level ")] == said
    report = check(model, engine="spark", settings=settings_for(1, 0, resume=str(folder)))
    assert comparable(report) == comparable(check(model))


@pytest.mark.parametrize("engine", ["spark", "spark rows"])
def test_divided_anew_files_are_the_same(engine: str, tmp_path: Path, stage: Stage) -> None:
    """What was divided anew is in files as if there had always been as many partitions, to the byte."""
    model = tmp_path / "m.fizz"
    model.write_text(WIDE)
    for place, runs in (("straight", ((5, 5),)), ("anew", ((2, 3), (5, 2)))):
        for asked, checkpoints in runs:
            there = {"resume" if (tmp_path / place).exists() else "checkpoint": str(tmp_path / place)}
            with interrupted_after(checkpoints):
                check(model, engine=engine, settings=settings_for(asked, checkpoint_every_s=0, **there))
    straight, anew = (
        {path.name: path.read_bytes() for kind in ("found", "edges") for path in (tmp_path / place).glob(f"{kind}-*")}
        for place in ("straight", "anew")
    )
    # The files of the two partitions have gone with the last checkpoint that needed them.
    assert straight == anew
    assert len(straight) > 20
    manifests = list((tmp_path / "anew").glob("checkpoint-*.json"))
    needed = {name for manifest in manifests for name in json.loads(manifest.read_text())["files"]}
    assert {path.name for path in (tmp_path / "anew").iterdir()} == {"lock", *needed, *(one.name for one in manifests)}


def test_dividing_anew_is_interrupted(tmp_path: Path, stage: Stage) -> None:
    """The checkpoint stays as it was, and any number of partitions goes on from it."""
    model, folder = tmp_path / "m.fizz", tmp_path / "c"
    model.write_text(MODELS["lasso"])
    with interrupted_after(3):
        check(model, engine="spark", settings=settings_for(2, checkpoint_every_s=0, checkpoint=str(folder)))
    before = {path.name for path in folder.iterdir()}
    with patch.object(MergeTask, "perform", side_effect=KeyboardInterrupt):
        report = check(model, engine="spark", settings=settings_for(3, resume=str(folder)))
    assert report.verdict == "interrupted"
    assert {path.name.partition("-")[0] for path in folder.iterdir() if path.name not in before} > {"moved"}
    with interrupted_after(1):
        check(model, engine="spark", settings=settings_for(2, checkpoint_every_s=0, resume=str(folder)))
    assert not list(folder.glob("moved-*"))
    report = check(model, engine="spark", settings=settings_for(1, resume=str(folder)))
    assert comparable(report) == comparable(check(model))


@pytest.mark.parametrize("embedded_runs", [1, 4])
def test_from_embedded_to_spark(model: Path, tmp_path: Path, stage: Stage, embedded_runs: int) -> None:
    """A run that the embedded engine began goes on with Spark."""
    chosen = settings_for(2)
    before = stage.jobs
    report, runs = level_by_level(
        model, tmp_path / "c", lambda run: "early columns" if run < embedded_runs else "spark", chosen
    )
    assert comparable(report) == comparable(check(model))
    # The last run may have no level left to explore.
    if runs > embedded_runs + 1:
        assert stage.jobs > before
    if runs <= embedded_runs:
        assert stage.jobs == before


@pytest.mark.parametrize("engine", ["early columns", "spark"])
def test_the_exploration_without_symmetry(engine: str, tmp_path: Path, stage: Stage) -> None:
    """A fair lasso among images asks for the whole space: that is saved too, and is not begun anew."""
    model = tmp_path / "m.fizz"
    model.write_text(MODELS["workers"])
    undisturbed = check(model)
    report, runs = level_by_level(model, tmp_path / "c", lambda run: engine, settings_for(2))
    assert comparable(report) == comparable(undisturbed)
    # Images, then states: a level more is found each time.
    levels = 1 + max(int(path.stem.split("-")[1]) for path in (tmp_path / "c").rglob("unreduced/checkpoint-*.json"))
    assert runs > report.depth + levels
    again = check(model, engine=engine, settings=settings_for(2, resume=str(tmp_path / "c"), keep_going=False))
    assert again.stats["rule evaluations"] == 0
    with pytest.raises(UsageProblem, match="there is a checkpoint in"):
        for path in (tmp_path / "c").glob("checkpoint-*.json"):
            path.unlink()
        check(model, engine=engine, settings=settings_for(2, checkpoint=str(tmp_path / "c")))


def test_a_damaged_exploration_without_symmetry(tmp_path: Path) -> None:
    """It can be begun anew, which is said; what the first one has found stays."""
    model, target = tmp_path / "m.fizz", tmp_path / "c"
    model.write_text(MODELS["workers"])
    undisturbed = comparable(check(model, settings=Settings(checkpoint=str(target), checkpoint_every_s=0)))
    for path in (target / "unreduced").glob("level-*"):
        path.write_bytes(b"")
    said: list[str] = []
    assert comparable(check(model, settings=Settings(resume=str(target)), say=said.append)) == undisturbed
    assert len(said) == 1
    assert said[0].endswith("is damaged; exploring without symmetry from the beginning")
    assert comparable(check(model, settings=Settings(resume=str(target)), say=said.append)) == undisturbed
    assert len(said) == 1


def test_an_interruption_in_the_last_level(model: Path, tmp_path: Path) -> None:
    """Ctrl-C is not forgotten when there is no further level: the run ends before it judges, and can be resumed."""
    target = str(tmp_path / "c")
    undisturbed = check(model)
    step = SearchDriver._reason_to_stop

    def pressed(self: SearchDriver, *arguments: object) -> object:
        reason = step(self, *arguments)  # type: ignore[arg-type]
        if reason is not None:
            signal.raise_signal(signal.SIGINT)
        return reason

    with patch.object(SearchDriver, "_reason_to_stop", pressed):
        report = check(model, settings=Settings(checkpoint=target))
    assert (report.exit_code, report.states) == (130, undisturbed.states)
    assert comparable(check(model, settings=Settings(resume=target))) == comparable(undisturbed)


def test_a_finished_run_answers_again(model: Path, tmp_path: Path) -> None:
    """The end is saved as well: resumed, a run only judges."""
    target = str(tmp_path / "c")
    first = check(model, settings=Settings(checkpoint=target))
    again = check(model, settings=Settings(resume=target, stats=True))
    assert comparable(again) == comparable(first)
    assert again.stats["rule evaluations"] == 0
    # The rate is that of the time since resuming.
    assert (first.found_before, again.found_before) == (0, first.states)
    shown = StringIO()
    print_report(Page(shown, color=False, width=200), again)
    assert "since resuming, 0 states/s" in shown.getvalue()


@pytest.mark.parametrize("engine", ["rows", "columns", "spark"])
def test_stopped_while_loading(engine: str, tmp_path: Path, stage: Stage) -> None:
    """The report then has the counts of the checkpoint, of states that were not compared."""
    model = tmp_path / "m.fizz"
    model.write_text(WIDE)
    settings = settings_for(2, checkpoint_every_s=0)
    with interrupted_after(5):
        saved = check(model, engine=engine, settings=replace(settings, checkpoint=str(tmp_path / "c")))
    read = FileStore.read

    def stopped(store: FileStore, name: str, part: int) -> bytes:
        if name.startswith("states-"):
            raise KeyboardInterrupt
        return read(store, name, part)

    with patch.object(FileStore, "read", stopped):
        report = check(model, engine=engine, settings=replace(settings, resume=str(tmp_path / "c")))
    assert (report.verdict, report.states, report.exact) == ("interrupted", saved.states, False)
