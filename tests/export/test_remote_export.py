"""Exports to an object store, and as DataFrames of Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fizzpy
from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.storage.export.remote_export import RemoteExport
from checker.storage.user_paths import is_remote

fs = pytest.importorskip("pyarrow.fs")
MODEL = "action Init: n, names = 0, []\natomic action Up:\n    require n < 3\n    n += 1\n    names.append(n)\n"


def made(remote: RemoteExport) -> None:
    """Some tables, as an export leaves them."""
    for table in ("states", "transitions", "properties"):
        folder = Path(remote.folder) / table
        folder.mkdir()
        (folder / "part-00000.parquet").write_bytes(table.encode() * 1000)
        (folder / "_SUCCESS").touch()


class Noting(fs.FileSystemHandler):  # type: ignore[misc]
    """A store in a folder that notes in which order objects are written, and may be full."""

    def __init__(self, folder: Path, room: int = 100) -> None:
        self.folder, self.room = fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem()), room
        self.written: list[str] = []

    def open_output_stream(self, path: str, metadata: Any) -> Any:
        if len(self.written) == self.room:
            raise OSError("no room in the bucket")
        self.written.append(path)
        return self.folder.open_output_stream(path, metadata=metadata)

    def create_dir(self, path: str, recursive: bool) -> None:
        self.folder.create_dir(path, recursive=recursive)

    def get_file_info(self, paths: Any) -> Any:
        return self.folder.get_file_info(paths)

    def get_file_info_selector(self, selector: Any) -> Any:
        return self.folder.get_file_info(selector)

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name)

    def _refused(self, *arguments: Any) -> Any:
        raise AssertionError("not used by an export")

    get_type_name = normalize_path = delete_dir = delete_dir_contents = _refused
    delete_root_dir_contents = delete_file = move = copy_file = open_input_stream = _refused
    open_input_file = open_append_stream = _refused

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


def test_tables_are_sent(tmp_path: Path) -> None:
    """All of them, and what says that they are complete at the end; nothing stays on this machine."""
    store = Noting(tmp_path)
    with pytest.raises(EnvironmentProblem, match="no bucket 'bucket'"):
        RemoteExport("bucket/space", fs.PyFileSystem(store))
    (tmp_path / "bucket").mkdir()
    remote = RemoteExport("bucket/space", fs.PyFileSystem(store))
    made(remote)
    remote.send()
    assert [path.rpartition("/")[2] for path in store.written] == ["part-00000.parquet"] * 3 + ["_SUCCESS"] * 3
    assert (tmp_path / "bucket/space/states/part-00000.parquet").read_bytes() == b"states" * 1000
    assert not Path(remote.folder).exists()
    with pytest.raises(UsageProblem, match="is not empty"):
        RemoteExport("bucket/space", fs.PyFileSystem(store))


def test_store_that_fails(tmp_path: Path) -> None:
    """The problem names the folder on this machine, where the tables still are."""
    (tmp_path / "bucket").mkdir()
    remote = RemoteExport("bucket/space", fs.PyFileSystem(Noting(tmp_path, room=2)))
    made(remote)
    with pytest.raises(EnvironmentProblem, match="no room in the bucket") as failed:
        remote.send()
    assert remote.folder in failed.value.text
    assert (Path(remote.folder) / "states" / "_SUCCESS").exists()
    remote.discard()


def test_addresses() -> None:
    """Those of S3 are for exports; others, and folders, are not."""
    assert is_remote("s3://b/x")
    assert is_remote("s3a://b/x")
    assert not any(is_remote(name) for name in ("hdfs://b/x", "space", "s3/x", None, "file:/x"))


@pytest.mark.spark
def test_data_frames(tmp_path: Path) -> None:
    """States, steps and verdicts of a report as Spark has them, nested values as such; without an export a hint."""
    report = fizzpy.check(source=MODEL, export=tmp_path / "space", options={"deadlock_detection": False})
    states = fizzpy.spark.states(report)
    assert states.count() == report.states == 4
    rows = {row["n"]: (row["level"], row["names"]) for row in states.collect()}
    assert rows[3] == (3, [1, 2, 3])
    assert fizzpy.spark.transitions(report).where("action = 'Up'").count() == report.transitions == 3
    assert fizzpy.spark.properties(report).count() == len(report.properties)
    with pytest.raises(UsageProblem, match="was not exported"):
        fizzpy.spark.states(fizzpy.check(source=MODEL))
