"""Operators, brackets and iteration on runtime values (language page, 5.1, 6.5)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from interpreter.library import BUILTINS, deepcopy
from interpreter.library.operations import (
    augmented,
    binary,
    contains,
    get_attribute,
    index,
    iterate,
    iterate_live,
    set_attribute,
    set_index,
    slice_of,
    unary,
)
from interpreter.values import (
    BagValue,
    DictValue,
    GenericMap,
    GenericSet,
    Instance,
    ListValue,
    ModelValue,
    RecordValue,
    SetValue,
    StructValue,
    SymmetricValue,
    mark_frozen,
)
from interpreter.values.basis import truth, type_name
from interpreter.values.freeze import display
from interpreter.values.problem import ModelMistake

L, S, T = ListValue, SetValue.of, StructValue
WORLD: Any = object()
NODE = Instance(WORLD, "Node", 0)


def d(*pairs: tuple[object, object]) -> DictValue:
    made = DictValue({})
    made.update(pairs)
    return made


def sym(kind: str, i: int | Fraction, domain: str = "k", limit: int | None = 5) -> SymmetricValue:
    return SymmetricValue(domain, kind, i, limit)


RESULTS: list[tuple[Any, str, Any, str]] = [
    (1, "+", 2, "3"), (1, "+", 2.5, "3.5"), ("a", "+", "b", '"ab"'), (b"a", "+", b"b", 'b"ab"'),
    (L([1]), "+", L([2]), "[1, 2]"), ((1,), "+", (2,), "(1, 2)"),
    (T({"a": 1, "b": 1}), "+", T({"b": 2}), "struct(a = 1, b = 2)"),
    (5, "-", 7, "-2"), (S([1, 2, 3]), "-", S([2]), "set([1, 3])"),
    (3, "*", 4, "12"), ("ab", "*", 2, '"abab"'), (2, "*", L([0]), "[0, 0]"), ("ab", "*", -3, '""'),
    ((), "*", 10**30, "()"),
    ("a", "*", -(10**30), '""'), (7, "/", 2, "3.5"), (6, "/", 2, "3.0"), (-7, "//", 2, "-4"), (7, "//", -2, "-4"),
    (-7, "%", 3, "2"), (7, "%", -3, "-2"), (7.5, "//", 2, "3.0"), (2**600, "/", 2**599, "2.0"),
    (6, "&", 3, "2"), (6, "|", 3, "7"), (6, "^", 3, "5"), (1, "<<", 4, "16"), (-16, ">>", 2, "-4"),
    (0, "<<", 10**30, "0"), (5, ">>", 10**6, "0"),
    (S([1, 2]), "|", S([2, 3]), "set([1, 2, 3])"), (S([1, 2]), "&", S([2, 3]), "set([2])"),
    (S([1, 2]), "^", S([2, 3]), "set([1, 3])"), (d((1, "a")), "|", d((1, "b"), (2, "c")), '{1: "b", 2: "c"}'),
    ("%s-%d", "%", ("x", 3), '"x-3"'),
    (1, "==", 1.0, "True"), (True, "==", 1, "False"), (False, "==", 0.0, "False"), (L([1]), "==", (1,), "False"),
    (L([1]), "==", L([1.0]), "True"), (d((1, 2)), "==", d((1.0, 2)), "True"), (d((1, 2)), "==", d((True, 2)), "False"),
    (T({"a": 1}), "==", RecordValue({"a": 1}), "False"), (T({"a": 1}), "==", d(("a", 1)), "False"),
    (RecordValue({"a": 1}), "==", RecordValue({"a": 1.0}), "True"),
    (BagValue([1, 2, 1]), "==", BagValue([2, 1, 1]), "True"),
    (BagValue([1, 2]), "==", BagValue([2, 2]), "False"),
    (GenericSet([L([1]), 2]), "==", GenericSet([2, L([1])]), "True"),
    (GenericMap([(L([]), 1)]), "==", GenericMap([(L([]), 1)]), "True"), (None, "==", False, "False"),
    ("1", "==", b"1", "False"),
    (range(3), "==", range(0, 3, 1), "True"), (range(3), "==", (0, 1, 2), "False"),
    (float("nan"), "==", float("nan"), "True"),
    (NODE, "==", Instance(WORLD, "Node", 0), "True"), (NODE, "!=", Instance(WORLD, "Node", 1), "True"),
    (ModelValue("Node", 0), "==", NODE, "False"), (ModelValue("Node", 0), "==", ModelValue("Node", 0), "True"),
    (1, "<", 1.5, "True"), ("a", "<", "b", "True"), ("Z", "<", "a", "True"), (b"a", "<=", b"a", "True"),
    (False, "<", True, "True"), (L([1, 2]), "<", L([1, 3]), "True"), ((1,), "<", (1, 0), "True"),
    (L([]), ">=", L([]), "True"),
    (L([1, "a"]), "<", L([2, 3]), "True"), (float("nan"), ">", float("inf"), "True"), (2**70, ">", 1e20, "True"),
    (S([1]), "<=", S([1, 2]), "True"), (S([1]), "<", S([1]), "False"), (S([1, 2]), ">", S([2]), "True"),
    (S([1]), "<=", S([2]), "False"),
    (GenericSet([L([])]), "<", GenericSet([1, L([])]), "True"), (GenericSet([1]), ">=", GenericSet([]), "True"),
    (sym("interval", 2), "+", 3, "k5"), (3, "+", sym("interval", 2), "k5"), (sym("interval", 2), "-", 3, "k-1"),
    (sym("rotational", 4), "+", 3, "k2"), (sym("rotational", 1), "-", sym("rotational", 4), "2"),
    (sym("interval", 1), "-", sym("interval", 4), "-3"),
    (sym("ordinal", 1), "<", sym("ordinal", Fraction(3, 2)), "True"),
    (sym("interval", 1), ">=", sym("interval", 1), "True"), (sym("nominal", 1), "==", sym("nominal", 1), "True"),
    (2, "in", L([1, 2.0]), "True"), (True, "in", L([1]), "False"), (1, "in", d((1.0, 0)), "True"),
    (True, "in", d((1, 0)), "False"),
    ("b", "in", "abc", "True"), ("", "in", "", "True"), (97, "in", b"a", "True"), (b"", "in", b"a", "True"),
    (300, "in", b"a", "False"),
    (1.0, "in", range(3), "True"), (True, "in", range(3), "False"), ("a", "in", range(3), "False"),
    (10**40, "in", range(10**50), "True"),
    (L([]), "in", GenericSet([L([])]), "True"), (L([]), "in", GenericMap([(L([]), 1)]), "True"),
    (1, "in", BagValue([1, 1]), "True"),
    (1, "not in", (1, 2), "False"), (3, "not in", S([1]), "True"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "op", "right", "text"), RESULTS)
def test_binary(left: Any, op: str, right: Any, text: str) -> None:
    """Results, by their display text, which distinguishes int, float and bool."""
    assert display(binary(op, left, right)) == text


PROBLEMS: list[tuple[Any, str, Any, str]] = [
    (True, "+", 1, "R4"), (1, "-", False, "R4"), (True, "*", 2, "R4"), ("a", "*", True, "R4"), ("a", "*", 1.0, "R4"),
    (True, "|", True, "R4"), (1, "&", True, "R4"), (1.0, "&", 1, "R4"), ("a", "+", 1, "R4"), (L([]), "+", (), "R4"),
    (None, "+", None, "R4"), (d(), "+", d(), "R4"), (d(), "-", d(), "R4"), (S([]), "+", S([]), "R4"),
    (GenericSet([]), "|", GenericSet([]), "R4"), (T({}), "+", RecordValue({}), "R4"), (NODE, "+", 1, "R4"),
    (1, "/", 0, "R5"), (1, "//", 0, "R5"), (1, "%", 0, "R5"), (1.0, "/", 0.0, "R5"), (1.0, "%", 0, "R5"),
    (1, "<<", -1, "R4"), (1, ">>", -1, "R4"), (1, "<<", 1.0, "R4"),
    (1, "<", "a", "R4"), (True, "<", 2, "R4"), (None, "<", None, "R4"), (L([1]), "<", (1,), "R4"),
    (L([1]), "<", L(["a"]), "R4"),
    (d(), "<", d(), "R4"), (S([]), "<", L([]), "R4"), (T({}), "<", T({}), "R4"), (range(1), "<", range(2), "R4"),
    (BagValue([]), "<=", BagValue([]), "R4"), (NODE, "<", NODE, "R4"),
    (sym("nominal", 1), "<", sym("nominal", 2), "R14"), (sym("rotational", 1), "<", sym("rotational", 2), "R14"),
    (sym("nominal", 1), "==", sym("nominal", 1, "j"), "R14"), (sym("ordinal", 1), "<", sym("ordinal", 1, "j"), "R14"),
    (sym("interval", 1), "-", sym("interval", 1, "j"), "R14"), (sym("nominal", 1), "+", 1, "R4"),
    (sym("ordinal", 1), "-", 1, "R4"), (sym("nominal", 1), "-", sym("nominal", 1), "R4"),
    (sym("interval", 1), "+", True, "R4"),
    (1, "in", "a", "R4"), (1, "in", 5, "R4"), ("a", "in", b"a", "R4"), (1, "in", T({}), "R4"),
    (1, "in", RecordValue({}), "R4"),
    (L([]), "in", S([1]), "R6"), (d(), "in", d(), "R6"), ((L([]),), "in", S([]), "R6"),
    (T({"a": L([])}), "in", S([]), "R6"),
    (GenericSet([]), "in", S([]), "R6"), (2**4095, "*", 2, "R24"), (1, "<<", 4096, "R24"),
    (2**4095, "+", 2**4095, "R24"),
    (2**2000, "/", 1, "R24"), (2**2000, "+", 1.0, "R24"), ("ab", "*", 500_001, "R24"), (L([0]), "*", 10**30, "R24"),
    ("a" * 600_000, "+", "a" * 600_000, "R24"), (L([0] * 600_000), "+", L([0] * 600_000), "R24"),
    ((0,), "*", 10**7, "R24"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "op", "right", "code"), PROBLEMS, ids=lambda item: str(item)[:20])
def test_binary_problems(left: Any, op: str, right: Any, code: str) -> None:
    """What an operator does not take, by code."""
    with pytest.raises(ModelMistake) as caught:
        binary(op, left, right)
    assert caught.value.code == code


def test_unary() -> None:
    """Signs and `~` are for numbers, `not` for everything."""
    assert unary("-", 5) == -5 and unary("+", 1.5) == 1.5 and unary("~", 5) == -6
    assert unary("not", ListValue([])) is True and unary("not", "a") is False
    for op, value in (("-", True), ("+", "a"), ("~", 1.0), ("~", False), ("-", None)):
        with pytest.raises(ModelMistake) as caught:
            unary(op, value)
        assert caught.value.code == "R4"


def test_truth_and_types() -> None:
    """False are None, False, zero, and everything of length 0; every value names its type."""
    empty: list[Any] = [L([]), d(), S([]), GenericSet([]), GenericMap([]), BagValue([])]
    false: list[Any] = [None, False, 0, 0.0, -0.0, "", b"", (), range(0), *empty]
    true = [True, -1, float("nan"), "0", (0,), range(1), L([0]), NODE, T({}), RecordValue({}), sym("nominal", 0)]
    assert not any(truth(value) for value in false)
    assert all(truth(value) for value in true)
    names = "NoneType bool int float float string bytes tuple range list dict set genericset genericmap bag".split()
    assert [type_name(value) for value in false] == names
    assert [type_name(v) for v in (NODE, T({}), RecordValue({}), ModelValue("N", 0), sym("nominal", 0))] == [
        "role", "struct", "record", "model_value", "symmetric_value",
    ]  # fmt: skip
    assert type_name(BUILTINS["len"]) == "function" and type_name(BUILTINS["math"]) == "module"


def test_index() -> None:
    """Lists, tuples, strings, bytes, ranges, dicts and genericmaps; negative indexes count from the end."""
    assert index(L([1, 2]), -1) == 2
    assert index((1, 2), 0) == 1
    assert index("abc", 1) == "b"
    assert index(b"abc", 1) == 98
    assert index(range(0, 10**40, 2), 10**39) == 2 * 10**39
    assert index(d((1, "a")), 1.0) == "a"
    assert index(GenericMap([(L([1]), "a")]), L([1])) == "a"


@pytest.mark.parametrize(
    ("value", "place", "code"),
    [
        (L([1]), 1, "R2"), (L([1]), -2, "R2"), ("", 0, "R2"), (L([1]), 10**30, "R2"), (L([1]), True, "R4"),
        (L([1]), "a", "R4"),
        (L([1]), 0.0, "R4"), (d((1, 2)), 2, "R2"), (d((1, 2)), True, "R2"), (d(), L([]), "R6"),
        (GenericMap([]), 1, "R2"),
        (S([1]), 0, "R4"), (BagValue([1]), 0, "R4"), (T({"a": 1}), "a", "R4"), (5, 0, "R4"), (None, 0, "R4"),
        (NODE, 0, "R4"),
    ],
)  # fmt: skip
def test_index_problems(value: Any, place: Any, code: str) -> None:
    """R2 for what is not there, R4 for what can not be asked."""
    with pytest.raises(ModelMistake) as caught:
        index(value, place)
    assert caught.value.code == code


def test_messages_show_the_container_shortened() -> None:
    """R2 shows the container, cut where it is long, and near keys."""
    with pytest.raises(ModelMistake) as caught:
        index(L(list(range(1000))), 1000)
    assert "[0, 1, 2, 3" in caught.value.text and "..." in caught.value.text and len(caught.value.text) < 150
    with pytest.raises(ModelMistake) as caught:
        index(d(("leader", 1)), "laeder")
    assert caught.value.hint == "did you mean 'leader'?"
    deep: Any = ()
    for _ in range(300):
        deep = (deep,)
    with pytest.raises(ModelMistake) as caught:
        index(deep, 1)
    assert caught.value.code == "R2"


def test_slices() -> None:
    """As in Python; the result has the type of the whole."""
    assert display(slice_of(L([1, 2, 3]), 1, None, None)) == "[2, 3]"
    assert slice_of("abc", None, None, -1) == "cba"
    assert slice_of((1, 2, 3), -2, 10**30, None) == (2, 3)
    assert slice_of(b"abc", 0, 1, None) == b"a"
    assert display(slice_of(range(10), 2, 8, 2)) == "range(2, 8, 2)"
    for value, step in ((L([]), 0), (L([]), "a"), (L([]), True), (d(), None), (S([]), None)):
        with pytest.raises(ModelMistake) as caught:
            slice_of(value, None, None, step)
        assert caught.value.code == "R4"


def test_set_index() -> None:
    """Lists, dicts and genericmaps; a key that is there keeps its form."""
    log, table, relation = L([1, 2]), d((1, "a")), GenericMap([])
    set_index(log, -1, 5)
    set_index(table, 1.0, "b")
    set_index(table, True, "c")
    set_index(relation, L([]), 1)
    set_index(relation, L([]), 2)
    assert [display(v) for v in (log, table, relation)] == ["[1, 5]", '{True: "c", 1: "b"}', "genericmap({[]: 2})"]
    refused: list[Any] = [((1,), 0, "R4"), ("a", 0, "R4"), (log, 2, "R2"), (table, L([]), "R6"), (T({}), "a", "R4")]
    for value, place, code in refused:
        with pytest.raises(ModelMistake) as caught:
            set_index(value, place, 0)
        assert caught.value.code == code


def test_iteration() -> None:
    """Loops and choices see a copy; sets come in canonical order, dicts give keys as inserted, bags are canonical."""
    log = L([2, 1])
    seen = iterate(log)
    log.append(3)
    assert seen == [2, 1]
    assert iterate(S(["b", "a"])) == ["a", "b"]
    assert list(iterate_live(S(["b", "a"]))) == ["b", "a"]
    assert iterate(d(("b", 1), ("a", 2))) == ["b", "a"]
    assert iterate(BagValue([3, 1, 3])) == [1, 3, 3]
    assert iterate(GenericSet(["b", "a"])) == ["a", "b"]
    assert iterate(GenericMap([(2, 0), (1, 0)])) == [2, 1]
    assert iterate(range(3)) == [0, 1, 2] and iterate(b"a") == [97] and iterate((1,)) == [1]
    for value in ("abc", 5, None, T({}), RecordValue({}), NODE):
        with pytest.raises(ModelMistake) as caught:
            iterate(value)
        assert caught.value.code == "R4"
    with pytest.raises(ModelMistake) as caught:
        iterate(range(10**30))
    assert caught.value.code == "R24"


def run(value: object, name: str, *args: object) -> Any:
    method: Any = get_attribute(value, name)
    return method.call(args, {})


def test_changing_while_iterating() -> None:
    """R8 during a live iteration, fine after it was closed, also early."""
    values: list[Any] = [L([1, 2]), d((1, 1)), S([1]), GenericSet([1]), GenericMap([(1, 1)]), BagValue([1])]
    for value in values:
        for _ in iterate_live(value):
            with pytest.raises(ModelMistake) as caught:
                run(value, "clear")
            assert caught.value.code == "R8"
        running: Any = iterate_live(value)
        next(running)
        assert value.iterating == 1
        running.close()
        assert value.iterating == 0
        run(value, "clear")
        assert value.size() == 0


def test_augmented_changes_in_place() -> None:
    """Lists, sets and dicts stay the same object; others are new."""
    log, group, table = L([1]), S([1, 2]), d((1, 1))
    assert augmented("+", log, (2, 3)) is log and log.items == [1, 2, 3]
    assert augmented("+", log, log) is log and len(log.items) == 6
    assert augmented("*", log, 0) is log and log.items == []
    assert augmented("|", group, S([3])) is group and display(group) == "set([1, 2, 3])"
    assert augmented("-", group, group) is group and not truth(group)
    assert augmented("^", group, S([4])) is group and augmented("&", group, S([])) is group
    assert augmented("|", table, d((2, 2))) is table and display(table) == "{1: 1, 2: 2}"
    assert augmented("+", 1, 2) == 3 and augmented("%", "%d", 5) == "5" and augmented("+", (1,), (2,)) == (1, 2)
    for op, left, right in (("+", L([]), "ab"), ("+", L([]), 1), ("|", S([]), L([])), ("+", d(), d())):
        with pytest.raises(ModelMistake) as caught:
            augmented(op, left, right)
        assert caught.value.code == "R4"


def test_constants_are_frozen() -> None:
    """R7 for every change, at every depth; copies may be changed."""
    inner = L([1])
    constant: Any = T({"a": (d((1, inner)), RecordValue({"f": S([1])}), BagValue([GenericSet([GenericMap([])])]))})
    mark_frozen(constant)
    table, record, bag = constant.fields["a"]
    group = record.fields["f"]
    changes: list[Any] = [
        lambda: inner.append(1),
        lambda: augmented("+", inner, L([])),
        lambda: augmented("*", inner, 1),
        lambda: set_index(inner, 0, 1),
        lambda: set_index(table, 1, 1),
        lambda: set_attribute(record, "f", 1),
        lambda: augmented("|", group, S([1])),
        lambda: group.add(1),
        lambda: bag.extend([1]),
        lambda: bag.items[0].add(1),
        lambda: bag.items[0].items[0].put(1, 1),
        lambda: run(group, "discard", 9),
        lambda: run(table, "pop", 9, None),
        lambda: run(inner, "sort"),
    ]
    for change in changes:
        with pytest.raises(ModelMistake) as caught:
            change()
        assert caught.value.code == "R7"
    binary("+", inner, L([2]))
    copy: Any = deepcopy(constant)
    copy.fields["a"][0].put(2, 2)
    one = L([])
    one.append(one)
    mark_frozen(one)
    assert one.frozen


def test_contains_is_by_equality() -> None:
    """Membership in lists is `==`, and so R14 where that is."""
    with pytest.raises(ModelMistake) as caught:
        contains(sym("nominal", 0), L([sym("nominal", 0, "j")]))
    assert caught.value.code == "R14"
    assert not contains(sym("nominal", 0), S([sym("nominal", 0, "j")]))
