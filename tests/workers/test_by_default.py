"""How many workers there are if the user does not say."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from checker.core.available_memory import Room, Surveyor
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.search.workers import by_default
from checker.search.workers.by_default import cores, workers_by_default
from tests.checkpoint.conftest import comparable
from tests.workers.conftest import SAFE, checked

ROOT = Path(__file__).resolve().parents[2]
ROOMY = Room(held=1 << 20, left=1 << 40)
BY_DEFAULT = Settings(workers=None)


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with two cores and much memory, of which no other process makes use."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(by_default, "cores", lambda: 2)
    monkeypatch.setattr(Surveyor, "room", lambda self: ROOMY)
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def machine(folder: Path, groups: str) -> Path:
    """The files in which a machine says in which control groups this process is."""
    (folder / "proc/self").mkdir(parents=True)
    (folder / "proc/self/cgroup").write_text(groups)
    return folder / "proc"


@pytest.mark.parametrize(("granted", "found"), [("max 100000", 4), ("250000 100000", 2), ("50000 100000", 1), ("?", 4)])
def test_the_share_of_a_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, granted: str, found: int
) -> None:
    """A container may be granted fewer cores than the machine has; also by a group around its own."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 3}, raising=False)
    (tmp_path / "groups/a/b").mkdir(parents=True)
    (tmp_path / "groups/a/cpu.max").write_text(granted)
    (tmp_path / "groups/a/b/cpu.max").write_text("max 100000")
    assert cores(machine(tmp_path, "0::/a/b\n"), tmp_path / "groups") == found


@pytest.mark.parametrize(("quota", "found"), [("-1", 4), ("100000", 1)])
def test_the_share_of_an_old_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, found: int
) -> None:
    """Those of the first version have two files."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 3}, raising=False)
    group = tmp_path / "groups/cpu/a"
    group.mkdir(parents=True)
    (group / "cpu.cfs_quota_us").write_text(quota)
    (group / "cpu.cfs_period_us").write_text("100000")
    assert cores(machine(tmp_path, "4:cpu:/a\n"), tmp_path / "groups") == found


def test_one_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is bound to a core has no use for two."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3}, raising=False)
    assert cores(machine(tmp_path, ""), tmp_path) == 1


@pytest.mark.usefixtures("two_cores")
def test_as_many_as_cores() -> None:
    assert workers_by_default(BY_DEFAULT) == 2


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize(
    "settings",
    [replace(BY_DEFAULT, memory_mb=100), replace(BY_DEFAULT, limits=Limits(memory_mb=100))],
    ids=["--memory", "a limit of memory"],
)
def test_where_memory_is_limited(settings: Settings) -> None:
    """Several processes hold more than one."""
    assert workers_by_default(settings) == 1


@pytest.mark.usefixtures("two_cores")
def test_where_several_could_be_a_surprise(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one of several processes that share the cores, beside threads, and where memory is short."""
    with monkeypatch.context() as there:
        there.setenv("PYTEST_XDIST_WORKER", "gw0")
        assert workers_by_default(BY_DEFAULT) == 1
    with monkeypatch.context() as there:
        there.setitem(sys.modules, "pyspark.worker", sys)
        assert workers_by_default(BY_DEFAULT) == 1
    with monkeypatch.context() as there:
        there.setattr(threading, "active_count", lambda: 2)
        assert workers_by_default(BY_DEFAULT) == 1
    with monkeypatch.context() as there:
        there.setattr(by_default.multiprocessing, "parent_process", lambda: object())
        assert workers_by_default(BY_DEFAULT) == 1
    with monkeypatch.context() as there:
        there.setattr(Surveyor, "room", lambda self: Room(held=100, left=200))
        assert workers_by_default(BY_DEFAULT) == 1
    assert workers_by_default(BY_DEFAULT) == 2


@pytest.mark.parametrize("count", [1, 2])
def test_the_report_is_the_same(tmp_path: Path, count: int) -> None:
    """Only the statistics say how many there were, and nothing if there was one."""
    path = tmp_path / "m.fizz"
    path.write_text(SAFE)
    settings = Settings(keep_going=True, stats=True, workers=None)
    with patch.object(by_default, "workers_by_default", return_value=count) as asked:
        found = checked(path, None, settings)
    assert asked.call_count == 1
    assert found.stats.get("workers", 1) == count
    assert comparable(found) == comparable(checked(path, 1, settings))


def test_a_small_model_pays_nothing() -> None:
    """Neither is it asked how many cores there are, nor are the modules loaded that would need to know."""
    script = """\
import sys
import fizzpy
assert fizzpy.check("models/classics/DieHard.fizz", keep_going=True).states == 16
assert not [name for name in sys.modules if name.startswith(("checker.search.workers", "multiprocessing", "numpy"))]
"""
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, check=True, timeout=60)
