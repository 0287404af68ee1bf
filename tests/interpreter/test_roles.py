"""Role instances: numbers, lifetime, fields and params, construction, crashes."""

from __future__ import annotations

import json

import pytest

from interpreter import StepKind
from tests.interpreter.running import ends_of, machine_of, report_of, states_of, walk


def test_smallest_free_number() -> None:
    """A new instance takes the smallest number that no live instance has, per role."""
    ends = ends_of("""
        role A:
            action Init: self.n = 0
        role B:
            action Init: self.n = 0
        action Init:
            first, second, third = A(), A(), A()
            b = B()
            step = 0
        atomic action Drop:
            require step == 0
            second = None
            step = 1
        atomic action Make:
            require step == 1
            second = A()
            b = [b, B()]
            step = 2
    """)
    assert [(end["second"], end["third"], end["b"]) for end in ends] == [("A#1", "A#2", "[B#0, B#1]")]


def test_number_within_the_step_that_drops() -> None:
    """Live means: in the state at the start of the step, or created since."""
    (end,) = ends_of("""
        role A:
            action Init: self.n = 0
        action Init: a, done = A(), False
        atomic action Go:
            require not done
            done = True
            a = None
            a = A()
    """)
    assert (end["a"], "A#0.n" in end, end["A#1.n"]) == ("A#1", False, "0")


def test_unreachable_instances_go() -> None:
    """What only an unreachable instance holds goes with it, also when they hold each other."""
    found = states_of("""
        role Leaf:
            action Init: self.up = None
        role Tree:
            action Init:
                self.leaf = Leaf()
                self.leaf.up = self
        action Init: tree = Tree()
        atomic action Fell:
            require tree != None
            tree = None
    """)
    assert found == [{"tree": "Tree#0", "Leaf#0.up": "Tree#0", "Tree#0.leaf": "Leaf#0"}, {"tree": "None"}]


def test_held_by_locals_and_loops() -> None:
    """Locals and the remaining elements of a loop keep an instance alive."""
    assert (
        "A#0.n"
        in states_of("""
        role A:
            action Init: self.n = 0
        action Init: a = A()
        action Go:
            require a != None
            mine = a
            a = None
            mine = None
    """)[2]
    )
    found = states_of("""
        role A:
            action Init: self.n = 0
        action Init: x, made = 0, False
        action Go:
            require not made
            atomic:
                made = True
                items = [1, A()]
            for item in items:
                items = None
                x = item if x == 0 else 5
    """)
    assert [("A#0.n" in state) for state in found] == [False, True, True, True, True, False]


def test_id_keeps_nothing_alive() -> None:
    """An `__id__` is a value like any other."""
    ends = ends_of("""
        role A:
            action Init: self.n = 0
        action Init:
            a = A()
            name = a.__id__
        atomic action Drop:
            require a != None
            a = None
    """)
    assert ends == [{"a": "None", "name": "A0"}]


def test_fields_on_any_instance() -> None:
    """Any statement may make a new field on any instance, inside containers too."""
    (end,) = ends_of("""
        role A:
            action Init: self.x = 0
            def total(me, k): return me.x + k
        action Init:
            nodes = [A(LIMIT=1), A(LIMIT=2)]
            done = 0
        atomic action Go:
            require done == 0
            nodes[1].y = nodes[0].LIMIT + nodes[1].total(4)
            done = len(dir(nodes[1]))
    """)
    assert (end["A#1.y"], end["A#1.LIMIT"]) == ("5", "2")


def test_order_of_actions() -> None:
    """Top-level actions in file order; then by role in file order, instance number, action in file order."""
    machine = machine_of("""
        role Z:
            action Init: self.n = 0
            atomic action B: self.n = 1
            atomic action A: self.n = 1
        atomic action Last: z = 2
        role Y:
            action Init: self.n = 0
            atomic action C: self.n = 1
        action Init:
            y, z = [Y(), Y()], [Z(), Z()]
        atomic action First: z = 1
    """)
    _, steps = next(walk(machine))
    names = [step.name for step in steps]
    assert names == ["Last", "First", "Z#0.B", "Z#0.A", "Z#1.B", "Z#1.A", "Y#0.C", "Y#1.C"]


# --- crashes ---------------------------------------------------------------------------------------------------------

CRASHING = """
---
deadlock_detection: false
options: {{max_concurrent_actions: 2, max_actions: 2, crash_on_yield: {crash}}}
---
@state({annotation})
role A:
    action Init:
        self.d = 0
        self.c = [friend]
    action Go:
        self.d = 1
        self.c = []
        self.c.append(self)
action Init:
    friend = 7
    a = A()
    other = A()
"""


def crash(annotation: str, crash: str = "true") -> list[str]:
    """The names of the role crashes, and of twins, in the states of the model."""
    machine = machine_of(CRASHING.format(annotation=annotation, crash=crash))
    return sorted({step.name for _, steps in walk(machine) for step in steps if step.crashes})


def test_which_roles_crash() -> None:
    """Those with a non-empty annotation, unless crashes are switched off; twins and role crashes go together."""
    crashes = ["crash-role A#0", "crash-role A#1"]
    twins = ["A#0.Go crash", "A#1.Go crash", "thread-0 crash", "thread-1 crash"]
    assert crash('ephemeral=["c"]') == sorted(crashes + twins)
    assert crash('durable=["d"]') == sorted(crashes + twins)
    assert crash("ephemeral=[]") == sorted(twins)
    assert crash('ephemeral=["c"]', "false") == []


