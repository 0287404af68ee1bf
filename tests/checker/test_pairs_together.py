"""The pairs of `leadsto` assertions are asked for once for all questions, the keys where stems begin together."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.search.columns.visited_keys import VisitedKeys
from tests.checker.test_elements import agreed
from tests.stats import stat

COUNTERS = """\
---
deadlock_detection: false
---
N = 3
M = 6
action Init:
    s = {i: 0 for i in range(N)}
atomic fair action Go:
    i = oneof range(N) if s[i] < 2 * M
    s[i] += 1
"""
PAIRS = {
    "a dict": "return {i: (s[i] % 2 == 1, s[i] % 2 == 0) for i in s}",
    "a list": "return [(s[i] % 2 == 1, s[i] % 2 == 0) for i in range(N)]",
    "a list of others": "return [(sum(s.values()) == 2 * M * N - 1 - i, s[i] % 4 == 3) for i in range(N)]",
    "no pairs": "return [(s[i] % 2 == 1, s[i] % 2 == 0) for i in range(N) if s[i] > 90]",
    "violated": "return [(s[i] % 2 == 0, s[i] % 2 == 1) for i in range(N)]",
    "many": "return [(s[k % N] == k, s[k % N] == k + 1) for k in range(20)]",
    "many, and no bool in one state": "return [(s[0] == k, s[0] < 5 or k < 9 or 3) for k in range(12)]",
    "many, and others in one state": "return [(False, s[0] == k) for k in range(12 if s[0] < 5 else 11)]",
    "no bool in one state": "return [(s[i] % 2 == 1, True if s[i] < 11 else s[1] % 2 == 0 or 3) for i in range(N)]",
    "other pairs in one state": "return [(s[i] % 2 == 1, s[i] % 2 == 0) for i in range(N if s[0] < 12 else 2)]",
}
ROLES = """\
---
options: {max_concurrent_actions: 3, crash_on_yield: false}
action_options: {"Philosopher#.Dine": {max_concurrent_actions: 1}}
deadlock_detection: false
---
MEALS = 2
role Philosopher:
    action Init:
        self.meals = 0
        self.state = "thinks"
    fair action Dine:
        require self.meals < MEALS and self.state == "thinks"
        self.state = "hungry"
        atomic:
            self.meals += 1
            self.state = "eats"
        atomic:
            self.state = "thinks"
    leadsto assertion EatsOrThinks:
        return {"eats": (self.state == "hungry", self.state == "eats"), "later": (self.state == "eats", self.meals > 0)}
action Init:
    table = [Philosopher() for i in range(3)]
leadsto assertion HungryEats:
    return {one.__id__: (one.state == "hungry", one.state == "eats") for one in table}
"""


@pytest.mark.parametrize("body", PAIRS.values(), ids=PAIRS)
def test_engines_agree(body: str) -> None:
    """Verdicts, traces and errors, whoever evaluates the pairs."""
    agreed(f"{COUNTERS.replace('M = 6', 'M = 3')}leadsto assertion P:\n    {body}\n")


def test_engines_agree_about_instances() -> None:
    agreed(ROLES)


@pytest.mark.parametrize("name", ["a dict", "a list"])
def test_pairs_are_asked_for_once(name: str) -> None:
    """There are eight questions about three pairs, and nothing repeats; the assertion is run about once in a state."""
    module = fizz.load("m.fizz", text=f"{COUNTERS}leadsto assertion P:\n    {PAIRS[name]}\n")
    found = check(module, engine="columns", settings=Settings(keep_going=True, stats=True))
    assert found.verdict == "passed" and found.states == 13**3
    assert 0 < stat(found, "run directly") < 2 * found.states


def test_they_are_asked_for_once_row_by_row() -> None:
    """Of a hundred pairs there are 202 questions: the body is run in each state, and not for each of them."""
    body = "return [(s[0] == i, s[0] >= i) for i in range(100)]"
    module = fizz.load("m.fizz", text=f"{COUNTERS.replace('N = 3', 'N = 1')}leadsto assertion P:\n    {body}\n")
    found = check(module, engine="rows", settings=Settings(keep_going=True, stats=True))
    assert found.verdict == "passed" and found.states == 13
    assert stat(found, "run directly") == found.states
    assert stat(found, "interpreter calls") < 2 * found.states


def test_keys_are_asked_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stems may begin in most states; the keys of these are not looked for one by one."""
    calls = 0

    def counted(method: Callable[..., object]) -> Callable[..., object]:
        def call(*values: object) -> object:
            nonlocal calls
            calls += 1
            return method(*values)

        return call

    monkeypatch.setattr(VisitedKeys, "between", counted(VisitedKeys.between))
    monkeypatch.setattr(VisitedKeys, "some", counted(VisitedKeys.some))
    found = check(
        fizz.load("m.fizz", text=ROLES.replace("MEALS = 2", "MEALS = 4")),
        engine="columns",
        settings=Settings(keep_going=True),
    )
    assert found.verdict == "passed" and found.states == 13**3
    assert 0 < calls < 60
