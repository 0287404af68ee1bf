"""Watches that no property kind of the checker has: whatever is asked, every engine brings what the plain one does."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

import fizz
from checker.core.exploration import Finding, Settings
from checker.core.property import AssertionProperty, Evidence, Looks, Phase, Predicate, Watch
from checker.properties.always_eventually import AlwaysEventually
from checker.search.explore import explore
from checker.search.registry import engine_of
from interpreter import compile_module

TWO = """\
---
deadlock_detection: false
---
role Node:
    action Init: self.n = 0
    action Step:
        require self.n < 4
        self.n += 1
        self.n += 1
    transition assertion Step(before, after):
        return total % 3 == self.n % 3
    always assertion State: return self.n == total % 3
action Init:
    nodes, total = [Node(), Node()], 0
    nodes[1].n = 1
atomic action Count:
    require total < 5
    total += 1
"""


@dataclass(frozen=True)
class Never(AssertionProperty):
    """Never is there an answer as `sought`, where the assertion is asked of `some` instance or of all."""

    looks: Looks
    some: bool
    sought: bool

    kind = "never"
    phase = Phase.SAFETY

    @property
    def watches(self) -> tuple[Watch, ...]:
        predicate = Predicate(self.assertion, self.some)
        return (Watch(self.key, self.looks, predicate, seeks=self.sought, prunes=self.looks is Looks.STATES),)

    def conclude(self, evidence: Evidence) -> Finding | None:
        return evidence.witness(self.key)


@pytest.mark.parametrize("keep_going", [False, True])
def test_any_watch(engine: str, keep_going: bool) -> None:
    """States and steps, of all instances or of some, true or false: all have the witness of the plain engine."""
    program = compile_module(fizz.load("two.fizz", text=TWO))
    numbers = {one.name.rpartition(".")[2]: one.number for one in program.assertions}
    asked = {Looks.STATES: numbers["State"], Looks.STEPS: numbers["Step"]}
    properties = tuple(
        Never(f"{looks.name} {some} {sought}", asked[looks], looks, some, sought)
        for looks, some, sought in product(asked, (False, True), (False, True))
    )
    expected, found = (
        explore(engine_of(name), program, properties, Settings(keep_going=keep_going)) for name in ("plain", engine)
    )
    assert found.findings == expected.findings
    assert not keep_going or len(found.findings) == len(properties)


FAILS_LATER = """\
---
deadlock_detection: false
---
role Node:
    action Init: self.n = 0
    transition assertion Up(before, after):
        return 1 // (self.n - 1) == 0 if c == 2 and self.n == 1 else c < 2
action Init:
    nodes, c = [Node(), Node()], 0
    nodes[1].n = 1
atomic action Count:
    require c < 3
    c += 1
"""


def test_who_comes_after_the_one_that_decides_is_not_asked(engine: str) -> None:
    """The first instance breaks the assertion for a step; that it would fail for the second one is no mistake."""
    program = compile_module(fizz.load("later.fizz", text=FAILS_LATER))
    up = Never("Up", 0, Looks.STEPS, some=False, sought=False)
    found = explore(engine_of(engine), program, (up,), Settings(keep_going=True))
    assert found.error is None
    assert found.findings["Up"].steps == 2 and found.findings["Up"].instance == "Node#0"


@pytest.mark.parametrize(
    "wrong",
    [
        {"looks": Looks.STEPS, "predicate": Predicate(0), "seeks": False, "records": True},
        {"looks": Looks.STEPS, "predicate": Predicate(0), "seeks": False, "prunes": True},
        {"looks": Looks.STEPS, "predicate": Predicate(0)},
        {"looks": Looks.STATES, "predicate": Predicate(0), "prunes": True},
        {"looks": Looks.STATES, "seeks": False},
        {"looks": Looks.DEAD_ENDS, "predicate": Predicate(0)},
        {"looks": Looks.DEAD_ENDS, "records": True},
    ],
    ids=str,
)
def test_what_no_engine_would_do_is_no_watch(wrong: dict[str, Any]) -> None:
    """No engine records answers of steps, or finds what is not sought: such a kind would hold on every model."""
    with pytest.raises(AssertionError):
        Watch("P", **wrong)


class Forgets(AlwaysEventually):
    """Its demand is about answers that its watch does not record."""

    @property
    def watches(self) -> tuple[Watch, ...]:
        return (Watch(self.key, Looks.STATES, Predicate(self.assertion)),)


def test_answers_that_were_not_recorded_are_not_guessed(engine: str) -> None:
    """A kind that forgets to record is a mistake on every engine, and never a verdict."""
    text = "action Init: x = 0\natomic action Go: x = 1 - x\nalways eventually assertion P: return x == 0\n"
    program = compile_module(fizz.load("m.fizz", text=text))
    with pytest.raises((KeyError, AssertionError)):
        explore(engine_of(engine), program, (Forgets("P", 0),), Settings())
