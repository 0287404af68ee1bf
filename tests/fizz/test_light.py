"""Light dataclasses are what dataclasses are, but for assignments at run time."""

from __future__ import annotations

import copy
import dataclasses
import os
import pickle
import subprocess
import sys
from dataclasses import field
from typing import Any

import pytest

from fizz.base.errors import Span
from fizz.base.light import light as dataclass
from fizz.syntax import ast
from interpreter.state.step import NO_OUTCOME


@dataclass(frozen=True, slots=True)
class Light:
    place: int = field(compare=False, repr=False)
    name: str
    more: tuple[int, ...] = ()
    label: str | None = field(default=None, kw_only=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Heavy:
    place: int = field(compare=False, repr=False)
    name: str
    more: tuple[int, ...] = ()
    label: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Below(Light):
    last: int = 0


@dataclass(frozen=True, slots=True)
class Own:
    """One with a text of its own."""

    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


VALUES: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1, "a"), {}),
    ((2, "a"), {}),
    ((1, "b"), {}),
    ((1, "a", (3,)), {}),
    ((1, "a"), {"label": "here"}),
]


def test_like_a_dataclass() -> None:
    """Equal, hashed and shown alike, with the same fields and the same order for patterns."""
    light = [Light(*values, **more) for values, more in VALUES]
    heavy = [Heavy(*values, **more) for values, more in VALUES]
    assert [[a == b for b in light] for a in light] == [[a == b for b in heavy] for a in heavy]
    assert [hash(a) == hash(light[0]) for a in light] == [hash(a) == hash(heavy[0]) for a in heavy]
    assert [repr(a) for a in light] == [repr(a).replace("Heavy", "Light") for a in heavy]
    assert Light.__match_args__ == Heavy.__match_args__
    assert Light.__slots__ == Heavy.__slots__
    assert [f.name for f in dataclasses.fields(Light)] == [f.name for f in dataclasses.fields(Heavy)]
    assert dataclasses.replace(light[0], name="b") == light[2]
    with pytest.raises(TypeError):
        Light(1)  # type: ignore[call-arg]


def test_classes_are_told_apart() -> None:
    assert Below(1, "a") != Light(1, "a")
    assert Below(1, "a", last=2) != Below(1, "a")
    assert Light(1, "a") != "a"
    assert Light.__doc__ == "Light" and Own.__doc__ == "One with a text of its own."
    assert repr(Own("a")) == "<a>" and Own("a") == Own("a")


def test_copies() -> None:
    """They travel between processes."""
    one = Below(1, "a", (2,), label="l", last=3)
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one and other.place == 1


def test_nodes_are_compared_without_their_places() -> None:
    assert ast.Name(Span("a", 1, 1, 1, 2), "x") == ast.Name(Span("b", 2, 1, 2, 2), "x")
    assert repr(ast.Name(Span("a", 1, 1, 1, 2), "x")) == "Name(id='x')"


def test_frozen_under_test() -> None:
    """Tests run with the standard library's dataclasses: assigning to a field of a frozen one raises."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        NO_OUTCOME.value = True  # type: ignore[misc]


@pytest.mark.parametrize(("frozen", "refuses"), [("", False), ("1", True)])
def test_frozen_where_it_is_asked_for(frozen: str, refuses: bool) -> None:
    """`FIZZPY_FROZEN` decides when the package is imported."""
    program = "from interpreter.state.step import NO_OUTCOME; NO_OUTCOME.value = True"
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "FIZZPY_FROZEN": frozen}, capture_output=True, check=False
    )
    assert (done.returncode != 0) == refuses
    assert (b"FrozenInstanceError" in done.stderr) == refuses
