"""Workers end with the run, however that ends, and what goes wrong in one of them is said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from checker.core.exploration import Settings
from checker.core.level import KeysCollide
from checker.core.problems import EnvironmentProblem
from checker.search.workers.part import Part, RowsExpanded
from checker.search.workers.processes import WorkerFailed
from tests.checkpoint.conftest import comparable
from tests.faults.processes import below
from tests.sample import one_in
from tests.workers.conftest import SAFE, checked

ROOT = Path(__file__).resolve().parents[2]
ENDLESS = """\
---
deadlock_detection: false
---
action Init: a, b, c = 0, 0, 0
atomic action A:
    more = oneof range(200)
    a += more
atomic action B: b = (b * 7 + a) % 1000003
atomic action C: c = (c * 5 + b) % 1000003
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.fizz"
    path.write_text(SAFE)
    return path


def test_a_worker_that_is_killed(model: Path, tmp_path: Path) -> None:
    """The run ends with a sentence and a way to go on, and the checkpoint before is of use."""
    before = below(os.getpid()).keys()
    expand = Part.expand

    def killed(self: Part, *given: Any) -> RowsExpanded:
        if self.number == 1 and len(self.run.store) > 300:
            os.kill(os.getpid(), signal.SIGKILL)
        return expand(self, *given)

    settings = Settings(keep_going=True, checkpoint_every_s=0, checkpoint=str(tmp_path / "c"))
    with patch.object(Part, "expand", killed), pytest.raises(EnvironmentProblem, match="was killed") as problem:
        checked(model, 2, settings)
    assert problem.value.exit_code == 74
    assert "--resume" in str(problem.value.hint)
    assert below(os.getpid()).keys() <= before
    resumed = checked(model, 2, Settings(keep_going=True, resume=str(tmp_path / "c")))
    assert comparable(resumed) == comparable(checked(model, 1, Settings(keep_going=True)))


def test_an_exception_in_a_worker(model: Path) -> None:
    """It is raised in the first process, and no worker is left."""
    before = below(os.getpid()).keys()

    def broken(self: Part, shipments: object) -> None:
        raise ZeroDivisionError("in a worker")

    with patch.object(Part, "receive", broken), pytest.raises(ZeroDivisionError, match="in a worker"):
        checked(model, 2, Settings())
    assert below(os.getpid()).keys() <= before


def test_an_exception_that_cannot_be_sent(model: Path) -> None:
    """What was raised is in the text of the exception."""

    def collide(self: Part, *given: Any) -> int:
        raise KeysCollide

    with patch.object(Part, "finish", collide), pytest.raises(WorkerFailed, match="two different states"):
        checked(model, 2, Settings())


@pytest.mark.parametrize("number", one_in(2, [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
def test_no_worker_is_left(tmp_path: Path, number: signal.Signals) -> None:
    """When the first process is interrupted or killed its workers end too, and they keep no files."""
    (tmp_path / "m.fizz").write_text(ENDLESS)
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "fizzpy", "check", "m.fizz", "--workers", "2", "--quiet"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 60
    while len(workers := list(below(process.pid))) < 2:
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == (-signal.SIGKILL if number is signal.SIGKILL else 130)
    until = time.monotonic() + 20
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert not list((tmp_path / "tmp").iterdir())
