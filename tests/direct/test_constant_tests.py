"""What constants decide is not tested: the results stay those of the interpreter, and what is ruled out is not read."""

from __future__ import annotations

import pytest

import fizz
from checker.search.known_pairs import PairsOfModel
from interpreter import Machine, StepKind
from interpreter.direct.rules import DirectRules
from interpreter.state.step import Outcome, Rule
from tests.direct.bodies import agree
from tests.direct.differential import compare_text

HEAD = """\
---
{"deadlock_detection": false}
---
ON = True
OFF = False
KIND = "fast"
MOST = 2
NOTHING = None
def picked(v):
    return ON or v > MOST
atomic func early():
    if OFF:
        return 5
    elif ON:
        return 2
    x = 7
    return 3
atomic func late(n):
    if n > 3:
        if OFF:
            return 4
        x = n
    if not ON:
        return 0
    return n + 1
action Init:
    x = 0
    y = 0
    xs = [1, 2]
"""


def _machine(text: str) -> Machine:
    return Machine(PairsOfModel(fizz.load("m.fizz", text=text)).program())


BODIES = [
    "if ON:\n    x = 1\nelse:\n    x = 2",
    "if OFF:\n    x = 1\nx += 1",
    "if OFF:\n    x = 1",
    "if not ON:\n    x = 1\nelif KIND == 'fast':\n    y = oneof xs\nelse:\n    x = 3\nx = y",
    "if KIND != 'fast':\n    x = 1\nelif x == 0:\n    x = 4\nelse:\n    x = 0",
    "if x == 0:\n    x = 1\nelif ON:\n    x = 0",
    "if OFF or x == 0:\n    x = 1\nelse:\n    x = 0",
    "if ON and MOST > 1 and x < MOST:\n    x += 1\nelse:\n    x = 0",
    "require (ON or xs[x] > 0)\nx = (x + 1) % 5",
    "require OFF or x < 2\nx += 1",
    "x = (1 if ON else xs[9]) + (xs[9] if OFF else x) % 3",
    "for v in xs:\n    if OFF:\n        break\n    if ON:\n        if v == 2:\n            continue\n    x = v",
    "for MOST in xs:\n    if MOST == 2:\n        x = MOST",
    "x = len([ON for ON in xs if ON == 1])",
    "if NOTHING == None and KIND < 'z':\n    x = 1",
    "if ON == 1 or MOST == 'fast':\n    x = 1",
    "if picked(x) and not OFF:\n    x = (x + 1) % 3",
    "if ON:\n    oneof:\n        x = 1\n        if OFF:\n            x = 2\n        else:\n            x = 3",
]


@pytest.mark.parametrize("flow", ["atomic", "serial"])
@pytest.mark.parametrize("body", BODIES)
def test_results(body: str, flow: str) -> None:
    """Where constants decide a condition, or seem to, the results and lines are those of the interpreter."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    tally = agree(compare_text(f"{HEAD}{flow} action A:\n{lines}\n", 30))
    assert flow == "serial" or (tally.compared and not tally.left), tally.reasons


CALLS = ["x = early()", "x = late(x)\ny = early()", "for v in xs:\n    x = late(x)\n    x = x % 7\n    y = early()"]


@pytest.mark.parametrize("body", CALLS)
def test_funcs(body: str) -> None:
    """A func that returns in its midst, because a constant says so, has its result."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    tally = agree(compare_text(f"{HEAD}atomic action A:\n{lines}\n", 30))
    assert tally.compared and not tally.left, tally.reasons


ASSERTIONS = [
    ("    if ON:\n        return True\n    return x < 9", set()),
    ("    if OFF:\n        return y > 0\n    return x < 9", {"x"}),
    ("    return ON or x < 9", set()),
    ("    return x < 9 and (y >= 0 if KIND == 'slow' else xs != [])", {"x", "xs"}),
    ("    if MOST > 2:\n        return x < 9\n    elif y == 0:\n        return True\n    return xs != []", {"y", "xs"}),
]


@pytest.mark.parametrize(("body", "read"), ASSERTIONS)
def test_what_is_ruled_out_is_not_read(body: str, read: set[str]) -> None:
    """An assertion may read only what is left of it."""
    model = f"{HEAD}atomic action A:\n    x = (x + 1) % 3\n    y = 1 - y\nalways assertion Fine:\n{body}\n"
    agree(compare_text(model, 30))
    machine = _machine(model)
    initial, _ = machine.initial()
    layout = initial[0].state.layout
    found = DirectRules(machine).reads(Rule(StepKind.ASSERT, 0), layout)
    assert found is not None
    assert {layout.slots[position][1] for position in found[0]} == read


STEPS = """\
---
{"deadlock_detection": false}
---
role Node:
    action Init:
        self.term = 0
        self.noise = set()
    atomic action Raise:
        require self.term < 2
        self.term += 1
        self.noise = set([self])
action Init:
    nodes = [Node(), Node()]
transition assertion Grows(before, after):
    return all([old.term <= new.term for old, new in zip(before.nodes, after.nodes)])
"""


def test_only_what_is_read_is_renamed() -> None:
    """Of the state before a step, instances get names of their own where the assertion may read them."""
    agree(compare_text(STEPS, 40))
    machine = _machine(STEPS)
    rules = DirectRules(machine)
    (first,) = [one.state for one in machine.initial()[0]]
    step = next(iter(machine.each_step(first)))
    after = step.target
    (found,) = rules.results(Rule(StepKind.ASSERT, 0), next(iter(machine.each_step(after))).target, after) or ()
    assert isinstance(found, Outcome) and found.value is True
    noise = after.values[after.layout.index["field", "Node", int(step.name.partition("#")[2][0]), "noise"]]
    assert noise not in rules.sides.by(1)
    assert after.values[after.layout.index["heap", "nodes"]] in rules.sides.by(1)
