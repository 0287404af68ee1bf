"""Questions about the pairs of a `leadsto` assertion are answered by rules that are run directly, too."""

from __future__ import annotations

import pytest

from tests.direct.bodies import agree
from tests.direct.differential import compare_text

MODEL = """\
---
deadlock_detection: false
---
role Node:
    action Init: self.n = 0
    atomic action Up:
        require self.n < 2
        self.n += 1
    leadsto assertion Own:
        return {own}
action Init: nodes, names, out = [Node() for i in range(2)], {{"a": 0, "b": 1}}, True
atomic action Flip: out = not out
leadsto assertion All:
    return {all}
"""
OWN = "(self.n == 1, self.n == 2)"
DONE = [
    "[(n.n == 1, n.n == 2) for n in nodes]",
    "[(nodes[0].n == 1, out), (out, nodes[1].n == 2)]",
    "((nodes[0].n == 1, out), (out, nodes[1].n == 2))",
    "tuple([(n.n == 1, out) for n in nodes])",
    '{"a": (nodes[0].n == 1, out), "b": (out, False)}',
    "{n: (n.n == 1, n.n == 2) for n in nodes}",
    "{names[k]: (nodes[names[k]].n == 1, out) for k in names}",
    "(out, all([n.n == 2 for n in nodes]))",
    "[]",
]


@pytest.mark.parametrize("body", DONE)
def test_done(body: str) -> None:
    """Pairs in a list, tuple or dict, or alone, are asked for without the interpreter."""
    tally = agree(compare_text(MODEL.format(own=OWN, all=body), 12))
    assert tally.compared and not tally.left, tally.reasons


@pytest.mark.parametrize("own", ["(self.n, out)", "[(self.n == 1, self.out)]", "{self: (out, any([out]))}", "[(out,)]"])
def test_own(own: str) -> None:
    """Those of instances too; what is no pair is left to the interpreter, which says what is wrong."""
    agree(compare_text(MODEL.format(own=own, all="[(out, False)]"), 12))


@pytest.mark.parametrize(
    "body", ["[(out, 1)]", "[out]", "{1: 2}", "set([(out, out)])", "(out, 1)", "[(out, out)] if out else []"]
)
def test_left(body: str) -> None:
    """What is no pair, and pairs that come and go, are mistakes that the interpreter tells."""
    assert agree(compare_text(MODEL.format(own=OWN, all=body), 12)).left
