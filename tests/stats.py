"""Numbers of `--stats` in tests."""

from __future__ import annotations

from checker.core.report import Report
from checker.search.explore import Exploration


def stat(found: Report | Exploration, name: str) -> int:
    """One of the numbers of a run, which are written for people."""
    assert found.stats is not None
    return int(str(found.stats[name]).replace(",", ""))


def runs(found: Report | Exploration) -> int:
    """How often rules were run at all, by the interpreter or by functions, and not only looked up."""
    return sum(stat(found, name) for name in ("interpreter calls", "recorded by functions", "run directly"))
