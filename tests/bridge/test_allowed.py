"""Printed tests of systems that return tuples, sets and objects: they pass exactly where the system is right."""

from __future__ import annotations

import enum
from pathlib import PurePosixPath
from typing import Any

import pytest

import fizzpy
from checker.conformance.adapters import ObjectSystem, adapter_model
from checker.conformance.walk_plan import covering_walks
from checker.conformance.walk_run import LeastTaken, as_function, failure_of, shortened
from tests.bridge.conftest import Write

SHELF = """\
action Init:
    n = 0

atomic action Add:
    require n < 3
    n += 1

atomic action Pair:
    return (n, [n])

atomic action Members:
    return set([i for i in range(n)])

atomic action Named:
    return {"n": n, "all": set([(i, "x") for i in range(n)])}

atomic action Place:
    return "/shelf/" + str(n)

atomic action Kind:
    return "empty" if n == 0 else "filled"

atomic action Least:
    x = oneof [0, 1]
    return [min(n, x)]

atomic action IsFull:
    return n == 3

atomic action Count:
    return n
"""


class Kind(enum.StrEnum):
    EMPTY = "empty"
    FILLED = "filled"


class Shelf:
    """Returns what it likes: tuples for lists, sets in any order, paths and enumerations for texts."""

    def start(self) -> None:
        self.n = 0

    def add(self) -> None:
        self.n += 1

    def pair(self) -> object:
        return [self.n, (self.n,)]

    def members(self) -> object:
        return frozenset(range(self.n))

    def named(self) -> object:
        return {"all": [(i, "x") for i in reversed(range(self.n))], "n": self.n}

    def place(self) -> object:
        return PurePosixPath("/shelf") / str(self.n)

    def kind(self) -> object:
        return Kind.FILLED if self.n else Kind.EMPTY

    def least(self) -> object:
        return (min(self.n, 1),)

    def is_full(self) -> object:
        return self.n == 3

    def count(self) -> object:
        return self.n


WRONG: dict[str, Any] = {
    "pair": lambda self: (self.n, [self.n, 7] if self.n == 2 else [self.n]),
    "members": lambda self: [*range(self.n)] + [0] * (self.n == 2),
    "named": lambda self: {"n": self.n, "all": [] if self.n == 2 else [(i, "x") for i in range(self.n)]},
    "place": lambda self: PurePosixPath("/shelf/3" if self.n == 2 else f"/shelf/{self.n}"),
    "kind": lambda self: Kind.EMPTY if self.n < 3 else Kind.FILLED,
    "least": lambda self: {self.n},
    "is_full": lambda self: self.n // 3,
    "count": lambda self: True if self.n == 1 else self.n,
}


@pytest.mark.parametrize("method", [*WRONG])
def test_a_printed_walk_passes_exactly_where_the_system_is_right(write: Write, method: str) -> None:
    """Each wrong system fails in its last line, by an assertion; the right one passes the same test."""
    wrong = type("Shelf", (Shelf,), {method: WRONG[method]})
    model = adapter_model(write("shelf.fizz", SHELF), wrong)

    def start() -> ObjectSystem:
        return ObjectSystem(wrong())

    failures = [failure_of(model, start, walk, LeastTaken()) for walk in covering_walks(model, 200).walks]
    # A long walk has lines of all methods before the wrong one.
    first = max((one for one in failures if one is not None), key=lambda one: len(one.moves))
    for found in (first, shortened(model, start, first)):
        function = as_function(wrong, found, model)
        assert f"assert system.{method}() == " in function or f"assert system.{method}() is " in function
        _run(function, Shelf)
        with pytest.raises(AssertionError):
            _run(function, wrong)
        # All lines before the last one are as the wrong system is, too.
        _run(function[: function.rindex("\n")], wrong)


def _run(function: str, adapter: type) -> None:
    names: dict[str, Any] = {"Shelf": adapter}
    exec(function, names)
    names["test_found_by_the_model"]()


def test_a_right_system_passes(write: Write) -> None:
    """Whatever it returns values as."""
    model = adapter_model(write("shelf.fizz", SHELF), Shelf)
    for walk in covering_walks(model, 200).walks:
        assert failure_of(model, lambda: ObjectSystem(Shelf()), walk, LeastTaken()) is None


@pytest.mark.parametrize(
    ("returned", "values", "is_allowed"),
    [
        ((1, 2), [[1, 2]], True),
        ((2, 1), [[1, 2]], False),
        ({2, 1}, [fizzpy.unordered([1, 2])], True),
        ([2, 1, 1], [fizzpy.unordered([1, 2])], False),
        (True, [1], False),
        (1.0, [1], True),
        ({1: (1,)}, [{"1": [1]}], True),
        ({1: (1,)}, [{"2": [1]}], False),
        (None, [1, None], True),
        (float("inf"), [float("inf")], True),
        ("12", [[1, 2]], False),
    ],
)
def test_what_is_allowed(returned: object, values: list[Any], is_allowed: bool) -> None:
    """A comparison as the plugin makes it, which shows itself as it is written."""
    assert (returned == fizzpy.allowed(*values)) is is_allowed
    assert (returned == eval(f"fizzpy.{fizzpy.allowed(*values)!r}")) is is_allowed
