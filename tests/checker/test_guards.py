"""What has no step in a state says which guard holds it back, where it stands, and the values that decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.traces.guards import Disabled, disabled
from fizz import load
from interpreter import Machine, State, compile_module

HEAD = """\
---
options: {max_actions: 3, max_concurrent_actions: 2, crash_on_yield: false}
---
LIMIT = 2
def few(x): return x < LIMIT
role Node:
    action Init:
        self.up = False
    atomic action Send:
        require self.up and total > 0
        self.up = False
action Init:
    total = 0
    free = []
    nodes = [Node(), Node()]
"""
FIRST = len(HEAD.splitlines()) + 1


def after(machine: Machine, *names: str) -> State:
    """The state after Init and the steps of these names."""
    state = machine.initial()[0][0].state
    for name in names:
        state = next(step.target for step in machine.steps(state).steps if step.name == name)
    return state


def machine_of(text: str, folder: Path) -> Machine:
    (folder / "m.fizz").write_text(text)
    return Machine(compile_module(load(folder / "m.fizz")))


def only(found: tuple[Disabled, ...], name: str) -> Disabled:
    return next(one for one in found if one.name == name)


@pytest.mark.parametrize(
    ("body", "kind", "line", "text", "facts"),
    [
        ("require total > 1\n    total = 0", "require", 1, "total > 1", [("total > 1", "False"), ("total", "0")]),
        # Of `and` the part that was false.
        ("require LIMIT == 2 and few(total) and total == 5\n    total = 0", "require", 1,
            "LIMIT == 2 and few(total) and total == 5", [("total == 5", "False"), ("total", "0")]),
        # What a helper returned,.
        ("big = total + 3\n    require few(big)\n    total = 0", "require", 2, "few(big)", [
            ("few(big)", "False"), ("big", "3"), ("x < LIMIT", "False"), ("x", "3"), ("LIMIT", "2")]),
        # A choice over nothing: because there is nothing, or because the condition leaves nothing.
        ("x = oneof free\n    total = x", "oneof", 1, "free", [("free", "[]")]),
        ("n = oneof nodes if n.up\n    total = 1", "oneof", 1, "nodes", [
            ("nodes", "[Node#0, Node#1]"), ("n.up", "False"), ("n", "Node#1")]),
        # What is passed by without anything being done.
        ("if total > 1:\n        total = 0", "if", 1, "total > 1", [("total > 1", "False"), ("total", "0")]),
        ("if total > 4:\n        total = 0\n    elif total > 3:\n        total = 1", "if", 1, "total > 4", [
            ("total > 4", "False"), ("total", "0")]),
        ("if total == 0:\n        if len(free) > 1:\n            total = 0", "if", 2, "len(free) > 1", [
            ("len(free) > 1", "False"), ("len(free)", "0"), ("free", "[]")]),
        ("while total > 1:\n        total = 0", "while", 1, "total > 1", [("total > 1", "False"), ("total", "0")]),
        ("for x in free:\n        total = x", "for", 1, "free", [("free", "[]")]),
        ("oneof x in free:\n        total = x", "oneof", 1, "free", [("free", "[]")]),
    ],
)  # fmt: skip
def test_the_guard_that_is_false(
    body: str, kind: str, line: int, text: str, facts: list[tuple[str, str]], tmp_path: Path
) -> None:
    """The first guard that ended the execution path, its source text, and the deciding parts with their values."""
    machine = machine_of(f"{HEAD}atomic action Act:\n    {body}\n", tmp_path)
    found = only(disabled(machine, after(machine)), "Act")
    assert (found.kind, found.actor) == ("start", "Act")
    (guard,) = found.guards
    assert (guard.kind, guard.line - FIRST, guard.text) == (kind, line, text)
    assert list(guard.facts) == facts
    assert Path(guard.file).name == "m.fizz"


def test_actions_of_each_instance(tmp_path: Path) -> None:
    """An action of a role is reported for each instance; an action that can start is not reported."""
    machine = machine_of(HEAD + "atomic action Wake:\n    nodes[1].up = True\n    total = 1\n", tmp_path)
    before, woken = after(machine), after(machine, "Wake")
    assert [one.name for one in disabled(machine, before)] == ["Node#0.Send", "Node#1.Send"]
    (one,) = disabled(machine, woken)
    assert (one.name, one.guards[0].text) == ("Node#0.Send", "self.up and total > 0")
    assert one.guards[0].facts == (("self.up", "False"),)


def test_each_way_ends_somewhere(tmp_path: Path) -> None:
    """Execution paths that end at one guard are reported once, with the choices of the first."""
    text = "atomic action Act:\n    x = oneof [1, 2, 3]\n    require x > 2\n    require total == x\n    total = 0\n"
    machine = machine_of(HEAD + text, tmp_path)
    first, second = only(disabled(machine, after(machine)), "Act").guards
    assert (first.line - FIRST, first.paths, first.choices) == (2, 2, ("Any:x=1",))
    assert first.facts == (("x > 2", "False"), ("x", "1"))
    assert (second.line - FIRST, second.paths, second.choices) == (3, 1, ("Any:x=3",))
    assert second.facts == (("total == x", "False"), ("total", "0"), ("x", "3"))


def test_one_open_way_is_enough(tmp_path: Path) -> None:
    """An action with an execution path that is a step, or fails, is not disabled."""
    text = "atomic action Act:\n    x = oneof [0, 1]\n    require x == total\n    total = 9\n"
    machine = machine_of(HEAD + text + "atomic action Fails:\n    total = free[0]\n", tmp_path)
    assert not {"Act", "Fails"} & {one.name for one in disabled(machine, after(machine))}


def test_threads_that_cannot_go_on(tmp_path: Path) -> None:
    """A thread waits at a guard after its yield point; so does the func that it called."""
    text = "action Act:\n    total = 1\n    require total > 1\n    total = 0\n"
    machine = machine_of(HEAD + text, tmp_path)
    thread = only(disabled(machine, after(machine, "Act")), "thread-0")
    assert (thread.kind, thread.actor) == ("continue", "Act")
    assert [(g.kind, g.line - FIRST, g.facts) for g in thread.guards] == [
        ("require", 2, (("total > 1", "False"), ("total", "1")))
    ]


def test_limits_of_the_options(tmp_path: Path) -> None:
    """An action that an option keeps from starting has the option as its guard, whatever its own guards are."""
    text = HEAD.replace("crash_on_yield: false}", "crash_on_yield: false}\naction_options: {Act: {max_actions: 1}}")
    machine = machine_of(text + "action Act:\n    total = 1\n    total = 2\naction Other:\n    free = []\n", tmp_path)
    (limit,) = only(disabled(machine, after(machine, "Act")), "Act").guards
    assert (limit.kind, limit.text, limit.facts) == ("limit", "action_options.Act.max_actions: 1", (("starts", "1"),))
    assert limit.line == FIRST + 1
    bounded = only(disabled(machine, after(machine), starts=False), "Other").guards
    assert [guard.text for guard in bounded] == ["max_actions: 3"]


def test_limits_of_threads(tmp_path: Path) -> None:
    """The number of unfinished threads holds back starts too: of all actions, or of one."""
    text = HEAD.replace(
        "crash_on_yield: false}", "crash_on_yield: false}\naction_options: {Act: {max_concurrent_actions: 1}}"
    )
    machine = machine_of(
        text + "action Act:\n    total += 1\n    total += 1\naction B:\n    free = []\n    free = [1]\n", tmp_path
    )
    one, two = after(machine, "Act"), after(machine, "Act", "B")
    (limit,) = only(disabled(machine, one), "Act").guards
    assert (limit.text, limit.facts) == ("action_options.Act.max_concurrent_actions: 1", (("unfinished threads", "1"),))
    assert [g.text for g in only(disabled(machine, two), "B").guards] == ["max_concurrent_actions: 2"]


def test_domains_that_are_exhausted(tmp_path: Path) -> None:
    """An execution path that asks a symmetric domain for one value too many ends there."""
    text = """\
KEYS = symmetry.nominal(name="k", limit=1)
action Init:
    seen = set()
atomic action Act:
    seen.add(KEYS.fresh())
"""
    machine = machine_of(text, tmp_path)
    (guard,) = only(disabled(machine, after(machine, "Act")), "Act").guards
    assert (guard.kind, guard.line, guard.text) == ("domain", 5, "seen.add(KEYS.fresh())")


def test_messages_that_cannot_be_delivered(tmp_path: Path) -> None:
    """A message whose func gives up stays in its channel, and says why."""
    text = """\
Net = Channel()
role Node:
    action Init:
        self.open = False
    func take(x):
        require self.open and x > 0
        self.open = False
action Init:
    node = Node()
atomic action Send:
    Net.stub(node).take(1)
"""
    machine = machine_of(text, tmp_path)
    message = only(disabled(machine, after(machine, "Send")), "channel-0-message-0")
    assert (message.kind, message.actor) == ("deliver", "Node#0.take")
    assert [(g.line, g.facts) for g in message.guards] == [(6, (("self.open", "False"),))]
