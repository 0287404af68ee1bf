"""Checkpoints at an address: whole objects, the manifest last, and a store that fails in all its ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import EnvironmentProblem, ExitCode, UsageProblem
from checker.storage.checkpoint.object_folder import ObjectFolder
from checker.storage.object_store import ObjectStore
from tests.checkpoint.conftest import WIDE, comparable, interrupted_after, level_by_level
from tests.export.test_export import tables_of
from tests.spark.conftest import Stage, settings_for

pytest.importorskip("pyarrow.fs")
from tests.checkpoint.store import Faulty, stored

ADDRESS = "s3://bucket/run"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.fizz"
    path.write_text(WIDE)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Faulty]:
    (tmp_path / "bucket").mkdir()
    with stored(tmp_path) as found:
        yield found


def at(address: str, settings: Settings, **more: object) -> Settings:
    return replace(settings, checkpoint=address, checkpoint_every_s=0, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["embedded", "spark"])
def test_the_same_report_level_by_level(engine: str, model: Path, store: Faulty, stage: Stage, tmp_path: Path) -> None:
    """A run that is interrupted after each level, and goes on from the address; each manifest after its files."""
    settings = settings_for(2, core=0) if engine == "spark" else Settings()
    found, runs = level_by_level(model, ADDRESS, lambda run: engine, settings)  # type: ignore[arg-type]
    assert comparable(found) == comparable(check(model)) and runs > 5
    names = [path.rpartition("/")[2] for path in store.written]
    manifests = [name for name in names if name.startswith("checkpoint-")]
    assert len(manifests) >= runs - 1
    assert all(names.index(f"level-{name[11:-5]}") < names.index(name) for name in manifests)
    assert {path.name for path in (tmp_path / "bucket").iterdir()} == {"run"}


def test_a_store_that_is_slow_twice_and_absent(model: Path, store: Faulty, stage: Stage) -> None:
    """Each request fails several times before one is answered, and all objects are written twice: the same report."""
    store.each_absent, store.twice = 3, True
    settings = at("s3a://bucket/run", settings_for(2, core=0))
    assert comparable(check(model, engine="spark", settings=settings)) == comparable(check(model))
    assert store.requests["put"] > len(set(store.written))


def test_a_store_that_stays_absent(model: Path, store: Faulty) -> None:
    """The run ends with code 74 and the address; what was saved before is resumed."""
    with interrupted_after(2):
        check(model, settings=at(ADDRESS, Settings()))
    store.absent = 10_000
    with pytest.raises(EnvironmentProblem, match="s3://bucket/run cannot be used: AWS Error NETWORK"):
        check(model, settings=Settings(resume=ADDRESS))
    store.absent = 0
    assert comparable(check(model, settings=Settings(resume=ADDRESS))) == comparable(check(model))


@pytest.mark.parametrize("engine", ["embedded", "spark"])
def test_a_damaged_object(engine: str, model: Path, store: Faulty, stage: Stage, tmp_path: Path) -> None:
    """It is noticed before it is used: the run goes on from the checkpoint before, or names the object."""
    settings = settings_for(2, core=0) if engine == "spark" else Settings()
    with interrupted_after(4):
        check(model, engine=engine, settings=at(ADDRESS, settings))
    told: list[str] = []
    latest = max((tmp_path / "bucket" / "run").glob("level-*"), key=lambda path: int(path.name[6:]))
    data = bytearray(latest.read_bytes())
    data[-1] ^= 1
    latest.write_bytes(data)
    resumed = check(model, engine=engine, settings=replace(settings, resume=ADDRESS), say=told.append)
    assert comparable(resumed) == comparable(check(model))
    assert f"the object {ADDRESS}/{latest.name} is damaged; going on from the checkpoint of level 2" in told


def test_two_runs_at_one_address(model: Path, store: Faulty) -> None:
    """The run that came later goes on; the other one notices before it writes a manifest, and ends with code 74."""
    with interrupted_after(2):
        check(model, settings=at(ADDRESS, Settings()))
    commit, resumed = ObjectFolder._demand_own, []

    def other_first(self: ObjectFolder) -> None:
        if not resumed:
            resumed.append(None)
            resumed[0] = comparable(check(model, settings=Settings(resume=ADDRESS, checkpoint_every_s=0)))  # type: ignore[call-overload]
        commit(self)

    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(ObjectFolder, "_demand_own", other_first)
        with pytest.raises(EnvironmentProblem, match="another run writes checkpoints to s3://bucket/run"):
            check(model, settings=Settings(resume=ADDRESS, checkpoint_every_s=0))
    assert resumed == [comparable(check(model))]


def test_what_is_refused(model: Path, store: Faulty) -> None:
    """An address that is in use, and one that has no checkpoint."""
    with interrupted_after(1):
        assert check(model, settings=at(ADDRESS, Settings())).exit_code == ExitCode.INTERRUPTED
    with pytest.raises(UsageProblem, match=f"there is a checkpoint in {ADDRESS} already"):
        check(model, settings=at(ADDRESS, Settings()))
    with pytest.raises(UsageProblem, match="there is no checkpoint in s3://bucket/none"):
        check(model, settings=Settings(resume="s3://bucket/none"))


@pytest.mark.parametrize("engine", ["embedded", "spark"])
def test_an_export_beside_it(engine: str, model: Path, store: Faulty, stage: Stage, tmp_path: Path) -> None:
    """Rows are objects beside the checkpoints; whoever resumes there makes the tables of all levels.

    Also in another number of partitions.
    """
    settings, later = (settings_for(2), settings_for(3)) if engine == "spark" else (Settings(), Settings())
    check(model, settings=Settings(export=str(tmp_path / "whole")))
    with interrupted_after(2):
        check(model, engine=engine, settings=at(ADDRESS, settings, export=str(tmp_path / "one")))
    assert any(path.rpartition("/")[2].startswith("rows-") for path in store.written)
    report = check(model, engine=engine, settings=replace(later, resume=ADDRESS, export=str(tmp_path / "other")))
    assert comparable(report) == comparable(check(model))
    assert tables_of(tmp_path / "other") == tables_of(tmp_path / "whole")


def test_without_libhdfs(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARROW_LIBHDFS_DIR", "/nowhere")
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(
        EnvironmentProblem, match=r"hdfs://127.0.0.1:1/run cannot be used: Unable to load lib"
    ) as refused:
        check(model, settings=at("hdfs://127.0.0.1:1/run", Settings()))
    assert "libhdfs" in str(refused.value.hint)


def test_what_is_read_often_is_read_once(store: Faulty, tmp_path: Path) -> None:
    """Keys that were seen are copied to this machine: one request, whoever maps them. A damaged copy is made again."""
    writer = ObjectStore.at(ADDRESS)
    writer.write("seen-0-3-1", [b"k" * 64])
    copies = tmp_path / "copies"
    copies.mkdir()
    for _ in range(2):
        reader = ObjectStore.at(ADDRESS, copies)
        assert bytes(reader.map("seen-0-3-1", 0)) == b"k" * 64 == bytes(reader.map("seen-0-3-1", 0))
    assert store.opened["bucket/run/seen-0-3-1"] == 1
    copy = copies / "seen-0-3-1"
    copy.write_bytes(copy.read_bytes()[:-1] + b"x")
    assert bytes(ObjectStore.at(ADDRESS, copies).map("seen-0-3-1", 0)) == b"k" * 64
    # Merged with others: the copy goes, and those of other partitions stay.
    reader.write("seen-0-4-1", [b"l" * 80])
    reader.write("seen-0-4-2", [b"m" * 80])
    reader.forget_all_but(frozenset(["seen-0-4-1"]))
    assert sorted(path.name for path in copies.iterdir()) == ["seen-0-4-1", "seen-0-4-2"]
    with pytest.raises(EnvironmentProblem, match="the object s3://bucket/run/seen-9-9-9 is missing"):
        reader.map("seen-9-9-9", 0)
