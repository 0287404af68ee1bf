"""Lists and dicts of more than sixty members: every engine finds what the plain one does; steps read few of them."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed
from tests.stats import stat

LIST = """\
---
deadlock_detection: false
---
N = 66
action Init:
    value = [0] * N
    ops = 0
atomic action Inc:
    i = oneof range(N)
    require ops < 2 and value[i] < 2
    value[i] += 1
    ops += 1
always assertion Small: return max(value) <= 2 and sum(value) == ops
transition assertion Up(before, after): return sum(after.value) == sum(before.value) + 1
exists assertion Last: return value[N - 1] == 2
"""
DICT = """\
---
deadlock_detection: false
---
action Init:
    pages = {p: {"owner": None, "dirty": False} for p in range(66)}
    log = []
atomic action Write:
    p = oneof pages if not pages[p]["dirty"]
    require len(log) < 2 and (len(log) == 0 or p < 12)
    pages[p]["dirty"] = True
    pages[p]["owner"] = len(log)
    log.append(p)
atomic action Flush:
    require len(log) > 0
    p = log.pop(0)
    if p % 10 == 9:
        pages.pop(p)
    else:
        pages[p] = {"owner": None, "dirty": False}
always assertion Dirty: return len([p for p in pages.values() if p["dirty"]]) == len(log)
always assertion Log: return all([pages[p]["dirty"] for p in log])
always assertion Same: return all([p["dirty"] == (p["owner"] != None) for p in pages.values()])
exists assertion Fewer: return len(pages) < 65
"""
WHOLE = """\
---
deadlock_detection: false
---
N = 70
action Init:
    value = [0] * N
    where = None
    ops = 0
def digest(v):
    h = 7
    for x in v:
        h = (h * 31 + x) % 1009
    return h
def first(v):
    for i in range(len(v)):
        if v[i] == 0:
            return i
    return None
atomic action Inc:
    i = oneof [0, 1, 35, 69]
    require ops < 3 and value[i] < 2
    value[i] += 1
    ops += 1
atomic action Find:
    where = first(value)
    if where != None and where < 2:
        value[where] = 2
atomic action Shift:
    require ops < 3
    for i in range(N - 1):
        if value[i] > value[i + 1]:
            value[i], value[i + 1] = value[i + 1], value[i]
    ops += 1
atomic action Clear:
    for i in range(N):
        if value[i] == 2:
            value[i] = 0
            break
atomic action Longer:
    require len(value) < N + 2 and ops == 1
    value.append(1)
always assertion Small: return max(value) <= 2
always assertion Digest: return digest(value) >= 0
always assertion Where: return where == None or where <= N
transition assertion Up(before, after): return sum(after.value) <= sum(before.value) + 3
exists assertion Sorted: return value == sorted(value) and sum(value) == 3
"""
INSIDE = """\
---
deadlock_detection: false
---
action Init:
    grid = [[0] * 63 for _ in range(3)]
    rows = {f: list(range(66)) for f in ["a", "b"]}
    n = 0
atomic action Mark:
    y = oneof range(3)
    x = oneof [0, 5, -1]
    require n < 3 and grid[y][x] == 0
    grid[y][x] = 1
    n += 1
atomic action Grow:
    y = oneof range(2)
    require n < 3 and len(grid[y]) < 67
    grid[y].append(2)
    grid[y].append(grid[y][0])
atomic action Put:
    f = oneof rows
    i = oneof [0, 65]
    require n < 3
    rows[f][i] = -1
    n += 1
atomic action Pop:
    f = oneof ["a", "b"]
    require len(rows[f]) > 62
    rows[f].pop()
always assertion Small: return sum([sum(row) for row in grid]) <= 60
always assertion Rows: return all([max(r) <= 65 for r in rows.values()])
transition assertion T(before, after):
    return len(after.grid[0]) >= len(before.grid[0]) and len(after.rows["a"]) <= len(before.rows["a"])
exists assertion Long: return len(grid[0]) == 67 and len(rows["a"]) == 62
"""


@pytest.mark.parametrize(("text", "states"), [(LIST, 2_278), (DICT, 400), (WHOLE, 300), (INSIDE, 1_500)])
def test_engines_agree(text: str, states: int) -> None:
    """Members are chosen, gone through, folded, appended, taken out: verdicts, counts and traces are the same."""
    agreed(text, states=states)


@pytest.mark.parametrize(
    "text",
    [
        LIST,
        LIST.replace("[0] * N", "{i: 0 for i in range(N)}")
        .replace("(value)", "(value.values())")
        .replace("e.value)", "e.value.values())")
        .replace("r.value)", "r.value.values())"),
    ],
)
def test_steps_read_few_members(text: str) -> None:
    """Of each step all but some members are as before: most rules are run once for many states."""
    found = check(
        fizz.load("m.fizz", text=text.replace("66", "120")),
        engine="columns",
        settings=Settings(keep_going=True, stats=True),
    )
    evaluated = stat(found, "interpreter calls") + stat(found, "run directly") + stat(found, "recorded by functions")
    assert evaluated < 0.5 * found.states
