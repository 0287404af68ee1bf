"""The progress line: what it says, that it stays one line, and that it goes away."""

from __future__ import annotations

import io

from checker.core.exploration import Progress
from checker.report.progress import ProgressLine, counting_text, progress_text, walking_text
from checker.traces.walk_report import WalkProgress


def test_text() -> None:
    """States, rate, depth, frontier and time."""
    text = progress_text(Progress("exploring", 12_000, 50_000, 7, 3_400, 61.5))
    assert text == "12,000 states  195/s  depth 7  frontier 3,400  1:01"
    assert "judging liveness" in progress_text(Progress("judging liveness", 1, 1, 1, 0, 0.0))


def test_line_is_rewritten_and_cleared() -> None:
    """Everything happens on one line, and in the end nothing of it is left."""
    terminal = io.StringIO()
    line = ProgressLine(terminal)
    line.clear()
    assert terminal.getvalue() == ""
    line.show("1 states", "exploring")
    line.show("2 states", "exploring")
    line.show("3 states", "judging liveness")
    line.clear()
    written = terminal.getvalue()
    assert "\n" not in written
    assert written.endswith("\r\x1b[K")
    assert "1 states" in written
    assert "2 states" not in written, "too soon after the line before"
    assert "3 states" in written


def test_runs_are_counted() -> None:
    """How many of all are done; of broken ones only if there are any."""
    assert counting_text(3, 0, 40) == "3 of 40 runs done"
    assert counting_text(4, 1, 40) == "4 of 40 runs done, 1 broken"


WALKED = "12 of 100 walks  0.2/s  3,400 steps  about 0 states  0 of 0 actions  1:03"


def test_walks_are_counted() -> None:
    """Walks, their rate, steps, what was met, and the time of a simulation."""
    assert walking_text(WalkProgress(12, 100, 3_400, 63.0)) == WALKED
