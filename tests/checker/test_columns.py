"""Columns and rows are one engine: the answer is the same from any width on that columns take over."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.core.exploration import Exploration, Settings
from checker.core.limits import Limits
from checker.expectations.promises import promises_below
from checker.properties import properties_of
from checker.search.columns.sizes import SIZES, Sizes
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from fizz import load
from interpreter import compile_module
from tests.checker.comparing import compared
from tests.sample import one_in

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted({promise.model for promise in promises_below(ROOT / "models")})
WORKED = sorted((ROOT / "tests/language/worked").glob("*.fizz"))

EQUAL_ALTERNATIVES = """
---
deadlock_detection: false
---
action Init:
    lists = [[1], [1], [2]]
    n = 0
atomic action Grow:
    require n < 4
    n += 1
    item = oneof lists
    item.append(n)
atomic action Other:
    require n < 4
    n += 1
    item = oneof lists if len(item) < 3
    x = oneof [1, 2]
    item[0] = x
"""

INSTANCES_COME_AND_GO = """
---
options: {max_concurrent_actions: 3}
action_options: {"Worker#.Work": {max_actions: 2}, Hire: {max_actions: 4}}
deadlock_detection: false
---
@state(ephemeral=["done"])
role Worker:
    action Init:
        self.done = 0
    action Work:
        require self.done < 2
        self.done += 1
        total = total + 1
action Init:
    pool = []
    total = 0
action Hire:
    require len(pool) < 2
    pool.append(Worker())
    total = 0
atomic action Fire:
    require len(pool) > 0
    pool.pop(0)
eventually always assertion Done:
    return len(pool) == 2
transition assertion Grows(before, after):
    return after.total >= before.total or after.total == 0
"""


def answer(
    path: Path | str, text: str | None, wide: int, keep_going: bool, states: int = 1_000, sizes: Sizes = SIZES
) -> Exploration:
    """What the embedded engine brings home when columns take over at this width."""
    module = load(path, text=text)
    program = compile_module(module)
    settings = Settings(keep_going=keep_going, limits=Limits(states=states))
    return explore(EmbeddedEngine(wide, sizes), program, properties_of(program, None), settings)


@pytest.mark.parametrize("path", one_in(5, [*MODELS, *WORKED]), ids=lambda path: path.stem)
def test_columns_answer_like_rows(path: Path) -> None:
    """Counts, findings, paths and lassos of every model, cut after a thousand states.

    A run that ends at its first violation is another one only if there is a violation.
    """
    rows = answer(path, None, 10**9, True)
    assert compared(answer(path, None, 1, True)) == compared(rows)
    if rows.findings:
        assert compared(answer(path, None, 1, False)) == compared(answer(path, None, 10**9, False))


@pytest.mark.parametrize("text", [EQUAL_ALTERNATIVES, INSTANCES_COME_AND_GO])
def test_columns_answer_like_rows_in_odd_corners(text: str) -> None:
    """Alternatives of equal text count once; instances, fields and threads come and go; limits are masks."""
    rows = answer("odd.fizz", text, 10**9, True)
    assert rows.states > 500
    for wide in (1, 50):
        assert compared(answer("odd.fizz", text, wide, True)) == compared(rows)


@pytest.mark.parametrize("path", [*(ROOT / "tests/checker/parts").glob("*.fizz"), *WORKED], ids=lambda path: path.stem)
def test_rules_that_are_not_worth_remembering(path: Path) -> None:
    """A rule may go row by row from any moment on."""
    rows = answer(path, None, 10**9, True, 500)
    never = Sizes(learning=20, worthwhile=2.0)
    assert compared(answer(path, None, 1, True, 500, never)) == compared(rows)


def test_what_reads_everything_is_not_remembered() -> None:
    """A rule for which every state is a new case is run directly after a while, or anew; others are remembered."""
    text = """
---
deadlock_detection: false
options: {max_actions: 1000}
---
action Init:
    board = [0, 1, 2, 3, 4, 5]
    n = 0
atomic action Mix:
    i = oneof range(6)
    board = board[i:] + board[:i]
    board = [board[1], board[0]] + board[2:]
    n = sum([board[k] * k for k in range(6)])
atomic action Count:
    require n > 45
    n = 0
"""
    explored = answer("mix.fizz", text, 20, True, 15_000, Sizes(learning=100))
    assert explored.stats["run directly"] > 400
    new = {name: figures for name, figures in explored.stats.items() if name.startswith("new at")}
    assert list(new) == ["new at mix.fizz:11, all of board"], "it is sliced there"
    assert explored.stats["rules not remembered"] == 0
    # Floats are left to the interpreter.
    text = text.replace("    n = sum(", "    n = len([1.5]) - 1 + sum(")
    explored = answer("mix.fizz", text, 20, True, 15_000, Sizes(learning=100))
    assert explored.stats["run directly"] == 0
    assert explored.stats["rules not remembered"] == 1


def test_columns_save_calls() -> None:
    """A model of some ten thousand states needs a small part of its rule evaluations to be interpreted."""
    stats = answer(ROOT / "models/classics/TwoPhase.fizz", None, 100, True, 20_000).stats
    evaluations, calls = stats["rule evaluations"], stats["interpreter calls"]
    assert isinstance(evaluations, int) and isinstance(calls, int)
    assert calls * 15 < evaluations
