"""The progress line of a search, rewritten while it runs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from checker.core.exploration import Progress
from checker.core.visible import printable
from checker.traces.walk_report import WalkProgress

_EVERY_S = 0.2


class ProgressLine:
    """A line in a terminal that is rewritten from time to time. `clear` removes it."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._written = 0.0
        self._phase = ""

    def show(self, text: str, phase: str) -> None:
        """Show a text, unless the one before is still new and of the same phase."""
        now = time.monotonic()
        if now - self._written < _EVERY_S and phase == self._phase:
            return
        self._written, self._phase = now, phase
        # One column is left free: some terminals wrap as soon as the last one is written.
        room = max(shutil.get_terminal_size().columns - 1, 1)
        self._terminal.write(f"\r\x1b[K{printable(text, lines=False)[:room]}")
        self._terminal.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._written:
            self._terminal.write("\r\x1b[K")
            self._terminal.flush()


class LiveLines:
    """Lines in a terminal that are drawn again from time to time, above which messages may be printed."""

    def __init__(self, terminal: TextIO, color: bool) -> None:
        self._console = Console(file=terminal, color_system="auto" if color else None, highlight=False, markup=False)
        self._live = Live(console=self._console, transient=True, auto_refresh=False)
        self._drawn = 0.0
        self._live.start()

    @property
    def height(self) -> int:
        """The lines of the terminal."""
        return self._console.height

    @property
    def due(self) -> bool:
        """Whether what was drawn last is no longer new."""
        return time.monotonic() - self._drawn >= _EVERY_S

    def draw(self, lines: Sequence[Text]) -> None:
        """Draw lines, cut at the edge of the terminal, in place of those before."""
        self._drawn = time.monotonic()
        for line in lines:
            line.truncate(max(self._console.width - 1, 1))
        self._live.update(Text("\n").join(lines), refresh=True)

    def say(self, sentence: str) -> None:
        """Print a message above the lines."""
        self._console.print(Text(printable(sentence)))

    def clear(self) -> None:
        """Remove the lines."""
        self._live.stop()


def progress_text(progress: Progress) -> str:
    """One line, the most important numbers first."""
    rate = (progress.states - progress.found_before) / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    minutes, seconds = divmod(int(progress.elapsed_s), 60)
    phase = "" if progress.phase == "exploring" else f"  {progress.phase}"
    return (
        f"{progress.states:,} states  {rate:,.0f}/s  depth {progress.depth}  frontier {progress.frontier:,}"
        f"  {minutes}:{seconds:02d}{phase}"
    )


def walking_text(progress: WalkProgress) -> str:
    """`12 of 100 walks  4.0/s  3,400 steps  about 620 states  5 of 6 actions  0:03`"""
    rate = progress.walks / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    minutes, seconds = divmod(int(progress.elapsed_s), 60)
    return (
        f"{progress.walks:,} of {progress.runs:,} walks  {rate:,.1f}/s  {progress.steps:,} steps"
        f"  about {progress.states:,} states  {progress.acted} of {progress.actions} actions  {minutes}:{seconds:02d}"
    )


def mutating_text(done: int, survived: int, total: int) -> str:
    """`12 of 40 mutants tried, 1 survived`"""
    return f"{done:,} of {total:,} mutants tried" + (f", {survived:,} survived" if survived else "")


def mutating_promised_text(noticed: int, left: int, runs: int) -> str:
    """`12 mutants noticed, 40 not yet, 3 runs to come`"""
    return f"{noticed:,} mutants noticed, {left:,} not yet, {runs:,} runs to come"


def counting_text(done: int, broken: int, total: int) -> str:
    """`12 of 40 runs done, 1 broken`"""
    return f"{done:,} of {total:,} runs done" + (f", {broken:,} broken" if broken else "")
