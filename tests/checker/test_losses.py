"""Steps after which instances are out of reach: columns take them, and tell what the plain engine tells."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.report import Report
from checker.search.columns.machine_steps import MachineSteps
from fizz import load
from tests.random import laws

HEAD = "---\ndeadlock_detection: false\noptions: {max_actions: 1000, crash_on_yield: CRASH}\n---\n"
NODE = """
role Node:
    action Init:
        self.log = []
        self.seen = set()
        self.next = None
    atomic action Put:
        require len(self.log) < 1
        k = oneof ["a", "b"]
        self.log.append(k)
        self.seen.add(k)
"""
CHAIN = """
action Init: chain = [Node() for _ in range(3)]
atomic fair action Die:
    require len(chain) > 1
    victim = oneof chain
    chain = [node for node in chain if node != victim]
always assertion Short: return len(chain) <= 3
eventually always assertion One: return len(chain) == 1
"""
NESTED = """
action Init:
    first = Node()
    second = Node()
    first.next = Node()
    first.next.next = second
atomic action Cut: first.next = None
atomic action Drop: second = None
atomic action Swap:
    require second != None
    first, second = second, first
"""
COME_AND_GO = """
action Init:
    nodes = [Node()]
    born = 1
atomic action Born:
    require born < 4 and len(nodes) < 2
    nodes.append(Node())
    born += 1
atomic action Die:
    require nodes
    nodes.pop(0)
"""
HELD_BY_THREADS = """
action Init: nodes = [Node(), Node()]
action Serve:
    node = oneof nodes
    require len(node.log) < 1
    node.seen.add("c")
    node.log.append("c")
atomic action Die:
    require nodes
    nodes = nodes[1:]
"""
SENT = """
role Server:
    action Init: self.calls = 0
    atomic func call():
        self.calls += 1
        return self.calls
role Client:
    action Init: self.answer = 0
    action Call:
        require servers
        one = oneof servers
        require one.calls < 2
        self.answer = one.call()
action Init:
    servers = [Server(), Server()]
    client = Client()
atomic action Die:
    require servers
    servers.pop(0)
"""
BY_STEPS = (
    CHAIN
    + """
transition assertion NeverMore(before, after): return len(after.chain) <= len(before.chain)
"""
)
VIOLATED = (
    CHAIN
    + """
always assertion TwoLeft: return len(chain) > 1 or len(chain[0].log) == 0
"""
)
MODELS = {
    "a chain": NODE + CHAIN,
    "nested": NODE + NESTED,
    "some come and go": NODE + COME_AND_GO,
    "held by threads": NODE + HELD_BY_THREADS,
    "called": SENT,
    "an assertion about steps": NODE + BY_STEPS,
    "a violation": NODE + VIOLATED,
    "symmetric": NODE.replace("role", "symmetric role") + CHAIN,
}


CRASHES = ("nested", "held by threads", "called")


def text_of(name: str) -> str:
    return HEAD.replace("CRASH", str(name in CRASHES).lower()) + MODELS[name]


@pytest.mark.parametrize("name", MODELS)
def test_engines_agree(name: str) -> None:
    """Counts, verdicts and stories, also where instances lose others, threads hold them, or steps are judged."""
    settings = Settings(keep_going=name != "a violation", limits=Limits(states=300))
    assert laws.differences(text_of(name), settings) == []


def test_columns_take_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine takes no step of a chain that loses nodes."""
    taken: list[Report] = []
    monkeypatch.setattr(MachineSteps, "take", lambda *given: taken.append(given))  # type: ignore[arg-type]
    module = load("m.fizz", text=text_of("a chain"))
    report = check(module, engine="early columns", settings=Settings(keep_going=True))
    assert not taken and report.states == check(module, engine="plain", settings=Settings(keep_going=True)).states
