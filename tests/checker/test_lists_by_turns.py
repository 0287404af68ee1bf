"""Comprehensions and loops over lists that take many values: each turn is remembered, not each list."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from tests.checker.test_elements import agreed
from tests.random.laws import differences, reports
from tests.random.lists import program
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.sample import one_in
from tests.stats import runs, stat

MODEL = """
---
options: {max_actions: 100, crash_on_yield: false}
deadlock_detection: false
---
role Node:
    action Init:
        self.log = []
action Init:
    history, n = [], 0
    logs = [[] for i in range(2)]
    nodes = [Node() for i in range(2)]
    odd = [0]
atomic action Write:
    require len(history) < 3
    word = oneof ["put", "get"]
    value = oneof [0, 1]
    history.append((word, value))
    n = len([e for e in history if e[0] == "get"])
atomic action Copy:
    i = oneof [0, 1]
    require len(logs[i]) < len(history)
    logs[i].append(history[len(logs[i])])
    nodes[i].log = nodes[1 - i].log + [i]
    require len(nodes[i].log) < 3
atomic action Odd:
    require len(odd) < 3
    which = oneof range(8)
    odd.append([1, 1.0, True, 2, "1", [1], set([2]), nodes[0]][which])

def total(values):
    count = 0
    for v in values:
        count += v[1]
    return count

def last_of(log, word):
    found = None
    for name, value in log:
        if name == word:
            found = value
    return found

"""
ANSWERS = {
    "all": 'return all([e[0] in ["put", "get"] for e in history])',
    "any": 'return not any([e == ("put", 1) for e in history]) or n < 2',
    "a lazy one": "return all(e[1] < 2 for e in history)",
    "how many": 'return len([e for e in history if e[0] == "get"]) == n',
    "a list": 'return [e[1] for e in history if e[0] == "put"] != [1, 0]',
    "a set": "return len(set([e[1] for e in history])) < 2",
    "the greatest": "return max([e[1] for e in history]) == 1 if history else True",
    "a sum": "return sum([e[1] for e in history]) < 3",
    "a member at a place": "return all([all([e[1] < 2 for e in logs[i]]) for i in range(2)])",
    "the last member at a place": "return all([e[1] < 2 for e in logs[-1]])",
    "of instances": "return all([sum([v for v in node.log]) < 2 for node in nodes])",
    "what else the state has": "return all([e[1] <= n or n < 1 for e in history])",
    "one list for another": "return all([e in history for e in logs[0]])",
    "one list in another": "return all([all([a[1] + b[1] < 3 for a in history]) for b in logs[0]])",
    "places of the same list": "return all([e != history[0] or e[1] == 0 for e in history])",
    "a def": "return total(history) < 3 and total(logs[0]) < 3",
    "a def that unpacks": 'return last_of(history, "put") != 1 or last_of(logs[1], "get") != 0',
    "a def in a turn": "return all([total(history) + e[1] < 4 for e in logs[0]])",
    "members of several types": "return len([v for v in odd if v == 1]) < 3",
    "members that are containers": "return all([v != [1] for v in odd])",
    "sums of what may not be added": "return sum([v for v in odd if v != 'x']) < 99",
    "types of members": "return all([type(v) != 'float' for v in odd])",
    "a turn that fails": "return all([10 // (1 - e[1]) > 0 for e in history])",
    "a turn that fails after one that decides": "return any([e[1] == 1 or 1 // e[1] == 0 for e in history]) or True",
    "what is added to a list": "return len([e for e in history + logs[0] if e[1]]) < 5",
    "values of a dict": "return {e[0]: e[1] for e in history} != {'put': 1, 'get': 0}",
}
LOOPS = {
    "reads find the last write": """
    last = {0: 0, 1: 0}
    for e in history:
        if e[0] == "put":
            last[e[1]] += 1
        elif last[e[1]] == 0:
            return False
    return True""",
    "a break": """
    seen = 0
    for word, value in history:
        if word == "get":
            break
        seen += value
    return seen < 2""",
    "the first that returns": """
    for e in history:
        if e == ("get", 1):
            return n > 1
    return True""",
    "what is collected": """
    found = []
    for e in logs[0]:
        found.append(e[1])
    return found != [0, 1]""",
    "two loops": """
    votes = {}
    for log in logs:
        for e in log:
            votes[e] = votes.get(e, 0) + 1
    return all([count < 3 for count in votes.values()])""",
    "the greatest of several": """
    most = 0
    for v in odd:
        if v == 2:
            most = max(most, v)
    return most < 2 or len(odd) < 3""",
}
STEPS = {
    "what came": "return all([e in after.history for e in before.history])",
    "what changed": "return len([e for e in after.history if e[0] == 'put']) <= after.n + 2",
    "instances": "return all([v in [0, 1] for v in after.nodes[0].log]) and all([v != before.n for v in before.odd])",
    "roles in a list": "return all([v != after.nodes[0] for v in after.odd])",
}
ENGINES = ("rows", "columns", "two workers", "direct columns")


CASES = {
    **{name: f"always assertion Holds:\n    {text}\n" for name, text in ANSWERS.items()},
    **{name: f"always assertion Holds:{text}\n" for name, text in LOOPS.items()},
    **{f"steps: {name}": f"transition assertion Holds(before, after):\n    {text}\n" for name, text in STEPS.items()},
    "eventually": "always eventually assertion Holds:\n    return len([e for e in history if e[1]]) > 0\n",
}


@pytest.mark.parametrize("name", one_in(5, CASES))
def test_engines_agree(name: str) -> None:
    """Verdicts, counts, stories, and what is warned of."""
    text = MODEL + CASES[name]
    for keep_going in (True, False):
        assert not differences(text, Settings(keep_going=keep_going, limits=Limits(states=300)), ENGINES)


@pytest.mark.parametrize("seed", one_in(6, range(24)))
def test_programs_agree(seed: int) -> None:
    """Programs about lists that are made up: `python -m tests.random.lists` makes more."""
    source = seeded(seed)
    text = program(source)
    assert broken(text, settings_of(source), ("columns", "two workers")) is None, text


GROWING = """
---
deadlock_detection: false
---
action Init:
    history = []
    last = 0
