"""Sets stored, chosen from and computed by elements: every engine finds what the plain one finds."""

from __future__ import annotations

from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.report import Report
from tests.random import laws
from tests.random.sets import ENGINES


def agreed(text: str, keep_going: bool = True, states: int = 4_000) -> Report:
    """The report of the plain engine; all engines give the same."""
    settings = Settings(keep_going=keep_going, limits=Limits(states=states))
    assert laws.differences(text, settings, ENGINES) == []
    return laws.reports(text, settings, ())["plain"]


def test_choices_after_a_block_over_an_empty_set() -> None:
    """A block form of choice that finds no element is no choice: those after it are numbered from the first on."""
    report = agreed("""\
---
deadlock_detection: false
---
action Init:
    s = set()
    t = set([1, 2])
    u = set([1, 2])
    x = 0
atomic action Take:
    oneof a in s:
        pass
    b = oneof [m for m in t]
    c = oneof u
    x = b * 10 + c
atomic action Add:
    s.add(1)
""")
    assert report.states == 10
