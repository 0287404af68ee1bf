"""How much memory this process and those it has started hold, and how much more they may have."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_AROUND_S: Final = 0.5
"""To look at what is around this process takes half a millisecond and more: it is done once in so long."""
_PROC: Final = Path("/proc")
_CGROUPS: Final = Path("/sys/fs/cgroup")


class Room(NamedTuple):
    """Bytes that are held, and bytes that are still to be had before the system refuses, or ends the process."""

    held: int
    left: int


class Surveyor:
    """Measures the room. Linux alone tells what is held now: elsewhere there is no answer.

    What this process holds is read each time; the rest less often, as if nobody else took or gave anything meanwhile.
    """

    def __init__(self, proc: Path = _PROC, cgroups: Path = _CGROUPS) -> None:
        self._proc = proc
        self._page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
        self._groups = list(_groups(proc, cgroups))
        self._children = self._granted = 0
        self._looked = float("-inf")

    def room(self) -> Room | None:
        """The room now; None where the system does not tell."""
        try:
            size, held = self._own()
            now = time.monotonic()
            if now - self._looked >= _AROUND_S:
                self._looked = now
                self._children, self._granted = self._started(), held + self._left(size)
        except (OSError, ValueError, IndexError):
            return None
        return Room(held + self._children, max(0, self._granted - held))

    def _left(self, size: int) -> int:
        """The bytes that a process that may address `size` now can still have."""
        available = _entry(self._proc / "meminfo", "MemAvailable:") * 1024
        left = [available, *(left for group in self._groups if (left := group.left()) is not None)]
        most = _address_space()
        if most is not None:
            left.append(most - size)
        return min(left)

    def _own(self) -> tuple[int, int]:
        """The bytes that this process may address, and those that are its own and in memory: no files."""
        size, resident, shared = (int(field) for field in (self._proc / "self/statm").read_bytes().split()[:3])
        return size * self._page, (resident - shared) * self._page

    def _started(self) -> int:
        """The bytes of the processes that were started by this one, and by those."""
        return sum(self._held_by(process) for process in self._descendants())

    def _descendants(self) -> list[int]:
        if not any(_children(self._proc, os.getpid())):
            return []
        parents: dict[int, list[int]] = {}
        for path in self._proc.iterdir():
            if path.name.isdecimal():
                try:
                    # The name of the program stands in brackets and may hold anything.
                    parent = int((path / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
                except (OSError, ValueError, IndexError):
                    continue
                parents.setdefault(parent, []).append(int(path.name))
        found: list[int] = []
        waiting = [os.getpid()]
        while waiting:
            more = parents.get(waiting.pop(), [])
            found += more
            waiting += more
        return found

    def _held_by(self, process: int) -> int:
        try:
            fields = (self._proc / str(process) / "statm").read_bytes().split()
            return (int(fields[1]) - int(fields[2])) * self._page
        except (OSError, ValueError, IndexError):
            return 0


class _Group(NamedTuple):
    """A control group: the files with its limit and what it uses, and how its statistics call pages of files."""

    limit: Path
    usage: Path
    statistics: Path
    files: tuple[str, ...]

    def left(self) -> int | None:
        """The bytes that it still grants, those of files among them, for the system gives these up; None: no limit."""
        try:
            limit = self.limit.read_text().strip()
            if limit == "max":
                return None
            used = int(self.usage.read_text())
            files = sum(_entry(self.statistics, name) for name in self.files)
            return int(limit) - used + files
        except (OSError, ValueError, IndexError):
            return None


def _groups(proc: Path, mounted: Path) -> Iterator[_Group]:
    """The control groups of this process that limit memory, of both versions, with those around them."""
    try:
        lines = (proc / "self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, place = rest.partition(":")
        if number == "0" and not controllers:
            for folder in _upwards(mounted, place):
                names = ("inactive_file", "active_file")
                yield _Group(folder / "memory.max", folder / "memory.current", folder / "memory.stat", names)
        elif "memory" in controllers.split(","):
            for folder in _upwards(mounted / "memory", place):
                limit, usage = folder / "memory.limit_in_bytes", folder / "memory.usage_in_bytes"
                yield _Group(limit, usage, folder / "memory.stat", ("total_inactive_file", "total_active_file"))


def _upwards(mounted: Path, place: str) -> Iterator[Path]:
    """The folder of a group, and those around it. In a container the path may be the host's: then the mount is ours."""
    folder = mounted / place.strip("/")
    if ".." in Path(place).parts or not folder.is_dir():
        folder = mounted
    while True:
        if any((folder / name).exists() for name in ("memory.max", "memory.limit_in_bytes")):
            yield folder
        if folder == mounted:
            return
        folder = folder.parent


def _children(proc: Path, process: int) -> Iterator[str]:
    """What the threads of a process have started; more than nothing where the system does not tell."""
    try:
        for thread in (proc / str(process) / "task").iterdir():
            yield from (thread / "children").read_text().split()
    except OSError:
        yield "perhaps"


def _entry(path: Path, name: str) -> int:
    """A number in a file of lines with name and number. Raises IndexError if it is not there."""
    wanted = [line for line in path.read_text().splitlines() if line.partition(" ")[0] == name]
    return int(wanted[0].split()[1])


def _address_space() -> int | None:
    """The bytes that this process may address at most (`ulimit -v`)."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft
