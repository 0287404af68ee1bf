"""Very many choices one after the other: what one run of a recording function follows is bounded."""

from __future__ import annotations

from checker.search.memo.memo import Memory
from checker.search.memo.recorded_rules import RecordedRules
from fizz import load
from interpreter import Machine, StepKind, compile_module
from interpreter.state.step import Rule

DEEP = "action Init: x = 0\natomic action A:\n" + " x = oneof [0, 1]\n" * 120


def test_a_run_follows_few_paths() -> None:
    """There are 2 ** 120 paths, and each has all choices before a cut point in its mark."""
    machine = Machine(compile_module(load("m.fizz", text=DEEP)))
    memory = Memory(machine)
    rules = RecordedRules(machine, memory.divider)
    state = machine.initial()[0][0].state
    rule = Rule(StepKind.START, 1)
    assert rules.supports(rule)
    found = rules.paths(rule, memory.view(state), (), lambda mark: False)
    assert found is not None
    assert 1 < len(found) <= 256
    assert sum(len(path.events) for path in found) < 3 * 4_096
