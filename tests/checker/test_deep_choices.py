"""Very many choices one after the other: what one run of a recording function follows is bounded."""

from __future__ import annotations

from checker.search.memo.memo import Memory
from checker.search.memo.recorded_rules import RecordedRules
from fizz import load
from interpreter import Machine, StepKind, compile_module
from interpreter.state.step import Rule

WIDE = """\
GROUPS = list(itertools.combinations(range(14), 3))
action Init: left = set(range(14))
atomic action Cross:
    group = oneof [g for g in GROUPS if all([p in left for p in g])]
    left = left - set(group)
"""
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


def test_one_choice_among_many_is_followed_to_its_end() -> None:
    """Each run names all alternatives: to begin anew for each of them would take the square of their number."""
    machine = Machine(compile_module(load("m.fizz", text=WIDE)))
    memory = Memory(machine)
    rules = RecordedRules(machine, memory.divider)
    state = machine.initial()[0][0].state
    found = rules.paths(Rule(StepKind.START, 1), memory.view(state), (), lambda mark: False)
    assert found is not None
    assert len(found) == 364
