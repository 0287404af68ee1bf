"""Steps in states with shared containers: by columns if nothing shared changes, else one by the machine for many."""

from __future__ import annotations

from collections import Counter

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.search.columns.machine_steps import MachineSteps
from checker.search.columns.step_rules import StepRule
from interpreter.state.alike import Alike
from interpreter.state.written_out import WrittenOut
from tests.interpreter.running import machine_of, module_of, walk
from tests.random import laws

HEAD = """---
deadlock_detection: false
options: {max_actions: 5, max_concurrent_actions: 2, crash_on_yield: CRASH}
---
"""
TWO_LOGS = """
action Init:
    leader = [{"v": 0}, {"v": 1}]
    follower = [leader[0]]
    n = 0
    m = 0
    k = 0
atomic action Copy:
    require len(follower) < 2
    follower.append(leader[len(follower)])
atomic action Cut:
    require len(follower) > 0
    follower.pop(0)
atomic action N: n = (n + 1) % 4
atomic action M: m = (m + 1) % 4
atomic action K: k = (k + 1) % 4
transition assertion Kept(before, after): return before.leader == after.leader and len(after.follower) < 3
transition assertion Never(before, after): return len(before.follower) <= len(after.follower)
"""
MODELS = {
    "two logs": TWO_LOGS,
    "a field of its own beside": """
role Node:
    action Init:
        self.log = []
        self.v = 0
    atomic action Get:
        require len(self.log) == 0
        self.log.append(first)
    atomic action Up: self.v = (self.v + 1) % 3
    atomic action Give:
        require self.log
        other = oneof nodes
        require other != self
        other.log = self.log
        self.log = []
action Init:
    first = {"a": [1]}
    nodes = [Node(), Node()]
atomic action Change: first["a"].append(2)
transition assertion Grows(before, after): return all([b.v <= a.v for b, a in zip(before.nodes, after.nodes)])
""",
    "instances are lost with what they hold": """
role Node:
    action Init:
        self.held = shared
        self.v = 0
    atomic action Up: self.v = (self.v + 1) % 3
    atomic action Let: self.held = None
action Init:
    shared = [0]
    nodes = [Node(), Node()]
    old = None
atomic action Fail:
    gone = oneof nodes
    nodes = [node for node in nodes if node != gone]
atomic action Keep:
    require nodes
    old = nodes[0]
atomic action Drop: old = None
atomic action Join:
    require len(nodes) < 2
    nodes.append(Node())
transition assertion Some(before, after): return len(after.nodes) > 0 or before.old == None
""",
    "threads and replies": """
role Node:
    action Init:
        self.accepted = None
        self.n = 0
    func Ask(x):
        self.n = (self.n + 1) % 3
        if x != None: self.accepted = x
        return self.accepted
role Client:
    action Run:
        r = node.Ask({"b": count % 2})
        best = r
        s = node.Ask(None)
        best = s if s == r else None
action Init:
    node = Node()
    client = Client()
    best = None
    count = 0
atomic action Count: count = (count + 1) % 3
transition assertion Counted(before, after): return after.count >= before.count or before.best != None
""",
    "messages": """
channel = Channel(ordering="unordered", delivery="exactly_once", blocking="fire_and_forget")
role Node:
    action Init:
        self.log = []
        self.v = 0
    atomic func Take(entry):
        if len(self.log) < 2: self.log.append(entry)
    atomic action Up: self.v = (self.v + 1) % 2
    atomic action Send:
        require len(self.log) > 0
        other = channel.stub(peer(self, nodes))
        other.Take(self.log[0])
    atomic action New:
        require len(self.log) == 0
        self.log.append({"n": self.v})
def peer(me, nodes): return [node for node in nodes if node != me][0]
action Init: nodes = [Node(), Node()]
transition assertion Sent(before, after): return len(before.nodes[0].log) <= len(after.nodes[0].log)
""",
    "counters and crashes": """
role Node:
    action Init:
        self.log = []
        self.v = 0
    action Put:
        entry = {"v": self.v}
        self.log.append(entry)
        last = entry
        self.v = 1
        last = None
action Init:
    nodes = [Node(), Node()]
    last = None
    other = 0
atomic action Else: other = (other + 1) % 3
transition assertion Up(before, after): return before.other < 2 or after.other == 0 or before.last == after.last
""",
    "members in any order": """
action Init:
    e = {"a": 0}
    box = genericset([e])
    bags = bag()
    n = 0
atomic action Put: box.add({"a": n})
atomic action Take:
    m = oneof box
    box.remove(m)
    e = m
atomic action Mark:
    e["a"] = n
atomic action Up: n = (n + 1) % 3
transition assertion Few(before, after): return len(after.box) <= len(before.box) or before.e != after.e
""",
}


def text_of(name: str) -> str:
    return HEAD.replace("CRASH", str(name == "counters and crashes").lower()) + MODELS[name]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("keep_going", [True, False])
def test_engines_agree(name: str, keep_going: bool) -> None:
    settings = Settings(keep_going=keep_going, limits=Limits(states=400))
    assert laws.differences(text_of(name), settings) == []


@pytest.mark.parametrize("name", MODELS)
def test_they_share(name: str) -> None:
    """The models above do have states with shared containers."""
    found = 0
    for state, _ in walk(machine_of(text_of(name))):
        found += bool(state.layout.cells)
        if found > 9:
            return
    assert found > 3


def test_steps_that_leave_alone_what_is_shared_go_by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: Counter[str] = Counter()
    take, slowly, alike = MachineSteps.take, StepRule.apply_slowly, Alike.states

    def taking(self: MachineSteps, chosen: object, *given: object) -> None:
        taken[chosen.rule.candidate.name] += len(chosen.source)  # type: ignore[attr-defined]
        take(self, chosen, *given)  # type: ignore[arg-type]

    def applying(self: StepRule, *given: object) -> object:
        taken["made"] += 1
        return slowly(self, *given)  # type: ignore[arg-type]

    def comparing(self: Alike, *given: object) -> bool:
        taken["compared"] += 1
        return alike(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(MachineSteps, "take", taking)
    monkeypatch.setattr(StepRule, "apply_slowly", applying)
    monkeypatch.setattr(Alike, "states", comparing)
    text = (HEAD.replace("CRASH", "false") + TWO_LOGS).replace("max_actions: 5", "max_actions: 100")
    report = check(module_of(text), engine="early columns", settings=Settings(keep_going=True))
    assert report.states == 320 and taken["Copy"] > 150 < taken["Cut"]
    assert not {"N", "M", "K"} & taken.keys()
    # There are five pairs of logs; steps are alike within a level.
    assert taken["made"] < (taken["Copy"] + taken["Cut"]) / 5
    assert taken["compared"] < 20


VALUES = """
action Init:
    a = [1]
    b = {"x": a, "y": [a, (a, 2)]}
    c = record(of=b)
    loop = []
    box = genericset()
atomic action Loop: loop.append(loop)
atomic action Box: box.add(a)
"""


def test_states_are_written_out() -> None:
    """The values are the same; those that contain themselves, or whose order depends on it, are left alone."""
    machine = machine_of(VALUES)
    out = WrittenOut(machine.values, machine.transitions.layouts)
    written = []
    for state, _ in walk(machine):
        assert state.layout.cells
        found = out.state(state)
        written.append(found)
        if found is not None:
            assert not found.layout.cells
            assert machine.alike.states(state, found)
    assert [found is None for found in written[:3]] == [False, True, True]
