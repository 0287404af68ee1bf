"""Genericsets and bags with containers in them, asked by elements: every engine finds what the plain one finds."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.report import Report
from checker.properties import properties_of
from checker.search.columns.sizes import Sizes
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.division import Divider
from fizz import load
from interpreter import compile_module
from interpreter.values.intern import Interner
from interpreter.values.tags import Tag
from tests.random import laws
from tests.random.generics import generic_program
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.sample import one_in
from tests.stats import runs

ENGINES = ("columns", "early columns", "embedded")
ALL = Sizes(many_values=0)
HEAD = "---\ndeadlock_detection: false\n---\n"

COMMIT = """\
action Init:
    working = set(range(PARTS))
    state = "voting"
    messages = KIND()
atomic action Vote:
    p = oneof working
    working.remove(p)
    vote = oneof [True, False]
    messages.add(record(kind="vote", sender=p, vote=vote))
atomic action Commit:
    votes = [m for m in messages if m.kind == "vote" and m.vote]
    require state == "voting" and len(votes) == PARTS
    state = "committed"
    messages.add(record(kind="commit"))
atomic action Lose:
    m = oneof messages if m.kind == "vote"
    messages.remove(m)
atomic action Correct:
    m = oneof messages if m.kind == "vote" and not m.vote
    m.vote = True
always assertion Known:
    return state == "voting" or record(kind="commit") in messages
"""


def agreed(text: str, states: int = 2_000) -> Report:
    """The report of the plain engine; all engines give the same."""
    settings = Settings(keep_going=True, limits=Limits(states=states))
    assert laws.differences(HEAD + text, settings, ENGINES) == []
    return laws.reports(HEAD + text, settings, ())["plain"]


@pytest.mark.parametrize("kind", ["genericset", "bag"])
def test_records_are_learned_once_for_each(kind: str) -> None:
    """Not once for each collection of them, also where they are changed in place."""
    agreed("PARTS = 3\n" + COMMIT.replace("KIND", kind))

    def calls(parts: int) -> tuple[int, int]:
        program = compile_module(load("m.fizz", text=f"{HEAD}PARTS = {parts}\n{COMMIT.replace('KIND', kind)}"))
        settings = Settings(keep_going=True, stats=True)
        found = explore(EmbeddedEngine(2, ALL), program, properties_of(program, None), settings)
        return found.states, runs(found)

    small, large = calls(3), calls(6)
    assert large[0] > 40 * small[0]
    assert large[1] < 6 * small[1]


def test_an_element_that_is_changed_is_another_one() -> None:
    """After its change it is found by what it is now, and it may be equal to another element."""
    agreed(
        """\
action Init:
    s = genericset([record(a=0), record(a=1), record(a=2)])
    b = bag([[0], [1]])
    n = 0
    x = None
atomic action Change:
    m = oneof s
    m.a = n
    x = (record(a=n) in s, len(s), len([k for k in s if k.a == n]))
atomic action Take:
    m = oneof s if m.a != n
    m.a = n
    s.discard(record(a=n))
atomic action Raise:
    m = oneof b
    m[0] = (m[0] + 1) % 3
    x = b.count([m[0]])
atomic action Turn:
    n = 1 - n
always assertion Few: return len(s) < 4 and len(b) == 2
exists assertion Equal: return len(s) == 2 and len(set([m.a for m in s])) == 1
"""
    )


def test_an_element_may_be_in_another_place_too() -> None:
    """It is one object there and in the collection, until it is removed."""
    report = agreed(
        """\
action Init:
    s = genericset([{"k": 0}, {"k": 1}])
    held = None
    log = []
atomic action Hold:
    m = oneof s
    held = m
atomic action Move:
    m = oneof s
    require len(log) < 1
    s.remove(m)
    log.append(m)
atomic action Change:
    require held != None
    held["k"] = 1 - held["k"]
