"""What travels between processes by files: states, candidates, keys; and the files themselves."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from checker.core.problems import EnvironmentProblem
from checker.liveness.graph import LiveStep
from checker.search.checkpoints.codec import StateCodec, SuccessorRecord
from checker.search.checkpoints.key_columns import (
    indexes_of,
    key_column,
    key_number,
    keys_of,
    partition_of,
    partitions_of,
)
from checker.search.spark.batches import batches_of, from_bytes, to_bytes
from checker.search.spark.edge_file import EdgeFile, GraphShape, unpack_shapes
from checker.search.spark.key_files import KeyFiles, add_keys, seen
from checker.storage.file_store import FileStore
from fizz import load
from interpreter import Machine, compile_module
from interpreter.state.state import State
from interpreter.state.step import StepOrder

# One of each: values that Python takes for equal, a shared list, roles, threads inside a call, messages.
MODEL = """\
---
options: {max_actions: 4}
deadlock_detection: false
---
Net = Channel()
@state(durable=["kept"])
role Node:
    action Init:
        self.kept, self.lost = {}, 0
    func take(value):
        self.lost = value
        self.kept[value] = self.lost
    action Send:
        value = oneof [1, 1.0, True, -0.0, 0.0]
        out.take(value)
        self.take((value,))
action Init:
    node = Node()
    out = Net.stub(node)
    first = [1, 2.5, "x"]
    second = first
    seen = set(["a", b"a"])
atomic action Mix:
    first.append(struct(n=None, r=range(3)))
