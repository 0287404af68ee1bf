"""The values of events, read by a function that was made for all places of a rule, and one by one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from checker.conformance.field_values import FieldValues
from checker.conformance.log_files import LogLine, Place
from checker.conformance.observed_event import NO_VALUE
from checker.core.problems import UsageProblem

INSTANCES = {"n1": "Node#0", "0": None, "x": "n1"}
VALUES: list[Any] = [0, 1, True, None, 1.5, "n1", "0", "x", "y", [], ["n1", ["0", 2]], {}, {"a": "n1"}, {"0": 7}]
FIELDS = ["a", "b", "a.b", "a.b.c", "a.0", "b.-1", "a.1.b", "b.0.0", "a?", "a.b?", "c.0?", "", "--1", "a.²"]
SAID: list[Any] = [
    *FIELDS,
    3,
    None,
    ["a"],
    {"is": "a"},
    {"field": "a", "as": {"n1": "one", 1: "two", "Node#0": "three"}},
    {"field": "a.b?", "as": {"y": 1}},
    {"field": "b", "as": {}},
    {"field": 4},
]


def value(chance: random.Random, depth: int = 3) -> Any:
    """A value of JSON."""
    kind = chance.randrange(3) if depth else 0
    if kind == 1:
        return {name: value(chance, depth - 1) for name in chance.sample(["a", "b", "c", "0"], chance.randrange(4))}
    if kind == 2:
        return [value(chance, depth - 1) for _ in range(chance.randrange(3))]
    return chance.choice(VALUES)


def answer(read: Any, line: LogLine) -> Any:
    try:
        return read(line)
    except UsageProblem as problem:
        return problem.text, problem.hint


@pytest.mark.parametrize("seed", range(20))
def test_all_at_once_is_one_by_one(seed: int) -> None:
    """Both ways give the same values, of the same types, or refuse the same field in the same words."""
    chance = random.Random(seed)
    for _ in range(40):
        said = {f"place{number}": one for number, one in enumerate(chance.choices(SAID, k=chance.randrange(1, 5)))}
        fields = FieldValues("map.yaml", "Vote", INSTANCES)
        together, apart = fields.all(said), {place: fields.one(one) for place, one in said.items()}

        def one_by_one(line: LogLine, apart: Any = apart) -> Any:
            found = [(place, read(line)) for place, read in apart.items()]
            return tuple(pair for pair in found if pair[1] is not NO_VALUE)

        for number in range(12):
            data = {name: value(chance) for name in chance.sample(["a", "b", "c"], chance.randrange(4))}
            line = LogLine(Place("log", number), data)
            first, again, expected = answer(together, line), answer(together, line), answer(one_by_one, line)
            assert repr(first) == repr(again) == repr(expected), (said, data)


def test_equal_places_are_read_once() -> None:
    """Two rules of a kind with the same places share what was read of an event."""
    fields = FieldValues("map.yaml", "Vote", {})
    one, two = fields.all({"term": "t", "x": "y"}), fields.all({"term": "t", "x": "y"})
    line = LogLine(Place("log", 1), {"t": 1, "y": 2})
    assert one(line) is two(line)
    assert one(LogLine(Place("log", 2), {"t": 2, "y": 2})) == (("term", 2), ("x", 2))


def test_names_in_a_map_are_no_code() -> None:
    """Places and fields with quotes, lines and braces are data."""
    fields = FieldValues("map.yaml", "Vote", {})
    name = "'] + [exit(1)]\n#{0}\\"
    read = fields.all({name: name, '"""': {"field": name, "as": {1: name}}})
    line = LogLine(Place("log", 1), {name: 1})
    assert read(line) == ((name, 1), ('"""', name))
