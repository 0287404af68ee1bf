"""Identity: what the encoding of a state is, and that the key is the sum of the digests of its parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

import fizz
from interpreter import Machine, compile_module
from tests.interpreter.running import machine_of, walk

ROOT = Path(__file__).resolve().parents[2]
MODELS = [
    *sorted((ROOT / "tests" / "language" / "worked").glob("*.fizz")),
    ROOT / "tests" / "interpreter" / "sharing.fizz",
    ROOT / "models" / "classics" / "EWD998.fizz",
    ROOT / "models" / "venice" / "VeniceLeaderFollower.fizz",
    ROOT / "models" / "kafka" / "Kip320.fizz",
]
ELEMENTS = {"$set": "set", "$genericset": "genericset", "$bag": "bag", "$genericmap": "genericmap"}
FIELDS = {"$struct": "struct", "$record": "record"}


class Raw(str):
    """A float as it was written."""


def dump(value: Any) -> str:
    """Compact JSON again, floats as they were."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{dump(name)}:{dump(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dump, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def parts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """The parts of a value, read off its encoding."""
    mark = next(iter(value), "") if isinstance(value, dict) else ""
    if isinstance(value, list) or mark == "$tuple":
        items = value if isinstance(value, list) else value["$tuple"]
        yield path, f"{'list' if items is value else 'tuple'} {len(items)}"
        for i, item in enumerate(items):
            yield from parts(f"{path}[{i}]", item)
    elif mark in FIELDS:
        yield path, f"{FIELDS[mark]} {len(value[mark])}"
        for name, item in value[mark].items():
            yield from parts(f"{path}.{name}", item)
    elif mark in ELEMENTS:
        yield path, ELEMENTS[mark]
        for i, item in enumerate(value[mark]):
            yield f"{path}{{{i}}}", dump(item)
    elif mark == "$dict" or (isinstance(value, dict) and not mark.startswith("$")):
        pairs = value["$dict"] if mark == "$dict" else list(value.items())
        yield path, f"dict {len(pairs)}"
        for key, item in pairs:
            yield from parts(f"{path}[{dump(key)}]", item)
    else:
        yield path, dump(value)


def all_parts(encoding: str) -> Iterator[tuple[str, str]]:
    """The parts of a state, read off its encoding."""
    state = json.loads(encoding, parse_float=Raw)
    for name, value in state["heap"].items():
        yield from parts(name, value)
    for role, number, *kinds in state["roles"]:
        yield f"{role}#{number}", "role"
        for sign, values in zip("/.!", kinds, strict=True):
            for name, value in (values or {}).items():
                yield from parts(f"{role}#{number}{sign}{name}", value)
    for kind in ("thread", "message"):
        for number, value in enumerate(state[f"{kind}s"]):
            text = dump(value)
            yield (f"{kind}-{number}" if shares(f"{kind}-{number}.", text, encoding) else kind), text
    for key, number in state["counters"].items():
        yield f"count {key}", str(number)
    if "returns" in state:
        yield from parts("returns", state["returns"])


def shares(path: str, text: str, encoding: str) -> bool:
    """Whether an element of an unordered collection, thread or message holds a container that is shared."""
    return '"$ref"' in text or f'"$ref":{json.dumps(path, ensure_ascii=False)[:-1]}' in encoding


def key_by_hand(encoding: str) -> str:
    """Sum of the halves of the digests modulo 2^64, high half first."""
    low = high = 0
    for path, text in all_parts(encoding):
        if path.endswith("}") and not shares(path, text, encoding):
            path = path[: path.rindex("{")] + "{}"
        digest = blake2b(f"{path}\x1f{text}".encode(), digest_size=16).digest()
        low += int.from_bytes(digest[:8], "little")
        high += int.from_bytes(digest[8:], "little")
    return f"{high % 2**64:016x}{low % 2**64:016x}"


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_keys_by_hand(path: Path) -> None:
    """Keys equal a computation from the encoding alone; equal encodings and equal states coincide."""
    machine = Machine(compile_module(fizz.load(path)))
    encodings = {}
    for number, (state, _) in enumerate(walk(machine, 400)):
        if number < 200:
            encoding = machine.encoding(state)
            assert f"{machine.key(state):032x}" == key_by_hand(encoding)
            assert encodings.setdefault(encoding, state) == state
    assert len(set(map(machine.key, encodings.values()))) == len(encodings)


VALUES = """
Net = Channel()
D = symmetry.nominal(name="d", limit=2)
O = symmetry.ordinal(name="o", limit=2)
symmetric role Node:
    action Init: self.peer = None
