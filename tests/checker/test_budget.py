"""A step costs the same on every engine, in whatever order its ways were learned (R20, R24)."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from tests.random.laws import reports
from tests.sample import one_in

GUARDS = """---
options: {{limits: {{{limit}}}}}
deadlock_detection: false
---
action Init: log, done, pair = [], 0, (0, 0)
atomic action Grow:
    require len(log) < 6
    log = log + [len(log)]
atomic action Work:
    require len(sorted(log)) + sum(log) >= 0 and done < 3
    k = oneof [1, 2]
    require (k, k) != pair or sorted(log) == log
    for i in range(4 * k): done = (done * 3 + i) % 4
    pair = (k, k)
always assertion Small: return len([v for v in log if v in log]) < 7
"""
"""What a guard costs depends on `log`, what follows it does not: a remembered way may be shorter than the one asked."""

PARTS = """---
options: {{limits: {{{limit}}}}}
deadlock_detection: false
---
action Init:
    table = {{i: [0, i] for i in range(2)}}
    seen = set()
atomic action Note:
    k = oneof range(2)
    require k not in seen and table[k][0] < 2
    table[k][0] += 1
    if table[k][0] == 2: seen.add(k)
atomic action Look:
    k = oneof range(2)
    x = table[k]
    require x == table[0]
    y = deepcopy(table)
    z = sorted([t[0] for t in y.values()])
    table[k] = [z[0], 0]
always assertion Fine: return all([len(str(table[k])) > 0 for k in table])
transition assertion Calm(before, after): return len(after.seen) >= len(before.seen)
"""
"""Containers that are read part by part, and as a whole."""


def assert_agreement(text: str) -> None:
    """Every engine reports what the plain one reports."""
    found = reports(text, Settings(keep_going=True))
    plain = found.pop("plain")
    for engine, report in found.items():
        assert report == plain, engine


@pytest.mark.parametrize("charges", one_in(2, [20, 40, 60, 70, 80, 90, 100, 120, 140, 200, 500]))
@pytest.mark.parametrize("model", [GUARDS, PARTS], ids=["guards", "parts"])
def test_engines_agree_on_what_is_too_costly(model: str, charges: int) -> None:
    """Verdict, counts, the mistake and its story, for a budget of any size."""
    assert_agreement(model.format(limit=f"charges: {charges}"))


@pytest.mark.parametrize("held", [5, 10, 15, 20, 30, 40, 100])
@pytest.mark.parametrize("model", [GUARDS, PARTS], ids=["guards", "parts"])
def test_engines_agree_on_what_is_too_much(model: str, held: int) -> None:
    """The same for what a step makes."""
    assert_agreement(model.format(limit=f"held: {held}"))


def test_budgets_make_a_difference() -> None:
    """The budgets above are below and above what the models cost."""
    for model in (GUARDS, PARTS):
        codes = {
            None if (error := reports(model.format(limit=limit), Settings())["plain"].error) is None
            else error.diagnostic.code
            for limit in ("charges: 20", "charges: 500", "held: 5", "held: 100")
        }  # fmt: skip
        assert codes == {"R20", "R24", None}
