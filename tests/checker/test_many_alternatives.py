"""Many alternatives, each of which changes one of many members: work does not grow with the square of their number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.search.columns.code_tables import Updates
from checker.search.columns.fold_answers import FoldAnswers
from checker.search.columns.joint_answers import joint_answers, met_codes
from checker.search.memo.turn_trees import Turn, TurnQuestion
from tests.checker.test_elements import agreed

LOCKS = """\
---
deadlock_detection: false
---
KEYS = 12
WORKERS = 2
action Init:
    table = {k: record(mode=0, holders=set()) for k in range(KEYS)}
    held = [None] * WORKERS
atomic action Acquire:
    w = oneof range(WORKERS)
    k = oneof range(KEYS)
    mode = oneof [1, 2]
    require held[w] == None and (table[k].mode == 0 or mode == 1 and table[k].mode == 1)
    table[k].mode = mode
    table[k].holders.add(w)
    held[w] = k
atomic action Release:
    w = oneof range(WORKERS)
    require held[w] != None
    table[held[w]].holders.remove(w)
    if len(table[held[w]].holders) == 0:
        table[held[w]].mode = 0
    held[w] = None
always assertion Alone: return all([lock.mode != 2 or len(lock.holders) == 1 for lock in table.values()])
always assertion Held: return all([w in table[held[w]].holders for w in range(WORKERS) if held[w] != None])
transition assertion One(before, after):
    return len([k for k in before.table if before.table[k].mode != after.table[k].mode]) <= 1
exists assertion Both: return max([len(lock.holders) for lock in table.values()]) == WORKERS
"""


def counted(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, rows: Callable[..., int]) -> list[int]:
    """For how many rows a method is called, call by call."""
    found: list[int] = []
    method = getattr(owner, name)

    def noting(*arguments: Any) -> Any:
        found.append(rows(*arguments))
        return method(*arguments)

    monkeypatch.setattr(owner, name, noting)
    return found


def test_engines_agree() -> None:
    """Verdicts, counts and traces are the same."""
    agreed(LOCKS.replace("KEYS = 12", "KEYS = 4"), states=57)


def test_updates_are_learned_where_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for each slot that the rule updates: 24 alternatives update one of 12 members each."""
    rows = counted(monkeypatch, Updates, "learn", lambda _, groups, codes: len(groups))
    report = check(fizz.load("m.fizz", text=LOCKS), engine="columns", settings=Settings(keep_going=True))
    assert sum(rows) <= 3 * report.transitions


def test_turns_that_ask_little_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows go through the tree of a turn by the combination of their answers, and not by one answer after the other."""
    jointly = counted(monkeypatch, FoldAnswers, "_walk_jointly", lambda _, node, which, joint: len(which))
    lines = LOCKS.replace("KEYS = 12", "KEYS = 20").splitlines(keepends=True)
    # To ask for a size is more than to ask for a stored value.
    text = "".join(line for line in lines if "len(lock" not in line)
    walked = counted(
        monkeypatch, FoldAnswers, "_walk", lambda _, node, rows: len(rows) * isinstance(node, TurnQuestion)
    )
    check(fizz.load("m.fizz", text=text), engine="columns", settings=Settings(keep_going=True))
    assert sum(jointly) > 0.5 * sum(walked)


def turn(number: int) -> Turn:
    """A turn with one result."""
    return Turn((number,), (number,), frozenset(), 0, 0)


def test_combinations_of_answers() -> None:
    """A code stands for the answers of its rows; what was not met has none."""
    first, second = ("heap", "a"), ("heap", "b")
    root, inner = TurnQuestion(first), TurnQuestion(second)
    root.branches = {10: turn(1), 11: inner}
    inner.branches = {20: turn(2)}
    columns = {first: (np.array([1, 0, 1] * 40), [10, 11]), second: (np.array([0, 1, 2] * 40), [20, 21, 22])}
    which = np.arange(120)
    joint = joint_answers(root, which, lambda slot, rows: columns[slot])
    assert joint is not None
    met = met_codes(joint.codes, joint.count)
    assert [joint.of(code) for code in met] == [
        {first: 10, second: 21},
        {first: 11, second: 20},
        {first: 11, second: 22},
    ]
    assert [met.index(code) for code in joint.codes.tolist()[:3]] == [1, 0, 2]


def test_what_is_no_stored_value_is_not_asked_ahead() -> None:
    """A nested fold is asked where it is met: to answer it elsewhere might fail."""
    root = TurnQuestion(("heap", "a"))
    root.branches = {10: TurnQuestion(("heap", "b", "@1"))}
    assert joint_answers(root, np.arange(100), lambda slot, rows: 10) is None
