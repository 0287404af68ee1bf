"""`next_states()` computes the successors of a state once, however many assertions ask, and however often."""

from __future__ import annotations

import pytest

import fizz
from checker.core.exploration import Exploration, Settings
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from interpreter import Expansion, Machine, State, compile_module
from interpreter.values.budget import METER
from tests.checker.comparing import compared
from tests.spark.conftest import Stage, settings_for, stage

__all__ = ["stage"]

MODEL = """---
options: {crash_on_yield: false}
---
role Node:
    action Init: self.n = 0
    atomic fair action Up: self.n = (self.n + 1) % 4
    atomic action Idle: pass
action Init: nodes = [Node(), Node()]
always assertion Some: return len(next_states()) > 0
always assertion All: return all([s.name != "" for s in next_states()]) and len(next_states()) == 4
always assertion Turns:
    for node in nodes:
        for s in next_states():
            if s.role_id == node.__id__ and s.action_name == "Nothing":
                return False
    return True
exists assertion Back: return [s.name for s in next_states() if s.state.nodes[0].n == 0] != []
always eventually assertion Again: return any([s.state.nodes[0].n == 0 for s in next_states()])
eventually always assertion Last: return "Node#0.Up" in [s.name for s in next_states()]
"""


class Counting(Machine):
    """A machine that counts of which states it was asked for all successors."""

    asked: list[State]

    def steps(self, state: State, starts: bool = True, limits: bool = True, of: str | None = None) -> Expansion:
        if not limits:
            type(self).asked.append(state)
        return super().steps(state, starts, limits, of)


def counted(engine: object, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> tuple[Exploration, list[State]]:
    """What an engine brings home, and the states whose successors were computed for `next_states()`."""
    monkeypatch.setattr(Counting, "asked", [], raising=False)
    program = compile_module(fizz.load("m.fizz", text=MODEL))
    found = explore(engine, program, properties_of(program, None), settings, machine=Counting)  # type: ignore[arg-type]
    return found, Counting.asked


@pytest.mark.parametrize("engine", ["plain", "rows", "columns", "some rows", "partitions"])
def test_once_for_each_state(engine: str, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six assertions of three kinds ask, some at two locations, some turn by turn: no state is computed twice."""
    from checker.search.registry import engine_of

    wide = {"rows": 10**9, "columns": 1, "some rows": 6}
    settings = settings_for(2) if engine == "partitions" else Settings()
    made = EmbeddedEngine(wide[engine]) if engine in wide else engine_of("spark" if engine == "partitions" else engine)
    found, asked = counted(made, monkeypatch, settings)
    plain, _ = counted(engine_of("plain"), monkeypatch, Settings())
    assert compared(found) == compared(plain)
    assert found.states == 16
    assert len(asked) == 16


def test_the_cost_is_not_the_asker_s() -> None:
    """An assertion is charged the same whether the successors are computed for it or were before."""
    text = """
def total(n): return sum([i for i in range(n)])
action Init: x = 0
atomic action Go: x = total(50)
always assertion P: return total(7) == 21 and len(next_states()) == 1 and total(4) == 6
"""
    machine = Machine(compile_module(fizz.load("m.fizz", text=text)))
    state = machine.initial()[0][0].state
    charged = []
    for _ in range(2):
        machine.run(machine.assertion_rules(0, state)[0], machine.view(state))
        charged.append(METER.count)
    assert charged[0] == charged[1] > 0
