"""What is sent to a task lies on the disk of its executor, in a file without a name, and not in its memory."""

from __future__ import annotations

import pickle
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import PathLink
from checker.core.limits import StopReason
from checker.core.patience import Stop
from checker.core.problems import EnvironmentProblem, ExitCode
from checker.search.spark.column_partition import ColumnPartition
from checker.search.spark.parcels import TaskParcels
from checker.storage import temporary_bytes
from checker.storage.temporary_bytes import TemporaryBytes
from tests.spark.comparison import common_part
from tests.spark.conftest import settings_for
from tests.spark.models import MODELS
from tests.spark.stage import Stage

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts the open files of this process")


def nameless_files(folder: Path) -> list[str]:
    """The files in a folder that this process has open and that have no name there."""
    links = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [link for link in links if link.startswith(str(folder)) and link.endswith("(deleted)")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The local disk of an executor, to which everything goes at once."""
    found = tmp_path / "local"
    found.mkdir()
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"/nowhere,{found}")
    monkeypatch.setattr(temporary_bytes, "_IN_MEMORY", 0)
    return found


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.fizz"
    path.write_text(MODELS["lasso"])
    return path


def test_bytes_come_back(folder: Path) -> None:
    """In order, also after others were added, and as plain bytes in a pickle; the file goes with the last of them."""
    store = TemporaryBytes()
    first = store.add(b"one")
    seen = first.view()
    second = store.add(b"" * 5 + b"two" * 1000)
    assert (bytes(seen), bytes(first.view()), bytes(second.view())) == (b"one", b"one", b"two" * 1000)
    assert pickle.loads(pickle.dumps([first, second])) == [b"one", b"two" * 1000]
    assert not list(folder.iterdir()) and nameless_files(folder)
    del store, first, second
    assert nameless_files(folder) and bytes(seen) == b"one"
    del seen
    assert not nameless_files(folder)


def test_few_bytes_need_no_file(folder: Path) -> None:
    """Those of a narrow level stay in memory; with more of them all are in the file."""
    store = TemporaryBytes(in_memory=10)
    first = store.add(b"12345")
    assert bytes(first.view()) == b"12345" and not store.on_disk
    second = store.add(b"67890x")
    assert store.on_disk and bytes(store.whole()) == b"1234567890x"
    assert (bytes(first.view()), bytes(second.view())) == (b"12345", b"67890x")


@pytest.mark.parametrize("name", ["lasso", "crashes"])
def test_the_same_report(
    name: str, folder: Path, tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that was sent is in memory, by columns, by rows and for liveness; between tasks no file is left."""
    path = tmp_path / "m.fizz"
    path.write_text(MODELS[name])
    taken: list[bool] = []
    take_in = TaskParcels.take_in

    def watched(self: TaskParcels, came: object) -> None:
        assert not nameless_files(folder)
        take_in(self, came)  # type: ignore[arg-type]
        taken.append(self._came.on_disk)

    monkeypatch.setattr(TaskParcels, "take_in", watched)
    report = check(path, engine="spark", settings=settings_for(3, 0, "spark"))
    assert common_part(report) == common_part(check(path, engine="embedded"))
    assert report.stats["spark_levels"] and taken.count(True) > 10
    assert not nameless_files(folder) and not list(folder.iterdir())


def test_a_task_that_is_stopped(folder: Path, model: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file is gone with it, as it is when a task fails."""
    begun = []

    def interrupted(self: ColumnPartition, which: int) -> object:
        begun.append(nameless_files(folder))
        raise failure

    for failure in (Stop(StopReason.INTERRUPTED), OSError(5, "Input/output error", "/disk/x")):
        begun.clear()
        monkeypatch.setattr(ColumnPartition, "_newcomers", interrupted)
        if isinstance(failure, Stop):
            check(model, engine="spark", settings=settings_for(2, None, "spark"))
        else:
            with pytest.raises(OSError, match="Input/output"):
                check(model, engine="spark", settings=settings_for(2, None, "spark"))
        assert begun and all(begun)
        failure.__traceback__ = None
        assert not nameless_files(folder)


@contextmanager
def no_file_may_grow() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_no_room_on_the_local_disk(folder: Path, model: Path, stage: Stage) -> None:
    """The run ends with code 74, the folder, and what to set."""
    with no_file_may_grow(), pytest.raises(EnvironmentProblem, match=f"a file in {folder} may not grow") as raised:
        check(model, engine="spark", settings=settings_for(2, None, "spark"))
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
    assert "spark.local.dir" in (raised.value.hint or "")
    assert not nameless_files(folder)


def test_what_is_read_from_an_address(
    folder: Path, model: Path, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Candidates are read once for a task, to the local disk; the file goes with the task."""
    pytest.importorskip("pyarrow.fs")
    from checker.storage.object_store import ObjectStore
    from tests.checkpoint.store import stored

    held: list[int] = []
    views = ObjectStore.views

    def watched(self: ObjectStore, names: Sequence[str], part: int) -> list[memoryview]:
        assert not nameless_files(folder)
        found = views(self, names, part)
        held.append(len(nameless_files(folder)))
        return found

    monkeypatch.setattr(ObjectStore, "views", watched)
    (tmp_path / "bucket").mkdir()
    with stored(tmp_path):
        settings = replace(settings_for(2, None), checkpoint="s3://bucket/run")
        report = check(model, engine="spark", settings=settings)
    assert common_part(report) == common_part(check(model, engine="embedded"))
    # A file for all that a task is sent, and none for one that is sent nothing.
    assert len(held) >= 10 and set(held) == {1}
    assert not nameless_files(folder)


@pytest.mark.parametrize("address", [False, True])
def test_the_driver_keeps_no_files_open(
    address: bool, model: Path, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each checkpoint has a path through all levels; the files that it was read from are closed, and not copied."""
    pytest.importorskip("pyarrow.fs")
    from checker.search.spark.findings import Findings
    from tests.checkpoint.store import stored

    lengths: list[int] = []
    path = Findings.path

    def watched(self: Findings, key: int) -> tuple[PathLink, ...]:
        found = path(self, key)
        lengths.append(len(found))
        links = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        assert not [link for link in links if "/found-" in link]
        return found

    monkeypatch.setattr(Findings, "path", watched)
    (tmp_path / "bucket").mkdir()
    where = "s3://bucket/run" if address else str(tmp_path / "run")
    with stored(tmp_path):
        check(model, engine="spark", settings=replace(settings_for(2, None), checkpoint=where, checkpoint_every_s=0))
    assert max(lengths) > 2
