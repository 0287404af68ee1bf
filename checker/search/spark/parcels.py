"""Parts of bytes that go from task to task through Spark: the worker's side, which keeps them in memory.

Parts are addressed by their names: those of candidates and of post have a part for each partition, and go there. All
others belong to the partition that wrote them, but for the few of the driver that all tasks read.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from checker.core.problems import EnvironmentProblem
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


def checksum(parts: Sequence[bytes]) -> int:
    """The CRC-32 of parts, one after the other."""
    found = len(parts)
    for part in parts:
        found = zlib.crc32(part, found)
    return found


def opened(parcel: Parcel) -> Sequence[bytes]:
    """The parts of a parcel. Raises `EnvironmentProblem` if they are not those that were sent."""
    name, parts, check = parcel
    if checksum(parts) != check:
        raise refused(name, "is damaged")
    return parts


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


class TaskParcels:
    """A `PartStore` of one task: what was sent to its partition, what that has, and what the task writes.

    `for_all`: the parts under the names that every task may read.
    """

    place = PLACE

    def __init__(
        self,
        partition: int,
        came: Iterable[Parcel],
        needs: frozenset[str],
        for_all: Mapping[str, Callable[[], Sequence[bytes]]],
    ) -> None:
        self.partition = partition
        self.sent: list[tuple[int, Parcel]] = []
        """What the task has written, by the partition that it goes to."""
        self.written: list[str] = []
        """The names that stay in this partition."""
        self._parts: dict[str, Sequence[bytes]] = {}
        self._came = {parcel[0]: parcel for parcel in came if parcel[0] in needs or is_sent(parcel[0])}
        """What was not read yet."""
        self._for_all = for_all

    def write(self, name: str, parts: Sequence[bytes]) -> None:
        self.sent += addressed(name, parts)
        if not is_sent(name):
            self._parts[name] = parts
            self.written.append(name)

    def carry_on(self, names: Iterable[str]) -> None:
        """Send what this partition has under these names to itself, so that it comes to the next task too."""
        for name in names:
            if name not in self.written:
                self.write(name, self._of(name))

    def read(self, name: str, part: int) -> bytes:
        return self._part(name, part)

    def map(self, name: str, part: int) -> memoryview:
        return memoryview(self._part(name, part))

    def view(self, name: str, part: int) -> memoryview:
        return self.map(name, part)

    def reading(self, name: str) -> AbstractContextManager[None]:
        return reading(name)

    def has(self, name: str) -> bool:
        return name in self._parts or name in self._came or name in self._for_all

    def remove(self, name: str) -> None:
        self._parts.pop(name, None)
        self._came.pop(name, None)

    def forget_all_but(self, names: frozenset[str]) -> None:
        """Nothing is mapped."""

    def fleeting(self) -> TaskParcels:
        return self

    def _part(self, name: str, part: int) -> bytes:
        parts = self._of(name)
        index = 0 if is_sent(name) else part
        if index >= len(parts):
            raise refused(name, "is damaged")
        return parts[index]

    def _of(self, name: str) -> Sequence[bytes]:
        if name not in self._parts and name in self._came:
            self._parts[name] = opened(self._came.pop(name))
        if name not in self._parts:
            if name not in self._for_all:
                raise refused(name, "is missing")
            self._parts[name] = self._for_all[name]()
        return self._parts[name]
