"""A few of the faults of the campaign, each time: those that need no Spark, and one for it."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.checkpoint.conftest import WIDE
from tests.faults.campaign import EMBEDDED, JUDGING, SPARK, Fault
from tests.faults.faults import Answer, Case, answer, disk_full, driver_killed, file_damaged, python_worker_killed
from tests.sample import one_in

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


@pytest.fixture
def model(tmp_path: Path) -> tuple[str, ...]:
    path = tmp_path / "wide.fizz"
    path.write_text(WIDE)
    return (str(path), "--keep-going")


def calm(model: tuple[str, ...], folder: Path) -> Answer:
    return answer(Case(model, EMBEDDED, folder, random.Random(1)).begin())


@linux
@pytest.mark.parametrize(("fault", "seed"), [(driver_killed, 1), (disk_full, 2), (file_damaged, 1)])
def test_embedded(fault: Fault, seed: int, model: tuple[str, ...], tmp_path: Path) -> None:
    """The answer is that of a run that was left in peace; where a file is lost for good, there is none."""
    found = fault(Case(model, EMBEDDED, tmp_path / "run", random.Random(seed)))
    if found is not None or fault is not file_damaged:
        assert found == calm(model, tmp_path)


@linux
@pytest.mark.spark
@pytest.mark.parametrize(
    ("fault", "engine"),
    one_in(2, [(driver_killed, SPARK), (python_worker_killed, JUDGING)]),
    ids=["exploring", "judging"],
)
def test_spark(fault: Fault, engine: tuple[str, ...], model: tuple[str, ...], tmp_path: Path) -> None:
    """The same with levels, and with passes over the graph for liveness, as Spark jobs."""
    case = Case(model, engine, tmp_path / "run", random.Random(18), engine is JUDGING)
    assert fault(case) == calm(model, tmp_path)
