"""Messages in columns: states, steps, traces and lassos are those of the plain engine, state by state."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from tests.interpreter.running import module_of
from tests.random import laws
from tests.sample import one_in

BY_COLUMNS = ("columns", "early columns", "direct columns", "two workers")

MODELS = {
    "two channels, equal messages, several in one step, a choice on arrival": """
        Net = Channel()
        Other = Channel()
        role Node:
            action Init: self.held = []
            atomic func take(item):
                place = oneof [0, 1]
                if len(self.held) < 3:
                    if place == 0: self.held.append(item)
                    else: self.held.insert(0, item)
            atomic func forward(item):
                require item < 2
                others[1 - self.ID].take(item)
                others[1 - self.ID].forward(item + 1)
        action Init:
            nodes = [Node(ID=i) for i in range(2)]
            others = [Other.stub(node) for node in nodes]
            stubs = [Net.stub(node) for node in nodes]
            sent = 0
        atomic action Send:
            require sent < 2
            to = oneof stubs
            to.forward(0)
            to.forward(sent)
            sent += 1
        always assertion Short: return all([len(node.held) < 3 for node in nodes])
        transition assertion Grows(before, after):
            return all([len(a.held) >= len(b.held) for a, b in zip(after.nodes, before.nodes)])
    """,
    "threads of messages beyond the limit of concurrent actions, which crash, and fail": """
        ---
        options: {max_concurrent_actions: 1}
        ---
        Net = Channel()
        role Sink:
            action Init: self.seen = 0
            func put(value):
                before = self.seen
                self.seen = max(before, value)
                self.seen = 6 // (3 - value) + before
        action Init:
            sink = Sink()
            out = Net.stub(sink)
            number = 0
        action Send:
            require number < 3
            number += 1
            out.put(number)
            out.put(number)
        always assertion Low: return sink.seen < 9
    """,
    "symmetric receivers, and one that is out of reach but for a message": """
        ---
        options: {max_actions: 5}
        deadlock_detection: false
        ---
        Net = Channel()
        symmetric role Node:
            action Init:
                self.known = set()
            atomic func hear(node):
                self.known.add(node)
            atomic func end():
                self.known = set()
        action Init:
            nodes = set([Node() for i in range(3)])
        atomic action Tell:
            to = oneof nodes
            about = oneof nodes if about != to
            Net.stub(to).hear(about)
        atomic action Leave:
            node = oneof nodes
            require len(nodes) > 1
            nodes.remove(node)
            Net.stub(node).end()
        always assertion Few: return all([len(node.known) < 3 for node in nodes])
    """,
    "fairness of actions beside messages": """
        ---
        deadlock_detection: false
        options: {crash_on_yield: false}
        ---
        Net = Channel()
        role Server:
            action Init:
                self.done = 0
                self.asked = 0
            func ask(client):
                self.asked = client
                self.done = (self.done + client) % 3
        action Init:
            server = Server()
            out = Net.stub(server)
            waiting = 0
        atomic fair action Ask:
            require waiting < 2
            waiting += 1
            client = fair oneof [1, 2]
            out.ask(client)
        atomic fair action Reset:
            require waiting == 2 and server.done == 0
            waiting = 0
            server.asked = 0
        always eventually assertion Done: return server.done == 2
        exists assertion Both: return server.asked == 2 and server.done == 0
    """,
    "a message that shares a list": """
        ---
        options: {max_actions: 3}
        ---
        Net = Channel()
        role Node:
            action Init: self.mine = [0]
            func give(items):
                items.append(len(items))
                self.mine = items
        action Init:
            node = Node()
            out = Net.stub(node)
            both = [1]
        action Send:
            out.give(both)
        action Change:
            require len(node.mine) < 3
            node.mine.append(5)
        always assertion Short: return len(both) < 3
    """,
}


@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize("engine", BY_COLUMNS)
@pytest.mark.parametrize("name", one_in(3, MODELS))
def test_as_the_plain_engine(name: str, engine: str, symmetry: bool) -> None:
    """The whole report is that of the plain engine, and the states were expanded by columns."""
    module = module_of(MODELS[name])
    settings = Settings(keep_going=True, limits=Limits(states=400), symmetry=symmetry, stats=True)
    plain, other = (check(module, engine=one, settings=settings) for one in ("plain", engine))
    assert laws.told(other) == laws.told(plain)
    assert "packings" in other.stats or other.stats["workers"] == 2
