"""What `next_states()` asks for is run directly after a while: same answers, and nothing counts as executed."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.run_choice import Thresholds
from checker.search.registry import engine_of
from fizz import load
from interpreter import compile_module
from tests.checker.comparing import compared
from tests.stats import stat

MODEL = """
---
deadlock_detection: false
options: {max_actions: 1000, crash_on_yield: false}
action_options: {Rare: {max_actions: 1}}
---
N = 3
action Init:
    xs = [0 for i in range(N)]
    big = "a"
atomic action Up:
    i = oneof range(N)
    require xs[i] < 4
    if xs[i] == 3 and i == 2:
        big = "b" * 100
    xs[i] += 1
atomic action Rare:
    if xs[0] == 9:
        xs[2] = 0
    xs[0] = 9
action Serial:
    xs[1] = 0
    xs[2] = 0
always assertion Ahead:
    return all([sum(s.state.xs) <= LEAST + sum(xs) or s.name == "Rare" for s in next_states()])
exists assertion Fewer:
    return len([s for s in next_states() if s.state.xs[1] < xs[1]]) > 0
"""


@pytest.mark.parametrize("least", ["1", "0", "1 // (4 - max(xs)) + 1"])
@pytest.mark.parametrize("wide", [None, 0])
def test_the_same(wide: int | None, least: str) -> None:
    """Verdicts, counts, errors, and the lines that were executed: `next_states()` alone starts `Rare` twice."""
    program = compile_module(load("m.fizz", text=MODEL.replace("LEAST", least)))
    properties = properties_of(program, None)
    plain = explore(engine_of("plain"), program, properties, Settings(keep_going=True))
    found = explore(
        EmbeddedEngine(wide, thresholds=Thresholds(unnoted=5)), program, properties, Settings(keep_going=True)
    )
    assert compared(found) == compared(plain)
    assert found.noted == plain.noted and (found.noted is not None or "//" in least)
    assert stat(found, "run directly") > 0
