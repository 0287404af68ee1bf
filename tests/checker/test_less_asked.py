"""Usual ways to write something that needs a part of a container ask for no more of it."""

from __future__ import annotations

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from tests.checker.test_elements import agreed

QUEUE = """\
---
deadlock_detection: false
---
action Init:
    q = []
    got = 0
    other = {1: 2}
atomic action Put:
    v = oneof VALUES
    require len(q) < MOST
    q.append(v)
atomic action Forget:
    got = 0
    other = {}
atomic action Use:
"""
TAKEN = {
    "first": "require q\n    got, q = q[0], q[1:]",
    "last": "require q != []\n    got = q[-1]\n    q = q[:-1]",
    "place": "i = oneof range(len(q))\n    got = q[i]\n    q = q[:i] + q[i + 1:]",
    "place turned": "i = oneof range(len(q))\n    got = q[i]\n    q = q[:i] + q[1 + i:]",
    "twice": "require [] != q\n    got = q[0]\n    q = q[:-1]\n    require q != []\n    q = q[:-1]",
    "swapped": "require q\n    q, got = q[1:], q[0]",
}
KEYS = """\
---
deadlock_detection: false
---
action Init:
    writing = {}
    got = 0
    version = 0
atomic action Start:
    require version < 4
    value = oneof [1, 2, 3]
    version += 1
    writing[version] = value
atomic action Change:
    k = oneof range(1, 5)
    require k in writing and writing[k] < 7
    writing[k] += 1
atomic action Deliver:
    CHOICE
    require got < w
    got = w
"""


def of_queue(body: str, most: int, values: str = "[1, 2, 3]") -> str:
    """A model of a list from which members are taken."""
    return QUEUE.replace("MOST", str(most)).replace("VALUES", values) + f"    {body}\n"


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN.keys())
def test_engines_agree_on_what_is_taken(taken: str) -> None:
    """Verdicts, counts and traces are the same, also where members are lists, which have one owner each."""
    agreed(of_queue(taken, 3))
    agreed(of_queue(taken, 3, "[[1], [2]]"))


@pytest.mark.parametrize("place", ["-1", "-2", "0", "1", "2", "7", "True", "len(q)"])
@pytest.mark.parametrize("kind", ["list", "tuple"])
def test_any_place_may_be_left_out(place: str, kind: str) -> None:
    """As Python's slices have it, of lists and tuples; a place that is not there leaves out nothing."""
    left = "q = q[:i] + q[i + 1:]"
    body = f"require len(q) < 4\n    i = {place}\n    q = {kind}(q)\n    {left}\n    q = list(q)\n    got = q[:-1]"
    agreed(of_queue(body, 3).replace("len(q) < 3", "len(q) < 3 and type(got) == 'int'"))
    agreed(of_queue(f"require len(q) < 4\n    i = {place}\n    {left}\n    got = 1", 3))


@pytest.mark.parametrize("value", ["q", "other", "got", "(1, q)", "()", "set()", "None", "q[0]", "q[1:]", "q + q"])
@pytest.mark.parametrize("nothing", ["[]", "{}"])
def test_what_is_empty(value: str, nothing: str) -> None:
    """A comparison with an empty list or dict: of a list, a dict, and of what is neither."""
    agreed(of_queue(f"require len(q) > 1\n    x = {value}\n    got = 1 if x == {nothing} else 2", 2))
    agreed(of_queue(f"require len(q) > 1\n    got = 1 if {value} != {nothing} else 2", 2))
    agreed(of_queue(f"require len(q) > 1\n    got = 1 if {nothing} == {value} else 2", 2, "[[], [1], {}]"))


def calls(text: str) -> tuple[int, int]:
    """How many states there are, and how often a rule was recorded, interpreted or run directly for them."""
    report = check(fizz.load("m.fizz", text=text), settings=Settings(keep_going=True, stats=True))
    stats = report.stats
    return report.states, sum(int(stats[name]) for name in ("interpreter calls", "run directly"))  # type: ignore[call-overload]


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN.keys())
def test_members_that_stay_are_not_asked(taken: str) -> None:
    """Thousands of lists, and few cases."""
    states, asked = calls(of_queue(taken, 7))
    assert states > 3_000
    assert asked < states / 12


@pytest.mark.parametrize(
    "choice",
    ["w = oneof writing.keys()", "w = oneof list(writing.keys())", "w = oneof sorted(writing.keys())",
     "require writing\n    w = max(writing.keys())", "w = 3 if 3 in writing.keys() else 1"],
)  # fmt: skip
def test_keys_are_asked_without_values(choice: str) -> None:
    """`d.keys()` asks which keys there are."""
    states, asked = calls(KEYS.replace("CHOICE", choice))
    assert states > 3_000
    assert asked < states / 12
    agreed(KEYS.replace("CHOICE", choice).replace("< 7", "< 2"))
