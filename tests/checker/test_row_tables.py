"""Results that were found in states with the same values in what a rule asks for: the same as the machine's."""

from __future__ import annotations

import pytest

from checker.search.memo.memo import Memory
from checker.search.memo.row_tables import RowTable
from fizz import FizzError, load
from interpreter import Machine, compile_module
from interpreter.state.state import State
from interpreter.state.step import ModelError, Outcome, Rule, StepKind, verdict_of
from tests.direct.programs import model
from tests.random.laws import walk
from tests.random.programs import program
from tests.random.source import seeded

GROWING = """\
---
{"deadlock_detection": false, "options": {"max_actions": 6}}
---
D = symmetry.nominal(name="v", limit=3)
role Node:
    action Init:
        self.log = [0, 0]
    atomic action Add:
        i = oneof [0, 1]
        self.log[i] = (self.log[i] + k) % 3
action Init:
    nodes = [Node()]
    k = 1
    mine = None
    far = [0, 1, 2]
atomic action Make:
    require len(nodes) < 3
    nodes.append(Node())
atomic action Turn:
    k = 1 if k == 2 else far[k] + 1
atomic action Draw:
    mine = D.fresh()
always assertion Short:
    return all([len(node.log) == 2 for node in nodes])
"""


def _compare(machine: Machine, most: int) -> Memory:
    memory = Memory(machine)
    for _, state in walk(machine, most):
        view = memory.view(state)
        rules = [candidate.rule for candidate in machine.candidates(state, limits=False)]
        rules += [
            r
            for a in machine.program.assertions
            if a.kind == "always"
            for r in machine.assertion_rules(a.number, state)
        ]
        for rule in rules:
            if rule.kind is not StepKind.CRASH_ROLE and not machine.together(rule):
                wanted = [path.result for path in machine.paths(rule, machine.view(state), noted=False)]
                found = memory.results(rule, view)
                if rule.kind is StepKind.ASSERT:
                    found, wanted = [verdict_of(found)], [verdict_of(wanted)]
                assert [_shown(memory, state, rule, one) for one in found] == [
                    _shown(memory, state, rule, one) for one in wanted
                ]
    return memory


def _shown(memory: Memory, state: State, rule: Rule, result: object) -> object:
    if isinstance(result, Outcome):
        return memory.apply(state, rule, result), result.value, result.choices, result.forks, result.fair, result.labels
    return type(result)


def _machine(text: str) -> Machine | None:
    try:
        machine = Machine(compile_module(load("m.fizz", text=text)))
        machine.initial()
    except (FizzError, ModelError):
        return None
    return machine


def test_growing() -> None:
    """Instances that are made change what a slot is; values in use depend on all slots."""
    memory = _compare(Machine(compile_module(load("m.fizz", text=GROWING))), 400)
    assert memory.total().lookups - memory.total().misses > 400


@pytest.mark.parametrize("block", range(3))
def test_random(block: int) -> None:
    """Random programs of both kinds."""
    found = 0
    for seed in range(6 * block, 6 * block + 6):
        for text in (program(seeded(seed)), model(seed)):
            machine = _machine(text)
            if machine is not None:
                counts = _compare(machine, 25).total()
                found += counts.lookups - counts.misses
    assert found > 40


def test_what_seldom_repeats_has_no_table() -> None:
    """It would cost more than it saves."""
    machine = Machine(compile_module(load("m.fizz", text="action Init: n = 0\natomic action Up: n += 1\n")))
    state = machine.initial()[0][0].state
    table = RowTable(state, None)
    for number in range(300):
        one = State(state.layout, (number,), state.threads, state.messages)
        if table.use:
            assert table.get(one, None) is None
            table.add(one, None, {("heap", "n")}, ())
    assert not table.use
