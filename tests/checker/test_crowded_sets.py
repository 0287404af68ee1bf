"""Sets with too many elements to have a bit for each are stored whole, from then on and without a trace."""

from __future__ import annotations

import pytest

from checker.core.exploration import Exploration, Settings
from checker.properties import properties_of
from checker.search.columns.sizes import Sizes
from checker.search.contract.protocol import Engine
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from checker.search.explore import explore
from fizz import load
from interpreter import compile_module
from tests.checker.comparing import compared

MODEL = """\
---
deadlock_detection: false
---
role Node:
    action Init:
        self.got = set()
    atomic action Take:
        m = oneof seen
        require m not in self.got
        self.got.add(m)
    action Forget:
        m = oneof self.got
        step = 1
        self.got.discard(m)
action Init:
    seen = set()
    last = None
    x = 0
    nodes = [Node()]
atomic action Step:
    require x < 3
    x += 1
    seen.add((x, len(seen)))
atomic action Drop:
    m = oneof seen
    require m[0] % 2 == x % 2
    seen.discard(m)
    last = set([m])
atomic action Lose:
    require len([m for m in seen if m[0] < x]) > 1
    last = len(seen)
always assertion Small: return all([m[0] <= 4 for m in seen])
exists assertion Both: return any(m in nodes[0].got for m in seen) and last != None
"""
"""`last` holds sets and other values, `got` is a field, and a thread waits while it holds an element."""


def explored(engine: Engine) -> Exploration:
    program = compile_module(load("m.fizz", text=MODEL))
    return explore(engine, program, properties_of(program, None), Settings(keep_going=True))


@pytest.fixture(scope="module")
def plain() -> Exploration:
    return explored(PlainEngine())


@pytest.mark.parametrize("wide", [0, 20])
@pytest.mark.parametrize("few", [0, 1, 3, 6])
def test_sets_that_become_crowded_change_no_answer(plain: Exploration, few: int, wide: int) -> None:
    """States, steps, verdicts and what was never executed are as on the plain engine, whenever sets become crowded."""
    sizes = Sizes(many_values=0, few_elements=few, most_elements=few, rare=1)
    found = explored(EmbeddedEngine(wide, sizes))
    assert compared(found) == compared(plain)


def test_crowded_sets_have_no_bits() -> None:
    """A set with more elements than allowed is one slot; with fewer, each element is one."""
    few = explored(EmbeddedEngine(0, Sizes(many_values=0))).stats["slots of a packing"]
    sizes = Sizes(many_values=0, few_elements=2, most_elements=2)
    crowded = explored(EmbeddedEngine(0, sizes)).stats["slots of a packing"]
    assert isinstance(few, int) and isinstance(crowded, int)
    assert crowded + 6 < few
