"""A cluster whose machines share no folder, and lose each other."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.report.json_report import json_report
from tests.faults.faults import NOT_COMPARED, answer
from tests.spark.cluster import Check, Cluster

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]

MODEL = Path(__file__).resolve().parents[2] / "models" / "classics" / "TwoPhaseRoles.fizz"
ENGINE = (
    "--engine spark --spark-from 0 --conf spark.default.parallelism=3 --conf spark.fizzpy.core=0 "
    "--conf spark.executor.memory=512m"
).split()
SPECULATION = "--conf spark.speculation=true --conf spark.speculation.interval=50ms".split()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "cluster").mkdir()
    found = Cluster(tmp_path / "cluster")
    try:
        for name in ("first", "second", "third"):
            found.add_worker(name)
        yield found
    finally:
        found.close()


def embedded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json_report(check(MODEL, engine="embedded")))
    return {name: value for name, value in found.items() if name not in NOT_COMPARED}


def test_workers_killed_one_by_one(cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All three workers die, two during levels and one during liveness, and others come late: the same report.

    No Python process has opened a file of another one. Tasks are done twice where Spark finds them slow.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["check", str(MODEL), "--json", "--master", cluster.master, *ENGINE, *SPECULATION]
    driver = Check(command, port, tmp_path / "driver")
    try:
        driver.wait_for("fizzpy: level 2")
        cluster.kill_worker("first")
        cluster.add_worker("fourth")
        driver.wait_for("fizzpy: level 12")
        cluster.kill_worker("second")
        cluster.add_worker("fifth")
        driver.wait_for("fizzpy: liveness, trim")
        cluster.kill_worker("third")
        assert answer(driver.process) == embedded()
    finally:
        driver.close()
    assert cluster.foreign() == []
    assert {"first", "second", "third"} <= set(cluster.audited())
