"""Lists of scalars are packed member by member; all else is divided. The states are those of the plain engine."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.explore import explore
from checker.search.registry import engine_of
from fizz import load
from interpreter import compile_module
from tests.checker.comparing import compared

LISTS = """
---
deadlock_detection: false
options: {max_actions: 1000, crash_on_yield: false}
---
MEMBERS = [0, 1, True, 1.0, "a", None, (1, 2), [], [1]]
action Init:
    xs = []
    ys = [[0], [0, 1]]
atomic action Append:
    require len(xs) < 3
    x = oneof MEMBERS
    xs = xs + [x]
atomic action Drop:
    require len(xs) == 3
    xs = xs[1:]
atomic action Move:
    require len(xs) > 1
    ys[0] = [len(xs), len(ys[1])]
atomic action Back:
    require len(ys[0]) == 2
    ys[0] = [0]
always assertion Short: return len(xs) <= 3 and len(ys) == 2
exists assertion Full: return len([x for x in xs if x == 1]) == 3
"""
"""Equal members that are written differently, lists that grow and shrink, empty lists and lists of lists."""


@pytest.mark.parametrize("variant", ["direct columns", "early columns", "columns"])
def test_lists_of_any_members(variant: str) -> None:
    """Whichever members a list has, and however often its length changes, no two states are taken for one."""
    program = compile_module(load("m.fizz", text=LISTS))
    properties = properties_of(program, None)
    settings = Settings(keep_going=True)
    plain = explore(engine_of("plain"), program, properties, settings)
    assert plain.states > 1_000
    assert compared(explore(engine_of(variant), program, properties, settings)) == compared(plain)
