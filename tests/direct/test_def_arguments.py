"""`def`s with `*rest` and `**named`, and `getattr`, are done directly, with the results that the interpreter has."""

from __future__ import annotations

import pytest

from tests.direct.bodies import agree
from tests.direct.differential import compare_text

HEAD = """\
---
{"deadlock_detection": false}
---
def fits(item, **fields):
    return all([getattr(item, name) == fields[name] for name in fields])
def count(first, by=1, *more):
    return first + by * len(more) + sum([one for one in more])
def named(x=0, *more, **fields):
    return (x, more, fields)
def keys(**fields):
    found = []
    for name in fields:
        found.append(name)
    return found
action Init:
    x = 0
    xs = [1, 2]
    out = None
    sent = set([struct(kind="a", n=0), struct(kind="b", n=1)])
"""
DONE = [
    "x = len([m for m in sent if fits(m, kind='a')])",
    "x = len([m for m in sent if fits(m, kind='b', n=x)])",
    "x = len([m for m in sent if fits(m, n=1, kind='b')])",
    "x = len([m for m in sent if fits(m)])",
    "x = count(1) + count(1, 2, 3) + count(1, by=5) + count(1, 2, 3, 4)",
    "x = len(keys(a=1, b=x))",
    "x = len(named(x, 2, 3)[1]) + named(a=1, y=x)[2]['y']",
    "out = [getattr(m, 'n') for m in sent if getattr(m, 'gone', None) == None]",
    "out = getattr(min([m for m in sent], key=lambda m: m.n), 'kind')",
]


@pytest.mark.parametrize("body", DONE)
def test_done(body: str) -> None:
    """They are not left to the interpreter."""
    tally = agree(compare_text(f"{HEAD}atomic action A:\n    {body}\n", 20))
    assert tally.compared and not tally.left, tally.reasons


LEFT = [
    "out = named(a=1, y=x)",
    "out = named(1, 2, xs[0], y=3, a=x)",
    "out = named()",
    "out = keys(b=1, a=2)",
    "out = keys(b=1, é=2)",
    "out = keys(é=1, b=2)",
    "out = named(xs=xs)",
    "out = [getattr(m, 'gone') for m in sent]",
    "out = getattr(xs, 'append', None) == None",
    "out = getattr(3, 'n', 4)",
    "out = fits(3, kind='a')",
    "fields = {'kind': 'a'}\n    x = len([m for m in sent if fits(m, **fields)])",
]


@pytest.mark.parametrize("body", LEFT)
def test_left(body: str) -> None:
    """An order that is not the one of values, containers that may have two owners, mistakes, and spread arguments."""
    agree(compare_text(f"{HEAD}atomic action A:\n    {body}\n", 20))
