"""What may go wrong around a run on Spark: addresses, late executors, files that come late or never, full disks."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.search.spark import spark_connection as sessions
from checker.search.spark.master import cores_asked
from checker.search.spark.spark_connection import SparkConnection
from checker.search.spark.troubles import explained
from checker.storage import file_store as stores
from checker.storage.file_store import FileStore
from tests.spark.conftest import Stage, settings_for
from tests.spark.models import MODELS

FROM_JAVA = type("Py4JJavaError", (Exception,), {"__module__": "py4j.protocol"})


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.fizz"
    path.write_text(MODELS["crashes"])
    return path


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["hdfs://host:9000/runs", "s3a://bucket/runs", "file:///tmp/runs", "dbfs:/runs"])
@pytest.mark.parametrize("option", ["checkpoint", "resume", "export", "folder"])
def test_addresses_are_no_folders(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, option: str
) -> None:
    """Refused before anything starts, with code 2; nothing of that name is made.

    But an export may go to S3, and checkpoints to S3 or HDFS.
    """
    if option != "folder" and address.startswith("s3a:"):
        address = "s3n://bucket/runs"
    if option in ("checkpoint", "resume") and address.startswith("hdfs:"):
        address = "webhdfs://host:9000/runs"
    monkeypatch.chdir(tmp_path)
    settings = Settings(spark_conf=(("spark.fizzpy.folder", address),))
    if option != "folder":
        settings = replace(Settings(), **{option: address})  # type: ignore[arg-type]
    with pytest.raises(UsageProblem, match=r"is an address, and '.*' is not supported"):
        check(model, engine="spark", settings=settings)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.fizz"]


@pytest.mark.parametrize("address", ["s3://", "s3:/", "s3a:///runs", "S3:/bucket"])
@pytest.mark.parametrize("option", ["checkpoint", "resume", "export"])
def test_addresses_without_a_bucket(model: Path, address: str, option: str) -> None:
    """Refused at once: all buckets of whoever runs it would be asked for."""
    settings = replace(Settings(), **{option: address})  # type: ignore[arg-type]
    with pytest.raises(UsageProblem, match="names no bucket"):
        check(model, settings=settings)


def test_paths_that_are_no_addresses(model: Path, tmp_path: Path) -> None:
    """A colon alone makes no address."""
    for name in ("a:b", "x:", "12:30"):
        assert check(model, settings=Settings(checkpoint=str(tmp_path / name))).states > 0


# --- executors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("master", "conf", "cores"),
    [
        ("local[4]", {}, None),
        ("local-cluster[3, 2, 1024]", {}, 6),
        ("spark://a:7077", {}, None),
        ("spark://a:7077", {"spark.cores.max": "12"}, 12),
        ("yarn", {"spark.executor.instances": "5", "spark.executor.cores": "4"}, 20),
        ("yarn", {"spark.executor.instances": "5"}, 5),
        ("yarn", {"spark.executor.cores": "4"}, None),
        ("spark://a:7077", {"spark.cores.max": "x", "spark.executor.instances": "9" * 30}, None),
    ],
)
def test_cores_that_are_asked_for(master: str, conf: dict[str, str], cores: int | None) -> None:
    """By the master or by the settings; what makes no sense there is Spark's to say."""
    assert cores_asked(master, conf) == cores


class _Cluster:
    """A context whose executors come one after the other, at each look; each brings two cores."""

    uiWebUrl = None
    master = "spark://a:7077"
    applicationId = "app-1"

    def __init__(self, *coming: int) -> None:
        self._coming = chain(coming, repeat(coming[-1]))
        self.there = 0
        tracker = SimpleNamespace(getExecutorInfos=self._look)
        self._jsc = SimpleNamespace(sc=lambda: SimpleNamespace(statusTracker=lambda: tracker))

    def _look(self) -> list[object]:
        self.there = next(self._coming)
        return [object()] * (1 + self.there)

    @property
    def defaultParallelism(self) -> int:
        return max(2, 2 * self.there)


