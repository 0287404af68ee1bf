"""A member of a list or dict that is compared with a value is asked whether it has that, and not which one it has."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.random.laws import differences, reports
from tests.random.members import program
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.sample import one_in
from tests.stats import stat

MODEL = """
---
options: {max_actions: 2, crash_on_yield: false}
---
action Init:
    xs = [1, True, 1.0, "a", None, "None", 2]
    rows = [[0, 1], [2, 3]]
    by = {"a": 1, 1: "a", None: set([1])}
    found = []

atomic action Swap:
    at = oneof range(6)
    xs[at], xs[at + 1] = xs[at + 1], xs[at]

atomic action Set:
    key = oneof ["a", 1, None]
    require by[key] == 1 or by[key] == "a" or key == None
    by[key] = oneof [1, "a", 1.0, True, None, (1,), [1], set([1]), {1: 1}]

atomic action Look:
    require not found
    BODY
"""
BODIES = {
    "values of all types": "found = [xs[i] == one for i in range(7) for one in [1, True, None, 'a', 'None', 1.0]]",
    "not equal": "found = [by[key] != one for key in by for one in [1, True, None, 'a']]",
    "negative places": "found = [xs[-1] == 2, xs[-7] == 1, xs[-2] != 'None']",
    "a place that is none": "found = [xs[i] == 1 for i in range(6 + (xs[0] == 2))] + [xs[7 - (xs[3] == None)]]",
    "a key that is none": "found = [by[1 + (by[1] == None)] == 'a']",
    "lists in lists": "found = [rows[i][j] == 2 and rows[1 - i][j] != 3 for i in range(2) for j in range(2)]",
    "a list is no number": "found = [rows[0] == 0, by[None] == 1, by['a'] == [1], by[1] == (1,)]",
    "one that has changed": "xs[0] = 2\n    xs.append(3)\n    found = [xs[0] == 2, xs[7] == 3, xs[1] == 2, xs[0] == 1]",
    "one that is known": "x = xs[0]\n    found = [xs[0] == 1, x, xs[0] == x, xs[0] != True]",
    "written as it was": "if xs[0] == 2:\n        xs[0] = 2\n    if xs[0] == 'a':\n        xs[0] = True\n    found = 1",
    "places of values": "found = [xs.index('a'), xs.index(None), xs.index(2) > 3]",
    "the place of one of two": "found = [xs.index(1), xs.index(True)]",
    "a place of none": "found = [xs.index('a' if xs[0] == 1 else 'b')]",
    "members": "found = ['a' in xs, 3 in xs, 1 in xs[:2], None not in xs, 0 in rows[1], rows[0] in rows]",
    "in a function": "found = [first(xs, one) for one in [None, 'a', 2]]",
    "in turn": "found = [len([x for x in xs if x == one]) for one in [1, True, None, 'a']]",
    "numbered in turn": "found = [i for i, x in enumerate(xs) if x == 1 or None == x]",
    "entries in turn": "found = [key for key, x in by.items() if x != 1]",
    "values in turn": "found = [any([x == one for x in by.values()]) for one in [1, 'a', True]]",
    "containers in turn": "found = [len([1 for x in rows if x == one]) for one in [[0, 1], 0, rows[1]]]",
    "with each other": "found = len([1 for x in xs for y in by.values() if x == y])",
    "one name in two loops": "found = [[x for x in xs if x != None], [1 for x in rows if x == [0, 1]]]",
    "of other things": "found = [len([1 for x in some if x == 1]) for some in [set([1]), (1, 2), {1: 2}, '1', xs]]",
    "where it was found": "found = [place(xs, one) for one in [None, 'a', 2]] + [place(rows, [2, 3])]",
    "whether it was found": "found = [among(one, 'a') for one in (xs, by, by.values(), set(['a']), 'ab')]",
    "in a dict that has changed": "by[0] = 'a'\n    found = [among(by, 0), [k for k, x in by.items() if x == 'a']]",
}
DEF = """
def first(values, one):
    for i in range(len(values)):
        if values[i] == one:
            return i
    return None
