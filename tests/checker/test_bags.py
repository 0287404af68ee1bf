"""Bags stored, chosen from and computed by elements: every engine finds what the plain one finds."""

from __future__ import annotations

import pytest

from checker.core.exploration import Exploration, Settings
from checker.core.limits import Limits
from checker.core.report import Report
from checker.properties import properties_of
from checker.search.columns.sizes import Sizes
from checker.search.contract.protocol import Engine
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from checker.search.explore import explore
from checker.search.memo.division import Divider, copies, of_copy
from checker.search.memo.heads import fewer
from fizz import load
from interpreter import compile_module
from interpreter.state.state import UNBOUND
from interpreter.values.intern import Interner
from interpreter.values.tags import Tag
from tests.checker.comparing import compared
from tests.random import laws
from tests.random.bags import bag_program
from tests.random.sets import broken, settings_of
from tests.random.source import seeded
from tests.sample import one_in
from tests.stats import stat

ENGINES = ("columns", "early columns", "embedded")
ALL = Sizes(many_values=0)
HEAD = "---\ndeadlock_detection: false\n---\n"

LOSSY = """\
---
deadlock_detection: false
---
action Init:
    servers = [Server(ID=number) for number in range(3)]
    messages = bag()
    lost = 0
role Server:
    action Init:
        self.term = 0
        self.voted = False
        self.votes = set()
    atomic action Campaign:
        require self.term < 1 and self.ID < 2
        self.term += 1
        self.votes = set([self.ID])
        for peer in range(3):
            if peer != self.ID:
                messages.add(struct(kind="ask", sender=self.ID, to=peer))
    atomic action Receive:
        message = oneof messages
        require message.to == self.ID
        messages.remove(message)
        if message.kind == "ask":
            require not self.voted
            self.voted = True
            messages.add(struct(kind="vote", sender=self.ID, to=message.sender))
        else:
            self.votes.add(message.sender)
atomic action Duplicate:
    require lost < 1
    message = oneof messages
    lost += 1
    messages.add(message)
atomic action Lose:
    require lost < 1
    message = oneof messages if message.kind == "ask"
    lost += 1
    messages.discard(message)
always assertion OneLeader:
    return len([server for server in servers if len(server.votes) > 1]) <= 1
always assertion FewVotes:
    return len([m for m in messages if m.kind == "vote"]) <= 4 and all([m.sender != m.to for m in messages])
"""


def agreed(text: str, states: int = 500) -> Report:
    """The report of the plain engine; all engines give the same."""
    settings = Settings(keep_going=True, limits=Limits(states=states))
    assert laws.differences(text, settings, ENGINES) == []
    return laws.reports(text, settings, ())["plain"]


def explored(text: str, engine: Engine) -> Exploration:
    program = compile_module(load("m.fizz", text=text))
    return explore(engine, program, properties_of(program, None), Settings(keep_going=True))


def test_messages_in_a_bag_are_learned_once_for_each() -> None:
    """Not once for each bag: of a lossy election there are many bags, and few messages."""
    small, large = (explored(LOSSY.replace("lost < 1", f"lost < {n}"), EmbeddedEngine(2, ALL)) for n in (1, 2))
    assert compared(small) == compared(explored(LOSSY, PlainEngine()))
    assert large.states > 4 * small.states
    assert calls_of(large) < 2 * calls_of(small)


def calls_of(found: Exploration) -> int:
    """How many execution paths were run to be remembered."""
    return stat(found, "interpreter calls")


def test_copies_are_counted() -> None:
    """Adding, taking away, asking how many, and asking twice in a step, for up to four copies."""
    report = agreed(
        HEAD
        + """\
action Init:
    b = bag(["a"])
    x = 0
atomic action Add:
    require len(b) < 4
    e = oneof ["a", "b"]
    b.add(e)
atomic action AddTwo:
    require b.count("a") < 3 and len(b) < 4
    b.add_all(["a", "b"])
atomic action Take:
    b.discard("a")
    b.discard("a")
    x = b.count("a")
atomic action Move:
    require "b" in b
    b.remove("b")
    b.add("a")
    x = len(b)
atomic action Turn:
    b.discard("b")
    b.add("b")
    x = "b" in b
atomic action Fail:
    require len(b) == 4
    b.remove("c")
"""
    )
    assert report.error is not None and "not found" in str(report.error)


def test_copies_are_one_alternative() -> None:
    """What stands behind equal elements is numbered as if there were one of them."""
    report = agreed(
        HEAD
        + """\
action Init:
    b = bag([1, 1, 2, 3])
    x = 0
atomic action Pick:
    m = oneof b
    k = oneof [0, 1]
    x = m * 2 + k
atomic action Among:
    m = oneof [m for m in b if m != 2]
    x = m
atomic action Double:
    require len(b) < 6
    m = oneof b if b.count(m) < 2
    b.add(m)
atomic action Drop:
    oneof m in b:
        b.remove(m)
always assertion Small: return x != 7
always assertion Few: return len([m for m in b if m == x]) < 2
exists assertion Many: return any([m == 3 for m in b]) and len(set([m for m in b])) == 2
"""
    )
    assert report.trace is not None


