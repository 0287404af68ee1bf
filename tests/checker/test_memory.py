"""`--memory`: what is stored of states goes to the disk beyond a budget, and the answer is the same."""

from __future__ import annotations

import errno
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checker.core.exploration import Exploration, Settings
from checker.properties import properties_of
from checker.search.columns.batch import Batch
from checker.search.columns.gathered import Gathered
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.sizes import Sizes
from checker.search.columns.spill_file import SpillFiles, in_memory, on_disk
from checker.search.columns.visited_keys import VisitedKeys
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from fizz import load
from interpreter import compile_module
from tests.checker.comparing import compared

MODELS = Path(__file__).resolve().parents[2] / "models"


EVERYTHING_IS_LARGE = Sizes(spilled=1, merged=50, loose=300, joined=200)
"""Small arrays and small levels are handled like large ones."""


def small_spill_files() -> SpillFiles:
    return SpillFiles(1, sizes=EVERYTHING_IS_LARGE)


def explored(model: str, constants: dict[str, str], memory: int | None, said: list[str]) -> Exploration:
    program = compile_module(load(MODELS / model, constants=constants))
    settings = Settings(keep_going=True, memory_mb=memory)
    return explore(
        EmbeddedEngine(1, EVERYTHING_IS_LARGE), program, properties_of(program, None), settings, say=said.append
    )


@pytest.mark.parametrize(
    ("model", "constants"),
    [
        ("classics/TwoPhase.fizz", {"RMS": "4"}),
        ("venice/VeniceOffsetFirst.fizz", {"N_NODES": "2", "NUM_KEYS": "1"}),
        ("kafka/KafkaTruncateToHighWatermark.fizz", {"REPLICAS": "2", "MAX_RECORDS": "1", "MAX_LEADER_EPOCH": "1"}),
    ],
)
def test_the_answer_is_the_same(model: str, constants: dict[str, str]) -> None:
    """Findings with their paths, counts and liveness do not depend on where states lie."""
    said: list[str] = []
    roomy, tight = (explored(model, constants, memory, said) for memory in (None, 0))
    assert compared(roomy) == compared(tight)
    assert "MB on disk" in tight.stats and "MB on disk" not in roomy.stats
    assert not said


def test_a_full_disk_is_reported_once_and_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run goes on in memory."""
    written = 0
    real = tempfile.TemporaryFile

    def some(*given: Any, **named: Any) -> Any:
        nonlocal written
        written += 1
        if written > 20:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*given, **named)

    monkeypatch.setattr(tempfile, "TemporaryFile", some)
    said: list[str] = []
    roomy, tight = (explored("classics/TwoPhase.fizz", {"RMS": "4"}, memory, said) for memory in (None, 0))
    assert compared(roomy) == compared(tight)
    (sentence,) = said
    assert "no space left on device" in sentence and "in memory" in sentence and "TMPDIR" in sentence


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files have no names."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = small_spill_files()
    kept = own.put(np.arange(1000))
    assert on_disk(kept) and on_disk(kept[10:20]) and not list(tmp_path.iterdir())
    assert kept.tolist() == list(range(1000)) and in_memory([kept, np.zeros(8)]) == 64
    own.rest()
    assert kept[999] == 999


@pytest.mark.parametrize("spill", [False, True])
def test_visited_is_a_set(spill: bool) -> None:
    """Keys of equal high halves are distinguished; runs are merged in memory and on the disk."""
    chance = random.Random(7)
    known: dict[tuple[int, int], int] = {}
    keys = VisitedKeys(small_spill_files())
    for _ in range(60):
        fresh = {(chance.randrange(40), chance.randrange(60)) for _ in range(chance.randrange(1, 40))} - set(known)
        ordered = sorted(fresh)
        first = len(known)
        keys.add(*_halves(ordered), first)
        known.update({key: first + index for index, key in enumerate(ordered)})
        if spill and chance.random() < 0.3:
            keys.spill()
        asked = sorted({(chance.randrange(42), chance.randrange(62)) for _ in range(50)})
        found, shared = keys.contains(*_halves(asked))
        assert found.tolist() == [key in known for key in asked]
        halves = {high for high, _ in known}
        assert shared or not any(high in halves for high, _ in set(asked) - set(known))
        chance.shuffle(asked)
        assert keys.numbers_of(*_halves(asked)).tolist() == [known.get(key, -1) for key in asked]
    by_number = sorted(known, key=lambda key: known[key])
    assert list(zip(*[half.tolist() for half in keys.since(100)], strict=True)) == by_number[100:]
    some = [half.tolist() for half in keys.some([5, 0, 77])]
    assert list(zip(*some, strict=True)) == [by_number[number] for number in (5, 0, 77)]
    assert len(keys) == len(known) and (keys.bytes < 20 * len(known)) == spill


def test_a_run_grows_where_it_is() -> None:
    """Merged with a shorter one it is not copied, and so never in memory twice; unless something else holds it."""
    keys = VisitedKeys(small_spill_files())
    keys.add(np.arange(0, 400, 2, dtype=np.uint64), np.arange(200, dtype=np.uint64), 0)
    places = [id(column) for column in keys._runs[0]]
    keys.add(np.arange(1, 400, 2, dtype=np.uint64), np.arange(200, dtype=np.uint64), 200)
    assert [id(column) for column in keys._runs[0]] == places
    held = keys._runs[0].high
    keys.add(np.arange(400, 800, dtype=np.uint64), np.arange(400, dtype=np.uint64), 400)
    (run,) = keys._runs
    assert run.high.tolist() == list(range(800)) and held.tolist() == list(range(400))
    assert run.numbers.tolist() == [*(i // 2 + 200 * (i % 2) for i in range(400)), *range(400, 800)]


def _halves(keys: list[tuple[int, int]]) -> tuple[Any, Any]:
    return np.array([key[0] for key in keys], dtype=np.uint64), np.array([key[1] for key in keys], dtype=np.uint64)


def test_a_level_is_joined_by_ranges_of_keys() -> None:
    """For any order of batches, each state is there once, ascending, by its least parent."""
    chance = np.random.default_rng(7)
    packing: Packing = object()  # type: ignore[assignment]
    from checker.search.columns.store import StateStore

    store = StateStore(SpillFiles(sizes=EVERYTHING_IS_LARGE))
    level = Gathered(store.spill_files)
    everything: dict[int, int] = {}
    ranks = np.arange(5)

    def least(batch: Batch) -> Batch:
        return store.least(batch, ranks)

    for _ in range(30):
        high = np.unique(chance.integers(0, 1500, 100)).astype(np.uint64) << np.uint64(53)
        parents = chance.integers(0, 1000, len(high))
        for key, parent in zip(high.tolist(), parents.tolist(), strict=True):
            everything[key] = min(parent, everything.get(key, parent))
        zero = np.zeros(len(high), dtype=np.int32)
        level.add(packing, Batch(Rows([high]), high, high, parents, zero, zero, zero), least)
    found = [part[packing] for part in level.finish(least)]
    assert len(found) > 4 and len(level) == 0
    keys = np.concatenate([batch.high for batch in found]).tolist()
    assert keys == sorted(everything)
    assert np.concatenate([batch.parents for batch in found]).tolist() == [everything[key] for key in keys]
