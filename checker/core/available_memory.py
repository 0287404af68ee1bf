"""How much memory this process and its descendants hold, and how much more they can get."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_AROUND_S: Final = 0.5
"""The interval between measurements of the system, which take half a millisecond and more."""
_PROC: Final = Path("/proc")
_CGROUPS: Final = Path("/sys/fs/cgroup")


class Room(NamedTuple):
    """Bytes that are held, and bytes still available before the system refuses more or ends the process."""

    held: int
    left: int


class Surveyor:
    """Measures the memory. Only Linux says what is held now; on other systems there is no answer.

    The memory of this process is read each time. The rest is read less often and assumed constant in between.
    """

    def __init__(self, proc: Path = _PROC, cgroups: Path = _CGROUPS) -> None:
        self._proc = proc
        self._page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
        self._groups = list(_groups(proc, cgroups))
        self._children = self._granted = 0
        self._looked = float("-inf")

    def room(self) -> Room | None:
        """The memory now; None where the system does not say."""
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
        """The bytes that this process, which addresses `size` now, can still get."""
        available = _entry(self._proc / "meminfo", "MemAvailable:") * 1024
        left = [available, *(left for group in self._groups if (left := group.left()) is not None)]
        most = _address_space()
        if most is not None:
            left.append(most - size)
        return min(left)

    def _own(self) -> tuple[int, int]:
        """The bytes in the address space of this process, and its own bytes in memory, without files."""
        size, resident, shared = (int(field) for field in (self._proc / "self/statm").read_bytes().split()[:3])
        return size * self._page, (resident - shared) * self._page

    def _started(self) -> int:
        """The bytes of the descendants of this process."""
        return sum(self._held_by(process) for process in self._descendants())

    def _descendants(self) -> list[int]:
        if not any(_children(self._proc, os.getpid())):
            return []
        parents: dict[int, list[int]] = {}
        for path in self._proc.iterdir():
            if path.name.isdecimal():
                try:
                    # The name of the program is in brackets and may have any characters.
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
        """The bytes it still grants, including cached files, which the system can drop; None: no limit."""
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
    """The control groups of this process that limit memory, of both versions, with their parents."""
    for folder in control_groups(proc, mounted, "memory", ("memory.max", "memory.limit_in_bytes")):
        if (folder / "memory.max").exists():
            names = ("inactive_file", "active_file")
            yield _Group(folder / "memory.max", folder / "memory.current", folder / "memory.stat", names)
        else:
            limit, usage = folder / "memory.limit_in_bytes", folder / "memory.usage_in_bytes"
            yield _Group(limit, usage, folder / "memory.stat", ("total_inactive_file", "total_active_file"))


def control_groups(proc: Path, mounted: Path, controller: str, files: tuple[str, ...]) -> Iterator[Path]:
    """The folders of the control groups of this process with any of the files of a controller, and their parents'."""
    try:
        lines = (proc / "self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if number == "0" and not controllers:
            yield from _upwards(mounted, group, files)
        elif controller in controllers.split(","):
            yield from _upwards(mounted / controller, group, files)


def _upwards(mounted: Path, group: str, files: tuple[str, ...]) -> Iterator[Path]:
    """The folder of a group, and its parents. In a container the path may be the host's: then it is the mount."""
    folder = mounted / group.strip("/")
    if ".." in Path(group).parts or not folder.is_dir():
        folder = mounted
    while True:
        if any((folder / name).exists() for name in files):
            yield folder
        if folder == mounted:
            return
        folder = folder.parent


def _children(proc: Path, process: int) -> Iterator[str]:
    """The children of the threads of a process; one stand-in where the system does not say."""
    try:
        for thread in (proc / str(process) / "task").iterdir():
            yield from (thread / "children").read_text().split()
    except OSError:
        yield "perhaps"


def _entry(path: Path, name: str) -> int:
    """A number in a file of lines with name and number. Raises IndexError if the name is missing."""
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
