"""R22, too many execution paths of one step: all engines report the same, with the location of the step."""

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
LINES = {START: 6, CONTINUE: 6, DELIVER: 4, INIT: 3}


@pytest.fixture(autouse=True)
def fewer_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """A low limit of paths."""
    monkeypatch.setattr(Machine, "most_paths", MOST)


@pytest.mark.parametrize("text", LINES, ids=["start", "continue", "deliver", "init"])
@pytest.mark.parametrize("keep_going", [False, True])
def test_engines_say_the_same(text: str, keep_going: bool) -> None:
    """The first paths are steps, the others one error, whose location is that of the step."""
    found = reports(text, Settings(keep_going=keep_going))
    plain = found.pop("plain")
    assert plain.error is not None and plain.error.diagnostic.span is not None
    assert (plain.error.diagnostic.code, plain.error.diagnostic.span.line) == ("R22", LINES[text])
    for engine, report in found.items():
        assert report == plain, engine


@pytest.mark.parametrize(("most", "verdict"), [(25, "passed"), (24, "error")])
def test_the_most_paths(monkeypatch: pytest.MonkeyPatch, most: int, verdict: str) -> None:
    """As many paths as the limit are no error, one more is."""
    monkeypatch.setattr(Machine, "most_paths", most)
    assert {report.verdict for report in reports(INIT, Settings()).values()} == {verdict}


def test_paths_before_the_error_are_steps() -> None:
    """The targets of the first paths are explored if the search goes on: 0 to 3, and not 4, that of later paths."""
    for engine, report in reports(START, Settings(keep_going=True)).items():
        assert (report.states, report.verdict) == (4, "error"), engine


def test_trace_names_the_location() -> None:
    """The step that fails has executed no statement; its location is its first line."""
    report = check(load("m.fizz", text=CONTINUE))
    assert report.trace is not None
    last = report.trace.entries[-1]
    assert (last.kind, last.line, last.lines) == ("continue", 6, ())
