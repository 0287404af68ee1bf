"""The progress line: what it says, that it stays one line, and that it goes away."""

from __future__ import annotations

import io

from checker.exploration import Progress
from checker.view.progress import ProgressLine, progress_text


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
    line(Progress("exploring", 1, 1, 1, 1, 1.0))
    line(Progress("exploring", 2, 1, 1, 1, 1.0))
    line(Progress("judging liveness", 3, 1, 1, 1, 1.0))
    line.clear()
    written = terminal.getvalue()
    assert "\n" not in written
    assert written.endswith("\r\x1b[K")
    assert "1 states" in written
    assert "2 states" not in written, "too soon after the line before"
    assert "judging liveness" in written
