"""Containers that are changed through a second name, compared with the interpreter."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.direct.bodies import agree, model_with
from tests.direct.differential import compare_text
from tests.random.second_names import ENGINES, program
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.stats import stat

BY_PLACES = [
    "v = oneof xss\nv.append(x)",
    "v = oneof xss if len(v) < 2\nv.append(x)\nx = len(v)",
    "oneof v in xss:\n    v.append(x)\n    require len(v) < 3",
    "v = oneof xss\nw = oneof xss\nv.append(1)\nif w: w[0] = 2\nx = len(v) + len(w)",
    "for v in xss:\n    v.append(x)\n    x = len(xss[0])",
    "for v in xss:\n    for w in xss:\n        v.append(len(w))\nx = len(v)",
    "for i, v in enumerate(xss):\n    v.append(i)\n    xss[i].append(2)",
    "for k, v in d.items():\n    v.append(1)\n    x += len(d[k])",
    "for v in d.values():\n    v.clear()\n    d.setdefault('c', []).append(1)",
    "v = xss[1]\nv.append(1)\nx = v[0]",
    "if x < 3:\n    v = xss[1]\n    v.append(1)\nelse:\n    x = 0",
    "v = [w for w in xss if len(w) < 2][0]\nv.append(x)\nx = len(v)",
    "k = 1\nv = [w for w in xss if len(w) > k or w == xss[1]][-1]\nv.append(k)",
    "k = oneof ['a', 'b']\nv = d[k]\nv.append(1)",
    "v = xss[-1]\nv.extend([1])\nx = len(v)",
    "v = xss\nv[0].append(1)\nv.append([x])\nx = len(xss)",
    "v, w = xss[0], d['a']\nv.append(1)\nw.append(len(v))",
    "i = len(xs) - 1\nv = xss[i]\nv.append(1)\ni = 0",
    "for i in range(2):\n    v = xss[i]\n    v.append(i)\n    x += len(v)",
    "v = d\nw = v['b']\nw.append(2)\nv['c'] = [3]\nx = len(v)",
    "v = d['a']\nv.append(1)\nd['b'] = [2]",
    "for v in xss:\n    v.append(1)\n    if len(xss) < 4: xss.append([])",
    "d.setdefault('c', []).append(x)\nx = len(d['c'])",
    "for i in range(2):\n    n.setdefault('c', i)\n    d.setdefault(i, []).append(i)",
    "x = LIMIT.y\nv = xss[x]\nv.append(1)",
]
AS_WRITTEN = [
    "v = xss[0]\nw = xss\nw.reverse()\nv.append(x)",
    "v = xss[0]\nw = xss\nw[0] = [7]\nv.append(x)",
    "v, w = xss[0], xss\nw.pop(0)\nv.append(4)",
    "v = xss[0]\nf(xss)\nv.append(4)",
    "for v in d.values():\n    w = d\n    w['b'] = [7]\n    v.append(1)",
    "v = xss[0]\nv.append(1)\nx = sum([v[0] for xss in [[[1]], [[1]]]])",
    "v = [w for w in xss if any([w == u for u in xss])][0]\nv.append(x)",
    "v = [w for w in xss if x][0]\nxss.pop(0)\nv.append(x)",
    "v = [list(w) for w in xss][0]\nv.append(x)\nx = len(v)",
    "if x:\n    v = xss[0]\nv.append(1)",
    "if x:\n    v = xss\nx = 1\nv.append([])",
    "for i in range(2):\n    w = xss[i]\n    for v in w: x += v\n    v = 1\n    w.append(i)",
    "v = xss[-1]\nv += [1]\nx = len(v)",
    "v = n['b']\nv += 1\nx = v",
    "v = xss[0]\nv.append(1)\nxss.pop(0)",
    "v = xss[0]\nv.append(1)\nxss[0] = [x]\nv.append(2)",
    "v = oneof xss\nxss.reverse()\nv.append(1)",
    "for v in xss:\n    v.append(1)\n    xss = [[], [2]]",
    "v = xss[0]\nv.append(1)\nxss = xss[1:]",
    "v = d['a']\nw = d['b']\nv.append(1)\nd['a'] = w\nw.append(2)",
    "for i in range(2):\n    if i: v.append(i)\n    v = xss[i]",
    "v = xss[0]\nv = xss[1]\nv.append(1)",
    "v = xss[0]\nv.append(1)\ngrow(v)",
    "v = d['a']\nv.append(1)\nd.clear()\nv.append(2)",
    "v = xss[0]\nout = [v for v in xs]\nv = xss[1]\nv.append(1)",
]


@pytest.mark.parametrize("body", BY_PLACES)
def test_a_name_stands_for_a_place(body: str) -> None:
    """It makes no difference, and the rule is run as a function of Python."""
    found = agree(compare_text(model_with(body), 20))
    assert not found.reasons and found.compared > 2 * found.left


@pytest.mark.parametrize("body", AS_WRITTEN)
def test_the_place_gets_another_member(body: str) -> None:
    """Whoever runs the rule, the name stays that of the container that it was bound to."""
    agree(compare_text(model_with(body), 12))


DEEP = """\
---
deadlock_detection: false
---
role Node:
    action Init:
        self.at = 0
        self.boxes = [[[0]], [[0]]]
    atomic action Here:
        b = self.boxes[self.at][0]
        self.at = 1 - self.at
        b[0] = 1 - b[0]
