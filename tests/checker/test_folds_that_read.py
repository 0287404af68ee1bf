"""Comprehensions over sets whose turns read the state, or two states: every engine finds what the plain one finds."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed
from tests.sample import one_in
from tests.stats import stat

MESSAGES = """\
---
deadlock_detection: false
---
N = 3
action Init:
    messages = set()
    seen = set()
    terms = [0] * N
atomic action Send:
    i = oneof range(N)
    k = oneof range(3)
    messages.add((i, k))
atomic action Lose:
    m = oneof messages
    require m[1] == 2
    messages.remove(m)
atomic action See:
    m = oneof messages
    seen.add(m)
    terms[m[0]] = max(terms[m[0]], m[1])
"""

PROPERTIES = [
    "always assertion P: return all([terms[m[0]] <= m[1] for m in messages if m in seen])",
    "always assertion P: return len([m for m in messages if m not in seen]) < 4",
    "always assertion P: return [m for m in messages if terms[m[0]] > m[1]] != [(0, 0), (2, 1)]",
    "always assertion P: return not any(m[0] != n[0] and m[1] == 2 and n[1] == 2 for m in messages for n in messages)",
    "always assertion P: return all([len([n for n in seen if n[0] == m[0]]) < 3 for m in messages])",
    "always assertion P: return seen <= messages",
    "always assertion P: return len(messages - seen) + len(messages & seen) == len(messages)",
    "exists assertion P: return messages == seen and len(seen) == 7",
    "transition assertion P(before, after): return before.seen <= after.seen",
    "transition assertion P(before, after): return all([m in after.messages for m in before.messages])",
    "transition assertion P(before, after): return len(after.messages - before.messages) <= 1",
    "transition assertion P(before, after): return before.messages == after.messages or before.seen == after.seen",
    "transition assertion P(before, after):\n    for m in after.seen - before.seen:\n"
    "        if m not in before.messages:\n            return False\n    return True",
    "transition assertion P(before, after): return set([1, 2]) - after.seen == set([1, 2])",
]


@pytest.mark.parametrize("text", one_in(2, PROPERTIES))
def test_properties(text: str) -> None:
    """Verdicts, counts and traces are the same."""
    agreed(MESSAGES + text + "\n", states=150)


def calls_for_messages(text: str) -> int:
    """How often the interpreter is called where there are six possible messages; nothing is run directly."""
    module = fizz.load("m.fizz", text=MESSAGES.replace("N = 3", "N = 2") + text + "\n")
    found = check(module, engine="columns", settings=Settings(keep_going=True, stats=True))
    assert found.states == 1_296
    assert stat(found, "run directly") == 0
    return stat(found, "interpreter calls")


@pytest.mark.parametrize("text", one_in(3, [one for one in PROPERTIES if " + " not in one]))
def test_what_repeats_is_not_run_again(text: str) -> None:
    """The sets have 64 values each, and six elements."""
    assert calls_for_messages(text) < 100


def test_instances_of_two_states() -> None:
    """An instance that is reached through `before` has the fields of that state, in turns of a fold too."""
    agreed(
        """\
---
deadlock_detection: false
---
role Node:
    action Init:
        self.v = 0
        self.got = set()
    atomic action Step:
        self.v = (self.v + 1) % 3
    atomic action Get:
        n = oneof nodes
        self.got.add((n.v, self.v))
action Init:
    nodes = [Node(), Node()]
def above(node, got):
    return len([m for m in got if m[0] > node.v])
transition assertion Same(before, after):
    a, b = before.nodes[0], after.nodes[0]
    return above(a, after.nodes[1].got) == above(b, after.nodes[1].got) or a.v != b.v or len(b.got) > 1
transition assertion Grows(before, after):
    return before.nodes[0].got <= after.nodes[0].got and len(after.nodes[1].got - before.nodes[1].got) < 2
""",
        states=600,
    )


def test_turns_of_a_step_that_has_changed_something() -> None:
    """What a turn reads may have been changed earlier in the step."""
    agreed(
        """\
---
deadlock_detection: false
---
action Init:
    messages = set()
    term = 0
    late = 0
atomic action Send:
    k = oneof range(4)
    messages.add((k, term))
atomic action Raise:
    term = (term + 1) % 3
    late = len([m for m in messages if m[1] < term])
atomic action Drop:
    m = oneof messages
    messages.remove(m)
    late = len([n for n in messages if n[0] == m[0] and term > 0])
always assertion P: return late < 4
""",
        states=600,
    )


def test_a_turn_that_fails_where_its_element_is() -> None:
    """It fails where the element is there, if what decides does not come before."""
    for word in ("all([%s for m in messages])", "any(%s for m in messages)", "len([m for m in messages if %s]) < 3"):
        agreed(MESSAGES + f"always assertion P: return {word % '12 // (4 - m[1] - terms[m[0]]) > 20'}\n", states=150)


def test_sets_compared_after_a_change() -> None:
    """A step that has changed something before is known by what it has asked of both sets."""
    agreed("""\
action Init:
    n = 0
    s = set([0])
    rows = [set(), set()]
    by = {"a": set(), "b": set()}
action Add:
    by["a"].update(s)
action Compare:
    n = oneof 0, 1
    rows[0] = s - rows[n] | by["a"]
""")
    agreed("""\
action Init:
    n = 0
    s = set([0])
    rows = [set(), set()]
    has = [set(), set()]
action Add:
    has[0] = has[0] | s
action Compare:
    n = oneof 0, 1
    has[0] = rows[0] & has[n]
    rows[n].add(0)
""")


def test_a_comprehension_that_other_rules_evaluate_turn_by_turn() -> None:
    """What one rule learns of a comprehension in a `def`, that it must be evaluated as it is written, holds for all."""
    report = agreed("""\
---
deadlock_detection: false
---
def like(s, x):
    return [m for m in s if x == m]
role Node:
    action Init:
        self.v = 0
action Init:
    s = set([0])
    n = 0
    nodes = [Node()]
    x = 1
atomic action Add:
    k = oneof range(4)
    require k not in s
    s.add(k)
atomic action Remove:
    k = oneof s
    s.remove(k)
atomic action Up:
    require n < 3
    n += 1
    x = (nodes[0], 1) if n == 2 else n
transition assertion A(before, after):
    return len(like(after.s, after.x)) < 1 or after.n < 3 or len(before.s) < 3
transition assertion C(before, after):
    return len(like(before.s, 1)) + after.n < 4 or len(after.s) < 3
""")
    assert [one.verdict for one in report.properties] == ["violated", "violated"]


def test_sets_of_instances_compared_by_two_rules() -> None:
    """Common elements of two states with instances inside are no fold, and other rules that ask for `&` see it."""
    agreed("""\
action Init:
    nodes = Node(), Node()
    pool = [(node, node.v) for node in nodes]
    s = set(pool)
    t = set()
    both = again = s | t
role Node:
    action Init:
        self.v = 0
        self.s = set()
action Take:
    s.pop()
transition assertion P:
    for e in after.s & before.nodes[0].s:
        return True
transition assertion Q:
    for e in after.s & before.s:
        return True
""")
