"""Loops of choices (language page, 6.3): which paths are given up, and that the machine follows the page."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from interpreter import Machine, compile_module
from interpreter.state.step import Rule, StepKind
from tests.interpreter.naive import actual_paths, expected_paths

IDLE = "atomic action Rest: pass\n"

MODELS = {
    "a coin until heads": """
action Init: c = 0
atomic action Flip:
    c = 0
    while c == 0:
        c = oneof [0, 1]
""",
    "in Init": """
action Init:
    c = 0
    while c == 0:
        c = oneof [0, 1, 2]
""",
    "choices before the loop": """
action Init: x, c = 0, 0
atomic action Go:
    x = oneof [1, 2]
    c = 0
    while c == 0:
        c = oneof [0, 1]
""",
    "several choices in a turn": """
action Init: a, b = 0, 0
atomic action Go:
    a, b = 0, 0
    while a == b:
        a = oneof [0, 1]
        b = oneof [0, 1]
""",
    "two loops, one after the other": """
action Init: a, b = 0, 0
atomic action Go:
    a, b = 0, 0
    while a == 0: a = oneof [0, 1, 2]
    while b == 0: b = oneof [0, 1, 2]
""",
    "nested": """
action Init: a, b = 0, 0
atomic action Go:
    a, b = 0, 0
    while a < 2:
        a = oneof [0, 1, 2]
        b = 0
        while b == 0:
            b = oneof [0, 1, a]
            if b == 2:
                break
""",
    "a loop gone into twice": """
action Init: a, n = 0, 0
atomic action Go:
    n = 0
    for k in [0, 1]:
        a = 0
        while a == 0:
            a = oneof [0, 1, 2]
        n += a
""",
    "in a callee": """
action Init: n = 0
atomic func toss():
    c = -1
    while c < 0:
        c = oneof [-1, 0, 1]
    return c
atomic action Go:
    a = toss()
    b = toss()
    n = 2 * a + b
""",
    "a callee chooses": """
action Init: n = 7
atomic func toss():
    oneof:
        return 0
        return 1
atomic action Go:
    n = 7
    while n > 5:
        a = toss()
        b = toss()
        c = toss()
        n = 4 * a + 2 * b + c
""",
    "a for inside": """
action Init: n = 7
atomic action Go:
    n = 7
    while n > 2:
        n = 0
        for k in range(2):
            b = oneof [0, 1]
            n = 2 * n + b
""",
    "continue, break and a guard": """
action Init: x, y = 0, 0
atomic action Go:
    x = 0
    while True:
        y = oneof [0, 1, 2, 3]
        if y == 0: continue
        if y == 1: break
        require y != 3
        x = 1 - x
        if x == 0: return
""",
    "the order of a dict": """
action Init: n, left = 0, []
atomic action Go:
    seen = {}
    while len(seen) < 2:
        k = oneof ["a", "b"]
        seen[k] = 1
    left = list(seen.keys())
""",
    "sharing": """
action Init: x, y, n = [], [], 0
atomic action Go:
    n = 0
    while n < 1:
        n = oneof [0, 1, 2]
        if n == 2:
            y = x
            n = 0
    y.append(n)
    require len(y) < 3
""",
    "put back": """
action Init: log, seen = [1], set([1])
atomic action Go:
    go = True
    while go:
        go = oneof [True, False]
        what = oneof range(4)
        if what == 0: log.pop()
        if what == 0: log.append(1)
        if what == 1: log = [1]
        if what == 2: seen.discard(1)
        if what == 2: seen.add(1)
""",
    "block forms enable nothing": """
action Init: n = 0
action Go:
    while n == 0:
        oneof v in [0, 1, 2]:
            if v == 2:
                n = 1
""",
    "fair choices": """
action Init: c = 0
atomic fair action Flip:
    c = 0
    while c == 0:
        c = fair oneof [0, 1]
always eventually assertion Heads:
    return c == 1
""",
    "messages": """
Net = Channel()
role Sink:
    action Init: self.got = 0
    func put(v): self.got = v
action Init:
    sink = Sink()
    out = Net.stub(sink)
    n = 0
atomic action Send:
    require n == 0
    while n < 1:
        n = oneof [0, 1]
        if n == 1: out.put(n)
""",
    "instances": """
role Node:
    action Init: self.v = oneof [0, 1]
action Init: nodes = []
atomic action Go:
    require nodes == []
    nodes = [Node(), Node()]
    while nodes[0].v == 1 or nodes[1].v == 0:
        nodes.append(nodes.pop(0))
        nodes[0].v = oneof [0, 1]
""",
    "a thread that goes on in a loop": """
action Init: a, b = 0, 0
func pause():
    a = 1
    b = oneof [0, 1]
    b = b
atomic action Go:
    require a == 0
    while b == 0:
        pause()
        oneof v in [0, 1]:
            require v >= 0
""",
    "an unchanged read more": """
