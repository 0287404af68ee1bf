"""What a variable holds gets another owner, and the variable another value; lists that keep their members."""

from __future__ import annotations

import pytest

from tests.direct.bodies import agree
from tests.direct.differential import compare_text

MODEL = """
---
deadlock_detection: false
---
def by_n(items):
    return sorted(items, key=lambda one: (-one.n, one.k))
atomic func give():
    xs = xs + [v]
    v = None
action Init:
    xs = [record(n=i % 2, k=i, inner=[i]) for i in range(3)]
    d = {{"a": record(n=0, k=9, inner=[])}}
    v = None
    w = None
    x = 0
atomic action Take:
    require v == None and len(xs) > 0
    i = oneof range(len(xs))
    v = xs.pop(i)
atomic action Act:
    require v != None and x < 2
    x += 1
{body}
atomic action Back:
    require v != None
    xs.append(v)
    v = None
"""

GIVEN_AWAY = [
    "xs = xs + [v]\nv = None",
    "xs = [v] + xs\nv = None",
    "xs.append(v)\nv = None",
    "xs.insert(0, v)\nv = None",
    "d['b'] = v\nv = None",
    "w = v\nv = None",
    "v.n = 5\nv.inner.append(x)\nxs = xs + [v]\nv = None",
    "xs = sorted(xs + [v], key=lambda one: (one.n, one.k))\nv = None",
    "xs = by_n(xs + [v])\nv = None",
    "xs.append(v)\nxs.sort(key=lambda one: (-one.n, one.k))\nv = None",
    "xs = by_n(xs)",
    "xs.sort(key=lambda one: one.k, reverse=True)",
    "for one in xs:\n    one.n += 1\nxs = by_n(xs)",
    "for one in xs:\n    one.n += 1\nxs.sort(key=lambda other: other.n)",
    "xs = xs + [v]\nv = xs.pop(0)",
]
"""One owner in the end: a function of Python runs the rule."""
OTHERWISE = [
    "xs = xs + [v]\nv.n = 7\nv = None",
    "xs = xs + [v, v]\nv = None",
    "w = v\nxs = xs + [v]\nv = None",
    "xs = xs + [v]\nw = v\nv = None",
    "xs = xs + [v]\nxs[-1].n = 7\nv = None",
    "old = v\nxs = xs + [v]\nold.n = 7\nv = None",
    "xs = xs + [v]\nv = xs[-1]",
    "if x == 1:\n    xs = xs + [v]\nv = None",
    "for i in range(2):\n    xs = xs + [v]\nv = None",
    "xs = xs + [v]\nif x == 1:\n    v = None",
    "w = v.inner\nxs = xs + [v]\nv = None",
    "old = v.inner\nxs = xs + [v]\nold.append(3)\nv = None",
    "w = xs\nxs = by_n(xs)\nw[0].n = 7",
    "old = xs\nxs.sort(key=lambda one: (-one.n, one.k))\nx = old[0].n",
    "old = xs\nxs = by_n(xs)\nx = old[0].n",
    "old = xs[0]\nxs.sort(key=lambda one: (-one.n, one.k))\nold.n = 7",
    "for one in xs:\n    one.n += 1\n    xs = by_n(xs)",
    "for one in xs:\n    one.n += 1\nxs = by_n(xs)\none.n = 9",
    "for one in xs:\n    if one.n == 0:\n        one.n = 3\nxs = [v]\nv = None\nxs[0].n = 4",
    "d['b'] = v\nd['b'].n = 7\nv = None",
    "for one in xs:\n    one.n += 1\nxs.sort(key=lambda one: one.n)",
    "one = xs[0]\none.n += 1\nxs = [other for other in xs if other.n < 2]\none.n += 1",
    "one = xs[0]\none.n += 1\nxs.sort(key=lambda other: -other.n)\none.n += 1",
    "one = xs[0]\none.inner.append(5)\nxs = xs[1:]\none.inner.append(6)\nx = len(one.inner)",
    "w = [v]\nv = w[0]",
    "give()",
    "old = v\ngive()\nxs[-1].n = 7\nx = old.n",
    "old = v\ngive()\nfor one in xs:\n    one.n = 7\nx = old.n",
    "old = v.inner\nxs = xs + [v]\nxs[-1].inner.append(5)\nv = None\nx = len(old)",
    "old = v.inner\nd['b'] = v\nd['b'].inner.append(5)\nv = None\nx = len(old)",
    "old = v\nv = None\nxs = xs + [old]\nxs[-1].n = 6\nx = old.n",
    "for one in xs:\n    one.n += 1\nys = xs\nxs = by_n(xs)\nx = ys[0].n",
    "first = xs[0]\nxs = by_n(xs)\nfirst.n = 9",
    "xs = xs + [v]\nv = record(n=1, k=1, inner=xs[0].inner)",
    "xs = sorted([v, xs[0]], key=lambda one: one.k)\nv = None",
    "xs.sort(key=lambda one: one.inner)",
    "xs.sort(key=lambda one: (one.n, one.inner))",
    "xs = sorted(xs, key=lambda one: (one.n == 0, one.k))",
    "w = xs.sort(key=lambda one: one.k)",
]
"""Two owners, a change between, or another order: the interpreter runs it, or both agree."""


def _model(body: str) -> str:
    return MODEL.format(body="\n".join(f"    {line}" for line in body.splitlines()))


@pytest.mark.parametrize("body", GIVEN_AWAY)
def test_one_owner_in_the_end(body: str) -> None:
    found = agree(compare_text(_model(body), 60))
    assert not found.reasons and not found.left and found.compared


@pytest.mark.parametrize("body", OTHERWISE)
def test_two_owners_or_a_change_between(body: str) -> None:
    agree(compare_text(_model(body), 60))


@pytest.mark.parametrize("body", GIVEN_AWAY[:8])
def test_serial_actions(body: str) -> None:
    """Between two statements there is a state in which both have it."""
    agree(compare_text(_model(body).replace("atomic action Act", "action Act"), 60))