def test_elements_that_equal_others() -> None:
    """1 and 1.0 are equal, and two elements of a bag; a list is compared by what is in it."""
    agreed(
        HEAD
        + """\
action Init:
    b = bag([1, 2])
    x = None
atomic action Add:
    require len(b) < 4
    e = oneof [1, 1.0, 3]
    b.add(e)
atomic action Take:
    e = oneof [1, 1.0]
    require e in b
    b.remove(e)
    x = b.count(1)
atomic action List:
    require x != None and len(b) < 3
    b.add([x])
atomic action Pick:
    m = oneof b
    x = str(m)
"""
    )


def test_comparing_with_values_of_another_domain_is_an_error() -> None:
    """Also where a bag could be asked for an element alone."""
    report = agreed(
        HEAD
        + """\
K = symmetric_values("k", 2)
L = symmetric_values("l", 2)
action Init:
    b = bag()
    x = False
atomic action Add:
    k = oneof K
    require len(b) < 2
    b.add(k)
atomic action Ask:
    require len(b) == 2
    x = L[0] in b
"""
    )
    assert report.error is not None


@pytest.mark.parametrize("first", ["bag", "set"])
def test_a_variable_that_holds_sets_and_bags(first: str) -> None:
    """What is stored by elements is the one or the other."""
    agreed(
        HEAD
        + f"""\
action Init:
    b = {first}()
    n = 0
atomic action Add:
    e = oneof [1, 2, 3]
    b.add(e)
    require len(b) < 4
atomic action Pick:
    n = oneof b
atomic action Other:
    b = set(b) if n == 1 else bag(b)
    n = len([m for m in b if m > 1])
""",
        300,
    )


def test_a_bag_that_is_shared_and_replaced() -> None:
    """A bag with a second name is read as a whole; threads keep one over a yield."""
    agreed(
        HEAD
        + """\
action Init:
    b = bag([1, 1])
    c = b
    d = {1: bag(), 2: bag([2])}
atomic action Part:
    c = bag(b)
atomic action Share:
    c = b
atomic action Add:
    require len(b) < 3
    b.add(2)
    d[1].add(len(b))
    require len(d[1]) < 3
action Late:
    own = d[2]
    m = oneof own
    own.discard(m)
    d[1].clear()
always assertion Same: return len(b) == len(c) or b != c
"""
    )


def test_a_crowded_bag_is_stored_whole() -> None:
    """From then on, and without a trace."""
    text = (
        HEAD
        + """\
action Init:
    b = bag()
    x = 0
atomic action Add:
    require len(b) < 3 and x < 4
    x += 1
    b.add_all([(x, len(b)), (x, len(b))])
atomic action Drop:
    m = oneof b
    b.remove(m)
    x = m[0]
always assertion Small: return all([m[0] <= 4 for m in b])
"""
    )
    plain = explored(text, PlainEngine())
    found = explored(text, EmbeddedEngine(2, Sizes(many_values=0, few_elements=2, most_elements=8, rare=1)))
    assert compared(found) == compared(plain)


def test_how_many_elements_a_set_or_bag_may_have() -> None:
    """Where the model lets it have few, engines do not add to it without asking how many there are."""
    for kind in ("set", "bag"):
        report = agreed(
            "---\noptions: {limits: {elements: 4}}\ndeadlock_detection: false\n---\n"
            + f"action Init:\n    s = {kind}()\n    n = 0\n"
            + "atomic action Add:\n    require n < 9\n    n += 1\n    s.add(n)\n"
        )
        assert report.error is not None and "R24" in str(report.error)


def test_the_empty_tuple_and_the_empty_struct() -> None:
    """They are two elements."""
    report = agreed(
        HEAD
        + """\
action Init:
    s = set()
    b = bag()
atomic action Add:
    e = oneof [(), struct(), (None,), struct(a=None)]
    s.add(e)
    require b.count(e) < 2
    b.add(e)
"""
    )
    assert report.states == 81


def test_changes_of_copies() -> None:
    """What is written at the step to an element, and what it makes of a bag."""
    interner = Interner()
    divider = Divider(interner)
    one, two = interner.intern(Tag.INT, 1), interner.intern(Tag.INT, 2)
    group = interner.intern_members(Tag.BAG, [one, two, one])
    slot = ("heap", "b")
    step = divider.bag_element(one)
    assert step is not None
    asked = [divider.answer(slot, of_copy(step, copy), group) for copy in (1, 2, 3)]
    assert asked == [one, one, UNBOUND]
    more = interner.intern(Tag.BAG, (one, one))
    assert (copies(interner, more), copies(interner, fewer(interner, 2)), copies(interner, one)) == (2, -2, None)
    assert divider.replaced(group, (step,), more) == interner.intern(Tag.BAG, (one,) * 4 + (two,))
    assert divider.replaced(group, (step,), fewer(interner, 2)) == interner.intern(Tag.BAG, (two,))
    assert divider.bag_element(interner.intern(Tag.FLOAT, 1.0)) is None


@pytest.mark.parametrize("seed", one_in(2, [9_001, 9_000]))
def test_programs_about_bags(seed: int) -> None:
    """Random programs."""
    source = seeded(seed)
    text = bag_program(source)
    settings = settings_of(source)
    assert broken(text, settings, ("columns", "early columns")) is None, text
