"""Sets stored, chosen from and computed by elements: every engine finds what the plain one finds."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.report import Report
from tests.random import laws
from tests.random.sets import ENGINES, broken, program, settings_of
from tests.random.source import seeded
from tests.sample import one_in


def agreed(text: str, keep_going: bool = True, states: int = 4_000) -> Report:
    """The report of the plain engine; all engines give the same."""
    settings = Settings(keep_going=keep_going, limits=Limits(states=states))
    assert laws.differences(text, settings, ENGINES) == []
    return laws.reports(text, settings, ())["plain"]


def test_choices_after_a_block_over_an_empty_set() -> None:
    """A block form of choice that finds no element is no choice: those after it are numbered from the first on."""
    report = agreed("""\
---
deadlock_detection: false
---
action Init:
    s = set()
    t = set([1, 2])
    u = set([1, 2])
    x = 0
atomic action Take:
    oneof a in s:
        pass
    b = oneof [m for m in t]
    c = oneof u
    x = b * 10 + c
atomic action Add:
    s.add(1)
""")
    assert report.states == 10


def test_which_of_equal_elements_it_is_decides_about_the_order() -> None:
    """1 comes before 2, and 1.0 after it: in choices and in comprehensions."""
    report = agreed("""\
---
deadlock_detection: false
---
action Init:
    s = set([1, 2, 3])
    x = []
    y = None
atomic action Swap:
    e = oneof [1, 2, 3]
    require e in s
    s.remove(e)
    s.add(e + 0.0)
atomic action List:
    x = [str(m) for m in s]
atomic action Pick:
    y = oneof s
always assertion Late:
    return y != 3.0 or type(y) == "int"
""")
    assert report.trace is not None


def test_third_of_equal_elements() -> None:
    """A third element that equals two others, written differently, may come to a set."""
    report = agreed("""\
---
deadlock_detection: false
---
E = [(1, 1), (1, 1.0), (1.0, 1), (1.0, 1.0)]
action Init:
    s = set()
    n = 0
    k = 0
atomic action A:
    require len(s) == 0 and k < 4
    s.add(E[k])
    k = k + 1
    n = 0
atomic action C:
    s.clear()
    n = 0
atomic action F:
    n = [type(m[0]) for m in s if type(m[0]) == "float"]
""")
    assert report.states == 18


def test_turns_that_change_what_was_changed_before() -> None:
    """What a turn changes is seen if the same set or list was changed earlier in the step."""
    report = agreed("""\
---
deadlock_detection: false
---
def push(into, m):
    into.append(m)
    return m
action Init:
    s = set([1, 2])
    t = set()
    log = []
    n = 0
atomic action Grow:
    e = oneof [1, 2, 3, 4]
    s.add(e)
atomic action Drop:
    e = oneof [1, 2, 3, 4]
    s.discard(e)
atomic action A:
    t.add(9)
    x = len([t.add(m) for m in s])
    n = len(t)
    t.clear()
atomic action B:
    log.append(0)
    x = all([push(log, m) > 0 for m in s])
    n = 10 + len(log)
    log = []
""")
    assert report.states == 176


def test_what_a_comprehension_goes_through_is_computed_once() -> None:
    """The set may be part of what a call gives, which changes something."""
    report = agreed("""\
---
deadlock_detection: false
---
action Init:
    stack = [record(s=set([1])), record(s=set([2, 3]))]
    x = 0
atomic action A:
    require len(stack) > 0
    x = len([m for m in stack.pop().s])
atomic action B:
    require len(stack) > 0
    x = any([m > 2 for m in stack.pop().s])
""")
    assert report.error is None and report.states == 5


def test_turns_that_change_something_by_a_function_they_pass_on() -> None:
    """`key=acc.append` changes the list for the elements that are there alone."""
    report = agreed("""\
---
deadlock_detection: false
---
action Init:
    s = set([1, 2])
    n = 0
    log = []
atomic action Grow:
    e = oneof [1, 2, 3, 4]
    s.add(e)
atomic action Drop:
    e = oneof [1, 2, 3, 4]
    s.discard(e)
atomic action A:
    acc = []
    x = [max([m], key=acc.append) for m in s]
    n = len(acc)
atomic action B:
    acc = []
    x = any([min([m], key=acc.append) > 9 for m in s])
    n = len(acc)
atomic action C:
    x = len([max([m], key=log.append) for m in s])
    n = len(log)
    log = []
""")
    assert report.states == 80


def test_turns_that_call_what_hides_a_builtin_function() -> None:
    """A `def` or local of the name of a builtin function may change its arguments."""
    report = agreed("""\
