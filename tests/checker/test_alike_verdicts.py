"""Assertions are run once for states, or steps, that are alike in all that they may read."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed
from tests.sample import one_in
from tests.stats import stat

HEAD = """\
---
deadlock_detection: false
---
"""
HISTORY = """\
LENGTH = 3
action Init:
    history = []
    clock = 0
    hand = 0
atomic action Add:
    require len(history) < LENGTH
    item = oneof range(3)
    history.append(item)
atomic action Tick:
    clock = (clock + 1) % 5
atomic action Turn:
    hand = (hand + 2) % 7
"""
BALANCED = """\
def balance(items):
    total = 0
    for at, item in enumerate(items):
        total += item if at % 2 else -item
    return total
"""

PROPERTIES = [
    "always assertion P: return abs(balance(history)) < 5",
    "always assertion P: return abs(balance(history)) < 4",
    "exists assertion P: return balance(history) == 4 and clock == 3",
    "exists assertion P: return balance(history) == 5",
    # An error in some states, beside a violation in others.
    "always assertion P: return 6 // (balance(history) - 4) < 6 or clock < 4",
    "transition assertion P(before, after): return abs(balance(after.history) - balance(before.history)) < 3",
    "transition assertion P(before, after): return balance(before.history) < 4 or after.hand == before.hand",
    "transition assertion P(before, after): return 1 // (balance(before.history) - 4) < 1 or after.clock == 0",
]


@pytest.mark.parametrize("text", one_in(2, PROPERTIES))
def test_properties(text: str) -> None:
    """Verdicts, counts, errors and traces are the same on all engines."""
    agreed(HEAD + HISTORY + BALANCED + text + "\n", states=1_400)


ROLES = """\
action Init:
    left = Node(weight=1)
    right = Node(weight=2)
    clock = 0
role Node:
    action Init:
        self.log = []
    atomic action Write:
        require len(self.log) < 3
        bit = oneof range(2)
        self.log = self.log + [bit]
    always assertion Own:
        return len(self.log) < 3 or self.log != [1, 1, self.weight - 1]
    exists assertion OfBoth:
        return left.log == [1, 0, 1] and right.log == self.log
atomic action Tick:
    clock = (clock + 1) % 6
always assertion Others:
    return all([sum(node.log) < 3 or node.log[0] == 1 for node in [left, right]])
transition assertion Grows(before, after):
    pairs = [(before.left, after.left), (before.right, after.right)]
    return all([new.log[:len(old.log)] == old.log for old, new in pairs])
"""


def test_fields() -> None:
    """An assertion may read fields of its own instance, or of any other one."""
    agreed(HEAD + ROLES, states=1_350)


def test_it_is_run_once_for_what_is_alike() -> None:
    """There are 364 histories, and 35 times as many states: as nothing else repeats, it is run directly for each."""
    text = HEAD + HISTORY.replace("LENGTH = 3", "LENGTH = 5") + BALANCED + PROPERTIES[0] + "\n"
    found = check(fizz.load("m.fizz", text=text), engine="columns", settings=Settings(keep_going=True, stats=True))
    assert found.states == 12_740
    assert stat(found, "run directly") > 100
    assert stat(found, "run directly") + stat(found, "recorded by functions") < 1_200


def test_what_is_read_everywhere_is_still_remembered() -> None:
    """An assertion that reads little of much is not run for each value of it: what it read is known."""
    text = (
        HEAD + HISTORY + "always assertion P: return len(history) < 9 or balance(history) == clock + hand\n" + BALANCED
    )
    found = check(fizz.load("m.fizz", text=text), engine="columns", settings=Settings(keep_going=True, stats=True))
    assert stat(found, "run directly") + stat(found, "recorded by functions") < 60