role Store:
    action Init: self.x = 0
action Init:
    v = None
    node, store = Node(), Store()
    link = struct(to = Net.stub(store), channel = Net)
atomic action Put:
    v = oneof [
        True, 1, 1.0, -0.0, 0.0, float("inf"), "1", "é\\n", b"1", [1], (1,), {"1": 1}, {1: 1}, {"$a": 1},
        {"é": (1, [2])}, {(1, "a"): [{}]}, set([1]), set(), genericset([[1]]), genericset([1]), bag([1, 1]), bag([1]),
        record(a=1), struct(a=1), genericmap({1: [2]}), range(3), range(0, 3, 2), node, node.__id__,
        [node, store], D.fresh(), O.fresh(), D, [D.choices()], [[], [[]]], [None, 2.5e300, 100000000000000000000],
    ]
"""


def test_every_type() -> None:
    """Each type has an encoding of its own, and keys that add up."""
    machine = machine_of(VALUES)
    states = [state for state, _ in walk(machine)]
    # 36 alternatives, the second value of D (fresh when the first one is in use), and None.
    assert len(states) == 38
    assert [f"{machine.key(s):032x}" for s in states] == [key_by_hand(machine.encoding(s)) for s in states]
    assert len({machine.key(s) for s in states}) == 38


def test_threads_count_as_often_as_they_occur() -> None:
    """Two equal threads are two equal parts."""
    machine = machine_of("""
        action Init: x = 0
        action Go:
            y = x
            y = 2
    """)
    both = next(state for state, _ in walk(machine) if len(state.threads) == 2)
    assert both.threads[0] == both.threads[1]
    assert f"{machine.key(both):032x}" == key_by_hand(machine.encoding(both))
    assert machine.encoding(both).count('["Go",null,"1",{"y":0},[null]]') == 2


def test_encoding() -> None:
    """The encoding as the page of the language gives it, each part with something in it."""
    machine = machine_of(
        """
        ---
        options: {max_actions: 3}
        action_options: {Node.Go: {max_actions: 1}, "Node#.Go": {max_actions: 1}}
        deadlock_detection: false
        ---
        Net = Channel()
        @state(durable=["x"])
        role Node:
            action Init:
                self.x = 0
                self.c = []
            action Go:
                for i in [1, 2]:
                    self.x = i
                    net.put(i)
            func put(v):
                parallel:
                    self.c.append(v)
                    pass
                    self.x = 5
        action Init:
            node = Node(LIMIT=3)
            net = Net.stub(node)
        always assertion Reads: return __returns__ == {}
        """,
        crashing=True,
    )
    encodings = [machine.encoding(state) for state, _ in walk(machine)]
    head = '{"heap":{"net":{"$stub":[0,"Node#0"]},"node":{"$role":"Node#0"}},"roles":[["Node",0,{"LIMIT":3},'
    assert encodings[0] == head + '{"c":[],"x":0},{"c":[]}]],"threads":[],"messages":[],"counters":{},"returns":{}}'
    sent = '[0,{"$role":"Node#0"},"put",{"v":1}]'
    counters = '"counters":{"Node.Go":1,"each Node#0.Go":1},"returns":{}}'
    parked = '["Node.Go",{"$role":"Node#0"},"0h",{"i":1},[null,[2]]]'
    assert head + f'{{"c":[],"x":1}},{{"c":[]}}]],"threads":[[{parked}]],"messages":[{sent}],{counters}' in encodings
    inside = '["Node.put",{"$role":"Node#0"},"p",{"v":1},[[0]]]'
    assert any(f"[{inside}]" in encoding for encoding in encodings)


def test_excluded_variables() -> None:
    """A variable that is left out of the identity is in the encoding and not in the key."""
    machine = machine_of("""
        ---
        identity: {exclude: [log]}
        ---
        action Init: x, log = 0, []
        atomic action Go:
            x = 1 - x
            log.append(x)
    """)
    (initial,), _ = machine.initial()
    (step,) = machine.steps(initial.state).steps
    (again,) = machine.steps(step.target).steps
    assert machine.key(again.target) == machine.key(initial.state) != machine.key(step.target)
    assert machine.encoding(again.target) != machine.encoding(initial.state)
