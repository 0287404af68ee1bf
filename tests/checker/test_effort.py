"""What a run costs is counted in all processes that work for it."""

from __future__ import annotations

import subprocess
import sys
import uuid
from pathlib import Path

from checker.core.effort import (
    CPU_OF_OTHERS,
    MEMORY_OF_OTHERS,
    Effort,
    effort_in,
    effort_of,
    own_effort,
    processes_with,
)


def test_another_process() -> None:
    """The CPU time and the peak of memory of a process, where the system says; zero for one that has ended."""
    work = "sum(range(10**7)); print(len(bytearray(50 * 2**20)), flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        effort = effort_of(running.pid)
        running.communicate(b"\n")
    known = Path("/proc/self/status").exists()
    assert (effort.cpu_s > 0.05) == known
    assert (50 < effort.memory_mb < 500) == known
    assert effort_of(running.pid) == Effort()


def test_this_process() -> None:
    """Counted from a reading of the clock."""
    begun = own_effort().cpu_s
    sum(range(10**6))
    assert 0 < own_effort(begun).cpu_s < own_effort().cpu_s
    assert own_effort().memory_mb > 1


def test_sums() -> None:
    """Engines without other processes say nothing of them."""
    assert effort_in({}) == Effort()
    assert Effort(1.0, 2.0) + effort_in({CPU_OF_OTHERS: 3.0, MEMORY_OF_OTHERS: 4.0}) == Effort(4.0, 6.0)


def test_processes_by_their_words() -> None:
    """Those of this machine whose command line has the words in a row; not those that have them otherwise."""
    name = uuid.uuid4().hex
    waiting = [sys.executable, "-c", "print(flush=True); input()"]
    with (
        subprocess.Popen([*waiting, "--app-id", name, "x"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as found,
        subprocess.Popen([*waiting, name, "--app-id", "x"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other,
    ):
        for process in (found, other):
            assert process.stdout is not None
            process.stdout.readline()
        wanted = [found.pid] if sys.platform == "linux" else []
        assert processes_with(("--app-id", name)) == wanted
        for process in (found, other):
            process.communicate(b"\n")
    assert processes_with(("--app-id", name)) == []
