"""Rules over genericsets, whose elements may be changed, are run directly as the interpreter runs them."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from checker.core.limits import Limits
from tests.direct.bodies import agree
from tests.direct.differential import compare_text
from tests.random.laws import differences

HEAD = """
---
options: {{max_actions: 5, crash_on_yield: false}}
deadlock_detection: false
---
Colors = symmetric_values("c", 2)
Sizes = symmetric_values("s", 2)
def note(kind, value): return record(kind=kind, value=value)
action Init:
    net, log, last, n = genericset(), [], None, 0
atomic action Send:
    require len(net) < 3
    value = oneof range(3)
    net.add(record(kind="a", value=value))
    n = (n + value) % 4
atomic action Receive:
    m = oneof net if m.kind == "a"
    net.remove(m)
    n = m.value
{actions}
always assertion Small:
    return all([m.value < 3 for m in net if m.kind == "a"]) and len(net) < 6
always assertion NoPair:
    for m in net:
        if m.kind == "b" and m.value == n:
            return False
    return True
transition assertion Shrinks(before, after):
    return len(after.net) < len(before.net) + 2
"""
ACTIONS = {
    "an element that is changed": """
atomic action Other:
    m = oneof net
    m.value = (m.value + 1) % 3""",
    "elements that are changed in a loop": """
atomic action Other:
    for m in net:
        m.kind = "b"
    n = len([m for m in net if m.kind == "b"])""",
    "an element that is kept": """
atomic action Other:
    m = oneof net
    last = m
atomic action Change:
    require last != None
    last.value = 0""",
    "one that is added and kept": """
atomic action Other:
    last = record(kind="b", value=n)
    net.add(last)
atomic action Change:
    require last != None
    last.value = 1""",
    "one that is added and then changed": """
atomic action Other:
    fresh = record(kind="b", value=n)
    net.add(fresh)
    fresh.value = 2""",
    "one that is made by a def": """
atomic action Other:
    net.add(note("b", n))
    net.discard(note("a", 1))""",
    "membership and size": """
atomic action Other:
    require record(kind="a", value=1) in net and record(kind="a", value=2) not in net
    n = len(net)
    net.clear()""",
    "lists as elements": """
atomic action Other:
    require n < 3
    net.add(record(kind="c", value=[n, [n]]))
    net.add(record(kind="c", value=[n, [n]]))
    n = n + len([m for m in net if m.kind == "c" and m.value[1] == [0]])""",
    "order in one step": """
atomic action Other:
    net.add(record(kind="b", value=1))
    net.add(record(kind="0", value=1))
    log = [m.kind for m in net][:3]""",
    "numbers and bools": """
atomic action Other:
    net.discard(1)
    require 1 not in net and True not in net
    one = oneof [1, True]
    net.add(record(kind="n", value=one))
    n = len(net)""",
    "floats": """
atomic action Other:
    net.add(record(kind="f", value=1.0))
    require record(kind="f", value=1) in net
    net.discard(record(kind="f", value=1))""",
    "sets of them": """
atomic action Other:
    more = net | genericset([record(kind="b", value=2)])
    n = len(more) - len(net & more)
    require more != net
    net = more""",
    "what is not there": """
atomic action Other:
    net.remove(record(kind="a", value=n))""",
    "symmetric values": """
atomic action Other:
    c = oneof Colors
    net.add(record(kind="s", value=c))
    require len([m for m in net if m.kind == "s"]) < 3""",
    "symmetric values of two domains": """
atomic action Other:
    kind = oneof [Colors, Sizes]
    c = oneof kind
    net.add(record(kind="s", value=c))""",
    "a pair of elements": """
atomic action Other:
    first = oneof net
    second = oneof net if first != second and second.value >= first.value
    net.remove(second)
    log = [first.value, second.value]""",
}
ENGINES = ("rows", "columns", "early columns", "direct rows", "direct columns")


@pytest.mark.parametrize("name", ACTIONS)
def test_engines_agree(name: str) -> None:
    """Verdicts, counts and stories, also where elements are changed in place or shared."""
    text = HEAD.format(actions=ACTIONS[name])
    for keep_going in (True, False):
        assert not differences(text, Settings(keep_going=keep_going, limits=Limits(states=300)), ENGINES)


@pytest.mark.parametrize("name", ACTIONS)
def test_rules_agree(name: str) -> None:
    """Each rule, in each state, by itself."""
    agree(compare_text(HEAD.format(actions=ACTIONS[name]), 80))


def test_rules_are_run_directly() -> None:
    """Choosing an element and taking it out, adding one and looking for one need no interpreter."""
    for name in ("a pair of elements", "membership and size", "one that is made by a def", "lists as elements"):
        tally = compare_text(HEAD.format(actions=ACTIONS[name]), 80)
        assert tally.compared > 20 * tally.left, name