action Init: x, y, n = 5, [5], 0
atomic action Go:
    n = 0
    while n == 0:
        n = oneof [0, 1, 2]
        if n == 2:
            n = y[0] - 5
""",
    "a bag": """
action Init: hand, n = bag(), 0
atomic action Draw:
    hand = bag()
    while len(hand) < 2:
        hand.add(oneof_one)
        c = oneof [1, 2]
        hand.add(c)
        hand.discard(oneof_one)
""".replace("oneof_one", "3"),
    "a pool that is shuffled": """
action Init: pile = [[1], [2]]
atomic action Shuffle:
    done = False
    while not done:
        done = oneof [False, True]
        if not done:
            first = pile.pop(0)
            pile.append(first)
""",
}


def rules_of(machine: Machine, states: int) -> list[tuple[Rule, object]]:
    """Rules with states, as far as the first states go."""
    found = [path.state for path in machine.initial()[0]]
    met = set(found)
    pairs = []
    for state in found:
        for candidate in machine.candidates(state):
            if candidate.rule.kind is not StepKind.CRASH_ROLE:
                pairs.append((candidate.rule, state))
        if len(found) < states:
            for step in machine.steps(state).steps:
                if step.target not in met:
                    met.add(step.target)
                    found.append(step.target)
    return pairs


@pytest.mark.parametrize("name", MODELS)
def test_the_machine_does_what_the_page_says(name: str) -> None:
    """The remaining paths and their results are those of the literal definition."""
    program = compile_module(fizz.load("m.fizz", text=MODELS[name] + IDLE))
    assert program.choice_loops.loops
    machine = Machine(program)
    init = Rule(StepKind.INIT, program.init)  # type: ignore[arg-type]
    compared = 0
    for rule, state in [(init, machine.transitions.empty), *rules_of(machine, 12)]:
        wanted = expected_paths(machine, rule, state, 3_000)  # type: ignore[arg-type]
        assert wanted is not None
        assert actual_paths(machine, rule, state) == wanted  # type: ignore[arg-type]
        compared += len(wanted)
    assert compared


def test_a_lambda_is_told_by_what_it_holds() -> None:
    """Functions among the locals are made anew in each turn; they are the same if what they see is."""
    text = """
action Init: n = 0
atomic action Go:
    require n == 0
    k = 0
    f = lambda v: v + k
    g = f
    while g(0) == 0:
        k = oneof [0, 1]
        m = k
        g = lambda v, w=m: f(v) + w - w
    n = k
"""
    report = check(fizz.load("m.fizz", text=text + IDLE), engine="plain")
    assert (report.states, report.transitions) == (2, 3)


@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_without_a_way_left_there_is_no_step(engine: str) -> None:
    """A loop that only ever repeats itself has no step: a deadlock, and a warning that the action never had one."""
    text = "action Init: c = 0\natomic action Flip:\n    while c == 0:\n        c = oneof [0]\n"
    report = check(fizz.load("m.fizz", text=text), engine=engine)
    assert (report.verdict, report.states, report.transitions) == ("deadlock", 1, 0)


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize("body", ["pass", "n += 1\n        c = oneof [0, 1]"])
def test_a_loop_without_end_is_a_mistake(engine: str, body: str) -> None:
    """A loop that comes back without a choice, or never comes back to where it was, ends in R20 at its span."""
    head = "---\noptions: {limits: {charges: 4000}}\n---\n"
    text = f"{head}action Init: c, n = 0, 0\natomic action Go:\n    while c == 0:\n        {body}\n"
    report = check(fizz.load("m.fizz", text=text), engine=engine)
    assert report.verdict == "error"
    assert report.error is not None and report.error.diagnostic.code == "R20"


def test_where_nothing_repeats_nothing_is_followed_together() -> None:
    """Loops without choices, choices without a `while`, and serial loops that yield in every turn cost nothing."""
    text = """
action Init: n, xs = 0, [0, 1]
atomic action Count:
    while n < 3: n += 1
    for x in xs:
        y = oneof xs
        n += y
action Serve:
    while n < 3:
        oneof:
            n = 1
            n = 2
        oneof x in xs:
            n += x
atomic action Once:
    while True:
        n = oneof xs
        break
"""
    assert not compile_module(fizz.load("m.fizz", text=text)).choice_loops.roots


FIGURES = {
    "a coin until heads": (2, 4),
    "in Init": (2, 2),
    "choices before the loop": (3, 9),
    "several choices in a turn": (3, 9),
    "a callee chooses": (7, 49),
    "the order of a dict": (3, 9),
}


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize("name", FIGURES)
def test_counts(name: str, engine: str) -> None:
    """States and transitions that were counted by hand; one transition of each state is that of Rest."""
    report = check(fizz.load("m.fizz", text=MODELS[name] + IDLE), engine=engine)
    assert (report.verdict, report.states, report.transitions) == ("passed", *FIGURES[name])
