"""`ObjectStore`: the files of a run as objects at an address, with copies on this machine of what is read often."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from checker.core.problems import EnvironmentProblem
from checker.storage.file_store import NO_HINT, FileStore, owner_of, whole_file
from checker.storage.objects import Found, Objects
from checker.storage.temporary_bytes import TemporaryBytes

_READ_OFTEN: Final = re.compile(r"seen-.*")
"""Keys that were seen: each level reads them again."""


@dataclass(slots=True)
class ObjectStore(FileStore):
    """A `FileStore` of objects; `folder` is their address, for messages.

    `copies`: a folder of this machine for what is mapped. Workers may share it: copies are whole, and always equal.
    """

    objects: Objects | None = None
    copies: FileStore | None = None

    @classmethod
    def at(cls, address: str, copies: Path | None = None) -> ObjectStore:
        """The store at an address that was used before."""
        return cls.of(Objects(address, known=True), copies)

    @classmethod
    def of(cls, objects: Objects, copies: Path | None = None) -> ObjectStore:
        """The store of these objects."""
        return cls(Path(objects.address), objects=objects, copies=None if copies is None else FileStore(copies))

    @property
    def place(self) -> str:
        return self._objects.address

    @property
    def _objects(self) -> Objects:
        assert self.objects is not None
        return self.objects

    def fleeting(self) -> ObjectStore:
        return self

    # --- writing ----------------------------------------------------------------------------------------------------

    def write(self, name: str, parts: Sequence[bytes]) -> None:
        """Write an object. What is read often is kept here too."""
        self.write_whole(name, whole_file(parts))
        if self.copies is not None and _READ_OFTEN.fullmatch(name):
            self.copies.write(name, parts)

    def write_whole(self, name: str, pieces: Iterable[bytes]) -> None:
        self._path(name)
        self._objects.put(name, pieces, self.ask)

    # --- reading ----------------------------------------------------------------------------------------------------

    def read(self, name: str, part: int) -> bytes:
        return self._trying(lambda: FileStore.read(self, name, part))

    def seal(self, name: str) -> str:
        return self._trying(lambda: FileStore.seal(self, name))

    def check(self, name: str, seal: str) -> None:
        self._trying(lambda: FileStore.check(self, name, seal))

    def map(self, name: str, part: int) -> memoryview:
        """One part: of a copy on this machine, so that the object is read once."""
        if self.copies is None:
            if (name, part) not in self._mapped:
                self._mapped[name, part] = memoryview(self.read(name, part))
            return self._mapped[name, part]
        if self.copies.has(name):
            try:
                return self.copies.map(name, part)
            except EnvironmentProblem:
                # A copy can be made again.
                self.copies.remove(name)
        self._path(name)
        try:
            self.copies.write_whole(name, [self._objects.get(name, self.ask)])
        except FileNotFoundError:
            raise self._refused(name, "is missing") from None
        try:
            return self.copies.map(name, part)
        except EnvironmentProblem:
            self.copies.remove(name)
            raise self._damaged(name) from None

    def views(self, names: Sequence[str], part: int) -> list[memoryview]:
        """One part of each: read once, and put together on the disk of this machine."""
        room = TemporaryBytes()
        stored = []
        for name in names:
            data = self.read(name, part)
            stored.append((name, zlib.crc32(data), room.add(data)))
        found = []
        for name, checksum, there in stored:
            found.append(there.view())
            if zlib.crc32(found[-1]) != checksum:
                raise self._damaged(name)
        return found

    def has(self, name: str) -> bool:
        return self._objects.has(name, self.ask)

    def names(self) -> list[str]:
        return self._objects.names(self.ask)

    def wrote(self, name: str) -> bool:
        try:
            return self._objects.get(name, self.ask).startswith(whole_file(())[0][:8])
        except FileNotFoundError:
            return False

    def remove(self, name: str) -> None:
        self._objects.remove(name, self.ask)
        if self.copies is not None:
            self.copies.remove(name)

    def forget_all_but(self, names: frozenset[str]) -> None:
        """Release what was mapped of the same partitions, but for these names, and remove the copies."""
        FileStore.forget_all_but(self, names)
        if self.copies is None:
            return
        self.copies.forget_all_but(names)
        owners = set(map(owner_of, names))
        for path in self.copies.folder.iterdir():
            if path.name not in names and _READ_OFTEN.fullmatch(path.name) and owner_of(path.name) in owners:
                path.unlink(missing_ok=True)

    # --- within -----------------------------------------------------------------------------------------------------

    def _trying(self, call: Callable[[], Found]) -> Found:
        return self._objects.trying(call, self.ask)

    def _opened(self, name: str, at_once: bool = False) -> BinaryIO:
        """An object. A store shows what was written at once, so nothing is waited for."""
        self._path(name)
        try:
            return self._objects.open(name)
        except FileNotFoundError:
            raise self._refused(name, "is missing") from None

    def _size(self, file: Any) -> int:
        return int(file.raw.size())

    def _refused(self, name: str, reason: str) -> EnvironmentProblem:
        return EnvironmentProblem(f"the object {self.place}/{name} {reason}", NO_HINT)
