"""Assertions whose verdict is that of some turns: each turn is remembered by what it alone asks.

It is `all` or `any` of a comprehension, or of loops that pass nothing from turn to turn.
"""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from tests.random.laws import differences, reports
from tests.sample import one_in
from tests.stats import stat

MODEL = """
---
options: {{max_actions: 3, crash_on_yield: false}}
---
role Node:
    action Init:
        self.log = []
        self.seen = {{}}
    atomic action Append:
        require len(self.log) < 2
        value = oneof [0, 1, 2]
        self.log.append(value)
        self.seen[value] = len(self.log)
    {own}
def is_long(items): return len(items) > 1 and items[0] < items[1]
action Init:
    nodes = [Node() for i in range(3)]
    counts = {{key: 0 for key in ["a", "b", "c"]}}
    line, pairs, many = [3, 1, 2], [(0, 1), (1, 2)], [0] * {many}
atomic action Count:
    key = oneof counts
    require counts[key] < 2
    counts[key] += 1
    many[counts[key]] = counts[key]
atomic action Turn:
    require line
    line.append(line.pop(0))
atomic action Drop:
    require line
    line.pop()
{assertion}
"""
STATES = {
    "instances": "all([len(node.log) < 3 for node in nodes])",
    "instances, violated": "all([0 not in node.log or 2 not in node.log for node in nodes])",
    "keys of a dict": "all([counts[key] < 3 for key in counts])",
    "entries of a dict": "all([count < 2 or key != 'b' for key, count in counts.items()])",
    "members of a list": "all([one > 0 for one in line])",
    "members that are unpacked": "all([first < len(line) + 5 for first, second in pairs])",
    "places": "all([line[i] != 3 or i < 2 for i in range(len(line))])",
    "numbered": "all([i < 2 or one != 3 for i, one in enumerate(line)])",
    "chosen ones": "all([one != counts['b'] + 1 for one in line if one != counts['a']])",
    "of each some": "all([value < 3 for node in nodes for value in node.log if node.seen[value] < 3])",
    "pairs": "all([counts[one] + counts[other] < 4 for one in counts for other in counts])",
    "pairs, violated": "all([a.log[:1] != b.log[-1:] or a == b or not a.log for a in nodes for b in nodes])",
    "pairs of some": "all([one != other + 2 for one in line if one > counts['a'] for other in line if other != one])",
    "pairs of none": "any([one == other for one in line for other in line[3:]]) or counts['a'] < 3",
    "of each as many": "any([i + len(node.log) == 3 for node in nodes for i in range(len(node.log)) if i < 2])",
    "no triple": "not any([a + b + c == 5 for a in line for b in counts.values() if b for c in line if c > b])",
    "pairs of which one fails": "all([line[counts[one] + counts[other]] for one in counts for other in counts])",
    "pairs of one": "all([one < 3 or two for one in line[:1] for two in line[1:]])",
    "a lazy one of pairs": "all(one < 3 or not two for one in line for two in counts.values())",
    "a lazy one": "all(counts[key] < 2 for key in counts)",
    "a lazy one with conditions": "all(counts[key] < 2 or line for key in counts)",
    "any": "any([counts[key] == 0 for key in counts])",
    "any of few": "any([one == 3 for one in line])",
    "none": "not any([counts[key] == 2 for key in counts])",
    "not all": "not all([counts[key] == 1 for key in counts])",
    "beside others": "len(line) < 4 and counts['a'] < 3 and all([one < 4 for one in line])",
    "or others": "not line or counts['c'] == 0 or any([one == 1 for one in line])",
    "values that are no bools": "all([counts[key] + 1 for key in counts])",
    "a turn that fails": "all([line[counts[key]] > 0 for key in counts])",
    "a turn that fails after one that decides": "all([counts[key] == 0 and line[2] for key in counts])",
    "a lazy turn that fails": "all(counts[key] < 1 and line[1] for key in counts)",
    "more turns than are asked one by one": "all([one < 2 for one in many])",
    "sums in turns": "all([sum([other for other in line if other != one]) < 6 for one in line])",
}
STEPS = {
    "two sides": "all([new.log[:len(old.log)] == old.log for old, new in zip(before.nodes, after.nodes)])",
    "two sides, violated": "all([after.counts[key] <= 1 or before.counts[key] > 1 for key in before.counts])",
    "any side": "any([after.counts[key] != before.counts[key] for key in before.counts]) or before.line == after.line",
}
LOOPS = {
    "instances": """
    for node in nodes:
        if len(node.log) == 2 and node.log[0] == 2:
            return False
    return True""",
    "that skip some": """
    for key in counts:
        if counts[key] == 0:
            continue
        if counts[key] > 1 and not line:
            return False
    return True""",
    "in each other": """
    for first in nodes:
        for second in nodes:
            if first.log and second.log and first.log[0] + second.log[-1] == 4:
                return False
    return True""",
    "in each other with more around": """
    most = max(counts.values())
    for first in nodes:
        size = len(first.log)
        if size == 0:
            continue
        for second in nodes:
            both = size + len(second.log)
            if both > 3:
                return most > 1
        if size == 2 and line:
            return True
    return len(line) == 3""",
    "one after the other": """
    for key, count in counts.items():
        if count == 2 and key == 'a':
            return False
    some = len(line)
    for one in line:
        if one == some:
            return True
    return counts['b'] < 2""",
    "under a condition": """
    if counts['a']:
        for node in nodes:
            if node.log == [1, 2]:
                return False
    elif line:
        return line[0] < 4
    return counts['c'] < 3""",
    "with one in them that is left": """
    for key in counts:
        found = 0
        for one in line:
            if one == counts[key]:
                found = one
                break
        if found == 2:
            return False
    return True""",
    "with a verdict of turns in them": """
    for node in nodes:
        if node.log:
            return all([node.seen[value] < 3 for value in node.log])
    return any([one == 1 for one in line])""",
    "unpacked": """
    for first, second in pairs:
        if len(line) > first and line[first] == second + counts['b']:
            return False
    return True""",
    "numbered": """
    for index, one in enumerate(line):
        if one == index + counts['a']:
            return False
    return True""",
    "of elements": """
    for value in set([len(node.log) for node in nodes]):
        if value > 1 and counts['c'] > 0:
            return False
    return True""",
    "of nothing at times": """
    for one in line:
        if one > 4:
            return False
    for one in [other for other in line if other > 1]:
        return counts['a'] < 2
    return True""",
    "that fail": """
    for key in counts:
        if line[counts[key]] == 9:
            return False
    return True""",
    "that fail after one that returns": """
    for key in counts:
        if counts[key] == 1:
            return True
        if line[counts[key]] == 9:
            return False
    return True""",
    "that count": """
    sum_of = 0
    for key in counts:
        sum_of = sum_of + counts[key]
        if sum_of == 3:
            return False
    return True""",
    "with values that are no bools": """
    for key in counts:
        if counts[key] > 1:
            return line
    return nodes""",
    "with a `def`": """
    for node in nodes:
        if is_long(node.log) and counts['a']:
            return False
    return True""",
}
OF_STEPS = """
    for old, new in zip(before.nodes, after.nodes):
        for value in old.log:
            if value not in new.log:
                return False
    for key in before.counts:
        if after.counts[key] == 2 and before.line != after.line:
            return False
    return True"""
