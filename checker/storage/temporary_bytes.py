"""Bytes that a task need not hold in memory: in a temporary file on the disk of this machine, which has no name.

Its room is free as soon as nothing refers to the bytes any more, or the process has ended, however that ends.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Final

_LOCAL_FOLDERS: Final = "SPARK_LOCAL_DIRS"
"""The variable that names to a worker of Spark the folders of its executor, which Spark removes."""
_IN_MEMORY: Final = 1 << 20
"""So many bytes are not worth a file."""


def local_folder() -> Path:
    """A folder on the disk of this machine: that of the executor, or the one for temporary files."""
    for name in filter(None, os.environ.get(_LOCAL_FOLDERS, "").split(",")):
        if os.access(name, os.W_OK):
            return Path(name)
    return Path(tempfile.gettempdir())


class StoredBytes:
    """Some bytes of a `TemporaryBytes`. In a pickle they are bytes like any other."""

    __slots__ = ("_begin", "_length", "_store")

    def __init__(self, store: TemporaryBytes, begin: int, length: int) -> None:
        self._store = store
        self._begin = begin
        self._length = length

    def __len__(self) -> int:
        return self._length

    def view(self) -> memoryview:
        """The bytes, in memory only as far as they are looked at."""
        return self._store.whole()[self._begin : self._begin + self._length]

    def __reduce__(self) -> tuple[type[bytes], tuple[bytes]]:
        return bytes, (bytes(self.view()),)


class TemporaryBytes:
    """Takes in bytes: the first few in memory, and all of them in a file once they are more.

    `folder`: where that file is. Raises `OSError` with a name in that folder if there is no room.
    """

    def __init__(self, folder: Callable[[], Path] = local_folder, in_memory: int | None = None) -> None:
        self._folder_of = folder
        self._most = _IN_MEMORY if in_memory is None else in_memory
        self._few = bytearray()
        self._file: IO[bytes] | None = None
        self._length = 0
        self._whole: memoryview | None = None
        """The content, as long as nothing was added to it."""

    def add(self, data: bytes | memoryview) -> StoredBytes:
        """Store some bytes."""
        begin, self._whole = self._length, None
        if self._file is None and begin + len(data) <= self._most:
            self._few += data
        else:
            self._write(data)
        self._length += len(data)
        return StoredBytes(self, begin, len(data))

    @property
    def on_disk(self) -> bool:
        """Whether there is a file."""
        return self._file is not None

    def whole(self) -> memoryview:
        """All bytes so far."""
        if self._whole is None:
            if self._file is None:
                # A copy: what is looked at could not grow any more.
                self._whole = memoryview(bytes(self._few))
            else:
                self._trying(self._file.flush)
                self._whole = memoryview(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ))
        return self._whole

    def _write(self, data: bytes | memoryview) -> None:
        file = self._file
        if file is None:
            file = self._file = tempfile.TemporaryFile(dir=self._folder_of())  # noqa: SIM115 - it lives as long as this
            few, self._few = self._few, bytearray()
            self._trying(partial(file.write, few))
        self._trying(partial(file.write, data))

    def _trying(self, call: Callable[[], object]) -> None:
        try:
            call()
        except OSError as failure:
            # The message about a full disk names the folder.
            raise OSError(failure.errno, failure.strerror, str(self._folder_of() / "temporary")) from failure