"""


def states_of(machine: Machine) -> list[State]:
    """Some hundred reachable states."""
    found = {machine.key(i.state): i.state for i in machine.initial()[0]}
    work = list(found.values())
    for state in work:
        for step in machine.steps(state).steps:
            key = machine.key(step.target)
            if key not in found and len(found) < 300:
                found[key] = step.target
                work.append(step.target)
    return work


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> tuple[Machine, Machine]:
    """Two machines for one program, whose ids differ."""
    path = tmp_path_factory.mktemp("model") / "m.fizz"
    path.write_text(MODEL)
    program = compile_module(load(path))
    sender, receiver = Machine(program), Machine(program)
    receiver.values.load(sender.values.portable(0))
    for number in range(50):
        receiver.values.intern(2, -1000 - number)
    return sender, receiver


def test_states_arrive_as_they_were(machines: tuple[Machine, Machine]) -> None:
    """A state in another process has the same key and encoding, and it is equal to the one made there."""
    sender, receiver = machines
    sent = states_of(sender)
    assert len(sent) == 300
    unpacked = StateCodec(receiver).unpack_states(StateCodec(sender).pack_states(sent))
    there = set(states_of(receiver))
    for place, state in enumerate(sent):
        arrived = unpacked.state(place)
        assert receiver.encoding(arrived) == sender.encoding(state)
        assert receiver.key(arrived) == sender.key(state)
        assert arrived in there


def test_candidates_arrive_as_they_were(machines: tuple[Machine, Machine]) -> None:
    """All columns of a batch come back, in order; no candidates are no bytes."""
    sender, receiver = machines
    states = sorted((sender.key(state), state) for state in states_of(sender)[::9])
    sent = [
        SuccessorRecord(key, key // 3, StepOrder((2, -1, 0, i % 3), (i,), i % 2), 2**30 + i, i % 5, state)
        for i, (key, state) in enumerate(states)
    ]
    codec = StateCodec(receiver)
    got = {
        key_number(keys_of(batch.high, batch.low), row): (batch, row)
        for batch in from_bytes(to_bytes(batches_of(sent, StateCodec(sender))))
        for row in range(len(batch.high))
    }
    assert len(got) == len(sent)
    for candidate in sent:
        batch, row = got[candidate.key]
        assert key_number(keys_of(batch.source_high, batch.source_low), row) == candidate.source
        assert (batch.order_table[batch.orders[row]], batch.starts[row]) == (candidate.order, candidate.starts)
        assert batch.crashes[row] == candidate.crashes
        arrived = batch.rows.state(row, receiver, codec)
        assert receiver.encoding(arrived) == sender.encoding(candidate.state)
        assert len(arrived.messages) == len(candidate.state.messages)
    assert to_bytes(batches_of([], StateCodec(sender))) == b""


def test_keys_sort_as_numbers() -> None:
    """Columns of keys sort, search and divide as the numbers do, with zeros at either end."""
    chance = random.Random(1)
    edge = [0, 1, 255, 256, 1 << 127, (1 << 128) - 1, 0x80 << 120, 0x7F << 120, 1 << 64, 0xFF00 << 100]
    numbers = sorted({*edge, *(chance.getrandbits(128) for _ in range(500))})
    column = key_column(numbers)
    mixed = np.random.default_rng(1).permutation(column)
    assert [key_number(np.sort(mixed), i) for i in range(len(numbers))] == numbers
    wanted = key_column([numbers[7], 3, numbers[-1], numbers[0]])
    at, there = indexes_of(column, wanted)
    assert (at[there].tolist(), there.tolist()) == ([7, len(numbers) - 1, 0], [True, False, True, True])
    assert partitions_of(column, 7).tolist() == [partition_of(number, 7) for number in numbers]
    assert indexes_of(key_column([]), wanted)[1].tolist() == [False] * 4


def test_files_stay_few(tmp_path: Path) -> None:
    """What was added is seen, nothing else is, and the number of files grows like a logarithm."""
    store = FileStore(tmp_path)
    chance = random.Random(2)
    known: set[int] = set()
    files: KeyFiles = ()
    for level in range(60):
        fresh = {chance.getrandbits(128) for _ in range(chance.choice((0, 1, 5, 40)))} - known
        known |= fresh
        files = add_keys(store, files, 4, 3, level, key_column(sorted(fresh)))
        assert sum(file.keys for file in files) == len(known)
    assert len(files) <= 8
    others = [chance.getrandbits(128) for _ in range(50)]
    assert seen(store, files, key_column(sorted(known))).all()
    assert not seen(store, files, key_column(others)).any()


def test_files_are_whole_or_not_there(tmp_path: Path) -> None:
    """Writing again replaces; a writer that fails leaves what was there, and no scraps."""
    store = FileStore(tmp_path)
    store.write("a", [b"one", b"", b"three"])
    store.write("a", [b"1", b"", b"3"])
    assert [store.read("a", part) for part in range(3)] == [b"1", b"", b"3"]
    assert bytes(store.map("a", 2)) == b"3"
    with pytest.raises(TypeError):
        store.write("a", [b"2", memoryview(b"x").cast("B"), 7])  # type: ignore[list-item]
    assert store.read("a", 0) == b"1"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("place", [3, 14, 30, -1])
def test_damage_is_noticed(tmp_path: Path, place: int) -> None:
    """A byte that changed or is missing is a damaged file, which is named."""
    store = FileStore(tmp_path)
    store.write("a", [b"some", b"bytes"])
    whole = (tmp_path / "a").read_bytes()
    changed = bytearray(whole)
    changed[place] ^= 1
    for damaged in (bytes(changed), whole[:place]):
        (tmp_path / "a").write_bytes(damaged)
        with pytest.raises(EnvironmentProblem, match="a is damaged"):
            [store.read("a", part) for part in range(2)]
        with pytest.raises(EnvironmentProblem, match="a is damaged"):
            [FileStore(tmp_path).map("a", part) for part in range(2)]


def test_edges_are_written_alike_by_every_attempt() -> None:
    """Processes meet shapes in another order, and number them so; the file has them in one order."""
    first, second = (GraphShape((LiveStep(StepOrder((), (), n), None, ()),), 1, False, n > 1) for n in (1, 2))
    targets = key_column([7, 8, 9])
    one, other = EdgeFile(), EdgeFile()
    one.add((first, second), np.array([0, 1, 0]), targets)
    other.add((second,), np.array([], dtype=np.int64), key_column(()))
    other.add((second, first), np.array([1, 0, 1]), targets)
    assert one.parts() == other.parts()
    assert unpack_shapes(one.parts()[0]) == (first, second)
