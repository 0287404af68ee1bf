"""States are compared, and not their keys alone, where they fit what is stored of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checker.core.exploration import Exploration, Settings
from checker.core.level import KeysCollide
from checker.properties import properties_of
from checker.search.columns.column_run import ColumnRun
from checker.search.columns.sizes import Sizes
from checker.search.contract.protocol import Engine
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from checker.search.explore import explore
from checker.search.registry import engine_of
from checker.search.rows.row_run import MOST_COMPARED, Found
from fizz import load
from interpreter import Machine, compile_module
from interpreter.state.step import StepOrder
from interpreter.values import key_parts
from tests.checker.comparing import compared

MODELS = Path(__file__).resolve().parents[2] / "models"
ROWS = 10**9
"""So many states are never in a frontier: the run goes row by row."""

COUNTERS = """
action Init:
    counts = [0] * 4
atomic action Up:
    i = oneof range(4)
    require counts[i] < 5
    counts[i] += 1
always assertion NotAll: return sum(counts) < 19
exists assertion Some: return counts == [2, 3, 4, 5]
"""
LARGE = """
action Init:
    counts = [0] * 24
atomic action Up:
    i = oneof range(24)
    require counts[i] < 7
    require i == 0 or counts[i - 1] == 7
    counts[i] += 1
"""
GROWING = """
role Node:
    action Init:
        self.n = 0
    atomic action Up:
        require self.n < 3
        self.n += 1
action Init:
    nodes = []
atomic action New:
    require len(nodes) < 3
    nodes.append(Node())
"""
SYMMETRIC = """
symmetric role Node:
    action Init:
        self.n = 0
    atomic action Up:
        require self.n < 4
        self.n += 1
action Init:
    nodes = [Node() for _ in range(4)]
"""
SHARED = """
action Init:
    a = [0]
    b = a
    n = 0
atomic action Up:
    require a[0] < 3
    a[0] += 1
atomic action Part:
    n = oneof range(3)
    b = [n]
"""
OPTIONS = "---\ndeadlock_detection: false\noptions: {max_actions: 1000}\n---\n"


def explored(engine: Engine, text: str, **asked: Any) -> Exploration:
    program = compile_module(load("m.fizz", text=OPTIONS + text))
    return explore(engine, program, properties_of(program, None), Settings(keep_going=True, **asked))


def weakened(monkeypatch: pytest.MonkeyPatch, weaker: Callable[[int], int]) -> None:
    """Let each part add less to keys."""
    strong = key_parts.digest
    monkeypatch.setattr(key_parts, "digest", lambda path, text: weaker(strong(path, text)))


@pytest.mark.parametrize("wide", [1, 100, ROWS])
def test_small_states_are_compared(wide: int) -> None:
    """By rows and by columns; the plain engine always does it."""
    found, plain = explored(EmbeddedEngine(wide), COUNTERS), explored(PlainEngine(), COUNTERS)
    assert found.exact and plain.exact
    assert compared(found) == compared(plain)


@pytest.mark.parametrize("wide", [1, 30, ROWS])
def test_keys_that_share_a_half(wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are still distinguished, by the other half, and the answer does not change."""
    weakened(monkeypatch, lambda sum: sum & ((1 << 64) - 1) | (sum >> 64 & 1) << 64)
    found, plain = explored(EmbeddedEngine(wide), COUNTERS), explored(PlainEngine(), COUNTERS)
    assert compared(found) == compared(plain)
    assert found.states == 6**4
    assert found.exact == (wide == ROWS)


@pytest.mark.parametrize("wide", [1, 30, ROWS])
def test_keys_that_collide(wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two states of one key are found to differ."""
    weakened(monkeypatch, lambda sum: 1)
    with pytest.raises(KeysCollide):
        explored(EmbeddedEngine(wide), COUNTERS)


def test_exact_is_never_said_in_vain(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All states have one key: an engine notices that, says that it did not compare them, or counts them all."""
    expected = explored(PlainEngine(), COUNTERS)
    weakened(monkeypatch, lambda sum: 1)
    try:
        found = explored(engine_of(engine), COUNTERS)
    except KeysCollide:
        return
    assert not found.exact or (found.states, found.transitions) == (expected.states, expected.transitions)


@pytest.mark.parametrize(
    ("text", "exact"), [(LARGE, False), (GROWING, False), (SYMMETRIC, False), (SHARED, False), (COUNTERS, True)]
)
def test_what_is_stored_by_columns(text: str, exact: bool) -> None:
    """Keys, where states outgrow one word, are of several layouts, stand for images, or share; else the states."""
    found, plain = explored(EmbeddedEngine(1), text), explored(PlainEngine(), text)
    assert compared(found) == compared(plain)
    assert found.exact is exact
    assert explored(EmbeddedEngine(ROWS), text).exact


def test_many_rows_are_not_kept() -> None:
    """Row by row the states themselves take more room than all else, and so they are kept while they are few."""
    machine = Machine(compile_module(load("m.fizz", text=OPTIONS + COUNTERS)))
    state, order = machine.initial()[0][0].state, StepOrder((), (), 0)
    found = Found(states=[])
    for key in range(MOST_COMPARED):
        found.add(key, -1, order, state)
    assert found.states is not None and len(found.states) == MOST_COMPARED
    found.add(MOST_COMPARED, -1, order, state)
    assert found.states is None


def test_excluded_variables() -> None:
    """States that differ in them are one."""
    text = COUNTERS.replace("counts = [0] * 4", "counts = [0] * 4\n    last = 0").replace("+= 1", "+= 1\n    last = i")
    options = OPTIONS.replace("---\n", "---\nidentity: {exclude: [last]}\n", 1)
    for engine in (EmbeddedEngine(), PlainEngine()):
        program = compile_module(load("m.fizz", text=options + text))
        assert not explore(engine, program, properties_of(program, None), Settings()).exact


def test_spilled_states_are_packed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies on the disk can not be changed there."""
    on_disk = []
    refit = ColumnRun._refit

    def watched(run: ColumnRun, *of: Any) -> None:
        on_disk.append(run.store.spill_files.bytes)
        refit(run, *of)

    monkeypatch.setattr(ColumnRun, "_refit", watched)
    program = compile_module(load(MODELS / "classics" / "TwoPhase.fizz", constants={"RMS": "5"}))
    properties = properties_of(program, None)
    engine = EmbeddedEngine(20, Sizes(spilled=1))
    tight, roomy = (explore(engine, program, properties, Settings(memory_mb=memory)) for memory in (0, None))
    assert tight.exact and any(on_disk)
    assert compared(tight) == compared(roomy)
