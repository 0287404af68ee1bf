"""What a run costs: CPU time and memory, of this process and of others that it uses, and CPU time by phase."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NOT_IN_CPU: Final = "not in cpu_s"
CPU_OF_OTHERS = "cpu_s elsewhere"
MEMORY_OF_OTHERS = "memory_mb elsewhere"
NEW_AT: Final = "new at "


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


def processes_with(words: tuple[str, ...]) -> list[int]:
    """The processes of this machine whose command line has these words in a row; none where the system does not say."""
    wanted = b"\0" + b"\0".join(word.encode() for word in words) + b"\0"
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        # Processes end while they are listed.
        with suppress(OSError):
            if wanted in line.read_bytes():
                found.append(int(line.parent.name))
    return sorted(found)


def effort_in(stats: Mapping[str, object]) -> Effort:
    """The effort of other processes, from the statistics of an engine."""
    cpu_s, memory_mb = stats.get(CPU_OF_OTHERS, 0.0), stats.get(MEMORY_OF_OTHERS, 0.0)
    assert isinstance(cpu_s, float)
    assert isinstance(memory_mb, float)
    return Effort(cpu_s, memory_mb)


def often_new(stats: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """The location of each rule of which much was new, and how often it was, from the statistics of an engine."""
    return tuple((name.removeprefix(NEW_AT), str(value)) for name, value in stats.items() if name.startswith(NEW_AT))


READING: Final = "reading the model"
ROWS: Final = "going row by row"
INTERPRETING: Final = "interpreting"
DIRECTLY: Final = "running rules directly"
RECORDING: Final = "recording rules by functions"
LOOKING_UP: Final = "looking up outcomes"
STEPPING: Final = "taking steps"
JOINING: Final = "telling new states from known ones"
JUDGING: Final = "judging states"
EDGES: Final = "keeping edges for liveness"
CONCLUDING: Final = "concluding, lassos included"
REPORTING: Final = "putting the report together"
_NOT_MEASURED: Final = nullcontext()


class Phases:
    """CPU seconds of this process by phase, measured only if `wanted`. Time in an inner phase counts for that alone."""

    def __init__(self, wanted: bool = False) -> None:
        self._wanted = wanted
        self._under_way: list[str] = []
        self._since = time.process_time()
        self.seconds: dict[str, float] = {}

    def during(self, phase: str) -> AbstractContextManager[None]:
        """The time of the block counts for this phase."""
        return self._measured(phase) if self._wanted else _NOT_MEASURED

    def begin_anew(self) -> None:
        """Forget what was measured: this is another process than before."""
        self._under_way, self._since, self.seconds = [], time.process_time(), {}

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add what another process has measured."""
        for phase, spent in seconds.items():
            self.seconds[phase] = self.seconds.get(phase, 0.0) + spent

    @contextmanager
    def _measured(self, phase: str) -> Iterator[None]:
        self._charge()
        self._under_way.append(phase)
        try:
            yield
        finally:
            self._charge()
            self._under_way.pop()

    def _charge(self) -> None:
        now = time.process_time()
        if self._under_way:
            phase = self._under_way[-1]
            self.seconds[phase] = self.seconds.get(phase, 0.0) + now - self._since
        self._since = now

    def stats(self) -> dict[str, object]:
        """The seconds, for `--stats`."""
        return {f"CPU s {phase}": round(seconds, 3) for phase, seconds in self.seconds.items()}
