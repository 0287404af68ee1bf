"""Loops in loops, whose trees are long to walk."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed
from tests.stats import stat

SETS = """\
---
deadlock_detection: false
---
REPLICAS = 3
ELEMENTS = ["x", "y"]
action Init:
    replicas = {r: {"added": set(), "removed": set()} for r in range(REPLICAS)}
def value(replica):
    return set([e for e in replica["added"] if e not in replica["removed"]])
atomic action Add:
    r = oneof range(REPLICAS)
    e = oneof ELEMENTS
    replicas[r]["added"].add(e)
atomic action Remove:
    r = oneof range(REPLICAS)
    e = oneof ELEMENTS
    require e in replicas[r]["added"]
    replicas[r]["removed"].add(e)
"""
LOOPS = {
    "values": "if replicas[a] == replicas[b] and value(replicas[a]) != value(replicas[b])",
    "violated": "if len(value(replicas[a])) == 2 and value(replicas[b]) == set() and replicas[b]['removed']",
    "a failure": "if value(replicas[a]) == value(replicas[b]) and a != b and 1 // len(value(replicas[a]) or [1]) > 1",
    "differences": "if replicas[a]['added'] - replicas[a]['removed'] == replicas[b]['removed'] and a > 5",
}


def text_of(condition: str) -> str:
    lines = ["for a in replicas:", "    for b in replicas:", f"        {condition}:", "            return False"]
    return SETS + "always assertion P:\n" + "".join(f"    {line}\n" for line in lines) + "    return True\n"


@pytest.mark.parametrize("condition", LOOPS.values(), ids=LOOPS)
def test_engines_agree(condition: str) -> None:
    agreed(text_of(condition).replace("REPLICAS = 3", "REPLICAS = 2"))


def test_few_of_its_paths_are_new() -> None:
    """Each row comes to nodes of its own, to which it is led one by one: that is no reason to run it directly."""
    text = text_of("if value(replicas[a]) != value(replicas[b]) and a > 5").replace("REPLICAS = 3", "REPLICAS = 4")
    found = check(fizz.load("m.fizz", text=text), engine="columns", settings=Settings(keep_going=True, stats=True))
    assert found.verdict == "passed" and found.states == 9**4
    assert (stat(found, "run directly") + stat(found, "interpreter calls")) * 8 < found.states