atomic action Add:
    require len(s) < 2
    r = {"k": 5}
    s.add(r)
    r["k"] = len(log)
    held = r
atomic action Release:
    held = None
    log = []
always assertion Within: return held == None or held in s or held in log or len(s) < 2
"""
    )
    assert report.states > 30


def test_equal_containers_in_a_bag_are_two_objects() -> None:
    """One of them is taken away, and it is the first; the other one may be changed apart."""
    agreed(
        """\
action Init:
    s = bag([record(), record()])
    t = bag([[0]])
    u = bag([[0]])
atomic action Swap:
    h = oneof s
    s.add(h)
    s.discard(h)
atomic action Copy:
    h = oneof t
    require len(u) < 3
    u.add(h)
    u.discard([0])
atomic action More:
    require len(t) < 3
    t.add([0])
    m = oneof t
    m[0] = 1
action Rest:
    h = oneof s
    for e in s:
        pass
    r = []
    require len(s) < 3
    s.add(r)
"""
    )


def test_elements_that_a_comprehension_gives_out() -> None:
    """They are those of the collection: to change one is to change that."""
    agreed(
        """\
action Init:
    s = genericset([record(a=0, b=1), record(a=1, b=1)])
    n = 0
    held = None
    d = bag([{"k": 1}])
atomic action First:
    found = [m for m in s if m.b == 1]
    require len(found) > 0
    found[0].b = n
atomic action Hold:
    found = [m for m in s if m.a == n]
    require len(found) > 0
    held = found[-1]
atomic action Again:
    found = [m for m in s if m.a == n]
    require len(found) > 0
    s.remove(found[0])
    found[0].a = 2
    s.add(found[0])
atomic action Twice:
    found = [m for m in d] + [m for m in d]
    found[0]["k"] = n
    require len(found) == 2
    d.add({"k": found[1]["k"] + 1})
atomic action Turn:
    n = 1 - n
"""
    )


def test_elements_inside_elements() -> None:
    """Sets in a genericset go by elements; bags in one do not: a bag is what adds copies."""
    agreed(
        """\
action Init:
    s = genericset()
    t = genericset([set([1])])
atomic action Add:
    e = oneof [0, 1]
    require len(s) < 3
    s.add(bag([e, e]))
atomic action Put:
    m = oneof t
    require len(m) < 2 and len(t) < 3
    t.add(set(list(m) + [len(t)]))
    m.add(0)
always assertion Few: return all([len(m) == 2 for m in s]) and any([1 in m for m in t])
"""
    )


def test_names_of_elements() -> None:
    """Equal elements have the same; what may equal a value of another look cannot be asked for alone."""
    interner = Interner()
    divider = Divider(interner)
    one, two = interner.intern(Tag.INT, 1), interner.intern(Tag.INT, 2)
    inside = (("a", one), ("b", two))
    made = [interner.intern(tag, (one, two)) for tag in (Tag.TUPLE, Tag.LIST)]
    made += [interner.intern(tag, inside) for tag in (Tag.STRUCT, Tag.RECORD)]
    made += [interner.intern_members(tag, [one, two]) for tag in (Tag.SET, Tag.GENERICSET)]
    made += [interner.intern_pairs(Tag.DICT, [(one, two)]), interner.intern(Tag.LIST, ())]
    assert len({divider.bag_element(number) for number in made} - {None}) == len(made)
    floating = interner.intern(Tag.LIST, (interner.intern(Tag.FLOAT, 1.0),))
    assert divider.bag_element(floating) is None
    assert divider.bag_element(interner.intern_members(Tag.BAG, [one])) is None


@pytest.mark.parametrize("seed", one_in(4, [405, 501, *range(9_000, 9_010)]))
def test_programs_about_generics(seed: int) -> None:
    """Random programs."""
    source = seeded(seed)
    text = generic_program(source)
    settings = settings_of(source)
    assert broken(text, settings, ("columns", "early columns")) is None, text
