"""Actions with a limit on their starts: the counters are part of states, and are counted by columns."""

from __future__ import annotations

from collections import Counter

import pytest

from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.columns.expand import ColumnExpander
from checker.search.explore import explore
from checker.search.registry import ENGINES, engine_of
from fizz import load
from interpreter import compile_module
from tests.checker.comparing import compared

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
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same(variant: str, symmetric: str, crashes: str) -> None:
    """Counts, verdicts, witnesses and what limited them."""
    text = MODEL.replace("SYMMETRIC ", symmetric).replace("CRASHES", crashes)
    text = text if symmetric else text.replace("set([Node(), Node()])", "[Node(), Node()]")
    program = compile_module(load("m.fizz", text=text))
    properties = properties_of(program, None)
    plain = explore(engine_of("plain"), program, properties, Settings(keep_going=True))
    found = explore(engine_of(variant), program, properties, Settings(keep_going=True))
    assert compared(found) == compared(plain)
    assert found.noted == plain.noted
    assert plain.states > 500


def test_the_machine_takes_first_starts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A counter that is above zero is a slot: only where it becomes one, states have other slots after a start."""
    taken: Counter[str] = Counter()
    by_machine = ColumnExpander._by_machine

    def counting(self: ColumnExpander, chosen: object, *given: object) -> None:
        taken["steps"] += len(chosen.source)  # type: ignore[attr-defined]
        by_machine(self, chosen, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(ColumnExpander, "_by_machine", counting)
    text = """---
action_options: {Up: {max_actions: 60}, Down: {max_actions: 60}}
options: {max_actions: 1000}
deadlock_detection: false
---
action Init: x = 0
atomic action Up: x = (x + 1) % 5
atomic action Down: x = (x - 1) % 5
"""
    program = compile_module(load("m.fizz", text=text))
    found = explore(engine_of("columns"), program, [], Settings(keep_going=True))
    assert found.states == 61 * 61
    assert taken["steps"] < found.transitions / 20
