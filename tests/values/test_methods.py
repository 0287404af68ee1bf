"""The complete lists of methods (language page, 5.3, 5.4), each with its edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from interpreter.library.attributes import METHODS
from interpreter.library.operations import get_attribute
from interpreter.values import (
    BagValue,
    Builtin,
    DictValue,
    GenericMap,
    GenericSet,
    ListValue,
    SetValue,
)
from interpreter.values.freeze import display
from interpreter.values.problem import ModelMistake

Call = Callable[..., Any]
L, S = ListValue, SetValue.of


def d(*pairs: tuple[object, object]) -> DictValue:
    made = DictValue({})
    made.update(pairs)
    return made


LISTS = {
    "string": "capitalize count elems endswith find format index isalnum isalpha isdigit islower isspace istitle "
    "isupper join lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip split "
    "splitlines startswith strip title upper",
    "list": "append clear count extend index insert pop remove reverse sort",
    "dict": "clear get items keys pop popitem setdefault update values",
    "set": "add clear difference discard intersection issubset issuperset pop remove symmetric_difference union update",
    "frozenset": "difference intersection issubset issuperset symmetric_difference union",
    "genericset": "add clear difference discard intersection issubset issuperset pop remove symmetric_difference union",
    "genericmap": "clear get items keys pop popitem setdefault update values",
    "bag": "add add_all clear count discard pop remove",
}


def test_the_lists_are_complete() -> None:
    """Exactly the methods of the language page, under their own names."""
    assert {kind: sorted(methods) for kind, methods in METHODS.items()} == {
        kind: sorted(names.split()) for kind, names in LISTS.items()
    }
    for methods in METHODS.values():
        for name, method in methods.items():
            assert method.name == name


STRINGS: list[tuple[str, str, tuple[Any, ...], str]] = [
    ("aBc", "capitalize", (), '"Abc"'), ("aab", "count", ("a",), "2"), ("aab", "count", ("a", 1), "1"),
    ("ab", "count", ("",), "3"),
    ("aäb", "elems", (), '["a", "ä", "b"]'), ("abc", "endswith", ("bc",), "True"),
    ("abc", "endswith", (("x", "c"),), "True"),
    ("abc", "startswith", ("b", 1), "True"), ("abc", "startswith", ("a", -1, 10**30), "False"),
    ("abc", "find", ("c",), "2"),
    ("abc", "find", ("x",), "-1"), ("abca", "rfind", ("a",), "3"), ("abc", "index", ("b",), "1"),
    ("abcb", "rindex", ("b",), "3"),
    ("a1", "isalnum", (), "True"), ("a1", "isalpha", (), "False"), ("12", "isdigit", (), "True"),
    ("a", "islower", (), "True"),
    (" ", "isspace", (), "True"), ("Ab", "istitle", (), "True"), ("AB", "isupper", (), "True"),
    (", ", "join", (L(["a", "b"]),), '"a, b"'),
    ("-", "join", (d(("k", 1)),), '"k"'), ("-", "join", ((),), '""'), ("ABC", "lower", (), '"abc"'),
    ("xxa", "lstrip", ("x",), '"a"'),
    ("  a ", "lstrip", (), '"a "'), ("a=b=c", "partition", ("=",), '("a", "=", "b=c")'),
    ("a=b=c", "rpartition", ("=",), '("a=b", "=", "c")'),
    ("abc", "removeprefix", ("ab",), '"c"'), ("abc", "removesuffix", ("x",), '"abc"'),
    ("aaa", "replace", ("a", "b"), '"bbb"'),
    ("aaa", "replace", ("a", "b", 1), '"baa"'), ("ab", "replace", ("", "-"), '"-a-b-"'),
    ("ab", "replace", ("a", "b", 0), '"ab"'),
    ("a b c", "rsplit", (None, 1), '["a b", "c"]'), ("a-b", "split", ("-",), '["a", "b"]'),
    (" a  b ", "split", (), '["a", "b"]'),
    ("a-b-c", "split", ("-", 10**30), '["a", "b", "c"]'), ("a ", "rstrip", (), '"a"'),
    ("a\nb\n", "splitlines", (), '["a", "b"]'),
    ("a\nb", "splitlines", (True,), '["a\\n", "b"]'), (" a ", "strip", (), '"a"'), ("ab cd", "title", (), '"Ab Cd"'),
    ("ß", "upper", (), '"SS"'),
    ("{}-{}", "format", (1, "x"), '"1-x"'), ("{1}{0}", "format", ("a", "b"), '"ba"'), ("{{}}", "format", (), '"{}"'),
    ("{!r}", "format", ("a",), '"\\"a\\""'), ("{:>4}", "format", (5,), '"   5"'),
    ("{0:.2f}", "format", (1.5,), '"1.50"'),
    ("{}", "format", (L([1]),), '"[1]"'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "args", "result"), STRINGS)
def test_strings(method: Call, text: str, name: str, args: tuple[Any, ...], result: str) -> None:
    """As in Python, with lists where Python has lists."""
    assert display(method(text, name, *args)) == result


def test_strings_with_named_arguments(method: Call) -> None:
    """`split(sep=, maxsplit=)`, `splitlines(keepends=)`, and any name in `format`."""
    assert display(method("a b c", "split", maxsplit=1)) == '["a", "b c"]'
    assert display(method("a-b", "rsplit", sep="-")) == '["a", "b"]'
    assert display(method("a\n", "splitlines", keepends=True)) == '["a\\n"]'
    assert method("{x}/{y!r:>4}", "format", x=1, y="a") == '1/ "a"'
    assert method("{self}{text}", "format", self=1, text=2) == "12"


@pytest.mark.parametrize(
    ("text", "name", "args", "code"),
    [
        ("abc", "index", ("x",), "R2"), ("abc", "rindex", ("x",), "R2"), ("a", "find", (1,), "R4"),
        ("a", "find", ("a", "b"), "R4"),
        ("a", "find", ("a", True), "R4"), ("a", "endswith", ((1,),), "R4"), ("a", "join", ("abc",), "R4"),
        ("a", "join", (L([1]),), "R4"),
        ("a", "split", ("",), "R4"), ("a", "partition", ("",), "R4"), ("a", "replace", ("a",), "R4"),
        ("a", "replace", ("a", 1), "R4"),
        ("a", "upper", (1,), "R4"), ("a", "split", (1,), "R4"), ("a", "split", ("a", 1, 1), "R4"),
        ("{}", "format", (), "R23"),
        ("{x}", "format", (1,), "R23"), ("{}{0}", "format", (1,), "R23"), ("{0}{}", "format", (1,), "R23"),
        ("{", "format", (), "R23"),
        ("{0.real}", "format", (1,), "R23"), ("{0[0]}", "format", ("a",), "R23"),
        ("{.__class__}", "format", (1,), "R23"),
        ("{:{}}", "format", (1, 2), "R23"), ("{!a}", "format", ("a",), "R23"), ("{:x}", "format", ("a",), "R23"),
        ("{:>5}", "format", (L([]),), "R23"), ("{99999999999999999999}", "format", (1,), "R23"),
        ("{:>99999999}", "format", (1,), "R24"),
        ("a" * 1000, "join", (L(["a"] * 2000),), "R24"), ("a" * 1000, "replace", ("a", "b" * 2000), "R24"),
        ("ß" * 600_000, "upper", (), "R24"), ("{0}" * 20, "format", ("a" * 100_000,), "R24"),
    ],
)  # fmt: skip
def test_string_problems(method: Call, problem: Call, text: str, name: str, args: tuple[Any, ...], code: str) -> None:
    """Wrong arguments, missing elements, forbidden formats, texts too long."""
    assert problem(method, text, name, *args).code == code


def test_lists(method: Call, problem: Call) -> None:
    """Every method of lists."""
    log = L([3, 1])
    for name, args, result, after in (
        ("append", (2,), None, "[3, 1, 2]"), ("extend", ((5, 6),), None, "[3, 1, 2, 5, 6]"),
        ("insert", (0, 9), None, "[9, 3, 1, 2, 5, 6]"),
        ("insert", (10**30, 8), None, "[9, 3, 1, 2, 5, 6, 8]"), ("insert", (-1, 7), None, "[9, 3, 1, 2, 5, 6, 7, 8]"),
        ("pop", (), 8, "[9, 3, 1, 2, 5, 6, 7]"), ("pop", (0,), 9, "[3, 1, 2, 5, 6, 7]"),
        ("pop", (-6,), 3, "[1, 2, 5, 6, 7]"),
        ("remove", (5.0,), None, "[1, 2, 6, 7]"), ("reverse", (), None, "[7, 6, 2, 1]"),
        ("sort", (), None, "[1, 2, 6, 7]"),
        ("index", (6,), 2, "[1, 2, 6, 7]"), ("index", (7, -1), 3, "[1, 2, 6, 7]"), ("count", (1.0,), 1, "[1, 2, 6, 7]"),
        ("count", (True,), 0, "[1, 2, 6, 7]"), ("clear", (), None, "[]"),
    ):  # fmt: skip
        assert method(log, name, *args) == result
        assert display(log) == after
    words = L(["bb", "a", "cc", "d"])
    method(words, "sort", key=Builtin("size", len, 1, 1), reverse=True)
    assert words.items == ["bb", "cc", "a", "d"]
    for name, args, code in (
        ("pop", (), "R2"), ("pop", (True,), "R4"), ("remove", (1,), "R2"), ("index", (1,), "R2"),
        ("extend", ("ab",), "R4"),
        ("insert", ("a", 1), "R4"), ("sort", (1,), "R4"), ("append", (), "R4"), ("append", (1, 2), "R4"),
    ):  # fmt: skip
        assert problem(method, L([]), name, *args).code == code
    assert problem(method, L([1]), "pop", 1).code == "R2"
    assert problem(method, L([1, "a"]), "sort").code == "R4"
    assert problem(method, L([1]), "sort", key=5).code == "R4"
    assert problem(method, L([1]), "sort", item=5).code == "R4"


def test_sorting_with_a_key_that_changes_the_list(method: Call, problem: Call) -> None:
    """A list is being iterated over while it is sorted: R8."""
    log = L([2, 1])
    assert problem(method, log, "sort", key=Builtin("k", lambda item: log.append(item), 1, 1)).code == "R8"
    assert log.iterating == 0


def test_dicts_and_genericmaps(method: Call, problem: Call) -> None:
    """The same methods for both; `popitem` takes the first pair."""
    for table in (d(("a", 1), ("b", 2)), GenericMap([("a", 1), ("b", 2)])):
        assert method(table, "get", "a") == 1 and method(table, "get", "x") is None
        assert method(table, "get", "x", 5) == 5
        assert display(method(table, "items")) == '[("a", 1), ("b", 2)]'
        assert display(method(table, "keys")) == '["a", "b"]' and display(method(table, "values")) == "[1, 2]"
        assert method(table, "setdefault", "a", 7) == 1 and method(table, "setdefault", "c") is None
        assert method(table, "pop", "c") is None and method(table, "pop", "c", 9) == 9
        method(table, "update", L([("x", 1), L(["y", 2])]), z=3)
        method(table, "update", d(("x", 5)))
        method(table, "update")
        assert method(table, "popitem") == ("a", 1)
        assert display(method(table, "items")) == '[("b", 2), ("x", 5), ("y", 2), ("z", 3)]'
        method(table, "clear")
        assert method(table, "keys").items == []
        assert problem(method, table, "popitem").code == "R2"
        assert problem(method, table, "pop", 1).code == "R2"
        assert problem(method, table, "update", L([1])).code == "R4"
        assert problem(method, table, "update", L([(1, 2, 3)])).code == "R9"
        assert problem(method, table, "get").code == "R4"
        assert problem(method, table, "get", 1, default=2).code == "R4"
    assert problem(method, d(), "get", L([])).code == "R6"
    assert method(GenericMap([(L([]), 1)]), "get", L([])) == 1


def test_sets(method: Call, problem: Call) -> None:
    """Every method of sets; `pop` takes the first."""
    group = S([3, 1])
    for name, args, result, after in (
        ("add", (2,), None, [3, 1, 2]), ("add", (2.0,), None, [3, 1, 2]), ("discard", (9,), None, [3, 1, 2]),
        ("discard", (1,), None, [3, 2]),
        ("update", (L([5]), (6, 5)), None, [3, 2, 5, 6]), ("pop", (), 3, [2, 5, 6]), ("remove", (5,), None, [2, 6]),
        ("issubset", (range(10),), True, [2, 6]), ("issuperset", ((2, 3),), False, [2, 6]), ("clear", (), None, []),
    ):  # fmt: skip
        assert method(group, name, *args) == result
        assert list(group.entries.values()) == after
    one = S([1, 2])
    assert display(method(one, "union", L([3]), (4,))) == "set([1, 2, 3, 4])"
    assert display(method(one, "intersection", L([2, 3]), S([2]))) == "set([2])"
    assert display(method(one, "difference", S([2]))) == "set([1])"
    assert display(method(one, "difference")) == "set([1, 2])"
    assert display(method(one, "symmetric_difference", (2, 3))) == "set([1, 3])"
    assert problem(method, S([]), "pop").code == "R2" and problem(method, S([]), "remove", 1).code == "R2"
    assert problem(method, one, "add", L([])).code == "R6" and problem(method, one, "union", "ab").code == "R4"


def test_genericsets(method: Call, problem: Call) -> None:
    """As sets, for any elements; `pop` takes the last; there is no `update`."""
    group = GenericSet.of([L([1]), 2, L([1])])
    assert group.size() == 2
    method(group, "add", L([3]))
    method(group, "add", 2.0)
    assert display(group) == "genericset([2, [1], [3]])"
    assert display(method(group, "pop")) == "[3]"
    method(group, "discard", 5)
    method(group, "remove", L([1]))
    assert display(group) == "genericset([2])"
    assert display(method(group, "union", L([L([])]))) == "genericset([2, []])"
    assert method(group, "issubset", L([2, 3])) and not method(group, "issuperset", L([2, 3]))
    assert display(method(group, "symmetric_difference", L([2, L([])]))) == "genericset([[]])"
    assert display(method(group, "intersection", L([2.0]))) == "genericset([2])"
    assert display(method(group, "difference", L([2.0]))) == "genericset([])"
    method(group, "clear")
    assert problem(method, group, "pop").code == "R2" and problem(method, group, "remove", 1).code == "R2"
    assert problem(get_attribute, group, "update").code == "R3"


def test_bags(method: Call, problem: Call) -> None:
    """A multiset: one copy goes at a time, `pop` takes the last in canonical order."""
    bag = BagValue([])
    method(bag, "add", 2)
    method(bag, "add_all", L([1, 2, L([])]))
    assert display(bag) == "bag([1, 2, 2, []])"
    assert method(bag, "count", 2.0) == 2 and method(bag, "count", 9) == 0
    assert display(method(bag, "pop")) == "[]"
    method(bag, "discard", 2)
    method(bag, "discard", 9)
    method(bag, "remove", 1)
    assert display(bag) == "bag([2])"
    assert method(bag, "pop") == 2
    assert problem(method, bag, "pop").code == "R2" and problem(method, bag, "remove", 1).code == "R2"
    assert problem(method, bag, "add_all", "ab").code == "R4"
    method(bag, "add", 1)
    method(bag, "clear")
    assert bag.size() == 0


def test_unknown_attributes_name_near_ones(problem: Call) -> None:
    """R3 with the names within edit distance 2."""
    found = problem(get_attribute, L([]), "apend")
    assert found.code == "R3" and found.hint == "did you mean 'append'?"
    assert problem(get_attribute, L([]), "frobnicate").hint is None
    assert problem(get_attribute, 5, "real").code == "R3"
    assert isinstance(problem(get_attribute, (1,), "count"), ModelMistake)