action Init:
    n = 0
    grid = [[[0]], [[0]]]
    none = []
    node = Node()
atomic action Count:
    n = (n + 1) % 3
atomic action A:
    BODY
"""


@pytest.mark.parametrize(
    "body",
    [
        "v = grid[n % 2][0]; n = 1; v[0] = 2",
        "v = grid[n][0]\nn = 1\nv[0] = 2",
        "require n < 2\nv = oneof grid[n]\nn = 1 - n\nv.append(9)\nrequire len(v) < 3",
        "require n < 2\nfor v in grid[n]:\n    n = 1 - n\n    v[0] = 9",
        "k = [0]\nv = grid[k[0]][0]\nk[0] = 1\nv[0] = n",
        "for i in range(2):\n    if i == 1: v[0] = n\n    for v in grid[i]:\n        v[0] += 0",
        "for v in none.values():\n    v.append(9)",
        "for k, v in none.items():\n    v.append(9)",
        "v = grid[0][0]\nv[0] = n\nn = sum([v[0] for grid in [[[[1]]], [[[1]]]]]) % 3",
    ],
)
def test_what_leads_to_the_place_changes(body: str) -> None:
    """An index is assigned, a name is hidden by that of a comprehension, what is gone through is no dict."""
    agree(compare_text(DEEP.replace("BODY", body.replace("\n", "\n    ").replace("; ", "\n    ")), 20))


def test_random_programs() -> None:
    """Random programs with second names; `python -m tests.random.second_names` has as many as you like."""
    for seed in range(5):
        source = seeded(seed)
        text = program(source)
        assert broken(text, settings_of(source), ENGINES[::2]) is None, text


MEMBERS = """\
---
deadlock_detection: false
---
action Init:
    people = [{"at": i % 2, "to": None, "trips": 0} for i in range(2)]
    calls = set()
atomic action Call:
    p = oneof people
    require p["to"] == None
    p["to"] = oneof [0, 1] if p["at"] == 1 else [1]
    calls.add(p["at"])
atomic action Move:
    p = oneof people if p["to"] != None
    calls.discard(p["at"])
    p["at"] = p["to"]
    p["to"] = None
    p["trips"] = min(5, p["trips"] + 1)
atomic action Rest:
    require not calls
    for p in people:
        if p["trips"] == 5: p["trips"] = 0
"""


def test_a_choice_asks_for_the_member_it_takes() -> None:
    """What is learned of a member that is chosen serves whatever the others are. Equal ones are one alternative."""
    module = fizz.load("m.fizz", text=MEMBERS)
    report = check(module, engine="columns", settings=Settings(stats=True))
    plain = check(module, engine="plain")
    assert (report.states, report.transitions) == (plain.states, plain.transitions)
    assert report.states > 500
    assert stat(report, "interpreter calls") < 0.3 * report.states
