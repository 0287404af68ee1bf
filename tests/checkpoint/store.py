"""A stand-in for an object store: objects in a folder, as pyarrow sees them, and all that can go wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from pyarrow import PythonFile, fs

from checker.storage import objects


class Faulty(fs.FileSystemHandler):  # type: ignore[misc]
    """Objects in a folder. `absent`: so many requests find no store. `twice`: objects are written twice.

    `requests` counts calls by name, `written` lists objects in the order in which they were there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())
        self.absent = 0
        self.each_absent = 0
        self.twice = False
        self.requests: Counter[str] = Counter()
        self.opened: Counter[str] = Counter()
        self.written: list[str] = []

    def _ask(self, request: str) -> None:
        self.requests[request] += 1
        if self.each_absent and not self.absent:
            # The next request fails, and those after it, before one succeeds.
            self.absent = self.each_absent + 1
        if self.absent:
            self.absent -= 1
            if self.absent or not self.each_absent:
                raise OSError("AWS Error NETWORK_CONNECTION: could not connect to server")

    def open_output_stream(self, path: str, metadata: Any) -> Any:
        self._ask("put")
        self.written.append(path)
        if self.twice:
            return PythonFile(_Twice(self.folder, path), mode="w")
        return self.folder.open_output_stream(path, metadata=metadata)

    def open_input_file(self, path: str) -> Any:
        self._ask("get")
        self.opened[path] += 1
        return self.folder.open_input_file(path)

    def create_dir(self, path: str, recursive: bool) -> None:
        self.folder.create_dir(path, recursive=recursive)

    def get_file_info(self, paths: Any) -> Any:
        self._ask("head")
        return self.folder.get_file_info(paths)

    def get_file_info_selector(self, selector: Any) -> Any:
        self._ask("list")
        return self.folder.get_file_info(selector)

    def delete_file(self, path: str) -> None:
        self._ask("delete")
        self.folder.delete_file(path)

    def get_type_name(self) -> str:
        return "faulty"

    def normalize_path(self, path: str) -> str:
        return path

    def _refused(self, *arguments: Any) -> Any:
        raise AssertionError("nothing is renamed, copied or removed by folder")

    delete_dir = delete_dir_contents = delete_root_dir_contents = move = copy_file = _refused
    open_input_stream = open_append_stream = _refused

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = None  # type: ignore[assignment]


class _Twice:
    """A stream whose object is written twice when it ends."""

    def __init__(self, folder: Any, path: str) -> None:
        self._folder, self._path, self._data = folder, path, b""
        self.closed = False

    def write(self, data: Any) -> int:
        self._data += bytes(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is there before the end."""

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            for _ in range(2):
                with self._folder.open_output_stream(self._path) as target:
                    target.write(self._data)


@contextmanager
def stored(folder: Path) -> Iterator[Faulty]:
    """While the block runs, addresses lead to a folder. Waiting takes no time; a store is waited for eight times."""
    found = Faulty(folder)
    files = fs.PyFileSystem(found)
    names = SimpleNamespace(
        FileSystem=SimpleNamespace(from_uri=lambda uri: (files, uri.partition("://")[2])),
        FileSelector=fs.FileSelector,
        FileType=fs.FileType,
    )
    clock = SimpleNamespace(now=0.0)

    def sleep(seconds: float) -> None:
        clock.now += seconds

    time = SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep)
    with patch.object(objects, "pyarrow_fs", lambda: names), patch.object(objects, "time", time):
        yield found
