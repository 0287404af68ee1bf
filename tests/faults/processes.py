"""Processes that a driver has started, from what Linux says of them; and their end."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path


def below(process: int) -> dict[int, str]:
    """The descendants of a process, with their command lines."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                status = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
                parents[int(folder.name)] = int(status[1])
    found: dict[int, str] = {}
    group = {process}
    while group:
        group = {child for child, parent in parents.items() if parent in group} - found.keys()
        for child in group:
            found[child] = _command(child)
    return found


def cpu_s(process: int) -> float:
    """The CPU time of a process; 0 if it is no more."""
    with suppress(OSError):
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def python_workers(driver: int) -> list[int]:
    """The processes that Spark forked to run tasks: their parent is a daemon of the same command."""
    daemons = [process for process, command in below(driver).items() if "pyspark.daemon" in command]
    return [child for daemon in daemons for child in below(daemon)]


def executors(driver: int) -> list[int]:
    """The Java processes of executors."""
    return [process for process, command in below(driver).items() if "CoarseGrainedExecutorBackend" in command]


def kill(process: int) -> None:
    """End a process at once, if it is still there."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
