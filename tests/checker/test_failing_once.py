"""An execution path on which the model fails after much work is run once: the search and the trace share its result."""

from __future__ import annotations

from typing import Any

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from fizz import load
from interpreter.execute.headers import Headers
from interpreter.values import budget
from interpreter.values.budget import Meter
from tests.checker.texts import delivering
from tests.random.laws import IN_PROCESS, reports

CHARGES = 100_000
HEAD = f"---\ndeadlock_detection: false\noptions: {{limits: {{charges: {CHARGES}}}}}\n---\n"

START = "action Init: x = 0\natomic action A:\n    while True: y = [0]\n"
LATER = """action Init: x = 0
atomic action Up:
    require x < 3
    x += 1
atomic action Down:
    require x == 3
    for i in range(900):
        for j in range(900): y = [0]
"""
CHOICES = "action Init: x = 0\natomic action A:\n    x = oneof range(4)\n    while x == 2: y = [0]\n"
SEVERAL = "action Init: x = 0\natomic action A:\n    x = oneof range(12)\n    while x > 1: y = [0]\n"
SERIAL = "action Init: x = 0\nfair action A:\n    x = 1\n    x = 2\n    atomic:\n        while True: y = [0]\n"
FUNC = """action Init: x = 0
atomic func f(n):
    if n == 0: return 0
    a = f(n - 1)
    b = f(n - 1)
    return a + b
atomic action A: x = f(40)
"""
DELIVER = delivering("atomic func put(v):", "    while True: y = [v]")
ROLE = """role Node:
    action Init: self.n = 0
    atomic action Work:
        require self.n < 2
        self.n += 1
        while self.n == 2: y = [0]
action Init: node = Node()
"""
INIT = "action Init:\n    x = 0\n    while True: y = [0]\n"
INVARIANT = """action Init: x = 0
atomic action A:
    require x < 3
    x += 1
always assertion Small: return x < 3 or len([i for j in range(1000) for i in range(100)]) > 0
"""
TRANSITION = """action Init: x = 0
atomic action A:
    require x < 3
    x += 1
transition assertion Small(before, after): return after.x < 3 or len([i for j in range(1000) for i in range(100)]) > 0
"""
LIVE = SERIAL + "always eventually assertion Back: return x == 0\n"
MODELS = {
    "start": START, "later": LATER, "choices": CHOICES, "several": SEVERAL, "serial": SERIAL, "func": FUNC,
    "deliver": DELIVER, "role": ROLE, "init": INIT, "invariant": INVARIANT, "transition": TRANSITION, "live": LIVE,
}  # fmt: skip


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The cost of each run of a path, in charges. A small budget is divided as if it were a large one."""
    monkeypatch.setattr(budget, "_MODEST", 1_000)
    found: list[int] = []
    end = Meter.end

    def noting(meter: Meter) -> None:
        found.append(meter.count)
        end(meter)

    monkeypatch.setattr(Meter, "end", noting)
    return found


TURNING = """action Init: x = 0
atomic action A:
    y = 0
    while True:
        y += 1
        z = oneof [1]
"""


@pytest.mark.parametrize("engine", ["plain", *IN_PROCESS])
def test_endless_loops_of_choices_end_soon(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each choice costs what the choices before it take to be kept; and the story does not make them again."""
    turns = 0
    come = Headers.come

    def counting(*arguments: Any) -> None:
        nonlocal turns
        turns += 1
        come(*arguments)

    monkeypatch.setattr(Headers, "come", counting)
    report = check(load("m.fizz", text=HEAD + TURNING), engine=engine, settings=Settings())
    assert report.error is not None and report.error.diagnostic.code == "R20"
    assert report.trace is not None
    assert turns < 1_000


SYMMETRIC = """symmetric role Node:
    action Init: self.n = 0
    atomic action Work:
        require self.n < 2
        self.n += 1
        while self.n == 2: y = [0]
action Init:
    nodes = set()
    for i in range(3):
        node = Node()
        nodes.add(node)
"""


@pytest.mark.parametrize("engine", ["plain", *IN_PROCESS])
def test_symmetric_models_fail_twice_at_most(engine: str, spent: list[int]) -> None:
    """The trace has another image than the stored one; the failing step is tried on no further ones."""
    report = check(load("m.fizz", text=HEAD + SYMMETRIC), engine=engine, settings=Settings())
    assert report.error is not None and report.error.diagnostic.code == "R20"
    assert sum(spent) < 2.3 * CHARGES


# Some states have paths after the one that costs too much, and paths before it; others have them all.
MIXED = """action Init: n = oneof range(300)
atomic action A:
    a = oneof range(3)
    b = oneof range(3)
    while a == 1 and n % 7 == 3: y = [0]
    n = 1_000 + n * 9 + 3 * a + b
atomic action B:
    n = -n
always assertion Near: return n != 1_000 + 17 * 9 + 8
exists assertion Far: return n == 1_000 + 20 * 9 + 8
"""


def test_paths_after_one_that_costs_too_much() -> None:
    """They are left out by every engine, and the least error is reported."""
    head = "---\noptions: {max_actions: 2, limits: {charges: 3000}}\n---\n"
    several = reports(head + MIXED, Settings(keep_going=True, limits=Limits(depth=1)))
    assert all(report == several["plain"] for report in several.values())
    report = several["plain"]
    assert report.error is not None and report.error.diagnostic.code == "R20"
    failing = len([n for n in range(300) if n % 7 == 3])
    assert report.transitions == 300 + (300 - failing) * 9 + failing * 3


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("engine", ["plain", *IN_PROCESS])
def test_one_run_costs_much(engine: str, name: str, spent: list[int]) -> None:
    """Of all runs of paths in a check one costs the whole budget, and the others together little beside it."""
    report = check(load("m.fizz", text=HEAD + MODELS[name]), engine=engine, settings=Settings())
    assert report.error is not None and report.error.diagnostic.code == "R20"
    assert sum(spent) < 1.3 * CHARGES, [cost for cost in spent if cost > 1_000]


@pytest.mark.parametrize("engine", ["plain", "rows", "embedded"])
def test_what_next_states_found_to_fail_is_not_gone_again(engine: str, spent: list[int]) -> None:
    """Row by row a rule is asked on one state, of which the machine knows. By columns it is asked on many at once."""
    text = HEAD + START + "always assertion Quiet: return len(next_states()) == 0\n"
    report = check(load("m.fizz", text=text), engine=engine, settings=Settings())
    assert report.error is not None and report.error.diagnostic.code == "R20"
    assert sum(spent) < 1.3 * CHARGES, [cost for cost in spent if cost > 1_000]