@pytest.mark.parametrize(
    ("coming", "asked", "cores"),
    [
        ((0, 0, 1, 2, 4), 8, 8),
        ((0, 1, 1, 3, 4, 4), None, 8),
        ((0, 1), 100, 2),
        ((0,), 6, 6),
        ((0,), None, 2),
    ],
)
def test_executors_that_come_late(coming: tuple[int, ...], asked: int | None, cores: int) -> None:
    """A new cluster speaks of two cores; partitions are as many as there are when all have come that do."""
    clock = [0.0]

    def sleep(seconds: float) -> None:
        clock[0] += seconds

    context: Any = _Cluster(*coming)
    with patch.object(sessions, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: clock[0])):
        assert SparkConnection(context).cores(asked) == cores
    assert clock[0] <= 16


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_file_that_is_late(tmp_path: Path) -> None:
    """Shared disks show late what others have written: it is waited for."""
    there, elsewhere = FileStore(tmp_path), FileStore(tmp_path)
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            elsewhere.write("found-1-0", [b"late"])

    with patch.object(stores, "time", SimpleNamespace(sleep=wait)):
        assert there.read("found-1-0", 0) == b"late"
        with pytest.raises(EnvironmentProblem, match="found-2-0 is missing"):
            there.read("found-2-0", 0)
    assert len(waits) == 5


def test_a_file_that_disappears(model: Path, tmp_path: Path, stage: Stage) -> None:
    """In the middle of a run that is a trouble of the machine, which names the file: code 74."""
    original = FileStore.views

    def views(self: FileStore, names: Sequence[str], part: int) -> list[memoryview]:
        for name in names:
            if name.startswith("outbound-2"):
                (self.folder / name).unlink(missing_ok=True)
        return original(self, names, part)

    with (
        patch.object(FileStore, "views", views),
        patch.object(stores, "_WAITS_S", (0.0,)),
        pytest.raises(EnvironmentProblem, match=r"the file .*outbound-2-\d-0-\d is missing") as raised,
    ):
        check(model, engine="spark", settings=settings_for(2))
    assert raised.value.exit_code == 74


def test_a_full_disk_is_named(model: Path, tmp_path: Path, stage: Stage) -> None:
    """The user must know where to make room."""
    parent = tmp_path / "runs"
    conf = (*settings_for(2).spark_conf, ("spark.fizzpy.folder", str(parent)))

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    original = FileStore.write_whole

    def write(self: FileStore, name: str, pieces: Any) -> None:
        self.durable = name.startswith("found-2")
        original(self, name, pieces)

    with (
        patch.object(FileStore, "write_whole", write),
        patch("checker.storage.file_store.os.fsync", full),
        pytest.raises(EnvironmentProblem, match=f"the disk of {parent}/fizzpy-[0-9a-f]+ is full") as raised,
    ):
        check(model, engine="spark", settings=replace(settings_for(2), spark_conf=conf))
    assert "make room" in str(raised.value.hint)
    assert list(parent.iterdir()) == []


@pytest.mark.parametrize(
    ("said", "folder", "reported"),
    [
        ("java.io.FileNotFoundException: /data/b/shuffle (No space left on device)", "/tmp/x", "/data/b/shuffle"),
        ("OSError: [Errno 28] No space left on device: '/mnt/a b/f'", "/tmp/x", "/mnt/a b/f"),
        ("java.io.IOException: No space left on device", "/tmp/x", "/tmp/x"),
        ("java.io.IOException: No space left on device", None, "a Spark executor"),
    ],
)
def test_disks_that_spark_found_full(said: str, folder: str | None, reported: str) -> None:
    """The path that Spark names, else the folder that it was given."""
    found = explained(FROM_JAVA(f"Job aborted\nCaused by: {said}"), folder)
    assert isinstance(found, EnvironmentProblem)
    assert found.text == f"the disk of {reported} is full"


def test_tasks_that_cannot_use_a_file() -> None:
    """A task that may not use a file is a problem of the environment, and not a bug."""
    said = "PermissionError: [Errno 13] Permission denied: '/x'"
    found = explained(FROM_JAVA(f"Job aborted\nTraceback (most recent call last)\n  File x\n{said}\n"))
    assert isinstance(found, EnvironmentProblem)
    assert said in found.text


# --- what is said ----------------------------------------------------------------------------------------------------


def test_spark_was_not_needed(model: Path, stage: Stage) -> None:
    """A user who asks for Spark where no level needs it is told so once; else nothing is said."""
    said: list[str] = []
    check(model, engine="spark", settings=settings_for(2, spark_from=1_000), say=said.append)
    assert said == [
        "no level was run as a job of Spark: never did 1,000 states wait, and this process has explored them all "
        "(--spark-from N hands over earlier)"
    ]
    said.clear()
    check(model, engine="spark", settings=settings_for(2), say=said.append)
    assert said == []
    model.write_text(MODELS["workers"])
    check(model, engine="spark", settings=settings_for(2, spark_from=1_000), say=said.append)
    assert len(said) == 1
