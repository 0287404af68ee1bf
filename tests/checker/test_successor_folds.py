"""Which assertions each successor alone decides, and that they give what they give for all successors together."""

from __future__ import annotations

from textwrap import indent

import pytest

from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.columns.sizes import Sizes
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.run_choice import RECORDED
from checker.search.memo.successor_folds import SuccessorFold, successor_fold
from checker.search.registry import engine_of
from fizz import load
from interpreter import Machine, compile_module
from tests.checker.comparing import compared
from tests.sample import one_in

MODEL = """---
deadlock_detection: false
options: {max_actions: 1000, crash_on_yield: false}
---
SIZE = 3
def least(xs): return min(xs)
action Init:
    xs = [0, 0, 0]
    y = 0
atomic action Up:
    i = oneof range(SIZE)
    require xs[i] < 4
    xs[i] += 1
atomic action Down:
    require y < 3
    y += 1
    xs = [max(x - 1, 0) for x in xs]
KIND assertion P:
"""
ALL, EACH, ANY, FIRST = (
    SuccessorFold(False, False),
    SuccessorFold(False, True),
    SuccessorFold(True, False),
    SuccessorFold(True, True),
)
BODIES = [
    ("return all([s.state.y >= y for s in next_states()])", ALL),
    ("return all(s.state.y <= y or s.state.xs[0] != 2 for s in next_states())", EACH),
    ("return any([s.state.y > y for s in next_states() if s.name == 'Down'])", ANY),
    ("return any(s.state.xs[0] == 3 or s.state.y == 9 for s in next_states())", FIRST),
    ("return not any([s.state.y > 2 or 3 // (3 - y) > 5 for s in next_states()])", ALL),
    ("return y > 1 or all([least(s.state.xs) >= least(xs) for s in next_states()])", ALL),
    ("return y < 3 and not all([s.state.xs[i] == xs[i] for s in next_states() for i in range(SIZE)])", ANY),
    ("if y == 1:\n    return any([s.state.y == 2 for s in next_states()])\nreturn True", ANY),
    ("for s in next_states():\n    if s.state.y < y or s.state.xs[0] > 3: return False\nreturn True", EACH),
    ("for s in next_states():\n    d = s.state.y - y\n    if d == 1 and xs[1] == 2: return True\nreturn y > 2", FIRST),
    (
        "for s in next_states():\n    for i in range(SIZE):\n        if s.state.xs[i] > 3: return False\nreturn True",
        EACH,
    ),
    ("for s in next_states():\n    if s.state.xs[2] == 2: return 3 // (3 - s.state.y) > 0\nreturn True", None),
    ("for s in next_states():\n    if s.state.y == 2: return True\n    if xs[0] == 1: return False\nreturn True", None),
    ("n = 0\nfor s in next_states():\n    n += s.state.y\n    if n > 5: return False\nreturn True", None),
    (
        "last = 0\nfor s in next_states():\n    if last > s.state.y: return False\n    last = s.state.y\nreturn True",
        None,
    ),
    (
        "for i in range(SIZE):\n    for s in next_states():\n        if s.state.xs[i] > 3: return False\nreturn True",
        None,
    ),
    ("for s in next_states():\n    if s.state.y > 2: break\n    if xs[0] > 3: return False\nreturn True", None),
    ("return all([s.state.y >= y for s in next_states()]) == (y < 3)", None),
    ("return all([len(next_states()) > 1 for s in next_states()])", None),
    ("return len([s for s in next_states() if s.state.y > y]) == 1", None),
    ("return all([xs[0] <= s.state.y + 4 for i in range(SIZE) for s in next_states()])", None),
    ("return all(set([s.state.y >= y for s in next_states()]))", None),
    ("s = 1\nreturn all([s.state.y >= y for s in next_states()]) and s == 1", ALL),
    # What comes last is never evaluated: one of the successors always decides, if not the first.
    ("return y == 3 or any([s.name == 'Down' for s in next_states()]) or xs[0] > 9", ANY),
    ("return y == 3 or any(s.name == 'Down' for s in next_states()) or xs[0] > 9", FIRST),
    ("if y == 3: return True\nfor s in next_states():\n    if s.name == 'Down': return True\nreturn xs[0] > 9", FIRST),
]


@pytest.mark.parametrize(("body", "fold"), BODIES)
def test_what_is_a_fold(body: str, fold: SuccessorFold | None) -> None:
    program = compile_module(load("m.fizz", text=text_of("always", body)))
    assert successor_fold(program, 0, Machine(program).code.known) == fold


@pytest.mark.parametrize("kind", ["always", "exists"])
@pytest.mark.parametrize("body", one_in(6, [body for body, _ in BODIES]))
def test_the_same(body: str, kind: str) -> None:
    """Also what was executed: after a successor that decides, none is looked at."""
    program = compile_module(load("m.fizz", text=text_of(kind, body)))
    properties = properties_of(program, None)
    settings = Settings(keep_going=True)
    plain = explore(engine_of("plain"), program, properties, settings)
    for sizes in (Sizes(), Sizes(followed=5, verdicts=10), Sizes(steps=160)):
        found = explore(EmbeddedEngine(0, sizes, RECORDED), program, properties, settings)
        assert compared(found) == compared(plain)
        assert found.noted == plain.noted


def test_a_name_that_hides_a_builtin() -> None:
    text = text_of("always", BODIES[0][0]).replace("def least", "def all(xs): return len(xs) > 1\ndef least")
    program = compile_module(load("m.fizz", text=text))
    assert successor_fold(program, 0, Machine(program).code.known) is None


def text_of(kind: str, body: str) -> str:
    """The model with an assertion of this kind."""
    return MODEL.replace("KIND", kind) + indent(body, "    ") + "\n"
