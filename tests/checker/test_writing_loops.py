"""Loops of actions that write what they go through are taken turn by turn, and dicts are compared key by key."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from interpreter.execute.writing_loops import WritingLoop
from tests.checker.test_elements import agreed
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.random.writing import program
from tests.sample import one_in
from tests.stats import stat

MODEL = """\
---
options: {max_actions: 100}
deadlock_detection: false
---
KEYS = ["a", "b", "c"]
TWICE = ["a", "b", "a"]
role Node:
    action Init:
        self.term = 0
        self.seen = {k: 0 for k in KEYS}
action Init:
    plus = {n: {m: 0 for m in KEYS} for n in KEYS}
    grid = [[0, 0, 0], [0, 0, 0]]
    nodes = [Node() for i in range(2)]
    other = {k: 0 for k in KEYS}
    n = 0
atomic action Add:
    k = oneof KEYS
    require plus[k][k] < 2
    plus[k][k] += 1
    other[k] = n
atomic action Tick:
    i = oneof range(2)
    require nodes[i].term < 2
    nodes[i].term += 1
    nodes[i].seen["b"] = nodes[1 - i].term
    grid[i][n] += 1
atomic action Turn: n = 1 - n
atomic action Act:
    o = oneof KEYS
    k = oneof KEYS
"""

LOOPS: Mapping[str, tuple[bool, tuple[str, ...]]] = {
    "a clock is merged": (True, ("for m in KEYS:", "    plus[k][m] = max(plus[o][m], plus[k][m])")),
    "where it is behind": (
        True,
        ("for m in KEYS:", "    if plus[o][m] > plus[k][m]:", "        plus[k][m] = plus[o][m]"),
    ),
    "one or the other": (
        True,
        (
            "for m in plus[o]:",
            "    if other[m] > 0:",
            "        plus[k][m] = 0",
            "    else:",
            "        plus[k][m] += 1 - n",
        ),
    ),
    "two places": (True, ("for m in KEYS:", "    plus[k][m] = plus[o][m]", "    other[m] = n")),
    "fields": (True, ("for one in nodes:", "    one.term = max(one.term, other[k])")),
    "dicts in fields": (True, ("for m in KEYS:", "    nodes[n].seen[m] = max(nodes[n].seen[m], plus[k][m]) % 3")),
    "lists": (True, ("for i in range(3):", "    grid[n][i] = (grid[1 - n][i] + 1) % 2")),
    "after another change": (
        True,
        ("n = 1 - n", "for m in KEYS:", "    plus[k][m] = min(plus[k][m], plus[o][m])"),
    ),
    "a conditional value": (True, ("for m in KEYS:", "    plus[k][m] = plus[o][m] if other[m] == 0 else 1")),
    "a count": (True, ("for m in KEYS:", "    other[m] = len([j for j in KEYS if plus[j][m] > 1])")),
    "new keys": (True, ("for i in range(2):", "    other[i] = grid[i][n]")),
    # What another turn may have written is read.
    "the first": (False, ("for m in KEYS:", '    other[m] = other["a"]')),
    "the other index": (False, ("for m in KEYS:", "    plus[m][k] = plus[k][m]")),
    "the one before": (False, ("for i in range(3):", "    grid[n][i] = grid[n][i - 1]")),
    "the sum": (False, ("for m in KEYS:", "    other[m] = sum(other.values()) % 3")),
    "the same twice": (False, ("for m in TWICE:", "    other[m] = (other[m] + 1) % 3")),
    "another node": (False, ("for one in nodes:", "    one.term = (nodes[0].term + 1) % 3")),
    "after a change of it": (False, ("other[k] = 2", "for m in KEYS:", "    other[m] = (other[m] + 1) % 3")),
    "through a second name": (False, ("other = plus[k]", "for m in KEYS:", "    plus[k][m] = (other['a'] + 1) % 3")),
    "the name is used after": (False, ("for m in KEYS:", "    other[m] = plus[k][m]", "n = 1 if m == o else 0")),
    "lists are shared": (False, ("for i in range(2):", "    grid[i] = [n, 0, 0]")),
    "it ends early": (False, ("for m in KEYS:", "    if m == o: break", "    other[m] = plus[k][m]")),
    # A turn that fails, after one that has written. Where none does, they are taken.
    "a turn fails": (True, ("for m in KEYS:", "    other[m] = 6 // (2 - plus[k][m])")),
    "no place": (False, ("for i in range(4):", "    grid[n][i] = n")),
}


def text_of(lines: tuple[str, ...]) -> str:
    """The model with these statements in an action."""
    return MODEL + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize("case", LOOPS)
def test_engines_agree(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """States, counts and errors are the same on all engines, and it is known which loops are taken turn by turn."""
    taken = []
    take = WritingLoop.take

    def noted(*args: object) -> bool:
        taken.append(take(*args))  # type: ignore[arg-type]
        return bool(taken[-1])

    monkeypatch.setattr(WritingLoop, "take", noted)
    expected, lines = LOOPS[case]
    agreed(text_of(lines), states=400)
    assert any(taken) is expected


@pytest.mark.parametrize("seed", one_in(6, range(36)))
def test_programs_agree(seed: int) -> None:
    """Programs with such loops that are made up: `python -m tests.random.writing` makes more."""
    source = seeded(seed)
    text = program(source)
    assert broken(text, settings_of(source), ("early columns", "embedded")) is None, text


REPLICAS = """\
---
options: {max_actions: 100000}
deadlock_detection: false
---
NODES = ["a", "b", "c"]
action Init:
    plus = {n: {m: 0 for m in NODES} for n in NODES}
    ops = 0
atomic action Increment:
    n = oneof NODES
    require ops < 6
    ops += 1
    plus[n][n] += 1
"""
MERGES = {
    "written one by one": ("for m in NODES:", "    plus[dst][m] = max(plus[src][m], plus[dst][m])"),
    "where they differ": (
        "require plus[src] != plus[dst]",
        "plus[dst] = {m: max(plus[src][m], plus[dst][m]) for m in NODES}",
    ),
    "after something else": ("ops += 0", "plus[dst] = {m: max(plus[src][m], plus[dst][m]) for m in NODES}"),
}


@pytest.mark.parametrize("case", MERGES)
def test_merged_clocks_are_remembered_by_what_comes_of_it(case: str) -> None:
    """There are as many paths as merged clocks, not as pairs of clocks."""
    merge = ["atomic action Merge:", "    src = oneof NODES", "    dst = oneof NODES if dst != src"]
    text = REPLICAS + "\n".join([*merge, *[f"    {line}" for line in MERGES[case]]]) + "\n"
    report = check(fizz.load("m.fizz", text=text), settings=Settings(stats=True))
    assert report.states == 12_936
    assert (stat(report, "interpreter calls") + stat(report, "run directly")) * 2 < report.states
