"""Functions always in scope, `math` and `itertools` (language page, 5.2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from interpreter.library import BUILTINS
from interpreter.library.operations import attribute_names, get_attribute, set_attribute
from interpreter.values import (
    BagValue,
    Builtin,
    DictValue,
    GenericMap,
    Instance,
    ListValue,
    ModelValue,
    RecordValue,
    SetValue,
    StructValue,
    SymmetricValue,
)
from interpreter.values.freeze import display
from interpreter.values.problem import ModelMistake

Call = Callable[..., Any]
L, S = ListValue, SetValue.of


class Fields:
    """A world with one instance that has one field."""

    def __init__(self) -> None:
        self.fields: dict[str, object] = {"votes": 1}

    def get_attribute(self, instance: Instance, name: str) -> object:
        if name in self.fields:
            return self.fields[name]
        raise ModelMistake("R3", f"no attribute '{name}' on {instance!r}")

    def set_attribute(self, instance: Instance, name: str, value: object) -> None:
        self.fields[name] = value

    def attribute_names(self, instance: Instance) -> list[str]:
        return list(self.fields)


NODE = Instance(Fields(), "Node", 0)


def test_the_list_is_complete() -> None:
    """Everything of 5.2 that needs no model around it."""
    assert sorted(BUILTINS) == sorted(
        "abs all any bag bool bytes chr deepcopy dict dir enum enumerate fail float frozenset genericmap genericset "
        "getattr hasattr hash int itertools len list math max min ord range record repr reversed set sorted str struct "
        "sum tuple type zip".split()
    )
    for name, value in BUILTINS.items():
        assert getattr(value, "name", None) == name


RESULTS: list[tuple[str, tuple[Any, ...], str]] = [
    ("abs", (-3,), "3"), ("abs", (-2.5,), "2.5"), ("all", (L([1, "a"]),), "True"), ("all", (L([]),), "True"),
    ("all", ((1, 0),), "False"),
    ("any", (S([0, 1]),), "True"), ("any", ((),), "False"), ("bool", (), "False"), ("bool", (L([0]),), "True"),
    ("bytes", (), 'b""'), ("bytes", ("ä",), 'b"\\xc3\\xa4"'), ("bytes", (L([97, 0]),), 'b"a\\x00"'),
    ("bytes", (b"a",), 'b"a"'),
    ("chr", (97,), '"a"'), ("ord", ("ä",), "228"), ("ord", (b"a",), "97"), ("dict", (), "{}"),
    ("dict", (L([(1, 2)]),), "{1: 2}"),
    ("dict", (L([L(["a", 1]), ("a", 2)]),), '{"a": 2}'), ("enumerate", (L(["x"]),), '[(0, "x")]'),
    ("enumerate", (L(["x", "y"]), 5), '[(5, "x"), (6, "y")]'), ("float", (), "0.0"), ("float", (3,), "3.0"),
    ("float", (" 1e3 ",), "1000.0"),
    ("float", ("-inf",), "-inf"), ("float", (True,), "1.0"), ("hash", ("",), "2166136261"),
    ("hash", ("a",), "3826002220"),
    ("int", (), "0"), ("int", (-2.7,), "-2"), ("int", ("12",), "12"), ("int", ("ff", 16), "255"),
    ("int", ("0x1f", 0), "31"), ("int", (True,), "1"),
    ("len", ("ä",), "1"), ("len", (range(0, 10**40, 2),), str(5 * 10**39)), ("len", (BagValue([1, 1]),), "2"),
    ("len", (GenericMap([]),), "0"),
    ("list", (), "[]"), ("list", (S(["b", "a"]),), '["b", "a"]'), ("list", (range(3),), "[0, 1, 2]"),
    ("list", (b"a",), "[97]"),
    ("max", (1, 2.5, 2), "2.5"), ("max", (L(["a", "b"]),), '"b"'), ("min", (L([2, 1, 1.0]),), "1"),
    ("min", ((3,),), "3"),
    ("range", (3,), "range(0, 3)"), ("range", (5, 1, -2), "range(5, 1, -2)"), ("repr", ("a",), '"\\"a\\""'),
    ("repr", (NODE,), '"Node#0"'),
    ("reversed", (L([1, 2]),), "[2, 1]"), ("set", ((1, 1.0, True),), "set([True, 1])"), ("set", (), "set([])"),
    ("sorted", (L([3, 1, 2]),), "[1, 2, 3]"), ("sorted", (L([2, 1.5, float("nan"), 1]),), "[1, 1.5, 2, nan]"),
    ("sorted", (L([(1, "b"), (1, "a")]),), '[(1, "a"), (1, "b")]'), ("sorted", (L([]),), "[]"), ("str", (), '""'),
    ("str", ("a",), '"a"'),
    ("str", (L(["a"]),), '"[\\"a\\"]"'), ("str", (1.0,), '"1.0"'), ("str", (b"a",), '"b\\"a\\""'),
    ("sum", (L([1, 2.5]),), "3.5"),
    ("sum", ((), 7), "7"), ("tuple", (L([1]),), "(1,)"), ("tuple", (), "()"), ("type", (None,), '"NoneType"'),
    ("type", (True,), '"bool"'),
    ("type", ("",), '"string"'), ("type", (NODE,), '"role"'), ("zip", (), "[]"), ("zip", (L([1, 2]), (3,)), "[(1, 3)]"),
    ("genericset", (L([L([]), L([])]),), "genericset([[]])"), ("genericmap", (L([(L([]), 1)]),), "genericmap({[]: 1})"),
    ("bag", (L([2, 1, 2]),), "bag([1, 2, 2])"), ("genericset", (), "genericset([])"), ("bag", (), "bag([])"),
    ("struct", (), "struct()"),
    ("dir", (RecordValue({"b": 1, "a": 2}),), '["a", "b"]'), ("dir", (5,), "[]"), ("dir", (NODE,), '["votes"]'),
    ("dir", (ModelValue("N", 0),), '["index", "name"]'), ("getattr", (NODE, "votes"), "1"),
    ("getattr", (NODE, "x", 5), "5"),
    ("getattr", (StructValue({"a": 1}), "a"), "1"), ("hasattr", (L([]), "append"), "True"),
    ("hasattr", (L([]), "x"), "False"),
    ("math.ceil", (1.2,), "2"), ("math.floor", (-1.2,), "-2"), ("math.round", (2.5,), "3"),
    ("math.round", (-2.5,), "-3"),
    ("math.round", (0.49999999999999994,), "0"), ("math.round", (7,), "7"), ("math.copysign", (1, -0.0), "-1.0"),
    ("math.mod", (-7, 3), "-1.0"),
    ("math.remainder", (7, 4), "-1.0"), ("math.pow", (2, 10), "1024.0"), ("math.sqrt", (9,), "3.0"),
    ("math.log", (8, 2), "3.0"),
    ("math.exp", (0,), "1.0"), ("math.hypot", (3, 4), "5.0"), ("math.fabs", (-1,), "1.0"), ("math.gamma", (5,), "24.0"),
    ("math.degrees", (0,), "0.0"), ("math.atan2", (0, 1), "0.0"),
    ("itertools.combinations", (L([1, 2, 3]), 2), "[(1, 2), (1, 3), (2, 3)]"),
    ("itertools.combinations", ((), 1), "[]"),
    ("itertools.combinations", ((1,), 0), "[()]"), ("itertools.permutations", ((1, 2),), "[(1, 2), (2, 1)]"),
    ("itertools.permutations", ((1, 2), 3), "[]"), ("itertools.permutations", ((1, 2), 1), "[(1,), (2,)]"),
    ("itertools.combinations_with_replacement", ((1, 2), 2), "[(1, 1), (1, 2), (2, 2)]"),
    ("itertools.combinations_with_replacement", ((), 2), "[]"),
    ("itertools.combinations_with_replacement", ((), 0), "[()]"),
    ("itertools.product", ((1, 2), (3,)), "[(1, 3), (2, 3)]"), ("itertools.product", (), "[()]"),
    ("itertools.product", ((), (1,)), "[]"),
    ("itertools.chain", ((1,), L([2])), "[1, 2]"), ("itertools.chain", (), "[]"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "text"), RESULTS)
def test_results(call: Call, name: str, args: tuple[Any, ...], text: str) -> None:
    """Results by display text."""
    assert display(call(name, *args)) == text


def test_named_arguments(call: Call) -> None:
    """`key`, `reverse`, `default`, `start`, `base`, `r`, `repeat`; fields and keys by name."""
    size = Builtin("size", len, 1, 1)
    assert call("sorted", L(["bb", "a", "cc"]), key=size, reverse=True).items == ["bb", "cc", "a"]
    assert call("max", L(["a", "bb", "cc"]), key=size) == "bb" and call("min", "aa", "b", key=size) == "b"
    assert call("max", L([]), default=None) is None
    assert call("sum", (1,), start=2) == 3 and call("enumerate", (5,), start=1).items == [(1, 5)]
    assert call("int", "ff", base=16) == 255
    assert display(call("itertools.product", (0, 1), repeat=2)) == "[(0, 0), (0, 1), (1, 0), (1, 1)]"
    assert call("itertools.product", (1,), repeat=0).items == [()]
    assert display(call("itertools.combinations", (0, 1), r=1)) == "[(0,), (1,)]"
    assert display(call("dict", L([(1, 2)]), a=3)) == '{1: 2, "a": 3}'
    assert display(call("genericmap", a=3)) == 'genericmap({"a": 3})'
    assert display(call("struct", b=1, a=L([]))) == "struct(a = [], b = 1)"
    assert display(call("record", self=1, name=2)) == "record(name = 2, self = 1)"
    assert display(call("record", _kind=1)) == "record(_kind = 1)"


def test_enum(call: Call) -> None:
    """Positional names are bound to themselves as strings."""
    color = call("enum", "RED", "BLUE", n=3)
    assert get_attribute(color, "RED") == "RED" and get_attribute(color, "n") == 3


PROBLEMS: list[tuple[str, tuple[Any, ...], str]] = [
    ("abs", (True,), "R4"), ("abs", ("a",), "R4"), ("abs", (), "R4"), ("abs", (1, 2), "R4"), ("all", ("abc",), "R4"),
    ("any", (5,), "R4"),
    ("bytes", (L([256]),), "R4"), ("bytes", (L([True]),), "R4"), ("bytes", (5,), "R4"), ("chr", (-1,), "R4"),
    ("chr", (0x110000,), "R4"),
    ("chr", (0xD800,), "R4"), ("chr", (10**30,), "R4"), ("ord", ("ab",), "R4"), ("ord", (5,), "R4"),
    ("dict", (L([1]),), "R4"),
    ("dict", (L([(L([]), 1)]),), "R6"), ("enumerate", ("abc",), "R4"), ("enumerate", (L([]), "a"), "R4"),
    ("fail", ("no", 1), "R17"),
    ("fail", (), "R17"), ("float", ("x",), "R23"), ("float", (None,), "R4"), ("float", (2**2000,), "R24"),
    ("hash", (1,), "R4"),
    ("int", ("1.5",), "R23"), ("int", ("",), "R23"), ("int", ("12", 1), "R23"), ("int", (1, 10), "R4"),
    ("int", (float("inf"),), "R23"),
    ("int", (None,), "R4"), ("int", ("9" * 1300,), "R24"), ("int", ("9" * 100_000,), "R24"),
    ("int", ("f" * 1025, 16), "R24"), ("len", (5,), "R4"),
    ("len", (StructValue({}),), "R4"), ("len", (RecordValue({}),), "R4"), ("len", (None,), "R4"),
    ("list", ("abc",), "R4"), ("list", (range(10**7),), "R24"),
    ("max", (L([]),), "R4"), ("max", (1, "a"), "R4"), ("min", (5,), "R4"), ("min", (), "R4"),
    ("max", (True, 1), "R4"), ("range", (), "R4"),
    ("range", (1, 2, 0), "R4"), ("range", (1.0,), "R4"), ("range", (True,), "R4"), ("reversed", ("abc",), "R4"),
    ("set", (L([L([])]),), "R6"),
    ("set", ("ab",), "R4"), ("sorted", (L([1, "a"]),), "R4"), ("sorted", (L([None, None]),), "R4"),
    ("sum", (L(["a"]),), "R4"),
    ("sum", (L([True]),), "R4"), ("sum", (L([]), "a"), "R4"), ("sum", (L([2**4095, 2**4095]),), "R24"),
    ("sum", (L([2**2000, 1.0]),), "R24"),
    ("tuple", ("ab",), "R4"), ("type", (), "R4"), ("zip", ("ab", L([])), "R4"), ("enum", (1,), "R4"),
    ("enum", ("A", "A"), "R4"),
    ("enum", ("__a",), "R4"), ("enum", ("a b",), "R4"), ("genericset", ("ab",), "R4"), ("bag", (5,), "R4"),
    ("getattr", (NODE, "x"), "R3"),
    ("getattr", (NODE, 5), "R4"), ("getattr", (5, "real"), "R3"), ("math.sqrt", (-1,), "R4"),
    ("math.log", (0,), "R4"), ("math.exp", (1000,), "R24"),
    ("math.pow", (2, True), "R4"), ("math.mod", (1, 0), "R5"), ("math.remainder", (1, 0), "R5"),
    ("math.floor", (float("inf"),), "R24"),
    ("math.floor", (float("nan"),), "R4"), ("math.sqrt", (2**2000,), "R24"), ("math.sqrt", ("a",), "R4"),
    ("math.round", (float("nan"),), "R4"),
    ("math.gamma", (-1,), "R4"), ("math.log", (2, 1), "R5"), ("itertools.combinations", ((1,), -1), "R4"),
    ("itertools.combinations", ((1,),), "R4"),
    ("itertools.permutations", (range(11),), "R24"), ("itertools.combinations", (range(10**6), 10**6 - 1), "R24"),
    ("itertools.combinations", (range(10**6), 5 * 10**5), "R24"),
    ("itertools.combinations_with_replacement", (range(1000), 1000), "R24"),
    ("itertools.combinations_with_replacement", ((1,), 10**9), "R24"),
    ("itertools.permutations", (range(10**6),), "R24"),
    ("itertools.product", (range(1001), range(1000)), "R24"), ("itertools.chain", (range(10**6), (1,)), "R24"),
    ("itertools.product", ("ab",), "R4"), ("zip", tuple([range(10**6)] * 3), "R24"),
    ("repr", (L(["a" * 10**6] * 3),), "R24"),
    ("str", (L(["a" * 10**6] * 10**6),), "R24"), ("repr", ("a" * 10**6,), "R24"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "code"), PROBLEMS, ids=lambda item: str(item)[:30])
def test_problems(call: Call, problem: Call, name: str, args: tuple[Any, ...], code: str) -> None:
    """Wrong types, wrong numbers of arguments, and what would be too large, before the memory is used."""
    assert problem(call, name, *args).code == code


def test_problems_with_named_arguments(call: Call, problem: Call) -> None:
    """Unknown names, names given twice, and `repeat` beyond all bounds."""
    for name, args, kwargs, code in (
        ("len", (), {"obj": L([])}, "R4"), ("sorted", (L([]),), {"cmp": None}, "R4"),
        ("sum", ((), 1), {"start": 1}, "R4"),
        ("sum", (), {"start": 1}, "R4"), ("sorted", (L([]),), {"key": 5}, "R4"),
        ("sorted", (L([]),), {"reverse": 1}, "R4"),
        ("struct", (1,), {}, "R4"), ("record", (), {"__a": 1}, "R4"), ("struct", (), {"a b": 1}, "R4"),
        ("enum", ("A",), {"A": 1}, "R4"),
        ("itertools.product", ((1,),), {"repeat": 10**9}, "R24"),
        ("itertools.product", ((1, 2),), {"repeat": 10**9}, "R24"),
        ("itertools.product", ((1,),), {"repeat": -1}, "R4"), ("max", ((1,),), {"key": None, "item": 1}, "R4"),
    ):  # fmt: skip
        assert problem(call, name, *args, **kwargs).code == code, (name, kwargs)
    assert call("itertools.product", repeat=10**9).items == [()]
    assert problem(call, "fail", "too", ListValue([1])).text == "fail: too [1]"


def test_deepcopy(call: Call) -> None:
    """New containers with the same sharing, also in a cycle; the same role instances."""
    inner = L([1])
    record = RecordValue({"r": S([(1,)])})
    value = L([inner, inner, (inner, NODE), StructValue({"a": inner}), record, BagValue([inner])])
    value.append(value)
    value.append(GenericMap([(inner, DictValue({"k": ("k", inner)}))]))
    copy = call("deepcopy", value)
    first = copy.items[0]
    assert first is not inner and copy.items[1] is first and copy.items[2][0] is first
    assert copy.items[2][1] is NODE and copy.items[6] is copy and copy.items[5].items[0] is first
    assert copy.items[7].pairs[0][1].find("k")[1] is first
    copy.items[4].fields["r"].add(2)
    assert display(value.items[4]) == "record(r = set([(1,)]))"
    assert call("deepcopy", 5) == 5


def test_fields(problem: Call) -> None:
    """Records take new fields, structs none, instances ask their world; other values have no fields."""
    record = RecordValue({})
    set_attribute(record, "a", 1)
    set_attribute(NODE, "votes", 2)
    assert get_attribute(record, "a") == 1 and get_attribute(NODE, "votes") == 2
    assert get_attribute(SymmetricValue("k", "nominal", 1, 3), "index") == 1
    assert get_attribute(ModelValue("Node", 4), "name") == "Node"
    assert problem(set_attribute, StructValue({"a": 1}), "a", 2).code == "R10"
    assert problem(set_attribute, record, "__a", 2).code == "R3"
    assert problem(set_attribute, L([]), "a", 2).code == "R3"
    assert problem(set_attribute, ModelValue("Node", 4), "name", 2).code == "R3"
    assert problem(get_attribute, record, "b").code == "R3"
    assert problem(get_attribute, BUILTINS["math"], "sqr").hint == "did you mean 'sqrt'?"


ESCAPES = [
    "__class__", "__dict__", "__init__", "__globals__", "__call__", "__subclasses__", "__doc__", "__getattribute__",
    "__reduce__", "call",
    "function", "items_", "entries", "frozen", "iterating", "world", "method", "receiver", "real", "imag", "encode",
    "format_map", "mro",
    "translate", "change", "thaw", "members", "key", "equals", "kind", "is_true", "decode", "hex", "maketrans",
    "start", "denominator",
]  # fmt: skip


@pytest.mark.parametrize("name", ESCAPES)
def test_python_is_out_of_reach(call: Call, problem: Call, name: str) -> None:
    """No value shows an attribute of the object that stands for it, by dot or by `getattr`."""
    values: list[Any] = [
        None, True, 1, 1.5, "a", b"a", (1,), range(3), L([]), S([]), DictValue({}), BagValue([]), StructValue({}),
        RecordValue({}),
        GenericMap([]), ModelValue("N", 0), SymmetricValue("k", "nominal", 0, 1), BUILTINS["len"], BUILTINS["math"],
        get_attribute(L([]), "append"), get_attribute(BUILTINS["math"], "sin"), NODE,
    ]  # fmt: skip
    for value in values:
        assert problem(get_attribute, value, name).code == "R3"
        assert problem(call, "getattr", value, name).code == "R3"
        assert not call("hasattr", value, name)
        assert name not in attribute_names(value)


def test_no_python_error_leaks(call: Call, method: Call) -> None:
    """A builtin or method returns or raises `ModelMistake` for any values."""
    junk: list[Any] = [
        None, True, 0, -1, 2, 10**40, 1.5, math.nan, math.inf, "", "ab", "{0}", "%d", b"a", (), (1, 2), range(3),
        L([]), L([1, "a"]),
        S([1]), DictValue({1: (1, 2)}), StructValue({"a": 1}), RecordValue({"a": 1}), GenericMap([(1, 2)]),
        BagValue([1]), NODE,
        BUILTINS["len"], BUILTINS["math"], SymmetricValue("k", "nominal", 0, 1),
    ]  # fmt: skip
    names = [name for name in BUILTINS if name not in ("math", "itertools")]
    names += [f"{module}.{name}" for module in ("math", "itertools") for name in attribute_names(BUILTINS[module])]
    for args in [(), *[(a,) for a in junk], *[(a, b) for a in junk for b in junk]]:
        for name in names:
            if name not in ("math.e", "math.pi"):
                _quiet(call, name, *args)
    for value in junk:
        for name in attribute_names(value) if not isinstance(value, Instance) else ():
            if isinstance(get_attribute(value, name), Builtin) or name in ("a", "e", "pi", "name", "index"):
                continue
            for args in [(), *[(a,) for a in junk], *[(a, b) for a in junk for b in junk]]:
                _quiet(method, call("deepcopy", value), name, *args)


def _quiet(function: Call, *args: object) -> None:
    try:
        function(*args)
    except ModelMistake as problem:
        assert problem.code.startswith("R") and problem.text
