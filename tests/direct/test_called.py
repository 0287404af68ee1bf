"""Funcs that are called from outside, run as functions of Python: the ways are those of the interpreter."""

from __future__ import annotations

import random
from typing import Any

import pytest

import fizz
from interpreter import Machine, State, compile_module
from interpreter.calls import Called, calls
from interpreter.direct.called_rules import CalledRules
from interpreter.state.step import Aborted, ModelError
from interpreter.values.observed import from_plain

STORE = """\
role Other:
    action Init:
        self.n = 0

    func add(k):
        self.n = self.n + k
        return self.n

role Store:
    action Init:
        self.values = {}
        self.log = []
        self.other = None

    func get(key):
        return self.values.get(key, "")

    func put(key, v):
        self.values[key] = v

    func append(key, v):
        self.values[key] = self.values.get(key, "") + v

    func cas(key, old, new):
        require self.values.get(key) == old
        self.values[key] = new
        return True

    serial func two(key):
        self.values[key] = "one"
        self.values[key] = self.values[key] + "two"
        return self.values[key]

    func pop(key):
        return self.values.pop(key)

    func pick(key, v):
        either = oneof [v, "x"]
        self.values[key] = either
        return either

    func some(key):
        if key == "a":
            return 1
        elif key == "b":
            return
        self.log.append(key)

    func each(key):
        n = 0
        for one in self.log:
            if one == key:
                n += 1
        return n

    func all():
        return self.log

    func keep(key, v):
        self.log.append(v)
        self.log[-1] = key

    func nested(key):
        self.put(key, "nested")
        there = self.get(key)
        return there

    func make():
        if self.other == None:
            self.other = Other()
        n = self.other.add(2)
        return n

    func forget():
        self.other = None

    func late(key, v="later"):
        self.values[key] = v

    func me(key):
        return self == self.other

action Init:
    store = Store()
"""
KEYS = ("a", "b", "c")
LONG = "long " * 40
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "get": [{"key": one} for one in KEYS],
    "put": [{"key": one, "v": v} for one in KEYS for v in ("", "v", LONG, 1, None, True, [1])],
    "append": [{"key": one, "v": v} for one in KEYS for v in ("x", LONG, 2)],
    "cas": [{"key": one, "old": old, "new": "n"} for one in KEYS for old in ("v", 1, True, None)],
    "two": [{"key": "a"}],
    "pop": [{"key": one} for one in KEYS],
    "pick": [{"key": "a", "v": v} for v in ("x", "y")],
    "some": [{"key": one} for one in KEYS],
    "each": [{"key": one} for one in KEYS],
    "all": [{}],
    "keep": [{"key": "k", "v": v} for v in (1, [2])],
    "nested": [{"key": "b"}],
    "make": [{}],
    "forget": [{}],
    "late": [{"key": "a"}, {"key": "b", "v": 1}],
    "me": [{"key": "a"}],
}


def ways_of(machine: Machine, state: State, name: str, given: dict[str, int]) -> list[tuple[Any, ...]] | None:
    """The ways of the interpreter; None: the model fails."""
    routine = machine.program.routines[machine.program.role("Store").functions[name]]
    try:
        return [shown(machine, way) for way in calls(machine, state, ("Store", 0), routine, given)]
    except ModelError:
        return None


def shown(machine: Machine, way: Called | Aborted) -> tuple[Any, ...]:
    if isinstance(way, Aborted):
        return ("aborted", way.reason)
    return (machine.encoding(way.target), machine.values.text(way.returned), way.outcome.forks, way.outcome.choices)


@pytest.mark.parametrize("seed", range(3))
def test_the_ways_are_those_of_the_interpreter(seed: int) -> None:
    """On random walks of calls, each call has the same ways as a function, or is left to the interpreter."""
    machine = Machine(compile_module(fizz.load("store.fizz", text=STORE)))
    direct = CalledRules(machine)
    chance = random.Random(seed)
    state = machine.initial()[0][0].state
    done: set[str] = set()
    for _ in range(120):
        name = chance.choice(sorted(ARGUMENTS))
        given = {one: from_plain(machine.values, v) for one, v in chance.choice(ARGUMENTS[name]).items()}
        routine = machine.program.routines[machine.program.role("Store").functions[name]]
        expected = ways_of(machine, state, name, given)
        call = direct.bound(("Store", 0), routine, given)
        found = None if call is None else direct.ways(state, call)
        if found is None:
            continue
        done.add(name)
        assert [shown(machine, way) for way in found] == expected, name
        targets = [way.target for way in found if isinstance(way, Called)]
        if targets:
            state = chance.choice(targets)
    assert {"get", "put", "append", "cas", "two", "pick", "nested", "some"} <= done


def test_what_is_left_to_the_interpreter() -> None:
    """Mistakes, defaults and containers among the arguments have no ways as a function."""
    machine = Machine(compile_module(fizz.load("store.fizz", text=STORE)))
    direct = CalledRules(machine)
    state = machine.initial()[0][0].state
    for name, given in (("pop", {"key": "a"}), ("put", {"key": "a", "v": [1]}), ("late", {"key": "a"})):
        routine = machine.program.routines[machine.program.role("Store").functions[name]]
        ids = {one: from_plain(machine.values, value) for one, value in given.items()}
        call = direct.bound(("Store", 0), routine, ids)
        assert call is None or direct.ways(state, call) is None


def test_funcs_of_a_history_become_functions() -> None:
    """A func that is called often is run by the interpreter a few times only."""
    from checker.conformance import specification
    from checker.conformance.history import Operation
    from checker.conformance.log_files import Place

    machine = Machine(compile_module(fizz.load("store.fizz", text=STORE)))
    known = specification.Specification(machine, ("Store", 0))
    asked = 0

    def counted(*given: Any) -> Any:
        nonlocal asked
        asked += 1
        return calls(*given)

    before, specification.calls = specification.calls, counted
    try:
        (state,) = known.beginnings()
        for number in range(100):
            fields = {"key": "a", "v": f"{number};"}
            operation = Operation(number, "0", "append", fields, Place("h", 1), 0, 1, "ok")
            (state,) = known.after(known.bind(operation), state)
    finally:
        specification.calls = before
    assert asked == 32
    assert "98;99;" in str(machine.describe(known.state(state)))
