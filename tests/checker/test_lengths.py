"""A list is asked whether it is longer than what it is compared with, and its first members one by one."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.random.laws import differences, reports
from tests.random.lengths import program
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.sample import one_in
from tests.stats import stat

MODEL = """
---
options: {max_actions: 2, crash_on_yield: false}
---
action Init:
    xs = [1, True]
    rows = [[0], [], [[1], [1.0]]]
    by = {"a": [1, 1.0], 1: [None]}
    n = 2
    found = []

atomic action Grow:
    require len(xs) < 4
    x = oneof [1, True, 1.0, "a"]
    xs.append(x)
    rows[0] = rows[0] + xs[-1:]
    by[1] = oneof [xs[1:], None, "ab", {1: 1, 2: 2}, xs[:0]]

atomic action Look:
    require not found
    BODY
"""
BODIES = {
    "compared with numbers": "found = [len(xs) < 2, len(xs) <= 3, len(xs) > 3, 2 >= len(xs), 3 != len(xs)]",
    "no numbers": "found = [len(xs) == None, len(xs) == 'a', len(xs) == True, len(xs) != 2.0, len(xs) < 2.5]",
    "of each other": "found = [len(xs) > len(rows[0]), len(rows[1]) == len(rows[2]), len(xs) <= len(by['a'])]",
    "of what is no list": "found = [len(by) == 2, len(by[1]) > 2]",
    "far and near": "found = [len(xs) < 100, len(xs) > -1, len(xs) >= 0, len(xs) < 1, len(xs) == -1, len(rows[1]) > 0]",
    "the first of them": "found = [xs[:2] == [1, True], xs[:3] == xs, xs[:2] != rows[0], [1] == xs[:1], xs[:9] == xs]",
    "of equal looks": "found = [xs[:2] == [1, 1], xs[:2] == [True, True], rows[2][:2] == [[1], [1]]]",
    "no first ones": "found = [xs[:0] == [], rows[1][:1] == [], xs[:-1] == [1], by[1][:1] == xs[:1], xs[:None] == xs]",
    "a part": "found = [xs[1:2], xs[3:9], xs[2:1], xs[1:], xs[:], xs[::2], rows[0][-1:], rows[2][0:1]]",
    "a part by no number": "found = xs[:(None if len(xs) < 4 else 'a')]",
    "a place beyond the end": "found = xs[3]",
    "a negative place": "found = [xs[-1], xs[-2], xs[-len(xs)]]",
    "one that has changed": "xs.append(5)\n    found = [len(xs) < 4, xs[:3], xs[2], len(xs) > 5, xs[:9] == xs]",
    "one that is whole": "ys = xs\n    found = [len(ys) > 2, ys == xs[:3], ys[:2] == xs, bool(ys), not rows[1]]",
    "of a choice": "k = oneof range(3)\n    require k < len(xs)\n    found = [xs[:k] == rows[0], xs[k]]",
    "in lists": "found = [x[:2] == xs for x in [xs] + rows] + [len([row for row in rows if len(row) > 1]) == 1]",
    "kept in a list": "lists = [xs] + rows\n    found = [len(lists[2]) > 0, lists[0][:1] == [1], len(lists) > 3]",
    "in a function": "found = [longer(xs, k) for k in range(4)]",
}
QUEUES = {
    "the first one": "require len(q) > 0\n    seen = q.pop(0)",
    "the first and a new one": "require q\n    m = q.pop(0)\n    q.append([m, 1])\n    seen = len(q)",
    "a new one and the first": "q.append(n)\n    seen = [q.pop(0), len(q), q[0:1]]",
    "two of them": "require len(q) > 1\n    q.pop(1)\n    q.pop(0)\n    q.append(n)\n    seen = q[-1]",
    "the last one": "require q\n    seen = [q.pop(), len(q) > 1]",
    "a new one only": "q.append(n)\n    q.pop()\n    seen = q[:1]",
    "without the first": "require q\n    m = q[0]\n    q = q[1:]\n    seen = [m, len(q), q == [1]]",
    "without more than there are": "q = q[2:]\n    seen = [bool(q), len(q) < 1]",
    "a part for another": "other = q[1:]\n    seen = len(other)\n    q = other",
    "any of them": "i = oneof range(len(q))\n    seen = q[i]\n    q.pop(i)",
    "one that is equal": "m = oneof q\n    q.remove(m)\n    seen = [m, q]",
    "one that is not there": "require q\n    q.remove(7)",
    "none": "q.pop(0)",
    "one that is changed": "require len(q) > 1\n    q.pop(0)\n    q[0] = 5\n    seen = q",
    "one that is looked at": "require q\n    q.pop(0)\n    seen = [m for m in q] + [1 in q, q + q == q]",
    "one in a list": "require qs[0]\n    m = qs[0].pop(0)\n    qs[1].append(m)\n    seen = (qs[1][0], len(qs[0]))",
}
QUEUE = """
---
options: {max_actions: 4, crash_on_yield: false}
---
action Init:
    q = []
    qs = [[0], []]
    n, seen = 0, None

