"""Small models for walks, and functions that walk through them."""

from __future__ import annotations

from pathlib import Path

import fizz
from checker.core.trace import Trace
from checker.swarm.simulate import simulate
from checker.traces.guided import follow
from checker.traces.walk_report import GuidedReport, SimulationReport

COUNTER = """\
LIMIT = 3
action Init:
    n = 0
atomic action Up:
    require n < LIMIT
    n += 1
atomic action Down:
    require n > 0
    n -= 1
always assertion Small:
    return n <= LIMIT
"""
"""A number between 0 and LIMIT that goes up and down for ever."""

SERIAL = """\
action Init:
    a, b = 0, 0
action Move:
    a = oneof [1, 2]
    b = a
    b = oneof [a, a + 5]
atomic action Rest:
    require a > 0
    a = 0
"""
"""A thread of several steps, with choices in its first and its last one."""

CRASHING = """\
@state(ephemeral=["c"])
role Store:
    action Init:
        self.d, self.c = 0, 0
    action Write:
        require self.d == 0
        self.c = 1
        self.d = self.c
action Init:
    store = Store()
"""

MESSAGES = """\
---
deadlock_detection: false
---
Net = Channel()
role Sink:
    action Init:
        self.got = []
    func put(v):
        self.got.append(v)
        self.got = list(self.got)
action Init:
    sink = Sink()
    out = Net.stub(sink)
    sent = 0
atomic action Send:
    require sent < 2
    sent += 1
    out.put(sent)
"""

ALIKE = """\
action Init:
    nodes = [{"v": 0}, {"v": 0}]
atomic action Mark:
    node = oneof nodes
    require node["v"] == 0
    node["v"] = 1
atomic action Rest: pass
always assertion SecondIsLast:
    return nodes[1]["v"] <= nodes[0]["v"]
"""
"""Two alternatives of one name that lead to different states."""


def module_of(text: str, **options: str) -> fizz.Module:
    """The module of a text."""
    return fizz.load("m.fizz", text=text, options=options)


def simulated(text: str, runs: int = 20, seed: int = 0, steps: int | None = None, **options: str) -> SimulationReport:
    """The report of a simulation."""
    return simulate(module_of(text, **options), runs=runs, seed=seed, steps=steps)


def followed(text: str, folder: Path, *lines: str, extend: int = 0, **options: str) -> GuidedReport:
    """The report of a guided trace with these lines."""
    path = folder / "t.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return follow(module_of(text, **options), str(path), extend=extend)


def labels(trace: Trace | None) -> list[str]:
    """The names of the steps of a trace, without Init's."""
    assert trace is not None
    return [entry.label for entry in trace.entries[1:]]


def end(trace: Trace | None) -> dict[str, str]:
    """The state at the end of a trace, in words."""
    assert trace is not None
    return dict(trace.entries[-1].state)
