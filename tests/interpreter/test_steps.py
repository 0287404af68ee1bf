"""Steps: their names and choices, what exists and what does not, where threads park, labels and returns."""

from __future__ import annotations

import pytest

from interpreter.execute.execution import _waiting
from tests.interpreter.running import count, ends_of, machine_of, states_of, walk


def names_from_start(text: str, **options: str) -> list[str]:
    """The names of the steps from the first state."""
    return [step.name for step in next(walk(machine_of(text, **options)))[1]]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("x = oneof [1, 2, 1, 1.0]", ["Go[Any:x=1]", "Go[Any:x=2]", "Go[Any:x=1.0]"]),
        ("x = oneof range(9) if x % 4 == 3", ["Go[Any:x=3]", "Go[Any:x=7]"]),
        ("x = oneof {'b': 1, 'a': 2}", ['Go[Any:x="b"]', 'Go[Any:x="a"]']),
        ("x = oneof set(['b', 'a'])", ['Go[Any:x="a"]', 'Go[Any:x="b"]']),
        ("x = oneof [3] if x == 5 else [4]", ["Go[Any:x=4]"]),
        ("d['k'], x = oneof [(1, 2)]", ["Go[Any:d['k'], x=(1, 2)]"]),
        ("oneof a, b in [(1, 2), (3, 4)]: x = a + b", ["Go[Any:a, b=(1, 2)]", "Go[Any:a, b=(3, 4)]"]),
        ("oneof:\n        x = 1\n        pass\n        require False", ["Go[Stmt:0]", "Go[Stmt:1]"]),
        ("oneof:\n        x = 1\n        oneof v in [7]: x = v", ["Go[Stmt:0]", "Go[Stmt:1, Any:v=7]"]),
        ("parallel:\n        x = 1\n        x = 2", ["Go[Stmt:0]", "Go[Stmt:1]"]),
        ("parallel for k in ['a', 'b', 'a']: x = k", ['Go[For:"a"]', 'Go[For:"b"]']),
        ("for i in [1, 2]:\n        y = oneof [i, 0]", [f"Go[Any:y={i}, Any:y={j}]" for i in (1, 0) for j in (2, 0)]),
        ("x = oneof []", []),
        ("oneof v in []: x = v", []),
        ("require x == 1\n    x = 2", []),
        ("if x == 1: x = 2", []),
        ("return", []),
        ("return None", []),
        ("return 3", ["Go"]),
        ("pass", ["Go"]),
        ("x == 1", ["Go"]),
        ("print('said')", ["Go"]),
        ("while x == 1: x = 2", []),
        ("for i in [1]: require True", []),
        ("'documentation'\n    return", []),
    ],
)
def test_ways(body: str, names: list[str]) -> None:
    """Each combination of choices is a step of its own; equal alternatives count once; what does nothing is no step."""
    assert names_from_start(f"action Init: x, d = 0, {{}}\natomic action Go:\n    {body}\n") == names


PARKING = """
action Init: x, y = 0, 0
action Go:
    require x == 0 and y == 0
{body}
"""


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("x = 1\nx = 2", [9]),
        ("x = 1\nif x == 1: y = 2\nx = 3", [9, 10]),
        ("x = 1\nif x == 9: y = 2\nx = 3", [9]),
        ("pass\nx = 2", []),
        ("pass\nrequire True\nx = 2", [10]),
        ("z = oneof [5]\nx = z\ny = 1", [10]),
        ("atomic:\n    x = 1\n    y = 1\nx = 2", [11]),
        ("x = 1\nserial:\n    x = 2\n    y = 3", [9, 11]),
        ("for i in [1, 2]:\n    x = i\n    y = i", [10, 8, 10]),
        ("atomic for i in [1, 2]:\n    x = i\n    y = i\nx = 7", [11]),
        ("for i in [1, 2]:\n    if i == 1: continue\n    x = i\n    break\ny = 3", [11]),
        ("x = 1\nwhile x < 3: x += 1", [9, 9, 9]),
        ("x = 1\nreturn\ny = 1", [9]),
        ("x = 1\noneof:\n    y = 1\n    y = 1", [9]),
        ("x = 1\nz = x\nrequire z == 2", [9, 10]),
    ],
)
def test_parking(body: str, lines: list[int]) -> None:
    """Where a thread that runs alone parks."""
    indented = "\n".join("    " + line for line in body.split("\n"))
    found = []
    machine = machine_of(PARKING.format(body=indented), **{"options.max_concurrent_actions": "1"})
    state = machine.initial()[0][0].state
    while steps := machine.steps(state).steps:
        state = steps[0].target
        threads = [text for place, text in machine.describe(state) if place == "thread-0"]
        if not threads or (state == steps[0].target and len(found) > 9):
            break
        found.append(int(threads[0].split("m.fizz:")[1].split()[0]))
    assert found == lines


def test_a_waiting_thread_is_tried_again() -> None:
    """A thread at a false `require` has no step now; it goes on when the guard becomes true, and then just ends."""
    machine = machine_of("""
        action Init: x = 0
        action Go:
            require x == 0
            x = 1
            require x == 2
        atomic action Set:
            require x == 1
            x = 2
    """)
    told = [
        (dict(machine.describe(s))["x"], len(s.threads), [step.name for step in steps]) for s, steps in walk(machine)
    ]
    assert told == [("0", 0, ["Go"]), ("1", 1, ["Set"]), ("2", 1, ["thread-0"]), ("2", 0, [])]