def test_a_crash_drops_the_threads_of_its_instance_alone() -> None:
    """Threads whose top frame stands in the instance go; those of the other instance stay."""
    machine = machine_of(CRASHING.format(annotation='ephemeral=["c"]', crash="true"))
    for state, steps in walk(machine):
        tops = [machine.transitions.top_instance(thread) for thread in state.threads]
        for step in steps:
            if step.rule.kind is StepKind.CRASH_ROLE:
                left = [machine.transitions.top_instance(thread) for thread in step.target.threads]
                assert left == [top for top in tops if top != step.rule.instance]
                assert dict(machine.describe(step.target))[f"A#{step.rule.instance[1]}.c"] == "[7]"


def test_reset_values() -> None:
    """Ephemeral fields go back to their values after Init; those that Init does not bind are removed."""
    states = states_of(
        """
        ---
        deadlock_detection: false
        ---
        @state(durable=["d"])
        role A:
            action Init:
                self.d = 0
                self.c = [1]
            atomic action Go:
                require self.d == 0
                self.d = 1
                self.c[0] = 2
                self.extra = 5
        action Init: a = A()
    """,
        crash_on_yield="true",
    )
    found = [{name: text for name, text in state.items() if name != "a"} for state in states]
    assert found == [
        {"A#0.c": "[1]", "A#0.d": "0"},
        {"A#0.c": "[2]", "A#0.d": "1", "A#0.extra": "5"},
        {"A#0.c": "[1]", "A#0.d": "1"},
    ]


def test_instances_in_reset_values_are_references() -> None:
    """A reset value keeps an instance alive, and a crash brings the reference back."""
    states = states_of(
        """
        ---
        deadlock_detection: false
        ---
        role B:
            action Init: self.n = 0
        @state(ephemeral=["b"])
        role A:
            action Init: self.b = [B()]
            atomic action Drop:
                require len(self.b) > 0
                self.b[0].n = 1
                self.b = []
        action Init: a = A()
    """,
        crash_on_yield="true",
    )
    assert [(s["A#0.b"], s["B#0.n"]) for s in states] == [("[B#0]", "0"), ("[]", "1"), ("[B#0]", "1")]


SHARING = """
---
deadlock_detection: false
---
@state(ephemeral=["a", "b"])
role Store:
    action Init:
        shared = [0]
        self.a = [shared, shared]
        self.b = shared
    atomic action Write:
        require len(self.a[0]) < 2
        self.a[0].append(1)
action Init:
    one, two = Store(), Store()
always assertion Shared:
    return one.a[0] == one.a[1] and two.a[0] == two.a[1]
"""


@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_reset_values_are_fresh_copies(engine: str) -> None:
    """After a crash the fields share nothing with the reset values; what is shared within one value stays shared."""
    report = report_of(SHARING, engine, crashing=True)
    # Per instance: as Init left it, written to, after a crash, and written to after it: `b` is a list of its own then.
    assert report.verdict == "passed" and report.states == 4 * 4
    machine = machine_of(SHARING, crash_on_yield="true")
    for state, steps in walk(machine):
        for step in steps:
            if step.crashes:
                number = step.rule.instance[1]  # type: ignore[index]
                after = dict(machine.describe(step.target))
                assert (after[f"Store#{number}.a"], after[f"Store#{number}.b"]) == ("[[0], [0]]", "[0]")
                kept = json.loads(machine.encoding(step.target))["roles"][number][4]
                assert kept == {"a": [[0], {"$ref": f"Store#{number}!a[0]"}], "b": [0]}, machine.encoding(state)


def test_a_waiting_instance_does_not_crash() -> None:
    """An instance below the top frame does not crash, unless the top frame is its own."""
    machine = machine_of(
        """
        ---
        deadlock_detection: false
        options: {max_actions: 1}
        ---
        @state(ephemeral=["c"])
        role A:
            action Init: self.c = 0
            action Go:
                self.help()
                server.work()
            func help():
                self.c = 1
                self.c = 2
        role Server:
            action Init: self.n = 0
            func work():
                self.n = 1
                self.n = 2
        action Init: a, server = A(), Server()
    """,
        crash_on_yield="true",
    )
    found = {}
    for state, steps in walk(machine):
        if state.threads:
            crashes = [step.name for step in steps if step.rule.kind is StepKind.CRASH_ROLE]
            found[machine.describe(state)[-1][1].split(" in ")[-1].split(" at ")[0]] = crashes
    assert found == {"A#0.help": ["crash-role A#0"], "Server#0.work": [], "A#0.Go": ["crash-role A#0"]}


def test_twins_by_action() -> None:
    """`crash_on_yield: false` under an action switches its twins off, under a func those of its messages."""
    text = """
        ---
        deadlock_detection: false
        action_options: {{{key}: {{crash_on_yield: false}}}}
        options: {{max_actions: 1}}
        ---
        Net = Channel()
        role A:
            action Init: self.n = 0
            action Go:
                self.n = 1
                net.put()
            func put():
                self.n = 2
                self.n = 3
        action Init:
            a = A()
            net = Net.stub(a)
    """

    def twins(key: str) -> set[str]:
        machine = machine_of(text.format(key=key))
        return {step.name for _, steps in walk(machine) for step in steps if step.crashes}

    assert twins("A.Go") == {"channel-0-message-0 crash"}
    assert twins("A.put") == {"A#0.Go crash"}
