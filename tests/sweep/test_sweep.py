"""A sweep: a check for each point of a grid, in an order that is always the same; and what its counts say of others."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

import fizzpy as api
from checker.core.exploration import Settings
from checker.core.limits import Limits, StopReason
from checker.core.patience import Patience, Stop
from checker.core.problems import ExitCode, UsageProblem
from checker.core.trials import ENDING_S, EarlyEnd
from checker.sweep.forecast import carried_on
from checker.sweep.grid import axes_in_file, axes_of_values, axis_of, points_of
from checker.sweep.sweep_report import PointResult
from checker.sweep.sweeping import sweep
from checker.tasks.task_runner import CoreRunner, TaskPlace
from tests.cli.conftest import ROOT, Ended, in_terminal
from tests.cli.test_guides import BLOCK, astray, commands
from tests.faults.processes import below, cpu_s

Command = Callable[..., Ended]


# --- grids


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2..5", "2 3 4 5"),
        ("-1..1,8", "-1 0 1 8"),
        ("10..30..10", "10 20 30"),
        ("0, 1,0", "0 1"),
        ('"a,b",[1, 2]', '"a,b" [1, 2]'),
        ("{1: (2, 3)}", "{1: (2, 3)}"),
        (r"'it\'s, so','x'", r"'it\'s, so' 'x'"),
    ],
)
def test_values_of_an_axis(text: str, values: str) -> None:
    """Ranges include their ends; commas in brackets and quotes separate nothing; no value comes twice."""
    assert " ".join(axis_of("N", text).texts) == values


@pytest.mark.parametrize("text", ["5..2", "1..5..0", "2..x", "2...5", "0..99999999", ",", " ", "1,,2", "1,2,"])
def test_values_that_are_none(text: str) -> None:
    """An empty range, one that is too long, and nothing at all are refused with a reason."""
    with pytest.raises(UsageProblem):
        axis_of("N", text)


def test_long_numbers_in_ranges() -> None:
    """Ends of a range may have many digits; how many values there are is what counts."""
    assert axis_of("N", "100000000000..100000000001").texts == ("100000000000", "100000000001")
    with pytest.raises(UsageProblem, match="more than 10,000 values"):
        axis_of("N", "1..100000000000")


def test_points_come_by_size() -> None:
    """The smallest first, by the sum of the ranks of its values, whatever the order in which they were given."""
    found = points_of([axis_of("N", "4,2,3"), axis_of("MODE", "'b','a'")])
    assert [point.texts for point in found][:3] == [("2", "'b'"), ("2", "'a'"), ("3", "'b'")]
    assert found[-1].title == "N=4 MODE='a'"
    with pytest.raises(UsageProblem, match="10,000 points"):
        points_of([axis_of(name, "1..200") for name in "AB"])
    with pytest.raises(UsageProblem, match="twice"):
        points_of([axis_of("A", "1"), axis_of("A", "2")])


def test_grid_in_a_file(tmp_path: Path) -> None:
    """Texts are read as on the command line, lists have a value for each member, options stand apart."""
    (tmp_path / "g.yaml").write_text("N: 2..3\nMODES: [[1, 2], 'x + 1', true]\noptions: {max_actions: [5, 6]}\n")
    found = axes_in_file(str(tmp_path / "g.yaml"))
    assert [axis.texts for axis in found] == [("2", "3"), ("[1, 2]", "x + 1", "True"), ("5", "6")]
    assert [axis.option for axis in found] == [False, False, True]
    assert [axis.texts for axis in axes_of_values({"A": range(2), "B": "b"})] == [("0", "1"), ('"b"',)]
    for wrong in ("- 1", "N: [", "", "N: []", "options: 3", "N: 5..2"):
        (tmp_path / "g.yaml").write_text(wrong)
        with pytest.raises(UsageProblem, match=r"g\.yaml"):
            axes_in_file(str(tmp_path / "g.yaml"))


# --- runs


def test_each_point_is_a_check(tokens: Path) -> None:
    """Counts are those of a check with these constants; rows come by cost, the smallest wrong point is known."""
    report = sweep(tokens, [axis_of("N", "1..3"), axis_of("LIMIT", "99,4")], place=TaskPlace(workers=2))
    rows = {one.point.title: (one.states, one.verdict) for one in report.results}
    for n in (1, 2, 3):
        alone = api.check(tokens, constants={"N": n})
        assert rows[f"N={n} LIMIT=99"] == (alone.states, alone.verdict) == (3**n, "passed")
    assert [one.states for one in report.results] == sorted(int(one.states or 0) for one in report.results)
    first = report.first_violation
    assert first is not None
    assert (first.point.title, first.found) == ("N=2 LIMIT=4", "Few in 4 steps")
    assert report.exit_code is ExitCode.SAFETY
    assert not report


def test_a_point_that_is_wrong_is_a_row(tokens: Path) -> None:
    """One whose model fails or does not load has its reason, and the others go on."""
    report = sweep(tokens, [axis_of("HALVES", "2,0,nothing,1")], place=TaskPlace(workers=2))
    found = {one.point.title: (one.verdict, one.why) for one in report.results}
    assert found["HALVES=1"][0] == found["HALVES=2"][0] == "passed"
    assert found["HALVES=0"][0] == "error"
    assert "zero" in str(found["HALVES=0"][1])
    assert found["HALVES=nothing"] == ("not checked", "undefined name 'nothing'")
    assert report.exit_code is ExitCode.MODEL_ERROR


def test_budget_of_a_point(tokens: Path) -> None:
    """A point that has more states than it may ends there; others are complete. Forecasts go by the complete ones."""
    axes = [axis_of("N", "1..5")]
    report = sweep(tokens, axes, place=TaskPlace(workers=2), settings=Settings(limits=Limits(states=50)))
    assert {one.point.title: one.complete for one in report.results}["N=5"] is False
    assert report.exit_code is ExitCode.BOUNDED
    (forecast,) = report.forecasts
    assert forecast.known == ((1, 3), (2, 9), (3, 27))
    assert (forecast.next, round(forecast.states)) == (4, 81)


def test_end_of_the_patience(tokens: Path) -> None:
    """What is done until then counts; the rest was not run."""

    def interrupted(results: Sequence[PointResult], total: int) -> None:
        if results:
            patience.interrupt()

    patience = Patience()
    report = sweep(tokens, [axis_of("N", "1..4")], place=TaskPlace(workers=1), counted=interrupted, patience=patience)
    assert report.stopped is StopReason.INTERRUPTED
    assert report.exit_code is ExitCode.INTERRUPTED
    verdicts = [one.verdict for one in report.results]
    assert verdicts[0] == "passed"
    assert verdicts[-1] == "not run"


def test_a_point_under_way(tokens: Path) -> None:
    """When a sweep is interrupted, a point under way is interrupted too: its counts so far are there, no verdict."""
    patience = Patience()
    strangers = set(below(os.getpid()))

    def interrupted(results: Sequence[PointResult], total: int) -> None:
        if results and any(cpu_s(one) > 1 for one in below(os.getpid()) if one not in strangers):
            patience.interrupt()

    # 3, 3^40 and 3^41 states.
    axis = axis_of("N", "1,40,41")
    report = sweep(tokens, [axis], place=TaskPlace(workers=1), counted=interrupted, patience=patience)
    assert (report.stopped, report.exit_code) == (StopReason.INTERRUPTED, ExitCode.INTERRUPTED)
    assert [(one.point.title, one.verdict) for one in report.results] == [
        ("N=1", "passed"),
        ("N=40", "interrupted"),
        ("N=41", "not run"),
    ]
    done, under_way, rest = report.results
    assert done.states == 3 and under_way.states is not None and under_way.states > 40 and rest.states is None
    assert not under_way.complete and not under_way.violates


def _marked(folder: Path, task: str) -> str:
    (folder / task).touch()
    return f"{task} done"


def test_answers_that_wait(tmp_path: Path) -> None:
    """What is done when a run is interrupted counts, also if nobody has asked for it yet."""
    patience = Patience()

    def tick() -> bool:
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.01)
        patience.interrupt()
        return EarlyEnd(patience).begun()

    found = CoreRunner(2).run(["a", "b", "c"], partial(_marked, tmp_path), _not_called, tick, _not_called)
    assert sorted(found) == [(0, "a done"), (1, "b done")]


def _not_called(*_: object) -> str:
    raise AssertionError


def test_an_end_that_does_not_come() -> None:
    """Tasks have some seconds to end; after them they are ended."""
    patience, now = Patience(), [0.0]
    ending = EarlyEnd(patience)
    with patch("checker.core.trials.time.monotonic", lambda: now[0]):
        assert not ending.begun() and ending.reason is None
        patience.interrupt()
        assert ending.begun() and ending.reason is StopReason.INTERRUPTED
        now[0] = ENDING_S + 0.1
        with pytest.raises(Stop):
            ending.begun()


def _dying(folder: Path, always: bool, task: str) -> str:
    """Work that kills its process, at first or always."""
    marker = folder / task
    if task == "fragile" and (always or not marker.exists()):
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{task} done"


@pytest.mark.parametrize("always", [False, True])
def test_killed_process(always: bool, tmp_path: Path) -> None:
    """The user hears of it, and the task is done again; if its process is killed again, that is its answer."""
    heard: list[str] = []
    found = CoreRunner(2).run(
        ["fragile", "sturdy"],
        partial(_dying, tmp_path, always),
        lambda task, how, elapsed_s: f"{task}: {how}",
        lambda: None,
        lambda task, how: heard.append(f"{task}: {how}"),
    )
    answers = dict(found)
    assert answers[1] == "sturdy done"
    assert len(heard) == 1
    assert "fragile" in heard[0]
    assert "SIGKILL" in heard[0]
    assert ("SIGKILL" in answers[0]) is always


# --- forecasts


@pytest.mark.parametrize("growth", [lambda n: 7 * 3**n, lambda n: 2 ** (n * n), lambda n: 5])
def test_forecast_is_exact(growth: Callable[[int], int]) -> None:
    """For exponential growth, and where the factor itself grows by a factor."""
    assert carried_on([growth(n) for n in range(1, 5)]) == pytest.approx(growth(5))


def test_forecast_of_powers() -> None:
    """For powers it is too low by a fifth at most, and never below what is there."""
    assert 0.8 <= carried_on([n**4 for n in range(2, 6)]) / 6**4 <= 1
    assert carried_on([100, 100, 1]) == 1


# --- the command


def test_rows_in_a_file(fizzpy: Command, tokens: Path) -> None:
    """CSV and Parquet have the same rows, with numbers as numbers; the JSON has them too."""
    parquet = pytest.importorskip("pyarrow.parquet")
    ended = fizzpy("sweep", "tokens.fizz", "--set", "N=1..2", "--set", "HALVES=1,x", "--out", "o.csv", "--json")
    answer = json.loads(ended.out)
    assert ended.code == answer["exit_code"] == 151
    with (tokens.parent / "o.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["states"] for row in rows] == ["3", "9", "", ""]
    assert [row["HALVES"] for row in rows] == ["1", "1", "x", "x"]
    fizzpy("sweep", "tokens.fizz", "--set", "N=1..2", "--set", "HALVES=1,x", "--out", "o.parquet", "--quiet")
    table = parquet.read_table(tokens.parent / "o.parquet").to_pylist()
    kept = ("N", "HALVES", "verdict", "states", "why", "found")
    # A column has one type: numbers are texts where other values are.
    for point in answer["points"]:
        point["HALVES"] = str(point["HALVES"])
    assert [[row[name] for name in kept] for row in table] == [[p[name] for name in kept] for p in answer["points"]]


def test_wrong_requests(fizzpy: Command, tokens: Path) -> None:
    """Exit code, a sentence and no traceback, before any point is checked."""
    for code, arguments in (
        (2, ("--set", "N=5..2")),
        (2, ("--set", "N=1", "--set", "N=2")),
        (2, ("--out", "o.txt")),
        (2, ("--out", "tokens.fizz")),
        (2, ("--grid", "none.yaml")),
        (2, ("--property", "None", "--set", "N=1")),
        (2, ("--master", "local[2]")),
        (2, ("--engine", "spark", "--workers", "2")),
        (151, ("--set", "M=1..2")),
        (151, ("--option", "maximum=1..2")),
    ):
        ended = fizzpy("sweep", "tokens.fizz", *arguments)
        assert (ended.code, "Traceback" in ended.said) == (code, False), (arguments, ended.said)
    tokens.write_text("action Init\n")
    assert fizzpy("sweep", "tokens.fizz", "--set", "N=1..2").code == 150


def test_table_that_fills(tokens: Path) -> None:
    """In a terminal the rows that are done are there before the last one is, and are gone when the report comes."""
    code, sent = in_terminal(tokens.parent, "sweep", "tokens.fizz", "--set", "N=1..7", "--workers", "1")
    assert code == 0
    assert "of 7 points done" in sent
    assert sent.count("SWEPT") == 1
    assert sent.rindex("of 7 points done") < sent.index("SWEPT")


def test_page(fizzpy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line that docs/sweep.md shows is printed, but for seconds and megabytes."""

    monkeypatch.setenv("COLUMNS", "80")

    def steady(line: str) -> str:
        return re.sub(r" +([\d,]+\.\d +[\d,]+|CPU s +MB)$", "", line)

    seen = 0
    for kind, name, text in BLOCK.findall((ROOT / "docs" / "sweep.md").read_text(encoding="utf-8")):
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        for words, shown in commands(text) if kind == "console" else ():
            seen += 1
            printed = fizzpy(*words[1:], "--no-color").said.splitlines()
            line = astray([steady(one) for one in shown], [steady(one) for one in printed])
            assert line is None, f"{words}: not printed, or not there: {line!r}\n" + "\n".join(printed)
        if kind == "python":
            exec(compile(text, "sweep.md", "exec"), {})
    assert seen >= 3
