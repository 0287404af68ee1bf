"""`def`s that are given the state before or after a step: done directly, and recorded, as the interpreter does them."""

from __future__ import annotations

import pytest

from tests.direct.bodies import agree
from tests.direct.differential import Tally, compare_text

MODEL = """\
---
deadlock_detection: false
---
role Node:
    action Init:
        self.log = []
    atomic action Add:
        require len(self.log) < 2
        value = oneof [1, 2]
        self.log.append(value)
        total += 1
    atomic action Copy:
        other = oneof nodes
        require self.log != other.log
        self.log = list(other.log)
    atomic action Forget:
        total = 0

action Init:
    nodes = [Node(), Node()]
    total = 0

def total_of(state):
    return state.total

def grown(before, after, least=0):
    if after.total > before.total + least:
        return True
    for old, new in zip(before.nodes, after.nodes):
        if len(new.log) > len(old.log):
            return True
    return any([len(new.log) > len(old.log) for old, new in zip(before.nodes, after.nodes)])

def grown_or_same(b, x):
    return b.total == x.total or grown(b, x)

def hidden(after):
    return [after for after in [after.total, 5] if after > 2] == [5] or total_of(after) > 0

def kept(state):
    found = state
    return found.total

def changed(state):
    state = 3
    return state

def rest(*states):
    return [state.total for state in states]

transition assertion P(before, after):
    return RESULT
"""

DONE = [
    "after.total == before.total or grown(before, after)",
    "grown(after, before) != grown(before, after)",
    "grown(before, after, 1) or grown(least=-1, after=after, before=before)",
    "grown_or_same(before, after) or grown_or_same(x=before, b=after)",
    "grown_or_same(before, before) and grown(after, after, -1)",
    "total_of(before) <= total_of(after) or after.total == 0",
    "any([grown(before, after, n) for n in range(3)])",
    "hidden(before) or not hidden(after)",
]
LEFT = [
    "[before.total for before in [after]] == [after.total]",
    "kept(before) <= kept(after) or after.total == 0",
    "changed(before) == 3",
    "rest(before, after)[0] >= 0",
    "before != after or grown(before, after)",
    "grown(before, after).total",
    "grown(after, 3)",
    "total_of(before).x",
]


def compared(result: str) -> Tally:
    return agree(compare_text(MODEL.replace("RESULT", result), 60))


@pytest.mark.parametrize("result", DONE)
def test_done(result: str) -> None:
    """They are not left to the interpreter, and neither is what is remembered."""
    tally = compared(result)
    assert tally.compared and tally.recorded and not tally.left, tally.reasons


@pytest.mark.parametrize("result", LEFT)
def test_left(result: str) -> None:
    """States that are kept, changed or compared, and mistakes: nothing differs."""
    compared(result)