atomic action Write:
    require len(history) < 7
    last = oneof [0, 1, 2]
    history.append(("put", last))
atomic action Read:
    require len(history) < 7
    history.append(("get", last))
always assertion ReadsFindTheLastWrite:
    value = 0
    for e in history:
        if e[0] == "put":
            value = e[1]
        elif e[1] != value:
            return False
    return True
always assertion AllAreSmall:
    return all([e[1] < 3 for e in history])
"""


def test_a_turn_is_remembered_and_not_a_list() -> None:
    """Each state has a list of its own: no call for each, and not many of Python's functions either."""
    report = check(fizz.load("m.fizz", text=GROWING), settings=Settings(stats=True))
    assert report.states > 20_000
    assert stat(report, "interpreter calls") * 50 < report.states
    assert stat(report, "run directly") * 50 < report.states


def test_a_rule_that_reads_the_list_besides_is_not_left_to_the_interpreter() -> None:
    """Turns are in vain where the same path reads all of the list: a function of Python does that for less."""
    text = GROWING + (
        "always assertion NoneTwice:\n"
        "    return all([e[1] < 3 for e in history]) and history.count(('put', 1)) < 8 and history != [0, 1]\n"
    )
    report = check(fizz.load("m.fizz", text=text), settings=Settings(stats=True))
    calls, recorded = stat(report, "interpreter calls"), stat(report, "recorded by functions")
    assert (calls - recorded) * 20 < report.states


COUNTERS = """
---
deadlock_detection: false
---
action Init:
    x = [0, 0, 0, 0]
    xs = []
atomic action Count:
    i = oneof range(4)
    x[i] = (x[i] + 1) % 7
transition assertion Close(before, after):
    return abs(sum(after.x) - sum(before.x)) <= 6
always assertion Apart:
    return max(x) - min(x) < 7 and len(set(x)) < 5
"""


def test_numbers_of_all_members_are_no_new_case_for_each_list() -> None:
    """`sum`, `max`, `min` and `len(set(…))` of 2,401 lists, and of 9,604 pairs of them."""
    report = check(fizz.load("m.fizz", text=COUNTERS), settings=Settings(stats=True))
    assert report.states == 2_401
    assert runs(report) < report.states
    agreed(COUNTERS, states=300)


@pytest.mark.parametrize("words", ["sum(xs) > -9", "max(x) < 6", "min(xs) < 3", "sum([x, 1]) > 1", "len(set(xs)) > 0"])
def test_what_fails_of_all_members_fails_as_it_is_written(words: str) -> None:
    """The least of nothing, and the sum of what is no number: the error, its place and the story."""
    agreed(COUNTERS + f"always assertion P: return {words}\n", states=300)


def test_what_is_true_of_most_states_is_found_where_it_is_not() -> None:
    """The error, and the shortest story to it, in a list by turns."""
    text = GROWING.replace("return True\n", "return len(history) < 7 or history[0] != ('put', 2)\n")
    embedded = check(fizz.load("m.fizz", text=text), settings=Settings(keep_going=True))
    plain = reports(text, Settings(keep_going=True, limits=Limits(states=300)), ())["plain"]
    assert plain.states >= 300
    assert embedded.properties[0].steps == 7
