"""What builtins, methods and operators are charged: at least as much as there is to look at or to make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fizz.syntax.module import Budget
from interpreter.library import BUILTINS
from interpreter.library.attributes import METHODS
from interpreter.library.operations import BINARY, augmented, iterate, slice_of
from interpreter.values import (
    BagValue,
    Builtin,
    DictValue,
    FrozenSetValue,
    GenericMap,
    GenericSet,
    ListValue,
    ModuleValue,
    SetValue,
    StructValue,
    equal,
)
from interpreter.values.budget import METER
from interpreter.values.freeze import display
from interpreter.values.problem import ModelMistake

SIZE = 4_000
Case = Callable[[int], tuple[Any, ...]]


def numbers(count: int) -> ListValue:
    return ListValue(list(range(count)))


def text(count: int) -> str:
    return "a" * 16 * count


def words(count: int) -> ListValue:
    return ListValue(["word"] * count)


def table(count: int) -> DictValue:
    return DictValue({i: (i, i) for i in range(count)})


def group(count: int) -> SetValue:
    return SetValue({i: i for i in range(count)})


def frozen(count: int) -> FrozenSetValue:
    return FrozenSetValue({i: i for i in range(count)})


def generic(count: int) -> GenericSet:
    return GenericSet(list(range(count)))


def relation(count: int) -> GenericMap:
    return GenericMap([(i, i) for i in range(count)])


def bag(count: int) -> BagValue:
    return BagValue(list(range(count)))


def changing(count: int) -> list[object]:
    return [ListValue([i]) for i in range(count)]


LONG: dict[str, Case] = {
    **{name: lambda n: (numbers(n),) for name in (
        "max", "min", "bag", "bytes", "deepcopy", "enumerate", "frozenset", "genericset", "list", "repr", "reversed",
        "set", "sorted", "str", "sum", "tuple", "zip",
    )},
    "all": lambda n: (ListValue([True] * n),),
    "any": lambda n: (ListValue([False] * n),),
    "bytes": lambda n: (text(n),),
    "dict": lambda n: (table(n),),
    "genericmap": lambda n: (table(n),),
    "hash": lambda n: (text(n),),
    "fail": lambda n: (numbers(n),),
    "itertools.chain": lambda n: (numbers(n), numbers(n)),
    "itertools.combinations": lambda n: (numbers(n), 1),
    "itertools.combinations_with_replacement": lambda n: (numbers(n), 1),
    "itertools.permutations": lambda n: (numbers(n), 1),
    "itertools.product": lambda n: (numbers(n),),
    **{f"string.{name}": lambda n: (text(n),) for name in (
        "capitalize", "elems", "isalnum", "isalpha", "isdigit", "islower", "isspace", "istitle", "isupper", "lower",
        "lstrip", "rstrip", "rsplit", "split", "splitlines", "strip", "title", "upper", "format",
    )},
    **{f"string.{name}": lambda n: (text(n), "b") for name in (
        "count", "find", "partition", "removeprefix", "removesuffix", "rfind", "rpartition",
    )},
    **{f"string.{name}": lambda n: (text(n), text(n)) for name in ("endswith", "startswith")},
    **{f"string.{name}": lambda n: (text(n), "a") for name in ("index", "rindex")},
    "string.join": lambda n: ("", words(n)),
    "string.replace": lambda n: (text(n), "a", "b"),
    "list.count": lambda n: (numbers(n), -1),
    "list.extend": lambda n: (numbers(1), numbers(n)),
    "list.index": lambda n: (numbers(n), n - 1),
    "list.insert": lambda n: (numbers(16 * n), 0, 0),
    "list.pop": lambda n: (numbers(16 * n), 0),
    "list.remove": lambda n: (numbers(n), n - 1),
    "list.reverse": lambda n: (numbers(n),),
    "list.sort": lambda n: (numbers(n),),
    **{f"dict.{name}": lambda n: (table(n),) for name in ("items", "keys", "values")},
    "dict.popitem": lambda n: (table(16 * n),),
    "dict.update": lambda n: (table(1), table(n)),
    **{f"genericmap.{name}": lambda n: (relation(n),) for name in ("items", "keys", "values", "popitem")},
    "genericmap.update": lambda n: (relation(1), table(n)),
    **{f"genericmap.{name}": lambda n: (GenericMap([(k, 0) for k in changing(n)]), ListValue([-1])) for name in (
        "get", "setdefault",
    )},
    "genericmap.pop": lambda n: (relation(n), 0),
    **{f"set.{name}": lambda n: (group(n), group(n)) for name in (
        "difference", "intersection", "issubset", "issuperset", "symmetric_difference", "union", "update",
    )},
    "set.pop": lambda n: (group(16 * n),),
    **{f"frozenset.{name}": lambda n: (frozen(n), frozen(n)) for name in (
        "difference", "intersection", "issubset", "issuperset", "symmetric_difference", "union",
    )},
    **{f"genericset.{name}": lambda n: (generic(n), generic(n)) for name in (
        "difference", "intersection", "issubset", "issuperset", "symmetric_difference", "union",
    )},
    "genericset.add": lambda n: (GenericSet(changing(n)), ListValue([-1])),
    "genericset.discard": lambda n: (GenericSet(changing(n)), ListValue([-1])),
    "genericset.remove": lambda n: (generic(n), 0),
    "genericset.pop": lambda n: (generic(n),),
    "bag.add_all": lambda n: (bag(1), numbers(n)),
    "bag.count": lambda n: (bag(n), -1),
    "bag.discard": lambda n: (BagValue(changing(n)), ListValue([-1])),
    "bag.remove": lambda n: (bag(n), 0),
    "bag.pop": lambda n: (bag(n),),
}  # fmt: skip
"""Arguments of size n for all that has more to do the more there is."""

QUICK = {
    "abs", "bool", "chr", "dir", "enum", "float", "getattr", "hasattr", "int", "len", "ord", "range", "record",
    "struct", "type", "list.append", "list.clear", "dict.clear", "dict.get", "dict.pop", "dict.setdefault", "set.add",
    "set.clear", "set.discard", "set.remove", "genericset.clear", "genericmap.clear", "bag.add", "bag.clear",
}  # fmt: skip
"""Functions whose time depends on the number of arguments only; `math` takes numbers only."""


def builtins() -> Iterator[tuple[str, Builtin]]:
    """All functions and methods, by name."""
    for name, value in BUILTINS.items():
        if isinstance(value, ModuleValue):
            members = ((f"{name}.{inner}", member) for inner, member in value.members.items())
            yield from ((full, member) for full, member in members if isinstance(member, Builtin) and name != "math")
        elif isinstance(value, Builtin):
            yield name, value
    for kind, methods in METHODS.items():
        yield from ((f"{kind}.{name}", method) for name, method in methods.items())


@pytest.fixture(autouse=True)
def wide_limits() -> Iterator[None]:
    METER.begin(Budget(charges=10**12, held=10**12))
    yield
    METER.end()


def charged(function: Callable[..., object], arguments: tuple[Any, ...]) -> int:
    """What a call is charged, whether it succeeds or not."""
    before = METER.count
    try:
        function(*arguments)
    except ModelMistake as problem:
        assert problem.code in ("R17", "R2"), problem
    return METER.count - before


@pytest.mark.parametrize(("name", "builtin"), list(builtins()), ids=[name for name, _ in builtins()])
def test_builtins(name: str, builtin: Builtin) -> None:
    """Each builtin and method is known to take constant time, or is charged at least one for each element or for 16
    characters; so is one that is added later."""
    assert (name in LONG) != (name in QUICK), "say what it costs"
    if name in LONG:
        assert charged(builtin.function, LONG[name](SIZE)) >= SIZE
        assert charged(builtin.function, LONG[name](2 * SIZE)) >= 2 * SIZE


OPERATIONS: dict[str, Case] = {
    **{op: lambda n: (group(n), group(n)) for op in ("-", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=")},
    "+": lambda n: (numbers(n), numbers(n)),
    "*": lambda n: (ListValue([0]), n),
    "%": lambda n: (text(n), ()),
    "in": lambda n: (-1, numbers(n)),
    "not in": lambda n: (-1, numbers(n)),
}
SCALARS = {"/", "//", "<<", ">>"}
"""Operators of numbers alone."""


@pytest.mark.parametrize("op", BINARY)
def test_operators(op: str) -> None:
    """Each binary operator that takes collections is charged what it visits."""
    assert (op in OPERATIONS) != (op in SCALARS), "say what it costs"
    if op in OPERATIONS:
        assert charged(BINARY[op], OPERATIONS[op](SIZE)) >= SIZE


@pytest.mark.parametrize(
    ("what", "case"),
    [
        (BINARY["+"], lambda n: (text(n), text(n))),
        (BINARY["+"], lambda n: (tuple(range(n)), (1,))),
        (BINARY["*"], lambda n: ("a", 16 * n)),
        (BINARY["in"], lambda n: ("b", text(n))),
        (BINARY["=="], lambda n: (text(n), text(n)[1:] + "a")),
        (BINARY["=="], lambda n: (numbers(n), numbers(n))),
        (BINARY["=="], lambda n: (table(n), table(n))),
        (BINARY["=="], lambda n: (generic(n), generic(n))),
        (BINARY["<"], lambda n: (numbers(n), numbers(n))),
        (BINARY["<"], lambda n: (text(n), text(n)[1:] + "a")),
        (BINARY["|"], lambda n: (table(n), table(n))),
        (BINARY["in"], lambda n: (tuple(range(n)), group(3))),
        (BINARY["in"], lambda n: (StructValue({"a": tuple(range(n))}), group(3))),
        (BINARY["in"], lambda n: (text(n), group(3))),
        (lambda log, more: augmented("+", log, more), lambda n: (numbers(1), numbers(n))),
        (lambda log: slice_of(log, None, None, None), lambda n: (numbers(n),)),
        (iterate, lambda n: (group(n),)),
        (iterate, lambda n: (SetValue({i: (i, "x") for i in range(n)}),)),
        (iterate, lambda n: (range(n),)),
    ],
)
def test_operations(what: Callable[..., object], case: Case) -> None:
    """So are operators on other types, slices and iteration."""
    assert charged(what, case(SIZE)) >= SIZE


def test_identity_makes_nothing_cheaper() -> None:
    """A value compared with itself costs what it costs to compare it with an equal one: engines differ in that."""
    one: Any = tuple((i, (i,)) for i in range(100))
    other: Any = tuple((i, (i,)) for i in range(100))
    assert charged(equal, (one, one)) == charged(equal, (one, other)) > 300
    copy = BUILTINS["deepcopy"]
    assert isinstance(copy, Builtin)
    twice, apart = ListValue([one, one]), ListValue([one, other])
    assert charged(copy.function, (twice,)) == charged(copy.function, (apart,)) > 400


def test_what_is_charged_is_made() -> None:
    """A charge beyond the budget comes before the work: nothing large is made first."""
    METER.begin(Budget(charges=1000))
    with pytest.raises(ModelMistake) as caught:
        BINARY["*"](ListValue([0]), 1_000_000)
    assert caught.value.code == "R20"


def test_the_hook_is_called() -> None:
    """At least once in 10,000 charges, and what it raises ends the step."""
    METER.begin(Budget())
    seen: list[int] = []
    METER.hook = lambda: seen.append(METER.count)
    try:
        for _ in range(100_000):
            METER.charge(1)
    finally:
        METER.hook = None
    gaps = [after - before for before, after in zip([0, *seen], [*seen, 100_000], strict=True)]
    assert len(seen) >= 9 and max(gaps) <= 10_001


def test_a_text_is_refused_before_it_is_put_together() -> None:
    """Each element counts each time it is written, also one that was met before: a list may hold one list often."""
    inner = ListValue([0] * 1_000)

    class Counted(list[object]):
        count = 0

        def __iter__(self) -> Iterator[object]:
            for item in super().__iter__():
                Counted.count += 1
                yield item

    outer = ListValue(Counted([inner] * 1_000))
    with pytest.raises(ModelMistake) as caught:
        display(outer, most=5_000)
    assert caught.value.code == "R24"
    assert Counted.count == 5