"""
DEFS = """
def place(values, one):
    for i, x in enumerate(values):
        if x == one:
            return i

def among(values, one):
    for x in values:
        if x == one:
            return True
    return False
"""
PUZZLE = """
---
options: {max_actions: 100000, crash_on_yield: false}
deadlock_detection: false
---
WIDTH, HEIGHT = 3, 2

action Init:
    rows = [[x + WIDTH * y for x in range(WIDTH)] for y in range(HEIGHT)]

def gap(rows):
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if rows[y][x] == 0:
                return (y, x)

atomic action Move:
    down, right = oneof [(1, 0), (-1, 0), (0, 1), (0, -1)]
    y, x = gap(rows)
    require 0 <= y + down and y + down < HEIGHT and 0 <= x + right and x + right < WIDTH
    rows[y][x] = rows[y + down][x + right]
    rows[y + down][x + right] = 0
"""
IN_TURN = PUZZLE.replace(
    """    for y in range(HEIGHT):
        for x in range(WIDTH):
            if rows[y][x] == 0:
""",
    """    for y, row in enumerate(rows):
        for x, tile in enumerate(row):
            if tile == 0:
""",
)
LISTED = """
---
options: {max_actions: 100000, crash_on_yield: false}
deadlock_detection: false
---
action Init:
    row = [0, 1, 2, 3, 4, 5]

atomic action Move:
    at = row.index(0)
    to = oneof [at - 1, at + 1, at - 2]
    require 0 <= to and to < len(row) and 0 in row
    row[at] = row[to]
    row[to] = 0
"""


@pytest.mark.parametrize("name", one_in(3, BODIES))
def test_engines_agree(name: str) -> None:
    """Verdicts, counts, stories and errors; equal values of several types among the members."""
    text = MODEL.replace("BODY", BODIES[name]) + DEF + DEFS
    assert reports(text, Settings(keep_going=True), ())["plain"].states > 10
    assert not differences(text, Settings(keep_going=True), ("rows", "columns", "early columns"))


LATE = """
---
options: {max_actions: 4, crash_on_yield: false}
deadlock_detection: false
---
action Init:
    xs = BEGIN
    n = 0

atomic action Push:
    require len(xs) < 3
    value = oneof [0, 1, 2]
    xs.append(value)

atomic action Pop:
    require len(xs) > 0
    xs.pop()

atomic action Count:
    n = (n + 1) % 3

def last(values, one):
    for x in values:
        if x == one:
            return True
    return x == 1

always assertion Late:
    BODY
"""
AFTER = {
    "the loop": "for x in xs:\n        if x == 5:\n            return False\n    return x == n or x != n",
    "the loop of a function": "return last(xs, 2) or n < 5",
    "two loops": """for i, x in enumerate(xs):
        if x == 5:
            return False
    for x in [3, 4]:
        if x == n:
            return False
    return x == 4""",
}


@pytest.mark.parametrize("begin", ["[]", "[1]"])
@pytest.mark.parametrize("name", AFTER)
def test_a_variable_may_have_no_member(name: str, begin: str) -> None:
    """After a loop over an empty list it is not bound."""
    text = LATE.replace("BEGIN", begin).replace("BODY", AFTER[name])
    assert not differences(text, Settings(keep_going=True), ("rows", "columns", "early columns", "direct columns"))


@pytest.mark.parametrize(("text", "states"), [(PUZZLE, 360), (IN_TURN, 360), (LISTED, 720)])
def test_one_value_is_looked_for(text: str, states: int) -> None:
    """A board on which the gap is looked for is asked where that is, and for the one tile that moves."""
    report = check(fizz.load("m.fizz", text=text), engine="columns", settings=Settings(stats=True))
    assert report.states == states
    assert stat(report, "interpreter calls") * 2 < states


@pytest.mark.parametrize("block", range(4))
def test_random_programs(block: int) -> None:
    """Random programs about members; `python -m tests.random.members` has as many as you like."""
    for seed in range(6 * block, 6 * block + 6):
        source = seeded(seed)
        text = program(source)
        assert broken(text, settings_of(source), ("early columns", "direct columns")) is None, text
