"""Assertions about steps that are not remembered have the verdicts that they have otherwise."""

from __future__ import annotations

import pytest

from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.memo.memo import Memory
from checker.search.memo.run_choice import THRESHOLDS, Thresholds
from checker.search.registry import engine_of
from fizz import load
from interpreter import Machine, compile_module
from interpreter.execute.view import PairView
from interpreter.state.step import Outcome, Rule, StepKind
from tests.checker.comparing import compared
from tests.stats import stat

MODEL = """
---
deadlock_detection: false
options: {max_actions: 1000, crash_on_yield: false}
---
N = 3
action Init:
    done = {i: [] for i in range(N)}
    mean = 0
atomic action Go:
    i = oneof range(N)
    require len(done[i]) < 3
    done[i].append(len(done[i]))
    mean = 0.5 * mean
atomic action Back:
    i = oneof range(N)
    require done[i]
    done[i].pop()
transition assertion OneAtATime:
    FLOAT
    return LESS < sum([abs(len(after.done[i]) - len(before.done[i])) for i in range(N)]) + 1
"""


@pytest.mark.parametrize("less", ["1", "1 + len(before.done[2])"])
@pytest.mark.parametrize("part", ["pass", "half = 0.5"])
@pytest.mark.parametrize("wide", [None, 0, 20])
def test_steps_are_judged(wide: int | None, part: str, less: str) -> None:
    """Directly, by the interpreter, remembered: in turns. The rules of the steps, too."""
    program = compile_module(load("m.fizz", text=MODEL.replace("FLOAT", part).replace("LESS", less)))
    properties = properties_of(program, None)
    plain = explore(engine_of("plain"), program, properties, Settings(keep_going=True))
    for thresholds in (THRESHOLDS, Thresholds(learning=0, window=5, trial=3, share=0.1)):
        found = explore(EmbeddedEngine(wide, thresholds=thresholds), program, properties, Settings(keep_going=True))
        assert compared(found) == compared(plain)
        if part == "pass" and thresholds is not THRESHOLDS:
            assert stat(found, "run directly") > 0


def test_forgotten() -> None:
    """The interpreter gets whole values, though what is remembered is read part by part."""
    machine = Machine(compile_module(load("m.fizz", text=MODEL.replace("FLOAT", "half = 0.5").replace("LESS", "1"))))
    memory = Memory(machine)
    state = machine.initial()[0][0].state
    (step, *_) = machine.steps(state).steps
    rule = Rule(StepKind.ASSERT, 0)
    view = PairView(memory.view(state), memory.view(step.target))
    (known,) = memory.results(rule, view)
    memory.forget(rule)
    assert memory.choice(rule).forgotten
    (anew,) = memory.results(rule, view)
    assert isinstance(anew, Outcome) and isinstance(known, Outcome) and anew.value is known.value is True
