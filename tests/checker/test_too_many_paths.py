"""R22, more ways through one step than anybody wants: all engines say the same of it, with the place of the step."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.core.exploration import Settings
from fizz import load
from interpreter import Machine
from tests.checker.texts import delivering
from tests.random.laws import reports

MOST = 20

START = """
action Init: n = 0
atomic action Up:
    require n < 3
    n += 1
atomic action Pick:
    require n > 1
    a = oneof range(5)
    oneof b in [0] * n + [1, 2]:
        c = oneof range(2)
        n = a
"""
CONTINUE = """
action Init: n = 0
action Up:
    require n < 3
    n += 1
    if n > 1:
        a = oneof range(5)
        b = oneof range(5)
        n = 0
"""
DELIVER = delivering("func put(v):", "    a = oneof range(5)", "    b = oneof range(5)", "    self.s = a * b")
INIT = """
atomic action Rest: pass
action Init:
    a = oneof range(5)
    b = oneof range(5)
"""
PLACES = {START: 6, CONTINUE: 6, DELIVER: 4, INIT: 3}


@pytest.fixture(autouse=True)
def fewer_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nobody wanted more than some ways."""
    monkeypatch.setattr(Machine, "most_paths", MOST)


@pytest.mark.parametrize("text", PLACES, ids=["start", "continue", "deliver", "init"])
@pytest.mark.parametrize("keep_going", [False, True])
def test_engines_say_the_same(text: str, keep_going: bool) -> None:
    """The first ways are steps, the others one mistake, whose place is that of the step."""
    found = reports(text, Settings(keep_going=keep_going))
    plain = found.pop("plain")
    assert plain.error is not None and plain.error.diagnostic.span is not None
    assert (plain.error.diagnostic.code, plain.error.diagnostic.span.line) == ("R22", PLACES[text])
    for engine, report in found.items():
        assert report == plain, engine


@pytest.mark.parametrize(("most", "verdict"), [(25, "passed"), (24, "error")])
def test_the_most_ways(monkeypatch: pytest.MonkeyPatch, most: int, verdict: str) -> None:
    """As many ways as may be are no mistake, one more is."""
    monkeypatch.setattr(Machine, "most_paths", most)
    assert {report.verdict for report in reports(INIT, Settings()).values()} == {verdict}


def test_ways_before_the_mistake_are_steps() -> None:
    """What the first ways lead to is explored if the search goes on: 0 to 3, and not 4, which later ways lead to."""
    for engine, report in reports(START, Settings(keep_going=True)).items():
        assert (report.states, report.verdict) == (4, "error"), engine


def test_trace_names_the_place() -> None:
    """The step that fails has no statement that it executed; its place is where it begins."""
    report = check(load("m.fizz", text=CONTINUE))
    assert report.trace is not None
    last = report.trace.entries[-1]
    assert (last.kind, last.line, last.lines) == ("continue", 6, ())
