"""What a run costs: CPU time and memory, of this process and of others that it uses."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CPU_OF_OTHERS = "cpu_s elsewhere"
MEMORY_OF_OTHERS = "memory_mb elsewhere"


@dataclass(frozen=True, slots=True)
class Effort:
    """CPU seconds, and the peak of memory in MiB; of several processes the sum of their peaks."""

    cpu_s: float = 0.0
    memory_mb: float = 0.0

    def __add__(self, other: Effort) -> Effort:
        return Effort(self.cpu_s + other.cpu_s, self.memory_mb + other.memory_mb)


def own_effort(begun: float = 0.0) -> Effort:
    """The effort of this process since its CPU clock was at `begun`. No memory where the system does not say."""
    cpu_s = time.process_time() - begun
    try:
        import resource
    except ImportError:
        return Effort(cpu_s)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Effort(cpu_s, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20)


def effort_of(process: int) -> Effort:
    """The effort of another running process of this machine; zero where the system does not say."""
    try:
        # The name of the program is in brackets and may have any characters; fields are counted after it.
        fields = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
        status = Path(f"/proc/{process}/status").read_text(errors="replace")
    except OSError:
        return Effort()
    cpu_s = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    peaks = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")]
    return Effort(cpu_s, sum(peaks) / 2**10)


def effort_in(stats: Mapping[str, object]) -> Effort:
    """The effort of other processes, from the statistics of an engine."""
    cpu_s, memory_mb = stats.get(CPU_OF_OTHERS, 0.0), stats.get(MEMORY_OF_OTHERS, 0.0)
    assert isinstance(cpu_s, float)
    assert isinstance(memory_mb, float)
    return Effort(cpu_s, memory_mb)
