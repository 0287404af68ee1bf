"""`Phases`: the CPU time of a run by phase."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final

READING: Final = "reading the model"
ROWS: Final = "going row by row"
INTERPRETING: Final = "interpreting"
DIRECTLY: Final = "running rules directly"
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
