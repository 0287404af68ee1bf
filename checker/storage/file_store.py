"""The files of a run: parts with checksums, written atomically, so that tasks may be repeated."""

from __future__ import annotations

import mmap
import os
import re
import struct
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

from checker.core.problems import EnvironmentProblem
from fizz.base.data import UNREADABLE
from fizz.base.plain_files import NotAFile, open_regular

_MAGIC: Final = b"fizzpy-1"
_HEAD: Final = struct.Struct("<8sII")
_PART: Final = struct.Struct("<QI")
_PIECE: Final = 1 << 20
_BLOCK: Final = 1 << 24
_WAITS_S: Final = (0.1, 0.3, 1.0)
_NAME: Final = re.compile(r"[a-z]+(-[0-9-]+)?(\.json)?")
"""Names of files, none of which leads out of the folder."""
NO_HINT: Final = "check the disk that it lies on, and run again"


@dataclass(slots=True)
class FileStore:
    """A folder that the driver and all workers see. Each name is written by one task only, always with equal content.

    `durable`: files are synchronised to the disk. `ask` is called between pieces; what it raises leaves no file.
    """

    folder: Path
    durable: bool = False
    ask: Callable[[], None] = lambda: None
    _mapped: dict[tuple[str, int], memoryview] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The folder, for messages."""
        return str(self.folder)

    def fleeting(self) -> FileStore:
        """The same folder, for files that need not be on the disk when the machine fails."""
        return replace(self, durable=False)

    def write(self, name: str, parts: Sequence[bytes]) -> None:
        """Write a file atomically: a reader of the name sees the old file or the new one."""
        self.write_whole(name, whole_file(parts))

    def write_whole(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write a file of these bytes, atomically for readers."""
        path = self._path(name)
        # Two attempts at one task may write at the same time, on different machines.
        unfinished = path.with_name(f"{name}.{uuid.uuid4().hex}.part")
        try:
            with unfinished.open("xb") as file:
                for piece in pieces:
                    whole = memoryview(piece)
                    for begin in range(0, len(whole), _BLOCK):
                        self.ask()
                        file.write(whole[begin : begin + _BLOCK])
                self.ask()
                if self.durable:
                    file.flush()
                    os.fsync(file.fileno())
            unfinished.replace(path)
            if self.durable:
                sync_folder(self.folder)
        except BaseException as failure:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            if isinstance(failure, OSError) and failure.filename is None:
                # The message about a full disk names the file.
                raise OSError(failure.errno, failure.strerror, str(path)) from failure
            raise

    def read(self, name: str, part: int) -> bytes:
        """One part of a file."""
        self.ask()
        with self._opened(name) as file:
            begin, length, checksum = self._find(name, file, part)
            file.seek(begin)
            data = file.read(length)
        if len(data) != length or zlib.crc32(data) != checksum:
            raise self._damaged(name)
        return data

    def map(self, name: str, part: int) -> memoryview:
        """One part of a file, mapped into memory. Its checksum is tested once in a process."""
        known = self._mapped.get((name, part))
        if known is None:
            known = self._mapped[name, part] = self._view(name, part)
        return known

    def views(self, names: Sequence[str], part: int) -> list[memoryview]:
        """As `map`, for each of these names; the store does not keep them."""
        return [self._view(name, part) for name in names]

    def seal(self, name: str) -> str:
        """The identity of a file: a digest of its name and the lengths and checksums of its parts."""
        with self._opened(name, at_once=True) as file:
            return _seal(name, self._entries(name, file))

    def check(self, name: str, seal: str) -> None:
        """Raise `EnvironmentProblem` unless the file exists, is undamaged, and has this seal."""
        with self._opened(name, at_once=True) as file:
            entries = self._entries(name, file)
            if _seal(name, entries) != seal:
                raise self._refused(name, "is not the one that the checkpoint was made with")
            if not all(_agrees(file, length, checksum) for length, checksum in entries):
                raise self._damaged(name)

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """While the block runs, errors mean that the file is damaged. Raises `EnvironmentProblem`."""
        try:
            yield
        except UNREADABLE as failure:
            raise self._damaged(name) from failure
        except MemoryError as failure:
            raise self._refused(name, "takes more memory than there is") from failure

    def has(self, name: str) -> bool:
        return os.path.lexists(self._path(name))

    def names(self) -> list[str]:
        """The names of all files, also of those that no run writes."""
        return [path.name for path in self.folder.iterdir()]

    def wrote(self, name: str) -> bool:
        """Whether a file begins as those that runs write."""
        try:
            with open_regular(self._path(name)) as file:
                return file.read(len(_MAGIC)) == _MAGIC
        except OSError:
            return False

    def remove(self, name: str) -> None:
        """Remove a file that is no longer needed."""
        self._path(name).unlink(missing_ok=True)

    def forget_all_but(self, names: frozenset[str]) -> None:
        """Release the mapped files of the same partitions but these, so that the disk can free what was removed.

        Those of others stay mapped as long as they are there, so that they are read once.
        """
        owners = set(map(owner_of, names))
        for name, part in [key for key in self._mapped if key[0] not in names]:
            if owner_of(name) in owners or not self.has(name):
                del self._mapped[name, part]

    def _view(self, name: str, part: int) -> memoryview:
        self.ask()
        with self._opened(name) as file:
            begin, length, checksum = self._find(name, file, part)
            whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        found = whole[begin : begin + length]
        if zlib.crc32(found) != checksum:
            raise self._damaged(name)
        return found

    def _path(self, name: str) -> Path:
        """The path of a file, always in the folder. Raises `EnvironmentProblem` for any other name."""
        if not _NAME.fullmatch(name):
            raise EnvironmentProblem(f"{name!r} is no name of a file of a run", NO_HINT)
        return self.folder / name

    def _opened(self, name: str, at_once: bool = False) -> BinaryIO:
        """An ordinary file of the folder; a missing one is waited for unless `at_once`. Raises a `Problem`."""
        path = self._path(name)
        try:
            for wait_s in () if at_once else _WAITS_S:
                with suppress(FileNotFoundError):
                    return open_regular(path)
                # A shared disk may show a file of another machine late.
                time.sleep(wait_s)
            return open_regular(path)
        except FileNotFoundError:
            raise self._refused(name, "is missing") from None
        except NotAFile as failure:
            raise self._refused(name, str(failure.strerror)) from None
        except OSError as failure:
            raise self._refused(name, f"cannot be read: {failure.strerror}") from failure

    def _find(self, name: str, file: BinaryIO, part: int) -> tuple[int, int, int]:
        """The offset of a part, its length and its checksum."""
        entries = self._entries(name, file)
        if part >= len(entries):
            raise self._damaged(name)
        begin = file.tell() + sum(length for length, _ in entries[:part])
        return (begin, *entries[part])

    def _entries(self, name: str, file: BinaryIO) -> list[tuple[int, int]]:
        """Length and checksum of each part. Afterwards the position in the file is the beginning of the first part."""
        head = file.read(_HEAD.size)
        magic, count, checksum = _HEAD.unpack(head) if len(head) == _HEAD.size else (b"", 0, 0)
        size = self._size(file)
        # A damaged count may be large: the file must have as many bytes.
        there = magic == _MAGIC and _PART.size * count < size
        index = file.read(_PART.size * count) if there else b""
        if not there or len(index) != _PART.size * count or zlib.crc32(index) != checksum:
            raise self._damaged(name)
        entries = list(_PART.iter_unpack(index))
        # So may lengths.
        if _HEAD.size + len(index) + sum(length for length, _ in entries) != size:
            raise self._damaged(name)
        return entries

    def _size(self, file: Any) -> int:
        """The number of bytes in an open file."""
        return os.fstat(file.fileno()).st_size

    def _damaged(self, name: str) -> EnvironmentProblem:
        return self._refused(name, "is damaged")

    def _refused(self, name: str, reason: str) -> EnvironmentProblem:
        return EnvironmentProblem(f"the file {self.folder / name} {reason}", NO_HINT)


def whole_file(parts: Sequence[bytes]) -> tuple[bytes, ...]:
    """The bytes of a file with these parts, in pieces: head and index, then each part."""
    index = b"".join(_PART.pack(len(part), zlib.crc32(part)) for part in parts)
    return (_HEAD.pack(_MAGIC, len(parts), zlib.crc32(index)) + index, *parts)


def owner_of(name: str) -> str:
    """The last number of a name: the partition whose file it is."""
    return name.rpartition("-")[2]


def _seal(name: str, entries: Sequence[tuple[int, int]]) -> str:
    return sha256(b"".join([name.encode(), b"\0", *(_PART.pack(*entry) for entry in entries)])).hexdigest()[:32]


def sync_folder(folder: Path) -> None:
    """Synchronise the names in a folder to the disk, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _agrees(file: BinaryIO, length: int, checksum: int) -> bool:
    """Whether the next bytes of a file have this checksum."""
    found = 0
    while length:
        data = file.read(min(length, _PIECE))
        if not data:
            return False
        found = zlib.crc32(data, found)
        length -= len(data)
    return found == checksum
