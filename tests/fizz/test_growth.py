"""Reading a file takes time in proportion to its length, for any content: calls are counted, not seconds."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from fizz import FizzError, load
from fizz.base.errors import rows_of
from fizzpy import check
from interpreter import Machine, compile_module

INIT = "action Init: x = 0\n"


def many(line: str) -> Callable[[int], str]:
    """A model with so many items: `@` is the number of each."""
    return lambda n: INIT + "".join(line.replace("@", str(i)) for i in range(n))


def listed(before: str, item: str, after: str, between: str = ", ") -> Callable[[int], str]:
    """A model with one constant, or with text that starts with `before`, of this many parts."""
    return lambda n: before + between.join(item.replace("@", str(i)) for i in range(n)) + after + "\n" + INIT


def in_action(line: str) -> Callable[[int], str]:
    return lambda n: INIT + "atomic action Go:\n" + "".join(line.replace("@", str(i)) for i in range(n))


SHAPES: dict[str, Callable[[int], str]] = {
    "dict": listed("D = {", "@: @", "}"),
    "dict of dicts": listed("D = {", '"k@": [@, {"a": @}]', "}"),
    "list over lines": listed("D = [", "@", "]", ",\n"),
    "tuple": listed("a = 1\nD = (", "a", ",)"),
    "calls": listed("D = [", "len([@])", "]"),
    "arguments": listed("D = max(", "@", ")"),
    "names of an enum": listed("E = enum(", '"A@"', ")"),
    "strings side by side": listed("D = ", "'a'", "", " "),
    "fields of an f-string": lambda n: 'action Init:\n    x = 0\n    y = f"' + "{x}" * n + '"\n',
    "variables": lambda n: "action Init:\n" + "".join(f"    v{i} = {i}\n" for i in range(n)),
    "parts of a target": lambda n: f"action Init:\n    {', '.join(f'v{i}' for i in range(n))} = {', '.join('0' * n)}\n",
    "targets": lambda n: f"action Init:\n    {' = '.join(f'v{i}' for i in range(n))} = 0\n",
    "elif": lambda n: in_action("    elif x == @:\n        x = 1\n")(n).replace("    elif", "    if", 1),
    "choices": in_action("    x = oneof [0, @]\n"),
    "guards": in_action("    require x != @ + 1\n"),
    "statements": in_action("    x = x + @\n"),
    "ifs": in_action("    if x == @:\n        x = 2\n"),
    "labels": in_action("    `l@` x = 1\n"),
    "comments": many("# c\n"),
    "constants": many("C@ = @\n"),
    "actions": many("atomic action A@: x = @\n"),
    "funcs": many("atomic func f@(a):\n    return a\n"),
    "helpers": many("def f@(a):\n    return a\n"),
    "helpers and assertions": many("def f@(a):\n    return a\nalways assertion A@:\n    return f@(x) == x\n"),
    "assertions": many("always assertion A@:\n    return x >= 0\n"),
    "roles": many("role R@:\n    action Init:\n        self.x = 0\n    action Go:\n        self.x = 1\n"),
    "roles with instances": lambda n: "".join(
        [f"role R{i}:\n    action Init:\n        self.x = 0\n" for i in range(n)]
        + ["action Init:\n", *(f"    r{i} = R{i}()\n" for i in range(n))]
    ),
    "parameters": lambda n: f"func f({', '.join(f'a{i}=0' for i in range(n))}):\n    return a0\n{INIT}",
    "unknown names": in_action("    x = name@\n"),
    "near names": lambda n: SHAPES["variables"](n) + "atomic action Go:\n" + "    v0 = w1\n" * n,
    "unknown names that are all alike": lambda n: (
        SHAPES["variables"](n).replace("v", "value")
        + "atomic action Go:\n"
        + "".join(f"    x = valeu{i}\n" for i in range(n))
    ),
    "syntax errors": many("atomic action A@: x = = @\n"),
    "one syntax error at the end": listed("D = [", "@", ",,]"),
}


def read(model: Path) -> None:
    """From the text to a machine."""
    Machine(compile_module(load(model)))


def calls(model: Path, text: str, work: Callable[[Path], object] = read) -> int:
    """How many functions are called, ours and others, by what is done with a model of this text."""
    model.write_text(text)
    count = 0

    def counting(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        # Fields of frozen dataclasses are set by `__setattr__` under tests alone.
        count += event in ("call", "c_call") and getattr(argument, "__name__", "") != "__setattr__"

    sys.setprofile(counting)
    try:
        work(model)
    except FizzError:
        pass
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_loading_is_linear(shape: str, tmp_path: Path) -> None:
    """Twice the text takes at most 2.2 times the calls."""
    model = tmp_path / "model.fizz"
    calls(model, SHAPES[shape](10))  # what is imported and made once
    once, twice = (calls(model, SHAPES[shape](n)) for n in (80, 160))
    assert twice <= 2.2 * once


@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - {"choices"}))  # n choices are 2 ** n steps
def test_checking_is_linear(shape: str, tmp_path: Path) -> None:
    """The same of all that `check` does: bodies are compiled when they are executed first."""
    model = tmp_path / "model.fizz"
    calls(model, SHAPES[shape](10), check)
    once, twice = (calls(model, SHAPES[shape](n), check) for n in (80, 160))
    assert twice <= 2.2 * once


def test_a_pair_of_a_dict_costs_little(tmp_path: Path) -> None:
    """A display of thousands of pairs is usual in generated models: from text to value some 260 calls a pair.

    With the dataclasses of the tests, which are really frozen, it is some 305.
    """
    model, text = tmp_path / "model.fizz", SHAPES["dict"]
    calls(model, text(10))
    few, many = (calls(model, text(n)) for n in (100, 600))
    assert (many - few) / 500 < 345


def test_the_text_of_many_choices_is_split_once(tmp_path: Path) -> None:
    """Each is called by the text of its target."""
    (tmp_path / "model.fizz").write_text(SHAPES["choices"](100))
    module = load(tmp_path / "model.fizz")
    split_before = rows_of.cache_info().misses
    compile_module(module)
    assert rows_of.cache_info().misses - split_before == 1


def test_a_comprehension_of_too_many_clauses(tmp_path: Path) -> None:
    """Clauses nest, so that their number is limited as that of operators is."""
    (tmp_path / "model.fizz").write_text(f"D = [1 {'for i in [1] ' * 1000}]\n{INIT}")
    with pytest.raises(FizzError, match="more than 150 levels"):
        load(tmp_path / "model.fizz")


def test_frozen_objects_are_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting what a process has frozen walks through all of it: not for each model that is loaded."""
    asked: list[int] = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: asked.append(1) or 0)
    (tmp_path / "m.fizz").write_text(INIT + "atomic action Go: x = 1\n")
    for _ in range(5):
        load(tmp_path / "m.fizz")
    assert len(asked) <= 1