OWN = "all([self.seen[value] < 3 for value in self.seen])"
ENGINES = ("rows", "columns", "early columns")


TOO_MANY = """
    for one in many:
        for other in many:
            if one + other == 4 and not line:
                return False
    return True"""


def model(assertion: str, own: str = "pass", many: int = 70) -> str:
    return MODEL.format(assertion=assertion, own=own, many=many)


CASES = {
    **{name: model(f"always assertion Holds:\n    return {one}") for name, one in STATES.items()},
    **{name: model(f"transition assertion Holds(before, after):\n    return {one}") for name, one in STEPS.items()},
    **{f"loops {name}": model(f"always assertion Holds:{body}") for name, body in LOOPS.items()},
    "loops of too many turns": model(f"always assertion Holds:{TOO_MANY}").replace("max_actions: 3", "max_actions: 1"),
    "loops over two sides": model(f"transition assertion Holds(before, after):{OF_STEPS}"),
    "loops, exists": model(f"exists assertion Holds:{LOOPS['in each other']}"),
    "loops, eventually": model(f"always eventually assertion Holds:{LOOPS['that skip some']}"),
    "of an instance": model("", own=f"always assertion Holds:\n        return {OWN}"),
    "exists": model("exists assertion Met:\n    return all([counts[key] == 1 for key in counts])"),
    "eventually": model("always eventually assertion Met:\n    return any([counts[key] == 1 for key in counts])"),
    "as many turns as are asked one by one": model(
        "always assertion Holds:\n    return all([one < 2 for one in many])", many=64
    ),
}


