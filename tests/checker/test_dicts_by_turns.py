"""Comprehensions and loops over the keys of dicts that take many values: a turn for each key is remembered."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed
from tests.random.dicts import program
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.sample import one_in
from tests.stats import runs

LOCKS = """
---
deadlock_detection: false
---
KEYS = 8
CLIENTS = 3
action Init:
    owner = {k: None for k in range(KEYS)}
    since = {}
atomic action Acquire:
    c = oneof range(CLIENTS)
    k = oneof [k for k in owner if owner[k] == None]
    require len([x for x in owner if owner[x] == c]) < 2
    owner[k] = c
atomic action Release:
    k = oneof range(KEYS)
    require owner[k] != None
    owner[k] = None
atomic action Note:
    k = oneof [0, 1]
    since[k] = owner[k]
"""
COUNTED = "always assertion Few: return all([len([k for k in owner if owner[k] == c]) < 3 for c in range(CLIENTS)])\n"
PROPERTIES = [
    "always assertion P: return len([k for k in owner if owner[k] == 1]) < 2",
    "always assertion P: return not any(owner[k] == 2 and k in since for k in owner)",
    "always assertion P: return all([since[k] != 1 or owner[k] == 1 for k in since])",
    "always assertion P: return [k for k in owner if owner[k] == 2] != [1, 3]",
    "always assertion P: return max([k for k in owner if owner[k] != None]) < 7",
    "always assertion P: return len([k for k in owner if len([j for j in owner if owner[j] == owner[k]]) == 1]) < 3",
    "always assertion P:\n    held = 0\n    for k in owner:\n        if owner[k] == 0:\n            held += k\n"
    "    return held < 9",
    "always assertion P:\n    for k in owner:\n        if owner[k] == since.get(0, 0):\n            return k > 2\n"
    "    return True",
    # What fails at a key is an error only where the turn is taken.
    "always assertion P: return not any(since[k] == 1 for k in owner)",
    "always assertion P: return all(k > 1 or since[k] == owner[k] for k in owner if owner[k] == 2)",
    "transition assertion P(before, after):\n"
    "    return len([k for k in after.owner if after.owner[k] != before.owner[k]]) + len(after.since) < 3",
    "leadsto assertion P: return (any(owner[k] == 1 for k in owner), all(owner[k] != 1 for k in owner))",
]


@pytest.mark.parametrize("text", one_in(5, PROPERTIES))
def test_properties(text: str) -> None:
    """Verdicts, counts and traces are those of the plain engine."""
    agreed(LOCKS.replace("KEYS = 8", "KEYS = 4") + text + "\n", states=150)


def test_a_turn_is_remembered_and_not_a_dict() -> None:
    """Nearly each state has an `owner` of its own: no call for each, and not many functions of Python either."""
    report = check(fizz.load("m.fizz", text=LOCKS + COUNTED), settings=Settings(stats=True))
    assert report.states > 30_000
    assert runs(report) * 10 < report.states


def test_loops_are_no_new_case_for_each_dict_either() -> None:
    """The same with statements."""
    loops = """\
always assertion Few:
    for c in range(CLIENTS):
        held = 0
        for k in owner:
            if owner[k] == c:
                held += 1
        if held > 2:
            return False
    return True
"""
    report = check(fizz.load("m.fizz", text=LOCKS + loops), settings=Settings(stats=True))
    assert runs(report) * 10 < report.states


@pytest.mark.parametrize("seed", one_in(4, range(100, 112)))
def test_programs_about_dicts(seed: int) -> None:
    """What is made up by `python -m tests.random.dicts`."""
    source = seeded(seed)
    text = program(source)
    assert broken(text, settings_of(source)) is None, text
