"""Statement loops over sets: every engine finds what the plain one finds, from the results of single turns."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed
from tests.checker.test_folds_that_read import MESSAGES, calls_for_messages

BOX = """\
---
deadlock_detection: false
---
role Node:
    action Init:
        self.v = 0
    atomic action Grow:
        require self.v < 2
        self.v += 1
        box.add(self.v)
        late.add(self)
action Init:
    box = bag()
    late = set()
    nodes = [Node() for i in range(2)]
"""
"""A bag of numbers, and a set of instances that grow."""

PROPERTIES = [
    """\
always assertion P:
    for m in messages:
        if m[0] == 2 and m not in seen and terms[m[0]] > 1:
            return False
    return True
""",
    # The first one that returns decides, also if it returns no bool.
    """\
def first(ms):
    for m in ms:
        if m[1] == 1:
            return m
        if m[0] == 2:
            return None
always assertion P: return first(messages) in [None, (0, 1), (1, 1)]
""",
    """\
always assertion P:
    for m in messages:
        for n in messages:
            if m[0] != n[0] and m[1] + n[1] == 4:
                return False
    return True
""",
    """\
always assertion P:
    for m in messages:
        for n in seen:
            if n == m:
                break
            if n[0] == m[0] and n[1] > m[1]:
                return False
        k = m[1]
        if k == 5:
            continue
    return True
""",
    # No value is returned: an error, or None.
    """\
always assertion P:
    for m in messages:
        if m == (1, 1):
            return
    return True
""",
    """\
def ends(ms):
    for m in ms:
        if m == (1, 1):
            return
    return True
always assertion P: return ends(messages) != None or len(seen) < 2
""",
    # These pass something on.
    """\
always assertion P:
    count = 0
    for m in messages:
        if m[1] == 1:
            count += 1
    return count < 3
""",
    """\
always assertion P:
    last = None
    for m in messages:
        last = m
    return last != (2, 2) or last in seen
""",
    """\
always assertion P:
    found = []
    for m in messages:
        if m in seen:
            found.append(m)
    return len(found) < 5
""",
    # An error is one only if no turn before returns.
    """\
always assertion P:
    for m in messages:
        if m[1] == 0:
            return True
        if m[0] == 1 and m[1] == 2 and len(seen) == 1:
            return 1 // 0 == 1
    return True
""",
    """\
def holds(ms, term):
    for m in ms:
        if m[1] > term:
            return True
    return False
atomic action Reset:
    require holds(messages, 1)
    messages.clear()
always assertion P: return True
""",
    """\
func ask(m):
    require m[0] < 2 or m[1] < 2
    return m in seen
always assertion P:
    for m in messages:
        x = ask(m)
        if x and m == (1, 1):
            return False
    return True
""",
    """\
transition assertion P(before, after):
    for m in before.messages:
        if m not in after.messages and m[1] != 2:
            return False
    return True
""",
    """\
transition assertion P(before, after):
    for m in after.seen:
        if m in before.seen:
            continue
        if m not in before.messages or after.terms[m[0]] < before.terms[m[0]]:
            return False
    return True
""",
    """\
def wider(a, b):
    for x in b:
        if x not in a and x[1] == 1:
            return True
    return False
transition assertion P(before, after): return not wider(before.seen, after.seen)
""",
]


@pytest.mark.parametrize("text", PROPERTIES)
def test_properties(text: str) -> None:
    """Verdicts, counts and traces are the same."""
    agreed(MESSAGES + text, states=150)


@pytest.mark.parametrize(
    "text",
    [
        PROPERTIES[0].replace("m[0] == 2 and ", ""),
        PROPERTIES[2],
        "def some(ms):\n    for m in ms:\n        if m[1] > 2:\n            return True\n    return False\n"
        "always assertion P: return not some(messages)",
        "transition assertion P(before, after):\n    for m in before.seen:\n        if m not in after.seen:\n"
        "            return False\n    return True",
    ],
)
def test_what_repeats_is_not_run_again(text: str) -> None:
    """The sets have 64 values each, and six elements."""
    assert calls_for_messages(text) < 200


def test_statements_in_turns_are_covered() -> None:
    """What is executed in a turn counts as executed, and what is never executed is warned of."""
    text = (
        MESSAGES.replace("N = 3", "N = 2")
        + """\
always assertion P:
    for m in messages:
        if m[1] == 2 and terms[m[0]] == 2:
            x = m[0]
            if x > 5:
                return False
        if m[0] == 7:
            y = m[1]
    return True
"""
    )
    module = fizz.load("m.fizz", text=text)
    plain, columns = (check(module, engine=engine, settings=Settings()).warnings for engine in ("plain", "columns"))
    assert plain == columns
    never = [text.splitlines()[warning.span.line - 1].strip() for warning in plain if warning.span]
    assert never == ["y = m[1]"]


def test_bags_and_instances() -> None:
    """Bags are gone through in order, and instances may be elements."""
    agreed(
        BOX
        + """\
always assertion InOrder:
    for v in box:
        if v == 2:
            return box.count(1) > 0
    return True
always assertion Late:
    for node in late:
        if node.v == 0:
            return False
    return True
transition assertion Grows(before, after):
    for node in after.late:
        if node.v < 1:
            return False
    return True
"""
    )
