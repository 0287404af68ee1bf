"""How long an assertion may take: the same on all engines, whether its loops are asked turn by turn or as a whole."""

from __future__ import annotations

import pytest

from checker.exploration import Settings
from tests.random.laws import reports

MODEL = """
action Init: n, nodes = 0, range({count})
atomic action Go: n = (n + 1) % 20
always assertion Claim:
    m = 1
    for node in nodes:
        for other in nodes:
            if n > 18 and node == 1: return other == 0
            {turn}
    m = 2
    {after}
    return True
"""
STEPS = "for k in [1, 2, 3, 4, 5, 6]: m = k"


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few moves, few turns that are asked one by one."""
    monkeypatch.setattr("interpreter.running.execute.MAX_MOVES", 60)
    monkeypatch.setattr("interpreter.running.execute.MAX_TURNS", 40)


@pytest.mark.parametrize("count", [1, 3, 6, 7, 41])
@pytest.mark.parametrize("turn", ["pass", STEPS, f"{STEPS}\n            {STEPS}", "while n > 4: pass"])
@pytest.mark.parametrize("after", ["pass", "for k in range(n): m = k"])
def test_engines_agree(count: int, turn: str, after: str) -> None:
    """On the verdict, the mistake and its story; a turn, and what comes after the loop, counts for itself."""
    found = reports(MODEL.format(count=count, turn=turn, after=after), Settings(keep_going=True))
    plain = found.pop("plain")
    for engine, report in found.items():
        assert report == plain, engine


@pytest.mark.parametrize(("count", "code"), [(3, None), (7, None), (41, "R20")])
def test_independent_turns_count_alone(count: int, code: str | None) -> None:
    """Up to so many turns only the longest counts; more are one piece, which may be too long."""
    text = MODEL.format(count=count, turn="pass", after="pass").replace("n > 18", "n > 99")
    for engine, report in reports(text, Settings()).items():
        found = None if report.error is None else report.error.diagnostic.code
        assert found == code, engine
