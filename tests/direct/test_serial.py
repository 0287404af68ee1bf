"""Serial actions are done directly, and recorded, up to their first yield, as the interpreter does them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import fizz
from interpreter import Machine, StepKind, compile_module
from interpreter.direct.observed_rules import ObservedRules
from interpreter.state.step import Outcome, Result
from tests.direct.bodies import agree
from tests.direct.differential import Tally, compare_text
from tests.random.laws import walk

HEAD = """\
---
deadlock_detection: false
options: {max_actions: 3}
---
DEBUG = False
role Node:
    action Init:
        self.n = 0
    atomic func add(by):
        self.n = (self.n + by) % 3
        return self.n
    atomic func one_of(values):
        taken = oneof values
        return taken
    func slowly():
        self.n = 1
        self.n = 2
    action B:
        BODY

action Init:
    x = 0
    xs = [2, 1]
    s = set([3, 1])
    d = {"a": []}
    pairs = [(1, 2), (3, 4)]
    nodes = [Node(), Node()]

action A:
"""

DONE = [
    "x = 1\nx = 2",
    "require x == 0\nx = 1\nrequire x == 1\nx = 2",
    "a = oneof [1, 2]\nrequire a > x\nx = a",
    "a = oneof [1, 2]\npass\nb = oneof [3, 4]\nx = a + b\nx = b",
    "pass\nrequire x < 2\nx += 1",
    "a = 1\nx = a",
    "a, b = x, (1, 'b')\nx = a",
    "a = None\nx = 1\nx = 2",
    "n = oneof nodes\nrequire n.n == 0\nn.n = 1",
    "if x == 0:\n    x = 1\n    a = x\nelse:\n    a = 2\n    x = a\nx = 2",
    "if x == 0:\n    a = 1\nx = 1\nx = 0",
    "if x == 0:\n    if len(xs) > 0:\n        x = 1\n    x = 2\nelif x == 1:\n    x = 0\nx = 1",
    "a = oneof [1, 2]\nif a == 1:\n    require x != 1\n    x = 1\nx = 2",
    "a = oneof [1, 2]\nif a == 3:\n    x = 1\nx = 2",
    "if DEBUG:\n    x = 5\nelse:\n    x = 1\nx = 2",
    "if DEBUG:\n    x = 5\nx = 1\nx = 2",
    "if x == 9:\n    a = [1]\nx = 1\nx = 2",
    "atomic:\n    x = 1\n    x = 2\nx = 0",
    "serial:\n    x = 1\n    x = 2\nx = 0",
    "atomic:\n    a = x\n    require a == 0\nx = 1",
    "atomic for i in xs:\n    x = i\nx = 0",
    "atomic for i in [n for n in xs if n > 1]:\n    x = i\nx = 0",
    "a = oneof xs if a > x\nrequire x < 5\nx = a",
    "a = fair oneof [1, 2]\nrequire x < 5\nx = a",
    "`first` x = 1\n`second` x = 2",
    "return\nx = 1",
    "x = 1\nreturn x",
    "if x == 0:\n    return 3\nx = 0\nx = 1",
    "xs.append(x)\nxs.pop()",
    "d['a'] = [x]\nd['a'] = []",
    "s.add(x)\ns.discard(x)",
    "a = max([p[0] for p in pairs])\nx = a % 3",
    "found = [p for p in pairs if p[0] > x]\nx = len(found)",
    "found = [m for m in s if m > x]\nrequire found\nx = max(found)",
    "a = oneof [1, 2]\nfound = [a, x]\nx = 2",
    "xs2 = []\nx = 1",
    "found = tuple([p for p in pairs if p[0] > x])\nx = len(found)",
]
LEFT = [
    "found = [[p] for p in pairs if p[0] > x]\nx = len(found)",
    "found = [d for n in xs]\nx = len(found)",
    "atomic:\n    a = [x]\n    b = a\nx = 1",
    "atomic:\n    a = [x]\n    d['a'] = a\nx = 1",
    "found = sorted(xs)\nx = 1",
    "a = xs\nx = a[0]",
    "a = d['a']\na.append(1)",
    "a = struct(xs=xs)\nx = len(a.xs)",
    "a = zip(xs, xs)\nx = 1",
    "a = range(3)\nx = 1",
    "if x == 0:\n    a = [1]\nx = 1\nx = 2",
    "for i in xs:\n    x = i\nx = 0",
    "while x < 2:\n    x += 1",
    "oneof:\n    x = 1\n    x = 2\nx = 0",
    "oneof v in xs:\n    x = v\n    x = 0",
    "parallel:\n    x = 1\n    x = 2",
    "x = 1\nx = 1 // 0",
    "x = xs[7]\nx = 1",
    "xs[0], xs[1] = xs[1], xs[0]\nx = 1",
]


IN_ROLES_DONE = [
    "self.n = (self.n + 1) % 2\nseen = self.n\nx = seen",
    "r = self.add(1)\nx = r",
    "self.add(2)\nx = 0",
    "r = self.one_of(xs)\nx = r\nself.n = x",
    "me = self\nme.n = 1",
    "other = oneof nodes\nrequire other != self\nr = other.add(1)\nx = r",
]
IN_ROLES_LEFT = [
    "self.slowly()\nx = 0",
    "a = oneof [0, 1]\nself.slowly()",
    "for node in nodes:\n    node.add(1)",
]


def compared(body: str, in_role: bool = False) -> Tally:
    lines = [f"    {line}" for line in body.split("\n")]
    inside = "\n        ".join(body.split("\n")) if in_role else "x = 0"
    outside = ["    x = (x + 1) % 3"] if in_role else lines
    return agree(compare_text("\n".join([HEAD.replace("BODY", inside) + outside[0], *outside[1:], ""]), 80))


@pytest.mark.parametrize("body", DONE)
def test_done(body: str) -> None:
    """They are not left to the interpreter."""
    tally = compared(body)
    assert tally.compared and tally.recorded and "A" not in tally.reasons, tally.reasons


@pytest.mark.parametrize("body", LEFT)
def test_left(body: str) -> None:
    """Containers that a thread would keep, yields in loops, blocks and calls, and mistakes: nothing differs."""
    compared(body)


@pytest.mark.parametrize("body", IN_ROLES_DONE)
def test_done_in_roles(body: str) -> None:
    """With the instance that waits."""
    tally = compared(body, in_role=True)
    assert tally.compared and tally.recorded and "Node.B" not in tally.reasons, tally.reasons


@pytest.mark.parametrize("body", IN_ROLES_LEFT)
def test_left_in_roles(body: str) -> None:
    """Calls that yield."""
    compared(body, in_role=True)


def test_observed() -> None:
    """With the lines of each path, where it is compared with what a program did."""
    body = "a = oneof [1, 2]\n    require a > x\n    if x == 0:\n        x = a\n        x = 0\n    x = 2"
    machine = Machine(compile_module(fizz.load("m.fizz", text=f"{HEAD.replace('BODY', 'x = 0')}    {body}\n")))
    rules, waited = ObservedRules(machine), 0
    for _, state in walk(machine, 60):
        for candidate in machine.candidates(state):
            if candidate.rule.kind is StepKind.START and candidate.name == "A":
                found = rules.admitted(candidate.rule, state, None)
                wanted = [path.result for path in machine.paths(candidate.rule, machine.view(state))]
                assert found is not None
                assert [_without_order(one) for one in found] == [_without_order(one) for one in wanted]
                waited += sum(isinstance(one, Outcome) and one.thread is not None for one in found)
    assert waited


def _without_order(result: Result) -> object:
    """What a path led to, with its lines in any order, each once; paths that are no steps have none there."""
    if not isinstance(result, Outcome):
        return type(result)
    return replace(result, lines=tuple(sorted(set(result.lines))))
