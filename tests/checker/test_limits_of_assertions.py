"""What an assertion may cost: the same on all engines, whether its loops are asked turn by turn or as a whole."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from tests.random.laws import reports
from tests.sample import one_in

MODEL = """---
options: {{limits: {{charges: {charges}}}}}
---
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
def few_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few turns that are asked one by one."""
    monkeypatch.setattr("checker.search.memo.remembering.MAX_TURNS", 40)


@pytest.mark.parametrize("charges", one_in(2, [40, 150, 600]))
@pytest.mark.parametrize("count", [1, 3, 6, 7])
@pytest.mark.parametrize("turn", ["pass", STEPS, "while n > 4: pass"])
@pytest.mark.parametrize("after", ["pass", "for k in range(n): m = k"])
def test_engines_agree(charges: int, count: int, turn: str, after: str) -> None:
    """On the verdict, the mistake and its story: a loop costs what all its turns cost."""
    text = MODEL.format(charges=charges, count=count, turn=turn, after=after)
    found = reports(text, Settings(keep_going=True))
    plain = found.pop("plain")
    for engine, report in found.items():
        assert report == plain, engine


@pytest.mark.parametrize(("charges", "code"), [(2000, None), (200, "R20")])
def test_turns_add_up(charges: int, code: str | None) -> None:
    """Turns that are cheap, and asked one by one, are too many together."""
    text = MODEL.format(charges=charges, count=6, turn="pass", after="pass").replace("n > 18", "n > 99")
    for engine, report in reports(text, Settings()).items():
        found = None if report.error is None else report.error.diagnostic.code
        assert found == code, engine
