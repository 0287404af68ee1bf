"""Sets that get, or lose, the elements of others: every engine finds what the plain one finds, and asks for little."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.random.laws import differences, reports
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.random.unions import ENGINES, program
from tests.stats import stat

MODEL = """\
---
deadlock_detection: false
options: {max_actions: 5, crash_on_yield: false}
---
action Init:
    s, t, x = set([1]), set(), 0
    by = {"a": set(), "b": set([2])}
    table = {"a": {"k": [1]}, "b": {"k": []}}
atomic action Add:
    n = oneof [1, 2, 1.0]
    where = oneof ["a", "b"]
    by[where].add(n)
atomic action Change:
    BODY
"""
BODIES = {
    "the same place": "s = s | by['a']",
    "another place": "s = by['a'] | by['b']",
    "the second set": "s = by['a'] | s",
    "in place": "s |= by['a']\n    by['b'] -= s",
    "a field of a dict": "by['b'] = by['b'] | by['a']\n    by['a'] = by['a'] - s",
    "a set and itself": "s -= s\n    t |= t\n    x = len(s.difference(s)) + len(s.symmetric_difference(s))",
    "read after": "by['b'] |= by['a']\n    x = len(by['b'])\n    t = set([e for e in by['b'] if e > 1])",
    "twice": "by['b'] |= by['a']\n    by['b'] -= s\n    by['b'].add(3)",
    "a local": "v = by['a'] | s\n    x = len(v)\n    v.add(9)\n    t = v",
    "methods": "s.update(by['a'])\n    t = t.union(by['b'])\n    by['a'] = by['a'].difference(s)",
    "not a set": "s |= [1]",
    "a list": "s.update([1, 2])\n    t = t.union([3])",
    "dicts": "table['a'] |= table['b']\n    table['b']['k'].append(x)\n    x += 1",
    "a difference of numbers": "x -= 1\n    x |= 4",
}


@pytest.mark.parametrize("name", BODIES)
def test_engines_agree(name: str) -> None:
    """What is read in the same step, stored elsewhere, equal and looks alike, or is no set."""
    text = MODEL.replace("BODY", BODIES[name])
    assert reports(text, Settings(keep_going=True), ())["plain"].states > 2
    assert not differences(text, Settings(keep_going=True), ENGINES)


MERGED = """\
---
deadlock_detection: false
options: {crash_on_yield: false, max_actions: 100}
---
N = 2
action Init:
    adds = {n: set() for n in range(N)}
    removed = {n: set() for n in range(N)}
    tags = 0
atomic action Add:
    n, item = oneof [(n, item) for n in range(N) for item in ["a", "b"]]
    require tags < 3
    adds[n].add((item, tags))
    tags += 1
atomic action Remove:
    n = oneof range(N)
    removed[n] = removed[n] | set([t for t in adds[n] if t[0] == "a"])
atomic action Merge:
    n = oneof range(N)
    MERGE
"""


@pytest.mark.parametrize(
    "merge",
    [
        "adds[n] = adds[n] | adds[1 - n]\n    removed[n] |= removed[1 - n]",
        "adds[n].update(adds[1 - n])\n    removed[n] = removed[n].union(removed[1 - n])",
    ],
)
def test_only_what_is_put_in_is_asked_for(merge: str) -> None:
    """A set that gets the elements of another one is not asked for its own: calls do not grow with pairs of both."""
    text = MERGED.replace("MERGE", merge)
    report = check(fizz.load("m.fizz", text=text), engine="rows", settings=Settings(stats=True))
    assert report.states > 700
    assert stat(report, "interpreter calls") < 0.7 * report.states


def test_random_programs() -> None:
    """Random programs about unions; `python -m tests.random.unions` has as many as you like."""
    for seed in range(16):
        source = seeded(seed)
        text = program(source)
        assert broken(text, settings_of(source), ("rows", "direct columns")) is None, text


REMOVED_FIRST = """\
---
deadlock_detection: false
options: {crash_on_yield: false}
---
action Init:
    t = 0
    s = set()
atomic action Add:
    require t > 0
    s.add("a")
atomic action Remove:
    t = 1
    s.discard("a")
"""


def test_what_is_removed_before_it_was_ever_added() -> None:
    """The rule that removes an element learns what it adds to keys when another rule has added it."""
    assert not differences(REMOVED_FIRST, Settings(keep_going=True), (*ENGINES, "two workers"))
