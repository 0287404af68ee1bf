"""Transition assertions are not asked about steps that change nothing they see, sharing apart (language page, 10.3)."""

from __future__ import annotations

import pytest

import fizz
from checker.core.exploration import Exploration, Settings
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.registry import engine_of
from checker.swarm.simulate import simulate
from checker.traces.guided import followed
from checker.tui.opened.opening import opened_walk
from checker.tui.opened.property_row import TruthMark
from checker.tui.opened.truths import Truths
from interpreter import Machine, compile_module
from tests.checker.comparing import compared
from tests.spark.conftest import Stage, settings_for, stage

__all__ = ["stage"]

HEAD = "---\noptions: {crash_on_yield: false}\ndeadlock_detection: false\n---\n"
NEVER = "transition assertion Never(before, after): return False\n"

SHARING = {
    "list": """
action Init:
    a = []
    b = a
atomic action Part: b = []
atomic action Join: b = a
""",
    "dict": """
action Init:
    a = {"k": 1}
    b = a
atomic action Part: b = dict(a)
""",
    "record": """
action Init:
    a = record(n=1)
    b = a
atomic action Part: b = record(n=1)
""",
    "nested": """
action Init:
    a = [[1], [1]]
    b = {"in": a[0]}
atomic action Part: a = [[1], [1]]
atomic action Join: a = [b["in"], b["in"]]
""",
    "in bags": """
action Init:
    a = [1]
    b = bag([a, [2], [1]])
    c = genericmap({"k": a})
atomic action Part: a = [1]
""",
    "what contains itself": """
action Init:
    a = []
    a.append(a)
    b = a
atomic action Part: b = [a]
""",
    "field of a role": """
role Node:
    action Init:
        self.log = []
        self.copy = self.log
    atomic action Part: self.copy = []
    atomic action Join: self.copy = self.log
action Init: node = Node()
""",
    "param of a role": """
role Node:
    action Init: self.log = self.FIRST
    atomic action Part: self.log = list(self.FIRST)
action Init: node = Node(FIRST=[1])
""",
    "with a thread": """
action Init: a = [1]
action Hold:
    mine = a
    require False
    mine.append(0)
""",
}

CHANGES = {
    "a value that is shared": """
action Init:
    a = [1]
    b = a
atomic action Change: b = [2]
""",
    "an order": """
action Init:
    a = [1]
    b = [a, [2]]
atomic action Change: b = [[2], a]
""",
    "a bag": """
action Init:
    a = [1]
    b = bag([a, [1]])
atomic action Change: b = bag([a, [2]])
""",
    "a field name": """
action Init:
    a = [1]
    b = struct(x=a)
atomic action Change: b = struct(y=a)
""",
    "a param": """
role Node:
    action Init: pass
    atomic action Change: self.SEEN.append(len(self.SEEN))
action Init:
    node = Node(SEEN=[])
""",
    "an instance": """
role Node:
    action Init: self.n = 0
action Init: nodes = [Node(), Node()]
atomic action Change: nodes = [nodes[0], nodes[0]]
""",
}

ENGINES = ("plain", "rows", "columns", "partitions")


def explored(text: str, engine: str) -> Exploration:
    """What an engine brings home. `partitions`: the code of Spark's tasks, in this process."""
    program = compile_module(fizz.load("m.fizz", text=HEAD + text, options={"max_actions": "6"}))
    settings = settings_for(2) if engine == "partitions" else Settings()
    made = {"rows": EmbeddedEngine(10**9), "columns": EmbeddedEngine(1)}.get(engine)
    name = "spark" if engine == "partitions" else engine
    return explore(made or engine_of(name), program, properties_of(program, None), settings)


@pytest.mark.parametrize("name", SHARING)
@pytest.mark.parametrize("engine", ENGINES)
def test_sharing_alone_is_no_change(name: str, engine: str, stage: Stage) -> None:
    """A step after which other places share is not asked about; without the words "sharing apart" it would fail."""
    found = explored(SHARING[name] + NEVER, engine)
    assert found.transitions >= 1
    assert not found.findings and found.error is None


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("engine", ENGINES)
def test_changes_are_seen(name: str, engine: str, stage: Stage) -> None:
    """A value that changes is seen, shared or not, in state variables, params and fields; all engines tell the same."""
    found = explored(CHANGES[name] + NEVER, engine)
    assert len(found.findings["Never"].path) == 2
    assert compared(found) == compared(explored(CHANGES[name] + NEVER, "plain"))


@pytest.mark.parametrize("name", SHARING)
def test_walks_see_what_a_check_sees(name: str) -> None:
    """Simulation and guided traces skip such steps too, and the viewer says that the assertion is true there."""
    module = fizz.load("m.fizz", text=HEAD + SHARING[name] + NEVER)
    assert simulate(module, runs=3, seed=1, steps=4).exit_code == 0
    machine = Machine(compile_module(module))
    step = machine.steps(machine.initial()[0][0].state).steps[0]
    report, walk = followed(module, [step.name])
    assert report.exit_code == 0 and walk is not None
    shown = opened_walk(module, report, walk)
    (prop,) = [prop for prop in Truths(walk.machine).properties if prop.name == "Never"]
    assert Truths(walk.machine).truth(prop, shown.paths[0].path, 1) is TruthMark.TRUE


def test_much_sharing_is_compared_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written out, the value has 2^18 parts; pairs of what is shared are compared once each."""
    machine = Machine(
        compile_module(
            fizz.load(
                "m.fizz",
                text=HEAD
                + """
action Init:
    a, pool = [], []
    for i in range(18):
        a = [a, a]
        pool.append(a)
atomic action Same: a = pool[-1]
""",
            )
        )
    )
    (initial,), _ = machine.initial()
    asked = 0
    references = machine.values.references

    def counted(number: int) -> bool:
        nonlocal asked
        asked += 1
        return references(number)

    monkeypatch.setattr(machine.values, "references", counted)
    assert machine.alike.states(initial.state, initial.state)
    assert asked < 200
