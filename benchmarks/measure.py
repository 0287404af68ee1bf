"""Runs the command as a user would, in a process of its own, and keeps what its report says."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from benchmarks.rows import Row

COMMAND = (sys.executable, "-c", "import sys, fizzpy; sys.exit(fizzpy.main())")


class Wrong(Exception):
    """A run whose answer is not the one that it must give."""


class TooLong(Exception):
    """A run that was not done within its time limit."""


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds (user and system) and peak memory in MB of the whole process, and what `--stats` counted."""

    cpu_s: float
    peak_memory_mb: float
    evaluations: int
    calls: int


def measure(row: Row, engine: str, repeat: int = 1) -> Measured:
    """The fastest of some runs.

    Raises `Wrong` if states or transitions are not what they must be, `TooLong` if a run exceeds the row's time limit.
    """
    return min((_run(row, engine) for _ in range(repeat)), key=lambda measured: measured.cpu_s)


def _run(row: Row, engine: str) -> Measured:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        alone = ["--workers", "1"] if engine == "embedded" else []
        process = subprocess.Popen([*COMMAND, *row.arguments(), "--engine", engine, *alone], stdout=out)
        if row.limit_s is not None:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (row.limit_s, row.limit_s + 1))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL) and row.limit_s is not None:
            raise TooLong
        out.seek(0)
        written = out.read()
    if not written.startswith("{"):
        raise Wrong(f"{row.title}: no report, exit code {process.returncode}")
    report = json.loads(written)
    found = (report["states"], report["transitions"])
    if found != (row.states, row.transitions):
        raise Wrong(f"{row.title}: {found} states and transitions, not {(row.states, row.transitions)}")
    stats = report.get("stats", {})
    return Measured(
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
        stats.get("rule evaluations", 0),
        stats.get("interpreter calls", 0),
    )