atomic action Put:
    require len(q) < 3
    n = oneof [1, True]
    q.append(oneof_item(n))
    qs[0].append(n)

atomic action Take:
    BODY

def oneof_item(n):
    return {"a": n} if n == True else n
"""
INBOXES = """
---
options: {max_actions: 100000, crash_on_yield: false}
deadlock_detection: false
---
NODES = 6

role Node:
    action Init:
        self.state, self.inbox = "working", []

    atomic action Receive:
        require len(self.inbox) > 0
        kind, who = self.inbox.pop(0)
        if kind == "prepare":
            self.state = "prepared"
            leader.inbox.append(("yes", who))
        else:
            self.state = kind

role Leader:
    action Init:
        self.votes, self.inbox = {}, []

    atomic action Start:
        require not self.votes
        self.votes = {-1: "yes"}
        for n in range(NODES):
            nodes[n].inbox.append(("prepare", n))

    atomic action Receive:
        require len(self.inbox) > 0
        kind, who = self.inbox.pop(0)
        self.votes[who] = kind
        if len([vote for vote in self.votes.values() if vote == "yes"]) > NODES:
            for node in nodes:
                node.inbox.append(("committed", None))

action Init:
    leader = Leader()
    nodes = [Node() for _ in range(NODES)]
"""
DEF = """
def longer(values, k):
    if len(values) > k:
        return values[:k] == [1, True]
    return values[k:]
"""
LOGS = """
---
options: {max_actions: 100000, crash_on_yield: false}
deadlock_detection: false
---
MOST = 9

role Node:
    action Init:
        self.log = []

    atomic action Write:
        require len(self.log) < MOST
        self.log.append(len(self.log))

action Init:
    nodes = [Node() for _ in range(3)]
    common = []

atomic action Learn:
    size = len(common)
    require len([node for node in nodes if len(node.log) > size]) > 1
    common.append(size)

always assertion Everywhere:
    return len([log for log in [node.log for node in nodes] if log[:len(common)] == common]) > 1

transition assertion Grows(before, after):
    old, new = [node.log for node in before.nodes], [node.log for node in after.nodes]
    pairs = zip([before.common] + old, [after.common] + new)
    return all([longer[:len(log)] == log for log, longer in pairs])
"""


@pytest.mark.parametrize("name", one_in(3, BODIES))
def test_engines_agree(name: str) -> None:
    """Verdicts, counts, stories and errors; equal members of several types, and values that are no lists."""
    text = MODEL.replace("BODY", BODIES[name]) + DEF
    assert reports(text, Settings(keep_going=True), ())["plain"].states > 10
    assert not differences(text, Settings(keep_going=True), ("rows", "columns", "early columns"))


def test_lengths_are_compared() -> None:
    """Logs that are counted by their lengths are not asked how long they are: calls grow with lengths, not states."""
    report = check(fizz.load("m.fizz", text=LOGS), engine="columns", settings=Settings(stats=True))
    assert report.exit_code == 0
    assert report.states == sum((10 - n) ** 3 + 3 * n * (10 - n) ** 2 for n in range(10))
    assert stat(report, "interpreter calls") * 5 < report.states


@pytest.mark.parametrize("name", QUEUES)
def test_engines_agree_on_queues(name: str) -> None:
    """Members that are taken from a list, and such as are added to it, in one step or several."""
    text = QUEUE.replace("BODY", QUEUES[name])
    assert reports(text, Settings(keep_going=True), ())["plain"].states > 4
    assert not differences(text, Settings(keep_going=True), ("rows", "columns", "early columns"))


def test_the_first_is_asked_alone() -> None:
    """Who takes the first message of an inbox is asked for that, and who sends one for nothing of it."""
    report = check(fizz.load("m.fizz", text=INBOXES), engine="columns", settings=Settings(stats=True))
    assert report.exit_code == 0
    assert stat(report, "interpreter calls") * 3 < report.states


@pytest.mark.parametrize("block", one_in(4, range(4)))
def test_random_programs(block: int) -> None:
    """Random programs about lengths; `python -m tests.random.lengths` has as many as you like."""
    for seed in range(6 * block, 6 * block + 6):
        source = seeded(seed)
        text = program(source)
        assert broken(text, settings_of(source), ("early columns", "direct columns")) is None, text
