"""Tasks by columns: what they send each other arrives as it was, and they are used where they can be."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.level import Level
from checker.core.limits import Limits
from checker.properties import properties_of
from checker.search.checkpoints.codec import StateCodec, SuccessorRecord
from checker.search.checkpoints.row_codec import RowCodec
from checker.search.columns import takeover
from checker.search.columns.column_run import ColumnRun
from checker.search.columns.sizes import Sizes
from checker.search.columns.space import Space
from checker.search.columns.store import StateStore
from checker.search.columns.takeover import take_over
from checker.search.contract.protocol import Task
from checker.search.engines.plain import PlainEngine
from checker.search.explore import explore
from checker.search.rows.expander import Expander
from checker.search.rows.row_run import RowRun
from checker.search.spark import SparkEngine, column_partition, inbox
from checker.search.spark.batches import PackedBatch, SourceKeys, batches_of, from_bytes, pack_batch, to_bytes
from checker.search.spark.column_partition import ColumnPartition
from checker.search.spark.inbox import Inbox
from fizz import load
from interpreter import Machine, compile_module
from interpreter.state.step import StepOrder
from tests.checker.comparing import compared
from tests.checkpoint.conftest import WIDE
from tests.interpreter.running import module_of
from tests.spark.conftest import Stage, settings_for
from tests.spark.models import MODELS, PARTS
from tests.stats import stat


def expanded(source: str, folder: Path, levels: int) -> tuple[Machine, ColumnRun]:
    """A run by columns that has gone some levels."""
    path = folder / "m.fizz"
    path.write_text(source)
    program = compile_module(load(path))
    rows = RowRun(Task(program, (), Settings()))
    rows.first()
    run = take_over(rows, Sizes())
    for _ in range(levels):
        run.next()
    return Machine(program), run


@pytest.mark.parametrize("source", [PARTS, WIDE, MODELS["crashes"]], ids=["parts", "wide", "crashes"])
def test_batches_arrive_as_they_were(source: str, tmp_path: Path) -> None:
    """States that columns made are the same states in another process, in columns as for its machine."""
    _, run = expanded(source, tmp_path, 3)
    expander = Expander(run.task)
    receiver = expander.machine
    for number in range(50):
        receiver.values.intern(2, -1000 - number)
    sources = SourceKeys(*run.store.keys_since(0))
    codec = RowCodec(run.space, StateCodec(run.space.machine), run.refit)
    values = StateCodec(receiver)
    there = ColumnRun(run.task, Space(expander, False), StateStore(), None)
    other = RowCodec(there.space, values, there.refit)
    found = run.steps(Level())
    assert sum(len(batch.rows) for batch in found.values()) >= 12
    for packing, batch in found.items():
        (sent,) = from_bytes(to_bytes([pack_batch(codec, packing, batch, sources)]))
        chosen = np.arange(len(batch.rows))[::-1]
        arrived, rows = other.unpack([(sent.rows, chosen)])
        for place, row in enumerate(chosen.tolist()):
            before = run.space.machine.encoding(packing.unpack(batch.rows, row))
            assert receiver.encoding(arrived.unpack(rows, place)) == before
            assert receiver.encoding(sent.rows.state(row, receiver, values)) == before
            assert sent.order_table[sent.orders[row]] == run.space.orders[batch.orders[row]]
            assert (sent.high[row], sent.low[row]) == (batch.high[row], batch.low[row])
            assert sent.source_low[row] == sources.low[batch.parents[row]]
            assert sent.starts[row] == batch.starts[row]


def test_candidates_in_batches(tmp_path: Path) -> None:
    """States that the driver hands over one by one make batches, a layout each."""
    receiver, run = expanded(PARTS, tmp_path, 3)
    machine = run.space.machine
    states = [part.packing.unpack(part.rows, row) for part in run.frontier for row in range(len(part.rows))]
    order = StepOrder((), (), 0)
    candidates = [SuccessorRecord(machine.key(s), 7 << 64 | i, order, 3 + i, i % 3, s) for i, s in enumerate(states)]
    batches = from_bytes(to_bytes(batches_of(candidates, StateCodec(machine))))
    assert len(batches) == len({state.layout for state in states}) > 1
    found = {
        receiver.encoding(b.rows.state(row, receiver, StateCodec(receiver))): (
            int(b.source_low[row]),
            int(b.starts[row]),
        )
        for b in batches
        for row in range(len(b.high))
    }
    assert found == {machine.encoding(c.state): (c.source & 0xFFFF, c.starts) for c in candidates}
    assert from_bytes(to_bytes([])) == []


@pytest.mark.parametrize("partitions", [1, 2, 3, 8])
@pytest.mark.parametrize("keep_going", [False, True])
def test_same_answer(partitions: int, keep_going: bool, tmp_path: Path, stage: Stage) -> None:
    """Divided containers, instances that are lost, threads: for any number of partitions, from any first job on."""
    path = tmp_path / "m.fizz"
    path.write_text(PARTS.replace("< 9", "< 2"))
    plain = check(path, engine="plain", settings=Settings(keep_going=keep_going))
    for spark_from in (0, 30):
        chosen = settings_for(partitions, spark_from=spark_from, keep_going=keep_going)
        report = check(path, engine="spark", settings=chosen)
        assert (report.states, report.transitions, report.crash_steps) == (
            plain.states,
            plain.transitions,
            plain.crash_steps,
        )
        assert (report.properties, report.trace, report.depth) == (plain.properties, plain.trace, plain.depth)


@pytest.mark.parametrize(("source", "size"), [(PARTS, 16), (WIDE, 30)], ids=["parts", "edges"])
def test_levels_in_slices(source: str, size: int, tmp_path: Path, stage: Stage) -> None:
    """Where the candidates of a task are dealt with in slices by key, nothing else changes; liveness sees all edges.

    They come in several files, and by ranges of keys, so that a slice reads some of them only.
    """
    path = tmp_path / "m.fizz"
    path.write_text(source.replace("< 9", "< 2"))
    plain = check(path, engine="plain", settings=Settings(keep_going=True))
    done: list[ColumnPartition] = []
    slices: list[int] = []
    run = ColumnPartition.run

    def noted(self: ColumnPartition) -> object:
        done.append(self)
        slices.append(self._slices())
        return run(self)

    read, asked_for = 0, 0
    decode, pick = inbox.from_bytes, Inbox.slice

    def decoded(data: bytes) -> list[PackedBatch]:
        nonlocal read
        read += 1
        return decode(data)

    def picked(self: Inbox, which: int, slices: int) -> list[PackedBatch]:
        nonlocal asked_for
        asked_for += len(self.pieces)
        return pick(self, which, slices)

    with (
        patch.object(column_partition, "_SLICE", size),
        patch.object(column_partition, "_RANGE", 2),
        patch.object(ColumnPartition, "run", noted),
        patch.object(inbox, "from_bytes", decoded),
        patch.object(Inbox, "slice", picked),
    ):
        report = check(path, engine="spark", settings=settings_for(2, core=0, spark_from=10, keep_going=True))
    assert max(slices) > 4
    assert max(task.sent for task in done) > 1
    assert 0 < read < asked_for / 2
    assert (report.states, report.transitions, report.depth) == (plain.states, plain.transitions, plain.depth)
    assert (report.properties, report.trace, report.warnings) == (
        plain.properties,
        plain.trace,
        plain.warnings,
    )


@pytest.mark.parametrize(
    ("name", "used"), [("fails", True), ("limited", True), ("excluded", False), ("messages", True), ("lasso", True)]
)
def test_columns_where_they_can_be(name: str, used: bool, tmp_path: Path, stage: Stage) -> None:
    """Excluded variables go row by row."""
    path = tmp_path / "m.fizz"
    path.write_text(MODELS[name])
    tasks = 0
    run = ColumnPartition.run

    def counted(self: ColumnPartition) -> object:
        nonlocal tasks
        tasks += 1
        return run(self)

    with patch.object(ColumnPartition, "run", counted):
        check(path, engine="spark", settings=settings_for(2))
    assert (tasks > 0) == used


MESSAGES = """
---
deadlock_detection: false
---
MANAGERS = ["a", "b", "c", "d"]
action Init:
    msgs = set()
    state = {m: "working" for m in MANAGERS}
    decided = None
