"""Loops with choices in atomic actions and in Init, run as functions of Python: what the interpreter does."""

from __future__ import annotations

import pytest

from tests.direct.differential import compare_text
from tests.direct.test_init import compare

HEAD = """\
---
deadlock_detection: false
options: {max_actions: 1000}
---
action Init:
    xs = [0, 0, 1]
    d = {"a": 0, "b": 1}
    s = set([1, 2])
    log = []
    recs = [{"n": 0, "l": []}, {"n": 1, "l": [1]}]
    k = 0
atomic action Go:
"""
DONE = {
    "plain": """
for i in range(3):
    c = oneof [0, 1]
    xs[i] = c""",
    "before and after": """
k = 1
for i in range(3):
    c = oneof [0, 1]
    xs[i] = c + k
    k = k + c
k = k % 3""",
    "sum": """
t = 0
for i in range(3):
    c = oneof [0, 1]
    t += c
require t == 2
k = t""",
    "require inside": """
for i in range(3):
    c = oneof [0, 1, 2]
    require c >= xs[i] or c == 0
    xs[i] = c""",
    "condition": """
for i in range(3):
    c = oneof [0, 1, 2] if c != i
    xs[i] = c""",
    "from set": """
for x in s:
    c = oneof s
    log = (log + [c - x])[-2:]""",
    "changing the set": """
for x in list(s):
    c = oneof [0, 3]
    s.discard(x)
    if len(s) < 3: s.add(c)""",
    "changing what it iterates": """
for x in xs:
    c = oneof [0, 1]
    xs[2] = c""",
    "append while iterating": """
for x in xs:
    c = oneof [0, 1]
    if len(xs) < 5: xs.append(c)
xs = xs[:3]""",
    "dict": """
for name in d:
    c = oneof [0, 1]
    d[name] = c""",
    "items": """
for name, v in d.items():
    c = oneof [0, v]
    d[name] = c""",
    "enumerate": """
for i, x in enumerate(xs):
    c = oneof [x, 1 - x] if c in [0, 1]
    xs[i] = c""",
    "nested": """
for i in range(2):
    for j in range(2):
        c = oneof [0, 1]
        xs[i] = (xs[i] + c * j) % 2""",
    "nested outside": """
for i in range(2):
    c = oneof [0, 1]
    for j in range(2):
        xs[j] = (xs[j] + c * i) % 2""",
    "two loops": """
for i in range(2):
    c = oneof [0, 1]
    xs[i] = c
for i in range(2):
    e = oneof [0, 1]
    xs[i] = (xs[i] + e + c) % 2""",
    "branch": """
for i in range(3):
    if xs[i] == 0:
        c = oneof [0, 1]
        xs[i] = c
    else:
        k = (k + 1) % 3""",
    "branch after": """
for i in range(3):
    if i == 1:
        c = oneof [0, 1]
    xs[i] = (c if i > 0 else 1)""",
    "loop variable after": """
for i in range(3):
    c = oneof [0, 1]
    xs[i] = c
k = i + c""",
    "empty loop": """
for i in range(k):
    c = oneof [0, 1]
    xs[i] = c
k = (k + 1) % 3""",
    "no alternatives": """
for i in range(3):
    c = oneof [x for x in [0, 1] if x != xs[i]]
    xs[i] = c""",
    "no alternatives at all": """
for i in range(2):
    c = oneof []
    xs[i] = c""",
    "return": """
for i in range(3):
    c = oneof [0, 1]
    if c == 1:
        return
    xs[i] = 1 - xs[i]""",
    "return value": """
for i in range(3):
    c = oneof [0, 1]
    if c == 1:
        return c
    xs[i] = 1 - xs[i]
return 7""",
    "records": """
for r in recs:
    c = oneof [0, 1]
    r["n"] = c""",
    "records' lists": """
for r in recs:
    c = oneof [0, 1]
    r["l"].append(c)
    r["l"] = r["l"][-2:]""",
    "local list": """
ys = []
for i in range(3):
    c = oneof [0, 1]
    ys.append(c)
xs = ys""",
    "oneof block in loop": """
for i in range(2):
    oneof:
        xs[i] = 0
        xs[i] = 1
        k = i""",
    "pick block in loop": """
for i in range(2):
    oneof c in [0, 1]:
        xs[i] = c
        k = c""",
    "fair": """
for i in range(2):
    c = fair oneof [0, 1]
    xs[i] = c""",
    "in a branch": """
if k == 0:
    for i in range(2):
        c = oneof [0, 1]
        xs[i] = c
    k = 1
else:
    k = 0
log = [k]""",
    "after a choice": """
a = oneof [1, 2]
for i in range(a):
    c = oneof [0, a]
    xs[i] = c
b = oneof [0, 1]
k = b""",
    "pops": """
for i in range(2):
    c = oneof [0, 1]
    if len(log) > 1: log.pop(0)
    log.append(c)""",
    "swaps": """
for i in range(2):
    c = oneof [0, 1, 2]
    xs[i], xs[c] = xs[c], xs[i]""",
    "comprehension": """
for i in range(2):
    c = oneof [j for j in range(3) if xs[j] == xs[i]]
    xs = [x if n != c else 1 - x for n, x in enumerate(xs)]""",
    "nothing happens": """
for i in range(2):
    c = oneof [0, 1]
    pass""",
}
LEFT = {
    "unbound": """
for i in range(3):
    if i == 1:
        c = oneof [0, 1]
    xs[i] = c""",
    "break": """
for i in range(3):
    c = oneof [0, 1]
    xs[i] = c
    if c == 1:
        break""",
    "continue": """
for i in range(3):
    c = oneof [0, 1]
    if c == 1:
        continue
    xs[i] = 1 - xs[i]""",
    "aliases": """
last = recs[0]
for r in recs:
    c = oneof [0, 1]
    last["n"] = c
    last = r""",
    "local list kept": """
ys = []
for i in range(2):
    c = oneof [0, 1]
    ys.append(c)
    log = ys
log.append(5)
log = log[-3:]""",
    "moved": """
ys = [9]
for i in range(2):
    c = oneof [0, 1]
    xs = ys
    ys = [c]
    xs.append(c)""",
    "moved twice": """
ys = list(xs)
for i in range(2):
    c = oneof [0, 1]
    xs = ys
    xs[0] = c
    ys[1] = 1 - c""",
    "error": """
for i in range(3):
    c = oneof [0, 1]
    xs[i + c] = 1""",
}
"""Bodies of which all or some evaluations are the interpreter's: a loop that is left, second names, mistakes."""
INITS = {
    "each entry": """
xs = [0] * 3
for i in range(3):
    c = oneof range(3)
    xs[i] = c""",
    "some are none": """
xs = [0] * 3
for i in range(3):
    c = oneof range(3)
    xs[i] = c
require sum(xs) < 4""",
    "a dict": """
d = {}
for name in ['a', 'b', 'c']:
    v = oneof [True, False]
    d[name] = v""",
    "nested": """
m = [[0, 0], [0, 0]]
for i in range(2):
    for j in range(2):
        c = oneof [0, 1]
        m[i][j] = c""",
    "a choice before": """
n = oneof [1, 2]
xs = []
for i in range(n):
    c = oneof [i, 7]
    xs = xs + [c]""",
}


def text(body: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in body.strip().split("\n"))


@pytest.mark.parametrize("body", DONE.values(), ids=DONE)
def test_a_function_does_it(body: str) -> None:
    """No path is the interpreter's."""
    found = compare_text(text(body), 60)
    assert not found.differences
    assert found.compared > 0 and not found.left


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_what_is_left(body: str) -> None:
    assert not compare_text(text(body), 60).differences


@pytest.mark.parametrize("body", INITS.values(), ids=INITS)
def test_init(body: str) -> None:
    """The same initial states in the same order, all by the function."""
    assert compare(body.strip())


def test_many_turns_are_the_interpreter_s() -> None:
    """Each turn calls the next one, so that there may not be too many."""
    found = compare_text(text("for i in range(70):\n    c = oneof [i]\nk = c"), 5)
    assert not found.differences and found.left and not found.compared
