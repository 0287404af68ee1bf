"""That a mutant is its model in other words is told from the model's states alone, as a search of both tells it."""

from __future__ import annotations

import pickle
from contextlib import suppress
from pathlib import Path

import pytest

import fizzpy
from checker.core.patience import Patience
from checker.mutation import likeness as likenesses
from checker.mutation.affected import affected
from checker.mutation.likeness import KnownSteps, likeness
from checker.mutation.mutants import mutants_of
from fizz import FizzError, Module, Span, load
from fizz.load import with_items
from interpreter import ModelError

ROLES = """\
LEAST = 0
LESS = [0, 0, 1]

role Shop:
    action Init:
        self.left = full()
        self.busy = False
    action Sell:
        require self.left > LEAST and not self.busy
        take(self)
        self.busy = True
        self.busy = False
    atomic fair action Refill:
        require self.left == 0
        n = oneof [1, 2]
        self.left = n
        visits = 1 if visits == 0 else 2

func take(shop):
    shop.left = LESS[shop.left]
    shop.busy = False

def full():
    return 2 if LEAST == 0 else 1

action Init:
    visits = 0
    shop = Shop()

atomic action Audit:
    require visits == 2
    visits = 0
"""
SYMMETRIC = """\
symmetric role Node:
    action Init:
        self.seen = 0
    atomic action See:
        self.seen = 1 if self.seen == 0 else 0
        last = self.seen

action Init:
    last = 0
    nodes = set([Node(), Node(), Node()])
"""


SERIAL = """\
---
{"deadlock_detection": false, "options": {"crash_on_yield": false, "max_concurrent_actions": 1}}
---
"""
HALF_DONE = {
    "a loop": (
        "action Init:\n    x = 0\naction A:\n    if x == 0:\n        n = 0\n        while n < 2:\n            n += 1\n"
    ),
    "pass": (
        "action Init:\n    x = 0\n    y = 0\naction A:\n    if x == 0:\n        x = 1\n        pass\n        y = 1\n"
    ),
    "a call": (
        "role R:\n    action Init:\n        self.x = 0\n        self.d = [0, 0, 0]\n    action A:\n"
        "        require self.x == 0\n        self.d[1] = self.f()\n    func f():\n        self.x = 1\n"
        "        return 5\naction Init:\n    r = R()\n"
    ),
}
"""A thread waits inside of a statement, whose line was executed in a step before."""


def mutated(module: Module) -> list[tuple[str, Span, Module]]:
    found = []
    for one in mutants_of(module):
        if "fairness" not in one.change:
            with suppress(FizzError):
                found.append((f"{one.span.line}: {one.change} {one.diff}", one.span, with_items(module, one.items)))
    return found


@pytest.mark.parametrize("text", HALF_DONE.values(), ids=HALF_DONE)
def test_statements_that_are_half_done(text: str) -> None:
    """The place of a mutant spares no step in which it makes a difference."""
    module = load("m.fizz", text=SERIAL + text)
    known = KnownSteps(module, True, Patience())
    told = {known.alike(mutant, Patience()) for _, _, mutant in mutated(module)}
    assert False in told
    for name, place, mutant in mutated(module):
        assert known.alike(mutant, Patience(), place) == known.alike(mutant, Patience()), name


@pytest.mark.parametrize(("text", "each"), [(ROLES, 3), (SYMMETRIC, 1)], ids=["roles", "symmetric"])
def test_early_as_by_search(text: str, each: int) -> None:
    """Both ways agree on each mutant; most are told early, those that are alike and those that are not."""
    module = load("m.fizz", text=text)
    known = KnownSteps(module, True, Patience())
    told = []
    for name, place, mutant in mutated(module)[::each]:
        early = known.alike(mutant, Patience(), place)
        assert early == known.alike(mutant, Patience()), name
        try:
            assert early in (None, likeness(mutant, True, Patience()) == known.likeness), name
        except ModelError:
            assert early is False
        told.append(early)
    assert {True, False} <= set(told)
    assert told.count(None) < len(told) / 3


def test_a_model_that_travels() -> None:
    """A process that was not forked explores the model again, and tells the same."""
    module = load("m.fizz", text=ROLES)
    known = KnownSteps(module, True, Patience())
    again = pickle.loads(pickle.dumps(known))
    for _, place, mutant in mutated(module)[:8:2]:
        assert again.alike(mutant, Patience(), place) == known.alike(mutant, Patience(), place)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (6, {"Shop", "Init"}),
        (10, {"Sell"}),
        (20, {"take", "Sell"}),
        (24, {"full", "Shop", "Init"}),
        (27, {"Init"}),
        (31, {"Audit"}),
    ],
)
def test_what_a_mutant_changes(line: int, names: set[str]) -> None:
    """What calls a changed func is changed too, and a role by its Init."""
    module = load("m.fizz", text=ROLES)
    found = [with_items(module, one.items) for one in mutants_of(module) if one.span.line == line]
    assert found and all(affected(module, mutant) == names for mutant in found)


SEEN = {
    "def": (
        "def some(n):\n    return n > 0\n\naction Init:\n    n = 1\n\natomic action Turn:\n    require some(n)\n"
        "    n = 3 - n\n\nalways assertion Some:\n    return some(n) and not some(0)\n",
        "constant changed",
    ),
    "constant of a role": (
        "def most():\n    return 1\n\nrole R:\n    MOST = most()\n    action Init:\n        self.n = 0\n"
        "    atomic action Add:\n        require self.n < MOST\n        self.n += 1\n\n"
        "action Init:\n    r = R()\n\nalways assertion Few:\n    return r.n <= 1\n",
        "constant changed",
    ),
    "target of a step": (
        "symmetric role R:\n    action Init:\n        self.n = oneof [0, 1]\n\n"
        "action Init:\n    rs = set([R(), R()])\n\natomic action Turn:\n"
        "    require len(set([r.n for r in rs])) == 2\n"
        "    for r in rs:\n        r.n = (r.n + 2) % 2\n\n"
        "transition assertion Still(before, after):\n"
        "    return [r.n for r in before.rs] == [r.n for r in after.rs]\n",
        "constant changed",
    ),
}


@pytest.mark.parametrize(("text", "change"), SEEN.values(), ids=SEEN)
def test_what_only_properties_see(tmp_path: Path, text: str, change: str) -> None:
    """A mutant with the states and the transitions of its model is noticed if a property sees where it differs."""
    path = tmp_path / "m.fizz"
    path.write_text(f"---\ndeadlock_detection: false\n---\n{text}", encoding="utf-8")
    by = {name for one in fizzpy.mutate(path, workers=1).results if one.change == change for name in one.by}
    assert by & {"Some", "Few", "Still"}


def test_what_is_alike_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the mutants of a model none is explored to compare it, but those that begin in other states of the model."""
    path = tmp_path / "m.fizz"
    path.write_text(ROLES.replace("action Sell", "atomic action Sell"), encoding="utf-8")
    searched = tmp_path / "searched"
    real = likenesses.likeness

    def counted(*given: object) -> object:
        with searched.open("a", encoding="utf-8") as file:
            file.write(".")
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("checker.mutation.trying.likeness", counted)
    report = fizzpy.mutate(path, workers=1)
    assert report.counts["equivalent"] > 10
    assert len(searched.read_text(encoding="utf-8")) <= 5
