"""Actions with a limit on their starts: the counters are part of states, and are counted by columns."""

from __future__ import annotations

from collections import Counter

import pytest

from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.properties import properties_of
from checker.search.columns.machine_steps import MachineSteps
from checker.search.explore import explore
from checker.search.registry import ENGINES, engine_of
from fizz import load
from interpreter import compile_module
from tests.checker.comparing import compared
from tests.interpreter.running import machine_of, walk

MODEL = """---
options: {max_actions: 1000, crash_on_yield: CRASHES}
action_options:
  Fail: {max_actions: 2}
  Node.Write: {max_actions: 4}
  Node#.Copy: {max_actions: 2}
  Node.Serial: {max_actions: 2}
  Node#.Serial: {max_actions: 1}
deadlock_detection: false
---
SYMMETRIC role Node:
    action Init:
        self.x = 0
        self.up = True
    atomic action Write:
        require self.up and self.x < 3
        self.x += 1
    atomic action Copy:
        n = oneof nodes if n != self and n.x < self.x
        n.x = self.x
    action Serial:
        self.up = not self.up
        self.up = not self.up
action Init:
    nodes = set([Node(), Node()])
    failed = 0
atomic action Fail:
    n = oneof nodes if n.up
    n.up = False
    failed += 1
always assertion Few: return failed <= 2 and all([n.x <= 3 for n in nodes])
always assertion Next: return all([s.state.failed >= failed for s in next_states()])
exists assertion Full: return all([n.x == 3 for n in nodes])
"""
VARIANTS = [name for name, entry in ENGINES.items() if entry.variant_of == "embedded"]


@pytest.mark.parametrize("crashes", ["true", "false"])
@pytest.mark.parametrize("symmetric", ["", "symmetric "])
def test_the_same(symmetric: str, crashes: str) -> None:
    """Counts, verdicts, witnesses and what limited them."""
    text = MODEL.replace("SYMMETRIC ", symmetric).replace("CRASHES", crashes)
    text = text if symmetric else text.replace("set([Node(), Node()])", "[Node(), Node()]")
    assert states_of(text, Settings(keep_going=True)) > 500


def states_of(text: str, settings: Settings) -> int:
    """How many states there are, if the plain engine and all variants of the embedded one say the same in all."""
    program = compile_module(load("m.fizz", text=text))
    properties = properties_of(program, None)
    plain = explore(engine_of("plain"), program, properties, settings)
    for variant in VARIANTS:
        found = explore(engine_of(variant), program, properties, settings)
        assert compared(found) == compared(plain), variant
        assert found.noted == plain.noted, variant
    return plain.states


COMING_AND_GOING = """---
options: {max_actions: 100, crash_on_yield: false}
action_options: {"KEY": {max_actions: 1}, Add: {max_actions: 3}}
deadlock_detection: false
---
SYMMETRIC role Node:
    action Init:
        self.up = True
        self.log = LOG
    atomic action Fail:
        require self.up
        self.up = False
    atomic action Share:
        n = oneof nodes if n != self
        n.log = self.log
action Init:
    nodes = set([Node(), Node()])
atomic action Add:
    require len(nodes) < 3
    nodes.add(Node())
atomic action Leave:
    n = oneof nodes if not n.up
    nodes.discard(n)
always assertion Some: return len(nodes) <= 3
always assertion Next: return all([len(s.state.nodes) <= 3 for s in next_states()])
"""


@pytest.mark.parametrize(
    ("key", "symmetric", "log"),
    [
        ("Node#.Fail", "", "0"),
        ("Node#.Fail", "symmetric ", "0"),
        ("Node#.Fail", "", "[0]"),
        ("Node.Fail", "", "0"),
        ("Node#1.Fail", "", "0"),
    ],
)
def test_instances_that_come_and_go(key: str, symmetric: str, log: str) -> None:
    """Their counters come and go with them, unless they have counted something."""
    text = COMING_AND_GOING.replace("KEY", key).replace("SYMMETRIC ", symmetric).replace("LOG", log)
    assert states_of(text, Settings(keep_going=True, limits=Limits(states=200))) > 10


def test_a_counter_at_zero_is_no_part_of_the_identity() -> None:
    """An option that never keeps anything from starting changes the keys of no state but by what was counted."""
    text = """---
action_options: OPTIONS
deadlock_detection: false
---
role Node:
    action Init: self.x = 0
    atomic action Up:
        require self.x < 2
        self.x += 1
    atomic action Down:
        require False
action Init: nodes = [Node(), Node()]
atomic action Never:
    require False
"""
    keys = []
    for options in ("{}", '{Never: {max_actions: 1}, "Node#.Down": {max_actions: 3}, Node.Down: {max_actions: 3}}'):
        machine = machine_of(text.replace("OPTIONS", options))
        keys.append({machine.key(state): machine.encoding(state) for state, _ in walk(machine)})
    assert keys[0] == keys[1]
    assert len(keys[0]) == 9


def test_the_machine_takes_no_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters are there from the beginning, so a start changes no slots."""
    taken: Counter[str] = Counter()
    by_machine = MachineSteps.take

    def counting(self: MachineSteps, chosen: object, *given: object) -> None:
        taken["steps"] += len(chosen.source)  # type: ignore[attr-defined]
        by_machine(self, chosen, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(MachineSteps, "take", counting)
    text = """---
action_options: {Up: {max_actions: 60}, "Node#.Vote": {max_actions: 1}}
options: {max_actions: 1000}
deadlock_detection: false
---
role Node:
    action Init: self.voted = False
    atomic action Vote: self.voted = True
action Init:
    x = 0
    nodes = [Node() for _ in range(4)]
atomic action Up: x = (x + 1) % 5
"""
    program = compile_module(load("m.fizz", text=text))
    found = explore(engine_of("columns"), program, [], Settings(keep_going=True))
    assert found.states == 61 * 2**4
    assert taken["steps"] == 0
    assert found.stats["packings"] == 1
