"""The line that tells how far a search has come, rewritten in place while it runs."""

from __future__ import annotations

import shutil
import time
from typing import TextIO

from checker.exploration import Progress

_EVERY_S = 0.2


class ProgressLine:
    """A progress sink that writes to a terminal: states, rate, depth, frontier. `clear` takes the line away again."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._written = 0.0
        self._phase = ""

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._written < _EVERY_S and progress.phase == self._phase:
            return
        self._written, self._phase = now, progress.phase
        # One column is left free: some terminals wrap as soon as the last one is written.
        line = progress_text(progress)[: shutil.get_terminal_size().columns - 1]
        self._terminal.write(f"\r\x1b[K{line}")
        self._terminal.flush()

    def clear(self) -> None:
        """Leave no trace of the line."""
        if self._written:
            self._terminal.write("\r\x1b[K")
            self._terminal.flush()


def progress_text(progress: Progress) -> str:
    """One line, the most telling numbers first."""
    rate = progress.states / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    minutes, seconds = divmod(int(progress.elapsed_s), 60)
    phase = "" if progress.phase == "exploring" else f"  {progress.phase}"
    return (
        f"{progress.states:,} states  {rate:,.0f}/s  depth {progress.depth}  frontier {progress.frontier:,}"
        f"  {minutes}:{seconds:02d}{phase}"
    )