def test_equal_threads_move_once() -> None:
    """Equal threads are one step, under the number of the first of them."""
    machine = machine_of(
        """
        action Init: n = 0
        action A:
            require n < 3
            n += 1
            x = 1
        action B:
            require n < 3
            n += 1
            n += 0
    """,
        **{"options.max_concurrent_actions": "3"},
    )
    found = set()
    for state, steps in walk(machine):
        if len(state.threads) == 3:
            found.add(tuple((step.name, machine.actor(step.rule)) for step in steps))
    assert found == {
        (("thread-0", "A"),),
        (("thread-0", "A"), ("thread-1", "B")),
        (("thread-0", "A"), ("thread-2", "B")),
        (("thread-0", "B"),),
    }


def test_labels() -> None:
    """Labels carry the name of their function; a call says which; nothing of it is in the state."""
    machine = machine_of("""
        role R:
            action Init: self.x = 0
            atomic action Go:
                require self.x == 0
                `first` y = 1
                if y == 1:
                    `second`
                    self.f()
            atomic func f():
                `checkpoint` self.x = 1
                g()
        atomic func g():
            `a-b.c` pass
        action Init: r = R()
    """)
    (step,) = next(walk(machine))[1]
    assert step.outcome.labels == ("R.Go.first", "R.Go.second", "R.f.call", "R.f.checkpoint", "g.call", "g.a-b.c")


def test_returns() -> None:
    """Values that actions return are on the step; they are state only if an assertion reads them."""
    text = """
        role R:
            action Init: self.x = 0
            atomic action Ask:
                answer = oneof [1, [2]]
                return answer
        action Init: r = R()
        atomic action Quiet: pass
    """
    machine = machine_of(text)
    steps = next(walk(machine))[1]
    shown = [[(label, machine.values.text(v)) for label, v in step.outcome.returns] for step in steps]
    assert shown == [[], [("R#0.Ask", "1")], [("R#0.Ask", "[2]")]]
    assert count(text) == 1
    assert count(text + "    always assertion P: return __returns__.get('R#0.Ask') != 5\n") == 3


def test_returns_after_crashes() -> None:
    """Initial states and crashes leave no returns."""
    states = states_of("""
        ---
        deadlock_detection: false
        options: {max_actions: 1}
        ---
        action Init: x = 0
        action Go:
            x = 1
            x = 2
            return "done"
        always assertion P: return len(__returns__) < 2
    """)
    assert [(s["x"], "thread-0" in s) for s in states] == [
        ("0", False), ("1", True), ("1", False), ("2", True), ("2", False), ("2", False),
    ]  # fmt: skip


def test_init_ways() -> None:
    """Every combination that is not aborted is an initial state; an early return keeps what was bound."""
    machine = machine_of("""
        action Init:
            a = oneof [1, 2, 3]
            b = oneof [1, 2]
            require a != b
            if a == 3: return
            c = a + b
        atomic action Rest: pass
    """)
    initial, failures = machine.initial()
    assert failures == []
    found = [(path.forks, "".join(text for _, text in machine.describe(path.state))) for path in initial]
    assert found == [((0, 1), "123"), ((1, 0), "213"), ((2, 0), "31"), ((2, 1), "32")]


def test_no_init() -> None:
    """Without Init the only initial state has no variables."""
    assert states_of("atomic action Rest: pass\n") == [{}]


def test_locals_of_init_vanish() -> None:
    """State variables are bound in Init's outermost block; the rest is local to it."""
    (state,) = states_of("""
        action Init:
            x, (y, z) = 1, (2, 3)
            for i in range(3):
                k = i
            w = x + k
        atomic action Rest: pass
    """)
    assert state == {"x": "1", "y": "2", "z": "3", "w": "3"}


def test_locals_are_state() -> None:
    """Locals stay bound until the frame ends, loop variables included, and distinguish states."""
    assert (
        count("""
        action Init: x = 0
        action Go:
            require x == 0
            y = oneof [1, 2]
            x = 1
            x = 2
    """)
        == 4
    )
    (end,) = ends_of("""
        action Init: x, done = [], False
        atomic action Go:
            require not done
            done = True
            for i in [1, 2]:
                if i == 1:
                    y = 5
            x = [i, y]
    """)
    assert end["x"] == "[2, 5]"


def test_iteration_orders() -> None:
    """A set that is part of a state iterates in canonical order from the next yield on; in a step it keeps its own."""
    (end,) = ends_of("""
        action Init:
            s, log = set(), []
        atomic action Go:
            require log == []
            s.add(3)
            s.add(1)
            d = {"b": 1, "a": 2}
            log.append(list(s))
            log.append(list(d))
        atomic action Again:
            require len(log) == 2
            log.append(list(s))
    """)
    assert end["log"] == '[[3, 1], ["b", "a"], [1, 3]]'


def test_the_statements_of_a_long_parallel_block_are_named_once() -> None:
    """Not again for each alternative of the first choice."""
    text = "action Init: x = 0\naction Go:\n    parallel:\n" + "".join(f"        x = {i}\n" for i in range(1, 61))
    before = _waiting.cache_info().misses
    assert len(names_from_start(text)) == 60
    assert _waiting.cache_info().misses - before == 1
