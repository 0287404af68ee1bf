"""How many workers share an exploration if the user does not say: as many as there are cores for it."""

from __future__ import annotations

import math
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from checker.core.available_memory import Surveyor, control_groups
from checker.core.exploration import Settings

_MOST: Final = 8
"""More processes than this are not started unasked."""
_SPARE: Final = 3
"""The memory that is left must be so many times what this process holds for each worker beside it."""
_BESIDE_OTHERS: Final = "PYTEST_XDIST_WORKER"
"""Set in the environment of processes that run tests side by side."""
_IN_A_TASK: Final = "pyspark.worker"
"""Loaded in processes that run tasks of Spark."""


def workers_by_default(settings: Settings) -> int:
    """As many as cores, if there is the memory; one where several could be a surprise.

    So it is where memory is limited by the user, where this process has threads or is one of several that share the
    cores, and on systems on which processes are not to be forked without need.
    """
    if settings.memory_mb is not None or settings.limits.memory_mb is not None or sys.platform != "linux":
        return 1
    if threading.active_count() > 1 or multiprocessing.parent_process() is not None:
        return 1
    if _BESIDE_OTHERS in os.environ or _IN_A_TASK in sys.modules:
        return 1
    most = min(cores(), _MOST)
    room = Surveyor().room()
    return most if room is None else max(1, min(most, 1 + room.left // (_SPARE * max(1, room.held))))


def cores(proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")) -> int:
    """How many cores this process may use: by its affinity, and by the share of time that its control groups grant."""
    granted = [len(os.sched_getaffinity(0)), *map(math.floor, _shares(proc, cgroups))]
    return max(1, min(granted))


def _shares(proc: Path, cgroups: Path) -> Iterator[float]:
    """The cores' worth of time that each control group of this process grants, of both versions."""
    names = ("cpu.max", "cpu.cfs_quota_us")
    for folder in control_groups(proc, cgroups, "cpu", names):
        try:
            if (folder / names[0]).exists():
                quota, period = (folder / names[0]).read_text().split()
            else:
                quota, period = [(folder / name).read_text().strip() for name in (names[1], "cpu.cfs_period_us")]
            if quota not in ("max", "-1"):
                yield int(quota) / int(period)
        except (OSError, ValueError, ZeroDivisionError):
            continue
