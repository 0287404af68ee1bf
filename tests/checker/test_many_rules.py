"""Rules of many instances: what is asked once in one state is not worth being remembered."""

from __future__ import annotations

import pytest

import fizz
from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from checker.search.explore import explore
from checker.search.memo.memo import Memory
from checker.search.memo.run_choice import Thresholds
from interpreter import Machine, compile_module
from interpreter.compile.program import Program
from tests.checker.comparing import compared

MODEL = """
role Node:
    action Look:
        require turn < 3
        turn += 1
    always assertion Low:
        return turn < 3
action Init:
    turn = 0
    nodes = [Node() for i in range(NUMBER)]
atomic action Rest: pass
"""


def _program(number: int) -> Program:
    return compile_module(fizz.load("m.fizz", text=MODEL.replace("NUMBER", str(number))))


@pytest.mark.parametrize("most", [0, 1, 7])
def test_the_answer_is_the_same(most: int) -> None:
    """Remembered at once or from the second evaluation on."""
    few = Thresholds(many_rules=most, most_met=3)
    program = _program(4)
    found = [
        compared(explore(engine, program, properties_of(program, None), Settings(keep_going=True)))
        for engine in (EmbeddedEngine(thresholds=few), PlainEngine())
    ]
    assert found[0] == found[1]


def test_rules_that_are_asked_once_have_no_tree() -> None:
    """Beyond the first ones; those that are asked again do."""
    memory = Memory(Machine(_program(20)), thresholds=Thresholds(many_rules=5))
    state = memory.machine.initial()[0][0].state
    rules = [candidate.rule for candidate in memory.machine.candidates(state)]
    assert len(rules) == 21
    view = memory.view(state)
    first = [memory.results(rule, view) for rule in rules]
    assert memory.tally().trees == 5
    assert [memory.results(rule, view) for rule in rules] == first
    assert memory.tally().trees == 21
