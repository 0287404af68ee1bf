"""Reports made by hand, and what is printed of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from checker.core.problems import ExitCode
from checker.core.report import ModelFailure, PropertyReport, Report
from checker.core.trace import Change, Trace, TraceEntry
from checker.report.page import Page
from checker.report.terminal_report import print_report
from fizz.base.errors import Diagnostic, Span

SOURCE = """\
action Init:
    log = []
    acks = set([])

role Node:
    action Init:
        self.offset = 0
        self.events = {}
    action Consume:
        require self.offset < len(log)
        event = log[self.offset]
        self.offset = self.offset + 1
        self.events = event
        acks.add(event["key"])
"""
SOURCES = {"store.fizz": SOURCE}

LONG_OLD = '{"alpha": {"offset": 1, "epoch": 1}, "beta": {"offset": 1, "epoch": 1}, "gamma": {"offset": 1, "epoch": 1}}'
LONG_NEW = '{"alpha": {"offset": 1, "epoch": 1}, "beta": {"offset": 2, "epoch": 1}, "gamma": {"offset": 1, "epoch": 1}}'

INIT = TraceEntry(
    label="Init",
    kind="init",
    actor="Init",
    file="store.fizz",
    line=2,
    choices=(),
    crash=False,
    changes=(),
    lines=(("store.fizz", 2), ("store.fizz", 3)),
    state=(("log", '[{"key": "a"}]'), ("acks", "set([])"), ("Node#0.events", "{}"), ("Node#0.offset", "0")),
)
START = TraceEntry(
    label='Node#0.Consume[Any:key="a"]',
    kind="start",
    actor="Node#0.Consume",
    file="store.fizz",
    line=10,
    choices=('Any:key="a"',),
    crash=False,
    changes=(Change("thread-0", None, 'Node#0.Consume at store.fizz:12 {event = {"key": "a"}}'),),
    origins=(None,),
    lines=(("store.fizz", 10), ("store.fizz", 11)),
    state=(
        ("log", '[{"key": "a"}]'),
        ("acks", "set([])"),
        ("Node#0.events", "{}"),
        ("Node#0.offset", "0"),
        ("thread-0", 'Node#0.Consume at store.fizz:12 {event = {"key": "a"}}'),
    ),
)
TWIN = TraceEntry(
    label="thread-0 crash",
    kind="continue",
    actor="Node#0.Consume",
    file="store.fizz",
    line=12,
    choices=(),
    crash=True,
    changes=(
        Change("Node#0.offset", "0", "1"),
        Change("Node#0.events", LONG_OLD, LONG_NEW),
        Change("thread-0", 'Node#0.Consume at store.fizz:12 {event = {"key": "a"}}', None),
    ),
    movers=(0,),
    lines=(("store.fizz", 12),),
    state=(("log", '[{"key": "a"}]'), ("acks", "set([])"), ("Node#0.events", LONG_NEW), ("Node#0.offset", "1")),
)
ROLE_CRASH = TraceEntry(
    label="crash-role Node#0",
    kind="crash-role",
    actor="Node#0",
    file=None,
    line=None,
    choices=(),
    crash=True,
    changes=(Change("Node#0.events", LONG_NEW, "{}"),),
    state=(("log", '[{"key": "a"}]'), ("acks", "set([])"), ("Node#0.events", "{}"), ("Node#0.offset", "1")),
)
PATH = Trace((INIT, START, TWIN, ROLE_CRASH))
STUTTER = Trace((INIT, START, TWIN), stutter=True, fairness=("No fair action is available in this state.",))
LASSO = Trace((INIT, START, TWIN, ROLE_CRASH), cycle_start=2)


FAILURE = ModelFailure(
    Diagnostic("R5", "division by zero", Span("store.fizz", 12, 23, 12, 38), "test the divisor first"),
    ("in action Node.Consume, instance Node#0",),
    2,
)


@dataclass(frozen=True)
class Samples:
    """The traces and the failure that the tests print."""

    path: Trace = PATH
    lasso: Trace = LASSO
    stutter: Trace = STUTTER
    failure: ModelFailure = FAILURE

    def report(self, **changes: object) -> Report:
        """A failed check, with some of its fields replaced."""
        fields: dict[str, object] = {
            "verdict": "failed",
            "exit_code": ExitCode.SAFETY,
            "model": "store.fizz",
            "engine": "embedded",
            "states": 12345,
            "transitions": 45678,
            "crash_steps": 999,
            "initial": 1,
            "cut": 0,
            "cut_by": None,
            "depth": 17,
            "properties": (
                PropertyReport("Acknowledged", "always", "violated", 3, PATH),
                PropertyReport("Reached", "exists", "undecided"),
                PropertyReport("deadlock", "deadlock", "holds"),
            ),
            "trace": PATH,
            "leading": "Acknowledged",
            "sources": SOURCES,
            "elapsed_s": 1.5,
            "cpu_s": 1.4,
            "peak_memory_mb": 120.0,
        }
        return Report(**(fields | changes))  # type: ignore[arg-type]


@pytest.fixture
def samples() -> Samples:
    """Traces of a small model, and reports that contain them."""
    return Samples()


@pytest.fixture
def printed() -> Callable[..., str]:
    """What a report looks like at a width, in colour or without, at length or in brief."""

    def text(report: Report, width: int = 80, color: bool = False, every: bool = False, full: bool = True) -> str:
        file = io.StringIO()
        print_report(Page(file, color=color, width=width), report, every=every, full=full)
        return file.getvalue()

    return text
