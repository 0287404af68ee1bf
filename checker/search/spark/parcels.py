"""Parts of bytes that go from task to task through Spark: the worker's side, which keeps them on the local disk.

Parts are addressed by their names: those of candidates and of post have a part for each partition, and go there. All
others belong to the partition that wrote them, but for the few of the driver that all tasks read.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final, NamedTuple

from checker.core.problems import EnvironmentProblem
from checker.storage.temporary_bytes import StoredBytes, TemporaryBytes
from fizz.base.data import UNREADABLE

Parcel = tuple[str, tuple[bytes, ...], int]
"""A name, its parts, and their checksum; of what is addressed to a partition only the part for it.

Spark keeps no checksums of what it stores on disks.
"""

_BY_TARGET: Final = re.compile(r"(outbound|post)-.*")
_OWNER: Final = re.compile(r"(?:.*-)?(\d+)")
PLACE: Final = "Spark's storage"


def is_sent(name: str) -> bool:
    """Does this name have a part for each partition, which is sent there?"""
    return _BY_TARGET.fullmatch(name) is not None


def owner_of(name: str) -> int:
    """The partition that a name belongs to, which is its last number."""
    found = _OWNER.fullmatch(name)
    assert found is not None
    return int(found.group(1))


def addressed(name: str, parts: Sequence[bytes]) -> Iterator[tuple[int, Parcel]]:
    """The parcels of parts under a name, each with its partition. None for parts without content."""
    if not is_sent(name):
        yield owner_of(name), (name, tuple(parts), checksum(parts))
        return
    for partition, part in enumerate(parts):
        if part:
            yield partition, (name, (part,), checksum((part,)))


def checksum(parts: Sequence[bytes | memoryview]) -> int:
    """The CRC-32 of parts, one after the other."""
    found = len(parts)
    for part in parts:
        found = zlib.crc32(part, found)
    return found


def opened(parcel: Parcel) -> Sequence[bytes]:
    """The parts of a parcel. Raises `EnvironmentProblem` if they are not those that were sent."""
    name, parts, check = parcel
    _demand_sound(name, parts, check)
    return parts


def _demand_sound(name: str, parts: Sequence[bytes | memoryview], check: int) -> None:
    if checksum(parts) != check:
        raise refused(name, "is damaged")


def refused(name: str, reason: str) -> EnvironmentProblem:
    """The problem with what is stored under a name."""
    return EnvironmentProblem(f"{name} in {PLACE} {reason}", "run again, and see the logs of Spark's executors")


@contextmanager
def reading(name: str) -> Iterator[None]:
    """While the block runs, errors mean that the parts under this name are damaged."""
    try:
        yield
    except UNREADABLE as failure:
        raise refused(name, "is damaged") from failure
    except MemoryError as failure:
        raise refused(name, "takes more memory than there is") from failure


class _StoredParcel(NamedTuple):
    """A `Parcel` whose parts are on the disk of this machine."""

    name: str
    parts: tuple[StoredBytes, ...]
    check: int

    @classmethod
    def of(cls, parcel: Parcel, store: TemporaryBytes) -> _StoredParcel:
        name, parts, check = parcel
        return cls(name, tuple(map(store.add, parts)), check)

    def opened(self) -> Sequence[memoryview]:
        """As the function of that name."""
        parts = [part.view() for part in self.parts]
        _demand_sound(self.name, parts, self.check)
        return parts

    def __reduce__(self) -> tuple[type[tuple[object, ...]], tuple[tuple[object, ...]]]:
        # Those that it is sent to need not know this class.
        return tuple, (tuple(self),)


class TaskParcels:
    """A `PartStore` of one task: what was sent to its partition, what that has, and what the task writes.

    `needs`: the names that are read besides what was sent. `for_all`: the parts under the names that all may read.
    """

    place = PLACE

    def __init__(self, needs: Iterable[str], for_all: Mapping[str, Callable[[], Sequence[bytes]]]) -> None:
        self.sent: list[tuple[int, _StoredParcel]] = []
        """What the task has written, by the partition that it goes to."""
        self.written: list[str] = []
        """The names that stay in this partition."""
        self._needs = frozenset(needs)
        self._parcels: dict[str, _StoredParcel] = {}
        """What is here."""
        self._opened: dict[str, Sequence[memoryview]] = {}
        self._for_all = for_all
        self._came, self._left = TemporaryBytes(), TemporaryBytes()

    def take_in(self, came: Iterable[Parcel]) -> None:
        """Store what was sent to the partition, as far as this task needs it."""
        for parcel in came:
            if parcel[0] in self._needs or is_sent(parcel[0]):
                self._parcels[parcel[0]] = _StoredParcel.of(parcel, self._came)

    def write(self, name: str, parts: Sequence[bytes]) -> None:
        sent = [(partition, _StoredParcel.of(parcel, self._left)) for partition, parcel in addressed(name, parts)]
        self.sent += sent
        if not is_sent(name):
            (_, self._parcels[name]), *_ = sent
            self._opened.pop(name, None)
            self.written.append(name)

    def carry_on(self, names: Iterable[str]) -> None:
        """Send what this partition has under these names to itself, so that it comes to the next task too."""
        for name in names:
            if name not in self.written:
                if name not in self._parcels:
                    raise refused(name, "is missing")
                self.sent.append((owner_of(name), self._parcels[name]))
                self.written.append(name)

    def read(self, name: str, part: int) -> bytes:
        return bytes(self.map(name, part))

    def map(self, name: str, part: int) -> memoryview:
        parts = self._of(name)
        index = 0 if is_sent(name) else part
        if index >= len(parts):
            raise refused(name, "is damaged")
        return parts[index]

    def views(self, names: Sequence[str], part: int) -> list[memoryview]:
        return [self.map(name, part) for name in names]

    def reading(self, name: str) -> AbstractContextManager[None]:
        return reading(name)

    def has(self, name: str) -> bool:
        return name in self._parcels or name in self._for_all

    def remove(self, name: str) -> None:
        self._parcels.pop(name, None)
        self._opened.pop(name, None)

    def forget_all_but(self, names: frozenset[str]) -> None:
        """Nothing of another task is here."""

    def fleeting(self) -> TaskParcels:
        return self

    def _of(self, name: str) -> Sequence[memoryview]:
        if name not in self._opened:
            if name in self._parcels:
                self._opened[name] = self._parcels[name].opened()
            elif name in self._for_all:
                self._opened[name] = [memoryview(part) for part in self._for_all[name]()]
            else:
                raise refused(name, "is missing")
        return self._opened[name]
