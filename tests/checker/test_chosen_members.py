"""Choices among the members of lists and dicts that are changed after: what is chosen stands for a place."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed
from tests.direct.differential import compare_text

HEAD = """\
---
options: {crash_on_yield: false}
deadlock_detection: false
---
"""
TASKS = """\
action Init:
    tasks = MADE
    log = 0
    role_of = None
atomic action Claim:
    w = oneof [1, 2]
    t = oneof [t for t in MEMBERS if t.state == "new"]
    require not any([t.owner == w for t in MEMBERS])
    t.state = "running"
    t.owner = w
atomic action End:
    USE
always assertion One:
    return all([len([t for t in MEMBERS if t.owner == w]) <= 1 for w in [1, 2]])
"""
LISTS = '[record(state="new", owner=None, tries=0) for _ in range(3)]', "tasks"
DICTS = '{k: record(state="new", owner=None, tries=0) for k in ["a", "b", "c"]}', "tasks.values()"
USES = {
    "kept": 't = oneof [t for t in MEMBERS if t.state == "running"]\n    t.state = "done"\n    t.owner = None',
    "all": 't = oneof MEMBERS\n    require t.state == "running" and t.tries < 1\n    t.state = "new"\n'
    "    t.owner = None\n    t.tries += 1",
    "condition": 't = oneof MEMBERS if t.state == "running"\n    t.state = "done"',
    "another name": 't = oneof [x for x in MEMBERS if x.state == "running" and x.tries == 0]\n    t.tries = 1',
    "names inside": "t = oneof [x for x in MEMBERS if len([t for t in [1, 2] if t == x.owner]) == 1]\n    t.tries = 1",
    "lambda": "t = oneof [t for t in MEMBERS if t.owner == max([1, 2], key=lambda t: t)]\n    t.tries = 1",
    "two": 't = oneof [t for t in MEMBERS if t.state == "running"]\n'
    '    u = oneof [u for u in MEMBERS if u.state == "new"]\n    t.state = "done"\n    u.tries = 1',
    "read only": 't = oneof [t for t in MEMBERS if t.state == "running"]\n    log = t.owner',
    "changed before": 't = oneof [t for t in MEMBERS if t.owner == 1]\n    t.owner = None\n    t.state = "done"\n'
    '    u = oneof [u for u in MEMBERS if u.owner == 2]\n    u.state = "done"',
    "stored": "t = oneof [t for t in MEMBERS if t.owner == 1]\n    require log == 0\n    log = t",
    "none": "t = oneof [t for t in MEMBERS if t.tries == 7]\n    t.tries = 8",
    "two loops": 't = oneof [t for u in [1, 2] for t in MEMBERS if t.owner == u]\n    t.state = "done"',
    "index in a list": "t = oneof [i for i, t in enumerate(list(MEMBERS)) if t.owner == 1]\n    log = t",
}
OTHERS = {
    "removed": 'q = oneof [m for m in msgs if m["n"] > 0]\n    q["n"] -= 1\n'
    '    if q["n"] == 0:\n        msgs.remove(q)',
    "plain": "q = oneof [m for m in plain if m > 1]\n    got = q",
    "plain values": "q = oneof numbers.values()\n    got = q",
    "some plain values": "q = oneof [v for v in numbers.values() if v > 1]\n    got = q",
    "keys": 'q = oneof [numbers[k] for k in numbers if k != "b"]\n    got = q',
    "lists": "q = oneof [v for v in lists.values() if len(v) < 2]\n    q.append(1)",
    "members by key": "q = oneof [lists[k] for k in lists if len(lists[k]) < 2]\n    q.append(2)",
    "keys that are tuples": "q = oneof [v for v in pairs.values() if len(v) < 2]\n    q.append(1)",
    "all keys that are tuples": "q = oneof pairs.values()\n    require len(q) < 2\n    q.append(1)",
    "a dict": "q = oneof {k: lists[k] for k in lists if len(lists[k]) < 2}\n    lists[q].append(1)",
    "keys of a dict": "q = oneof {k: k for k in lists}\n    require len(lists[q]) < 2\n    lists[q].append(1)",
    "a generator": "q = oneof list(lists[k] for k in lists if len(lists[k]) < 2)\n    q.append(1)",
    "members of pairs": 'q = oneof [lists[k] for (k,) in [("a",), ("b",)] if len(lists[k]) < 2]\n    q.append(1)',
    "instances": "q = oneof [n for n in nodes.values() if n.x < 2]\n    q.x += 1",
    "all instances": "q = oneof nodes.values()\n    require q.x < 2\n    q.x += 1",
    "some instances of a list": "q = oneof [q for q in row if q.x < 2]\n    q.x += 1",
    "block": 'oneof q in [m for m in msgs if m["n"] > 0]:\n        q["n"] -= 1',
}
ALL = """\
role Node:
    action Init: self.x = 0
action Init:
    msgs = [{"n": 1}, {"n": 1}, {"n": 2}]
    plain = [1, 2, 3]
    numbers = {"a": 1, "b": 2, "c": 2}
    lists = {"a": [], "b": [1]}
    pairs = {(1, "a"): [], (True, "a"): [1], (2, None): []}
    nodes = {"a": Node(), "b": Node()}
    row = [nodes["a"], nodes["b"]]
    got = 0
atomic action Use:
"""


def tasks(use: str, kind: tuple[str, str]) -> str:
    """A model of tasks in a list or dict."""
    made, members = kind
    return HEAD + TASKS.replace("USE", use).replace("MADE", made).replace("MEMBERS", members)


@pytest.mark.parametrize("kind", [LISTS, DICTS], ids=["list", "dict"])
@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_engines_agree_on_tasks(use: str, kind: tuple[str, str]) -> None:
    """Verdicts, counts and traces are the same, also where chosen members are equal; and so is each rule by itself."""
    text = tasks(use, kind)
    agreed(text)
    compare_text(text)


@pytest.mark.parametrize("use", OTHERS.values(), ids=OTHERS.keys())
def test_engines_agree_on_others(use: str) -> None:
    """Also on what is no container, on instances of roles, and on members that are taken out."""
    text = HEAD + ALL + f"    {use}\n"
    agreed(text, states=2_000)
    compare_text(text)


@pytest.mark.parametrize("kind", [LISTS, DICTS], ids=["list", "dict"])
def test_what_is_chosen_goes_by_functions(kind: tuple[str, str]) -> None:
    """The interpreter runs no rule for the thousandth time: recorded or directly, functions do."""
    made, members = kind
    made = made.replace('["a", "b", "c"]', "range(8)").replace("range(3)", "range(8)")
    text = tasks(USES["kept"].replace("MEMBERS", members), (made, members))
    report = check(fizz.load("m.fizz", text=text), settings=Settings(keep_going=True, stats=True))
    stats = report.stats
    assert report.states > 5_000
    interpreted = int(stats["interpreter calls"]) - int(stats["recorded by functions"])  # type: ignore[call-overload]
    assert interpreted < report.states / 2