atomic action Prepare:
    m = oneof MANAGERS
    require state[m] == "working"
    state[m] = "prepared"
    msgs.add(("prepared", m))
atomic action Abort:
    m = oneof MANAGERS
    require state[m] == "working"
    state[m] = "aborted"
    msgs.add(("aborted", m))
atomic action Decide:
    require decided == None
    decided = "commit" if len([m for m in msgs if m[0] == "prepared"]) == len(MANAGERS) else "abort"
    msgs.add((decided, "*"))
atomic action Hear:
    m = oneof MANAGERS
    d = oneof msgs if d[1] == "*"
    state[m] = d[0]
always assertion Consistent: return not any([s == "commit" for s in state.values()]) or decided == "commit"
transition assertion Grows(before, after): return all([m in after.msgs for m in before.msgs])
exists assertion Committed: return all([("prepared", m) in msgs for m in MANAGERS]) and decided == "commit"
"""


BAG = MESSAGES.replace("msgs = set()", "msgs = bag()").replace(
    "state[m] = d[0]", "state[m] = d[0]\n    msgs.discard(d)"
)
SYMMETRIC = MESSAGES.replace('["a", "b", "c", "d"]', 'symmetric_values("m", 4)')


@pytest.mark.parametrize("text", [MESSAGES, BAG, SYMMETRIC], ids=["set", "bag", "symmetric"])
@pytest.mark.parametrize("spark_from", [0, 20, 60])
def test_sets_are_handed_over_by_elements(
    spark_from: int, text: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks store sets by elements where the driver did, and what is found is the same."""
    monkeypatch.setattr(takeover, "_many_valued", lambda *_: None)
    program = compile_module(module_of(text))
    properties = properties_of(program, None)
    plain = explore(PlainEngine(), program, properties, Settings(keep_going=True, limits=Limits(depth=9)))
    chosen = settings_for(3, spark_from=spark_from, keep_going=True, limits=Limits(depth=9))
    assert compared(explore(SparkEngine(8), program, properties, chosen)) == compared(plain)


def test_tasks_ask_for_elements(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole sets are new in nearly each state: without elements tasks run rules several times as often."""
    program = compile_module(module_of(MESSAGES.replace('"d"', '"d", "e", "f"')))
    properties = properties_of(program, None)
    chosen = settings_for(2, spark_from=100, keep_going=True)
    calls = {}
    for by_elements in (True, False):
        monkeypatch.setattr(takeover, "_many_valued", lambda *_, few=by_elements: None if few else frozenset())
        calls[by_elements] = stat(explore(SparkEngine(8), program, properties, chosen), "interpreter calls")
    assert 3 * calls[True] < calls[False]
