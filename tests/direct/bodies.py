"""Models whose only action has the statements of a test, and the tally that must show no difference."""

from __future__ import annotations

from tests.direct.differential import Tally

INIT = """\
---
{"deadlock_detection": false}
---
action Init:
    x = 0
    xs = [2, 1]
    xss = [[1], []]
    s = set([3, 1])
    d = {"b": [1], "a": []}
    n = {"b": 1}
    out = None
atomic action A:
"""


def agree(tally: Tally) -> Tally:
    """The tally, if nothing differs."""
    assert not tally.differences, "\n".join(tally.differences[:3])
    return tally


def by_functions(tally: Tally) -> None:
    """Nothing differs, and all was done by functions of Python."""
    found = agree(tally)
    assert not found.reasons and found.compared and not found.left


def model_with(body: str) -> str:
    """A model whose only action has these statements."""
    functions = """\
LIST = [1]
LIMIT = struct(y = 1)
def both(a, b):
    return [a, b]
def first(items):
    for i in items:
        return i
def grow(items):
    items.append(1)
def same(items):
    return items
atomic func f(items):
    items.append(x)
    x += 1
atomic func last():
    return xs
"""
    head, options, rest = INIT.partition("}\n---\n")
    lines = "\n".join("    " + line for line in body.split("\n"))
    return f"{head}{options}{functions}{rest}{lines}\n"
