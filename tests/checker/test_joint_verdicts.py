"""What all units of an assertion read is looked up first; and steps that end where they began are left out."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.search.columns.joint_verdicts import JointVerdicts
from checker.search.columns.rule_verdicts import RuleVerdicts
from checker.search.columns.store import StateStore
from tests.checker.test_elements import agreed
from tests.checker.test_many_alternatives import counted

NODES = """\
---
deadlock_detection: false
---
NODES = 6
MOST = 3
TICKS = 2
role Node:
    action Init: self.x = 0
    atomic action Step:
        require self.x < MOST
        self.x += 1
    atomic action Stay:
        self.x = self.x
action Init:
    nodes = [Node() for _ in range(NODES)]
    clock = 0
atomic action Tick:
    clock = oneof range(TICKS)
transition assertion Grows(before, after):
    return all([old.x <= new.x for old, new in zip(before.nodes, after.nodes) if old.x < MOST])
always assertion Small:
    return all([node.x <= MOST for node in nodes])
"""


def test_engines_agree() -> None:
    """Verdicts, counts and traces are the same; also where steps are edges that liveness looks at, and loops."""
    small = NODES.replace("NODES = 6", "NODES = 3").replace("MOST = 3", "MOST = 2")
    agreed(small, states=54)
    agreed(
        small.replace("atomic action Step", "atomic fair action Step") + "eventually always assertion End:\n"
        "    return all([node.x == MOST for node in nodes])\n",
        states=54,
    )


@pytest.mark.parametrize("keep_going", [True, False])
@pytest.mark.parametrize(
    "wrong", ["old.x < 2 or new.x == 2", "1 // (3 - new.x) >= 0", "old.x < 2 and new.x // (2 - old.x) < 9"]
)
def test_what_is_false_or_fails_is_found(wrong: str, keep_going: bool) -> None:
    """Errors are not kept with verdicts: they are found again in the row that is reported."""
    agreed(NODES.replace("NODES = 6", "NODES = 3").replace("old.x <= new.x", wrong), keep_going, states=128)


def test_units_are_asked_about_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in ten of all steps, or fewer; the others are known from what the units have read together."""
    asked = counted(monkeypatch, RuleVerdicts, "_look_up_by_units", lambda _, rule, rows, known: len(rows.rows))
    report = check(fizz.load("m.fizz", text=NODES.replace("TICKS = 2", "TICKS = 12")), engine="columns")
    assert report.states == 4**6 * 12
    assert sum(asked) < report.transitions / 10


def test_it_ends_where_it_does_not_pay() -> None:
    """Where most combinations are new it is not asked again before twice as many rows were."""
    known = JointVerdicts()
    assert not known.pays(2, 10)
    known._again = 100
    assert not known.pays(3, 80)
    assert known.pays(3, 20)


def test_steps_that_stay_are_not_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that changes nothing leads to a state that is known: no key is sorted for it, and no assertion asked."""
    rows = counted(monkeypatch, StateStore, "least", lambda _, batch, ranks: len(batch))
    judged = counted(monkeypatch, RuleVerdicts, "ask", lambda _, rule, packing, after, *rest: len(after) if rest else 0)
    report = check(fizz.load("m.fizz", text=NODES), engine="columns", settings=Settings(keep_going=True))
    moving = 2 * 6 * 3 * 4**5 + 2 * 4**6
    assert report.transitions == moving + 2 * 6 * 4**6 + 2 * 4**6
    assert sum(rows) < 1.2 * moving + report.states
    assert sum(judged) <= moving
