"""Ways that begin after a restart come to what whole ways come to, by the same questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import fizz
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.memo import Memory
from checker.search.memo.remembering import Restart
from interpreter import compile_module
from interpreter.execute.view import View
from interpreter.state.step import ExecutionPath, Rule
from tests.random import laws
from tests.random.programs import program
from tests.random.source import seeded

ROOT = Path(__file__).resolve().parents[2]
MODELS = {
    "kafka/KafkaTruncateToHighWatermark.fizz": {"REPLICAS": "2", "MAX_RECORDS": "1", "MAX_LEADER_EPOCH": "1"},
    "venice/VeniceOffsetFirst.fizz": {"N_NODES": "2", "NUM_KEYS": "1"},
    "unclean_election/UncleanEligible.fizz": {},
    "classics/TwoPhase.fizz": {"RMS": "3"},
}


def settings(states: int) -> Settings:
    return Settings(keep_going=True, limits=Limits(states=states))


class Compared:
    """Runs each way that begins later once more from the start. `count`: how many there were."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        run = Memory._run

        def twice(memory: Memory, rule: Rule, view: View, choices: tuple[int, ...]) -> ExecutionPath:
            way = run(memory, rule, view, choices)
            if way.skipped:
                self.count += 1
                whole = memory.runner.run(rule, view, choices)
                asked = [event for event in whole.events if not isinstance(event, Restart)]
                rest = [event for event in way.events if not isinstance(event, Restart)]
                assert asked[way.skipped :] == rest
                assert laws.said(replace(whole, events=())) == laws.said(replace(way, events=(), skipped=0))
            return way

        monkeypatch.setattr(Memory, "_run", twice)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("wide", [1, 10**9])
def test_models(model: str, wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = Compared(monkeypatch)
    code = compile_module(fizz.load(ROOT / "models" / model, constants=MODELS[model]))
    explore(EmbeddedEngine(wide), code, properties_of(code, None), settings(3_000))
    assert compared.count > 1


def test_random_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops, calls, aliases and errors among them."""
    compared = Compared(monkeypatch)
    for seed in range(50):
        text = program(seeded(seed))
        if laws.machine_of(text) is not None:
            code = compile_module(fizz.load("m.fizz", text=text))
            explore(EmbeddedEngine(1), code, properties_of(code, None), settings(40))
    assert compared.count > 4