---
deadlock_detection: false
---
def abs(xs):
    xs.append(1)
    return 1
action Init:
    s = set([1, 2])
    n = 0
atomic action Grow:
    e = oneof [1, 2, 3, 4]
    s.add(e)
atomic action Drop:
    e = oneof [1, 2, 3, 4]
    s.discard(e)
atomic action A:
    acc = []
    x = [abs(acc) for m in s]
    n = len(acc)
atomic action B:
    acc = []
    min = acc.append
    x = [min(m) for m in s]
    n = len(acc)
""")
    assert report.states == 80


def test_results_of_functions_that_hide_builtin_ones() -> None:
    """`all` and `len` of the model are called with what they are given."""
    report = agreed("""\
---
deadlock_detection: false
---
def all(xs):
    return "mine"
def len(xs):
    return [x for x in xs]
def mkset():
    return list([1,2,3])
action Init:
    s = set([1, 2])
    n = 0
    m = 0
atomic action Grow:
    e = oneof [1, 2, 3, 4]
    s.add(e)
atomic action Drop:
    e = oneof [1, 2, 3, 4]
    s.discard(e)
atomic action A:
    n = all([k > 3 for k in s])
atomic action B:
    n = all(k > 3 for k in s)
atomic action C:
    n = len([k for k in s])
""")
    assert report.states == 288


def test_builtin_functions_that_are_hidden_later() -> None:
    """A `def` calls the builtin function, if its namesake is defined below it."""
    report = agreed("""\
---
deadlock_detection: false
---
def f(u):
    return [str(abs(m)) for m in u]
def abs(x):
    return "mine"
def all(xs):
    return "mine"
def len(xs):
    return "yours"
action Init:
    s = set([1, 2])
    n = 0
atomic action Grow:
    e = oneof [1, 2, 3, 4]
    s.add(e)
atomic action Drop:
    e = oneof [1, 2, 3, 4]
    s.discard(e)
atomic action A:
    n = f(s)
atomic action B:
    n = all([m > 2 for m in s])
atomic action B1:
    n = all(m > 2 for m in s)
atomic action B2:
    n = len([m > 2 for m in s])
atomic action B3:
    n = [abs(m) for m in s]
""")
    assert report.states == 368


def test_elements_that_a_set_is_asked_for_and_never_has() -> None:
    """Asking a set for an element gives that no value; it may still be removed."""
    agreed("""\
---
deadlock_detection: false
---
action Init:
    nodes = Node()
    s = set()
role Node:
    action Init:
        self.u = set()
    action Ask:
        require self.u <= s
        self.u.discard(0)
""")


@pytest.mark.parametrize("block", one_in(3, range(4)))
def test_programs_about_sets(block: int) -> None:
    """Every engine tells of random programs about sets what the plain one tells."""
    for seed in range(2 * block, 2 * block + 2):
        source = seeded(seed)
        text = program(source)
        assert broken(text, settings_of(source)) is None, text


def test_choices_after_a_block_over_a_set_that_is_empty_at_first() -> None:
    """What paths choose after such a block is looked up apart from what they choose within it."""
    report = agreed("""\
---
deadlock_detection: false
---
action Init:
    s = set()
    t = set([1, 2])
    x = 0
atomic action Take:
    oneof a in s:
        pass
    b = oneof t
    x = b
atomic action Give:
    e = oneof t
    s.add(e)
""")
    assert (report.states, report.transitions) == (12, 54)


@pytest.mark.parametrize("levels", one_in(3, [1, 2, 3, 4]))
def test_choices_that_admit_elements_by_choices_before(levels: int) -> None:
    """Where an element stands among those admitted is counted for each combination of the choices before it."""
    before = "".join(f"    c{i} = oneof range({2 if i < 3 else 9})\n" for i in range(levels))
    total = " + ".join(f"c{i}" for i in range(levels))
    report = agreed(f"""\
---
deadlock_detection: false
---
action Init:
    s = set()
    last = (0, 0)
atomic action Fill:
    m = oneof range(4)
    s.add(m)
atomic action Take:
    require len(s) > 2
{before}    m = oneof s if m >= {total}
    k = oneof [x for x in s if x != m]
    last = (m, k)
    s.discard(k)
atomic action Keep:
    y = oneof [x for x in s if 10 // (x - 2) > 0]
    last = (y, -1)
always assertion Distinct: return last[0] != last[1] or last == (0, 0)
always eventually assertion Ends: return last[1] == 3
""")
    assert report.states > 30
