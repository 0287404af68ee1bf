"""Checkpoints on a server of S3, through pyarrow and the network: slow, failing for a while, refusing, damaged."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import ExitCode
from tests.checkpoint.conftest import comparable, interrupted_after
from tests.spark.conftest import Stage, settings_for
from tests.spark.models import MODELS

pytest.importorskip("pyarrow.fs")
pytest.importorskip("moto")
from tests.checkpoint.s3_server import S3Server, served

ADDRESS = "s3://bucket/run"


@pytest.fixture(scope="module")
def running() -> Iterator[S3Server]:
    with served() as found:
        yield found


@pytest.fixture
def server(running: S3Server) -> S3Server:
    running.calm()
    return running


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.fizz"
    path.write_text(MODELS["limited"])
    return path


@pytest.mark.parametrize("engine", ["embedded", "spark"])
def test_slow_and_failing_for_a_while(engine: str, model: Path, server: S3Server, stage: Stage) -> None:
    """Requests are repeated, also where an answer ends too early: the report is the same, in other partitions too."""
    address = f"{ADDRESS}-{engine}"
    server.slow_s, server.errors = 0.005, 2
    with interrupted_after(2):
        check(model, engine=engine, settings=_settings(engine, 1, checkpoint=address, checkpoint_every_s=0))
    server.errors, server.halved = 2, 2
    report = check(model, engine=engine, settings=_settings(engine, 2, resume=address))
    assert (server.errors, server.halved) == (0, 0)
    assert comparable(report) == comparable(check(model))


def _settings(engine: str, partitions: int, **more: object) -> Settings:
    return settings_for(partitions, **more) if engine == "spark" else Settings(**more)  # type: ignore[arg-type]


def test_what_is_said(model: Path, server: S3Server) -> None:
    """What a store does not have, refuses, or has damaged is said in a line, with code 74 and a way out."""

    def said(option: str, address: str) -> str:
        command = [sys.executable, "-m", "fizzpy", "check", str(model), option, address]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == ExitCode.ENVIRONMENT and "Traceback" not in done.stderr, done.stderr
        return done.stderr

    assert "there is no bucket 'other'" in said("--checkpoint", "s3://other/run")
    with interrupted_after(2):
        check(model, settings=Settings(checkpoint=f"{ADDRESS}-d", checkpoint_every_s=0))
    server.changed = "/run-d/level-"
    assert re.search(
        r"no checkpoint in s3://bucket/run-d can be used: the object .*/level-1 is damaged",
        said("--resume", f"{ADDRESS}-d"),
    )
    server.changed, server.errors, server.status = "", 1_000_000, "403 Forbidden"
    assert "ACCESS_DENIED" in said("--resume", f"{ADDRESS}-d")
