"""Choices among containers that are equal and different: messages that are dicts, and sent twice."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from tests.direct.bodies import agree, by_functions, model_with
from tests.direct.differential import compare_text
from tests.random.laws import differences

BY_FUNCTIONS = [
    "v = oneof xss\nxss.remove(v)\nxss.append([1])",
    "v = oneof xss if len(v) < 2\nxss = [w for w in xss if w != v] + [[1], [1]]",
    "v = oneof [w for w in xss if w != []]\nx = len(v)",
    "require x < 3\ny = len(xss)\nv = oneof xss\nx += y",
    "oneof v in xss:\n    x = (x + len(v)) % 3\n    xss = [[1], [1], []]",
    "v = oneof xss\nw = oneof [1, 2]\nxss = [[w], [1]]\nx = len(v)",
]
AS_WRITTEN = [
    "v = [1]\nxss = [v, v, [1]]\nw = oneof xss\nx = len(w)",
    "v = xss\nv.append(v[0])\nw = oneof xss\nx = len(w)",
    "if x == 0: xss = xss + xss\nv = oneof xss\nx = 1",
    "v = [xss[0], xss[0]]\nw = oneof v\nx = len(w)\nxss = [[x], [x]]",
    "f(xss)\nw = oneof xss\nx = 1\nxss = [[1], [1]]",
    "grow(xss)\nw = oneof xss[:2]\nx = 1\nxss = [[1], [1]]",
    "v = oneof [w for w in xss for u in xs]\nx = len(v)\nxss = [[1], [1]]",
]

MESSAGES = """
---
deadlock_detection: false
---
action Init:
    msgs = []
    seen = 0
atomic action Send:
    k = oneof range(2)
    require len(msgs) < 3
    msgs.append({"kind": k, "to": [k]})
atomic action Receive:
    m = oneof [m for m in msgs if m["kind"] == 1]
    msgs.remove(m)
    seen = (seen + 1) % 4
atomic action Change:
    m = oneof msgs
    m["kind"] = 0
action Slowly:
    m = oneof msgs
    msgs.remove(m)
always assertion Few: return all([m["kind"] in m["to"] or seen < 4 for m in msgs])
"""


IN_A_ROLE = """
---
deadlock_detection: false
---
role Node:
    action Init:
        self.xs = [[1]]
        self.n = 0
    def doubled(self, items):
        items.append(items[0])
        return True
    atomic action A:
        require self.n < 2 and self.doubled(self.xs)
        x = oneof self.xs
        self.n += len(x)
        self.xs = [[self.n]]
action Init:
    nodes = [Node()]
"""


@pytest.mark.parametrize("body", BY_FUNCTIONS)
def test_members_of_the_state_are_apart(body: str) -> None:
    """Nothing differs, and the rule is run as a function of Python where members are equal."""
    by_functions(compare_text(model_with(body), 40))


@pytest.mark.parametrize("body", AS_WRITTEN)
def test_what_may_be_one_object_twice(body: str) -> None:
    agree(compare_text(model_with(body), 20))


def test_messages_that_are_sent_twice() -> None:
    assert not differences(MESSAGES, Settings(keep_going=True))


def test_what_a_def_of_a_role_made_one_object_twice() -> None:
    assert not differences(IN_A_ROLE, Settings(keep_going=True))
