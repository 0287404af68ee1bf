"""Changes of members of members, which functions of Python make at once: the containers between are not made."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from checker.core.limits import Limits
from interpreter.direct.node_operations import Operations
from tests.random import laws

HEAD = """\
---
options: {max_actions: 3}
deadlock_detection: false
---
action Init:
    g = [[0, 1], [2, 3], [2, 3]]
    d = {"a": {1: 0, "1": 1}, "b": {1: 2}}
    m = [{"k": 0}, {"k": 1, 0: 2}]
    t = {0: [0, 1], True: [2], "x": []}
    n = 0
atomic action Up: n = (n + 1) % 2
atomic action Change:
    i = oneof [0, 1, -1]
"""
BODIES = {
    "a place and another": "g[i][0] = g[0][i]\n    g[i + 1][1] = 7",
    "the same place twice": "g[i][0] = 5\n    g[i][0] = 6\n    g[i][1] = i",
    "what was changed is read": "g[0][0] = 5\n    g[1][0] = g[0][0]",
    "equal rows": "g[1][0] = n\n    g[2][1] = 4",
    "counted from the end": "g[-1][-2] = n\n    g[-3][i] = 9",
    "dicts in a dict": 'd["a"][1] = n\n    d["b"][1] = 8\n    d["a"]["1"] = i',
    "a new key": 'd["a"][n] = n\n    d["b"]["c"] = 8',
    "keys that look alike": "t[0][0] = True\n    t[True][0] = 1",
    "dicts in a list": 'm[i]["k"] = n\n    m[0]["k"] += 1',
    "no such place": "g[0][1] = 1\n    g[2][i + 2] = 1",
    "no such row": "g[0][1] = 1\n    g[i + 3][0] = 1",
    "no such key": 't["x"][0] = 1',
    "another kind of place": "g[0][True] = 1",
    "one row in two places": "g[0] = g[1]\n    g[0][0] = n\n    g[1][1] = 6",
    "a row of containers": "g[0][0] = [n]\n    g[1][0] = {0: [n]}",
    "a container": "x = [n]\n    g[0][0] = x\n    g[1][0] = x",
    "a dict that has grown": 'd["0"] = {}\n    d["0"][1] = n\n    d["0"][0] = 1',
    "of a text": 'm = ["ab"]\n    m[0][0] = "c"',
    "through a name": "row = g[i]\n    row[0] = 4\n    row[1] = 5",
}


@pytest.mark.parametrize("body", BODIES)
def test_engines_agree(body: str) -> None:
    """Verdicts, counts and errors."""
    asserts = (
        "\nalways assertion Small: return g[0][0] != 9\ntransition assertion T(before, after): return before.n < 2\n"
    )
    settings = Settings(keep_going=True, limits=Limits(states=300))
    assert laws.differences(f"{HEAD}    {BODIES[body]}{asserts}", settings) == []


def test_they_are_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, made = Operations._put_at_once, []

    def counting(self: Operations, *given: object) -> object:
        made.append(at_once(self, *given))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(Operations, "_put_at_once", counting)
    settings = Settings(keep_going=True, limits=Limits(states=300))
    assert laws.differences(f"{HEAD}    {BODIES['a place and another']}\n", settings, ["direct columns"]) == []
    assert made and None not in made