@pytest.mark.parametrize("name", one_in(5, CASES))
def test_engines_agree(name: str) -> None:
    """Verdicts, counts, stories, and what is warned of."""
    text = CASES[name]
    assert reports(text, Settings(keep_going=True), ())["plain"].states > 10
    for keep_going in (True, False):
        assert not differences(text, Settings(keep_going=keep_going, limits=Limits(states=400)), ENGINES)


def test_a_turn_is_remembered_by_what_it_asks() -> None:
    """The verdict for many logs needs a call for each log that one of them may be."""
    text = model("always assertion Holds:\n    return all([len(node.log) < 3 for node in nodes])")
    report = check(fizz.load("m.fizz", text=text), engine="columns", settings=Settings(stats=True))
    assert report.states > 500
    assert stat(report, "interpreter calls") * 4 < report.states


def test_a_pair_is_remembered_by_what_it_asks() -> None:
    """The verdict for all pairs does not need one for each three logs."""
    text = model(
        "always assertion Holds:\n    return all([a.log != b.log or a.seen == b.seen for a in nodes for b in nodes])"
    )
    report = check(fizz.load("m.fizz", text=text), engine="columns", settings=Settings(stats=True))
    alone = check(fizz.load("m.fizz", text=model("")), engine="columns", settings=Settings(stats=True))
    assert report.states == alone.states > 500
    assert stat(report, "interpreter calls") - stat(alone, "interpreter calls") < report.states / 2


EXECUTED = {
    "what follows a loop that returns": """
    for i in range(3):
        if i == 0 and n >= 0:
            return True
    return n > 7""",
    "later turns": """
    for i in range(3):
        if i == 0 and n >= 0:
            return True
        if n > 0 and k > 0:
            x = n + k
    return True""",
    "a part in later turns": """
    for i in range(3):
        if i == 1:
            return n >= 0
        if i > 1 and k == 1:
            return False
    return True""",
    "an inner loop of later turns": """
    for i in [0, 1, 2]:
        if i == 1:
            return k < 3
        for j in range(2):
            if i > 1 or j > 2:
                y = j + n
                return False
    return True""",
    "after statements that differ": """
    x = n
    if n > 20:
        x = k
    for i in range(3):
        if x + i == 2:
            return True
        if x + i == 1 and i == 1:
            z = x + n
    if x < 50:
        return True
    return x > 2 and k > 1""",
    "comprehensions in turns": """
    for i in range(2):
        if i == 1:
            return all([one < 40 or one > k for one in [n, k, 41]])
    return any([one > 40 or one == n for one in [n, k]])""",
    "too many turns": """
    for i in range(70):
        for j in range(70):
            if i == 1 and n >= 0:
                return True
            if i == 2 and k > 1:
                w = n + k
    return n > 7""",
}
COUNTERS = """
action Init: n, k = 0, 0
atomic action Up: n = (n + 1) % 40
atomic action Down: k = (k + 1) % 3
always assertion Holds:"""


@pytest.mark.parametrize("name", EXECUTED)
def test_what_counts_as_executed(name: str) -> None:
    """Turns after the one with the verdict, and what follows the loop then, do not, though they are remembered."""
    text = COUNTERS + EXECUTED[name]
    assert "W16" in [one.code for one in reports(text, Settings(keep_going=True), ())["plain"].warnings]
    assert not differences(text, Settings(keep_going=True), ("rows", "columns", "two workers"))


def test_turns_of_loops_are_recorded() -> None:
    """Each turn of a loop is remembered by what it asks, and run as a function of Python."""
    text, settings = CASES["loops in each other"], Settings(stats=True, keep_going=True)
    report = check(fizz.load("m.fizz", text=text), engine="columns", settings=settings)
    assert report.states > 500
    calls = stat(report, "interpreter calls")
    assert calls * 4 < report.states
    assert calls - stat(report, "recorded by functions") < 200
