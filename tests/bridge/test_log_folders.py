"""`fizzpy validate` of folders, and of the values of a key: runs of their own, on cores too."""

from __future__ import annotations

import csv
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checker.conformance.validate_log import validate_logs
from checker.core.patience import Patience
from checker.core.problems import UsageProblem
from checker.tasks.task_runner import TaskPlace
from tests.bridge.conftest import Ended, Write
from tests.bridge.test_validate import ELECTED, ELECTION, MAP, campaign, lead, vote
from tests.faults.processes import below, cpu_s

Run = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path, write: Write) -> str:
    """Logs that are accepted, rejected, empty, and no JSON; what is no log."""
    write("election.fizz", ELECTION)
    write("map.yaml", MAP)
    (tmp_path / "logs" / "day").mkdir(parents=True)
    (tmp_path / "logs" / ".hidden").mkdir()
    write("logs/a.ndjson", ELECTED)
    write("logs/day/b.jsonl", [campaign("n1", 1), lead("n1", 1)])
    write("logs/day/empty.log", "")
    write("logs/day/torn.ndjson", json.dumps(campaign("n1", 1)) + '\n{"event": "le')
    write("logs/README.md", "no log")
    write("logs/.hidden/c.ndjson", "no log")
    return str(tmp_path / "logs")


def test_a_folder_is_each_of_its_logs(folder: str, tmp_path: Path, fizzpy: Run) -> None:
    """By name, those in folders inside too; one bad file does not end the others; the code is that of the worst."""
    ended = fizzpy("validate", "election.fizz", folder, "--map", "map.yaml", "--out", "runs.csv")
    assert ended.code == 14, ended.err
    with (tmp_path / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(Path(row["log"]).name, row["verdict"], row["exit_code"]) for row in rows] == [
        ("a.ndjson", "accepted", "0"),
        ("b.jsonl", "rejected", "14"),
        ("empty.log", "nothing", "2"),
        ("torn.ndjson", "unreadable", "2"),
    ]
    said = "".join(ended.out.split())
    assert "torn.ndjson:2:thislineisnoJSON" in said and "hint:aloghasoneobject" in said
    assert rows[1]["event"].endswith("b.jsonl:2 lead{term: 1}")


def test_the_report_is_the_same_on_cores(folder: str, tmp_path: Path) -> None:
    """For one process and for two, and without any."""
    reports = [
        validate_logs(str(tmp_path / "election.fizz"), [folder], str(tmp_path / "map.yaml"), place=place)
        for place in (None, TaskPlace(workers=1), TaskPlace(workers=2))
    ]
    assert reports[0].runs == reports[1].runs == reports[2].runs
    assert [report.exit_code for report in reports] == [14, 14, 14]


def test_the_events_of_each_key_are_a_run(write: Write, fizzpy: Run) -> None:
    """In the order of the log; places are those of the file; ignored events need no key."""
    other = [campaign("n1", 1), vote("n2", "n1", 1), lead("n2", 1)]
    events: list[dict[str, Any]] = []
    for number in range(4):
        events += [{**ELECTED[number], "at": {"shard": 1}}]
        events += [{**one, "at": {"shard": "b"}} for one in other[number : number + 1]]
    log = write("keyed.ndjson", [{key: value for key, value in e.items() if e["event"] != "heartbeat" or key != "at"}
                                for e in events])  # fmt: skip
    model, path = write("election.fizz", ELECTION), write("map.yaml", MAP)
    report = validate_logs(model, [log], path, partition="at.shard")
    assert [(run.key, run.verdict, run.explained) for run in report.runs] == [
        ("1", "accepted", 3),
        ("b", "rejected", 2),
    ]
    assert report.runs[1].rejection is not None
    assert report.runs[1].rejection.events[0].event.place.line == 6
    ended = fizzpy("validate", model, log, "--map", path, "--partition", "at.shard", "--workers", "2", "--quiet")
    assert ended.code == 14 and "keyed.ndjson [b]" in " ".join(ended.out.split())
    missing = fizzpy("validate", model, log, "--map", path, "--partition", "shard")
    assert missing.code == 2 and "keyed.ndjson:1: the field 'shard', by which" in missing.err


def test_one_bad_file_beside_keys(folder: str, fizzpy: Run) -> None:
    """Does not end the others where they are parted by a key, either."""
    ended = fizzpy("validate", "election.fizz", folder, "--map", "map.yaml", "--partition", "term", "--json")
    runs = json.loads(ended.out)["runs"]
    assert {run["verdict"] for run in runs if run["files"][0].endswith("torn.ndjson")} == {"unreadable"}
    assert [run["key"] for run in runs if run["files"][0].endswith("a.ndjson")] == ["1"]


def test_a_model_that_fails_on_one_log(write: Write, fizzpy: Run) -> None:
    """Is a row with its place; the code is that of a model that fails."""
    model = write("m.fizz", "action Init: x = 0\natomic action Up:\n    x += 4 // (2 - x)\n")
    path = write("map.yaml", "order: file\nevents: {up: {action: Up}}\n")
    logs = [write("a.ndjson", [{"event": "up"}]), write("b.ndjson", [{"event": "up"}] * 3)]
    ended = fizzpy("validate", model, *logs, "--map", path, "--each", "--json")
    runs = json.loads(ended.out)["runs"]
    assert ended.code == 75 and [run["verdict"] for run in runs] == ["accepted", "failed"], runs
    assert "m.fizz:3" in runs[1]["reason"]


def test_wrong_folders(tmp_path: Path, write: Write, fizzpy: Run) -> None:
    """A folder without logs, options that do not go together."""
    (tmp_path / "none").mkdir()
    model, path = write("election.fizz", ELECTION), write("map.yaml", MAP)
    with pytest.raises(UsageProblem, match="has no logs"):
        validate_logs(model, [str(tmp_path / "none")], path)
    log = write("a.ndjson", ELECTED)
    assert fizzpy("validate", model, log, "--map", path, "--master", "local[1]").code == 2
    assert fizzpy("validate", model, log, "--map", path, "--out", "runs.txt").code == 2


def test_a_log_under_way(tmp_path: Path, write: Write) -> None:
    """It says how far it came when Ctrl-C ends the run, and the next one that it was not validated."""
    write("m.fizz", "action Init: n, m = 0, 0\natomic action Up: n += 1\natomic action Odd: m += 1\n")
    write(
        "map.yaml",
        "silent: {steps: [Up, Odd], most: 100000}\norder: file\nevents: {end: {observe: '', before: {n: x}}}\n",
    )
    (tmp_path / "logs").mkdir()
    for name in ("a", "b"):
        write(f"logs/{name}.ndjson", '{"event": "end", "x": -1}')
    patience, strangers = Patience(), set(below(os.getpid()))

    def interrupt() -> None:
        while sum(cpu_s(one) for one in below(os.getpid()) if one not in strangers) < 1.0:
            time.sleep(0.05)
        patience.interrupt()

    threading.Thread(target=interrupt, daemon=True).start()
    report = validate_logs(
        str(tmp_path / "m.fizz"),
        [str(tmp_path / "logs")],
        str(tmp_path / "map.yaml"),
        place=TaskPlace(workers=1),
        patience=patience,
    )
    under_way, rest = report.runs
    assert (under_way.verdict, rest.verdict) == ("inconclusive", "inconclusive")
    assert "interrupted" in under_way.reason and under_way.nodes > 10
    assert rest.reason == "it was not validated: the search was interrupted" and rest.nodes == 0
