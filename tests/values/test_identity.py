"""Display text, JSON, canonical order and parts, as the language page spells them (5.5, 5.6.1)."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import pytest

from interpreter.library.constructors import deepcopy
from interpreter.state.parked import FrameShape
from interpreter.values import (
    BagValue,
    BoundMethod,
    Builtin,
    Channel,
    DictValue,
    GenericMap,
    GenericSet,
    Instance,
    ListValue,
    ModelValue,
    ModuleValue,
    RecordValue,
    SetValue,
    StructValue,
    Stub,
    SymmetricValue,
)
from interpreter.values import freeze as freezing
from interpreter.values.access import iterate
from interpreter.values.budget import METER
from interpreter.values.freeze import _in_order as in_order
from interpreter.values.freeze import freeze, thaw
from interpreter.values.intern import Interner, Tag, add_keys
from interpreter.values.key_parts import digest
from interpreter.values.problem import ModelMistake

WORLD: Any = object()
NODE = Instance(WORLD, "Node", 0)
NET = Channel(0, "Net")


def table(*pairs: tuple[object, object]) -> DictValue:
    made = DictValue({})
    made.update(pairs)
    return made


TABLE: list[tuple[Any, str, str]] = [
    (None, "None", "null"),
    (True, "True", "true"),
    (False, "False", "false"),
    (3, "3", "3"),
    (-(2**70), "-1180591620717411303424", "-1180591620717411303424"),
    (1.0, "1.0", "1.0"),
    (-0.0, "-0.0", "-0.0"),
    (1e22, "1e+22", "1e+22"),
    (float("inf"), "inf", '{"$float":"inf"}'),
    (-float("inf"), "-inf", '{"$float":"-inf"}'),
    (float("nan"), "nan", '{"$float":"nan"}'),
    ("a\n", '"a\\n"', '"a\\n"'),
    ('ä"\\', '"ä\\"\\\\"', '"ä\\"\\\\"'),
    ("\ud800", '"\\ud800"', '"\\ud800"'),
    (b"a\x00", 'b"a\\x00"', '{"$bytes":"6100"}'),
    (b'"\\\n\xff', 'b"\\"\\\\\\n\\xff"', '{"$bytes":"225c0aff"}'),
    (ListValue([1, 2]), "[1, 2]", "[1,2]"),
    ((1, 2), "(1, 2)", '{"$tuple":[1,2]}'),
    ((1,), "(1,)", '{"$tuple":[1]}'),
    ((), "()", '{"$tuple":[]}'),
    (range(3), "range(0, 3)", '{"$range":[0,3,1]}'),
    (range(0, 6, 2), "range(0, 6, 2)", '{"$range":[0,6,2]}'),
    (SetValue.of([2, 1]), "set([1, 2])", '{"$set":[1,2]}'),
    (table(("a", 1)), '{"a": 1}', '{"a":1}'),
    (table(), "{}", "{}"),
    (table(("b", 1), ("a", 2)), '{"a": 2, "b": 1}', '{"a":2,"b":1}'),
    (table(("$a", 1)), '{"$a": 1}', '{"$dict":[["$a",1]]}'),
    (table((1, 2), ("a", 3)), '{1: 2, "a": 3}', '{"$dict":[[1,2],["a",3]]}'),
    (StructValue({"b": 2, "a": 1}), "struct(a = 1, b = 2)", '{"$struct":{"a":1,"b":2}}'),
    (RecordValue({"a": 1}), "record(a = 1)", '{"$record":{"a":1}}'),
    (GenericSet([1]), "genericset([1])", '{"$genericset":[1]}'),
    (GenericMap([(1, 2)]), "genericmap({1: 2})", '{"$genericmap":[[1,2]]}'),
    (BagValue([1, 1]), "bag([1, 1])", '{"$bag":[1,1]}'),
    (NODE, "Node#0", '{"$role":"Node#0"}'),
    (ModelValue("Node", 0), "Node0", '{"$id":["Node",0]}'),
    (SymmetricValue("k", "nominal", 1, 3), "k1", '{"$sym":["k",1]}'),
    (NET, "Channel#0", '{"$channel":0}'),
    (Stub(NET, NODE), "stub(Channel#0, Node#0)", '{"$stub":[0,"Node#0"]}'),
]


@pytest.mark.parametrize(("value", "text", "json"), TABLE, ids=lambda item: str(item)[:30])
def test_texts(value: Any, text: str, json: str) -> None:
    """The table of 5.5, literally, and its corners."""
    interner = Interner()
    number = freeze(value, interner)
    assert interner.text(number) == text
    assert interner.json(number) == json


def test_canonical_order_of_types() -> None:
    """None, bool, int, float, string, bytes, tuple, model value, symmetric, role, range, struct, list, dict, set,
    record, genericset, bag, genericmap, stub, channel; within a type by value, -0.0 before 0.0, nan last."""
    values: list[Any] = [
        None, False, True, -1, 10, -float("inf"), -0.0, 0.0, 1.5, float("inf"), float("nan"), "", "Z", "a", "aa", b"",
        (), (1,), (1, 2), (2,), ModelValue("N", 1), ModelValue("N", 10), SymmetricValue("k", "nominal", 2, None), NODE,
        Instance(WORLD, "Node", 1), range(3), StructValue({}), StructValue({"a": 1}), StructValue({"a": 1, "b": 0}),
        StructValue({"a": 2}), StructValue({"b": 0}), ListValue([]), ListValue([None]), ListValue([1]), table(),
        table(("a", 2)), table(("a", 2), ("b", 0)), table(("b", 1)), SetValue.of([2, 1]), SetValue.of([2]),
        RecordValue({}), GenericSet([]), BagValue([]), GenericMap([]), Stub(NET, NODE), NET,
    ]  # fmt: skip
    interner = Interner()
    ids = [freeze(value, interner) for value in values]
    assert sorted(ids[1:] + ids[:1], key=interner.order_key) == ids
    assert list(Tag) == sorted(Tag)


def test_unordered_values_are_sorted_in_identity() -> None:
    """The history of a set, dict, bag or record does not matter; that of a list does."""
    interner = Interner()
    assert freeze(SetValue.of(["b", "a"]), interner) == freeze(SetValue.of(["a", "b"]), interner)
    assert freeze(BagValue([2, 1, 2]), interner) == freeze(BagValue([2, 2, 1]), interner)
    assert freeze(BagValue([2, 1]), interner) != freeze(BagValue([2, 2, 1]), interner)
    assert freeze(table(("b", 1), ("a", 2)), interner) == freeze(table(("a", 2), ("b", 1)), interner)
    assert freeze(ListValue([1, 2]), interner) != freeze(ListValue([2, 1]), interner)
    thawed: Any = thaw(freeze(SetValue.of(["b", "a"]), interner), interner, WORLD, lambda _: None)
    assert list(thawed.entries.values()) == ["a", "b"]


def test_elements_that_became_equal_are_one() -> None:
    """A genericset whose elements were changed to be alike has one of them after the yield; a map keeps the first."""
    interner = Interner()
    one, two = ListValue([]), ListValue([1])
    group, relation = GenericSet.of([one, two]), GenericMap([(one, "first"), (two, "second")])
    one.append(1)
    assert interner.json(freeze(group, interner)) == '{"$genericset":[[1]]}'
    assert interner.json(freeze(relation, interner)) == '{"$genericmap":[[[1],"first"]]}'


PARTS: list[tuple[Any, list[tuple[str, str]]]] = [
    (3, [("x", "3")]),
    ("s", [("x", '"s"')]),
    (NODE, [("x", '{"$role":"Node#0"}')]),
    (ListValue([1, (2,)]), [("x", "list 2"), ("x[0]", "1"), ("x[1]", "tuple 1"), ("x[1][0]", "2")]),
    (table(("k", 1), (2, 3)), [("x", "dict 2"), ("x[2]", "3"), ('x["k"]', "1")]),
    (StructValue({"b": 1, "a": None}), [("x", "struct 2"), ("x.a", "null"), ("x.b", "1")]),
    (RecordValue({"f": ListValue([])}), [("x", "record 1"), ("x.f", "list 0")]),
    (SetValue.of([2, (1,)]), [("x", "set"), ("x{}", "2"), ("x{}", '{"$tuple":[1]}')]),
    (BagValue([5, 5]), [("x", "bag"), ("x{}", "5"), ("x{}", "5")]),
    (GenericSet([ListValue([1])]), [("x", "genericset"), ("x{}", "[1]")]),
    (GenericMap([(1, 2)]), [("x", "genericmap"), ("x{}", "[1,2]")]),
    (range(2), [("x", '{"$range":[0,2,1]}')]),
]


@pytest.mark.parametrize(("value", "parts"), PARTS, ids=lambda item: str(item)[:30])
def test_parts(value: Any, parts: list[tuple[str, str]]) -> None:
    """The parts of 5.6.1, and their sum: two little-endian halves, each modulo 2^64, the second half high."""
    interner = Interner()
    number = freeze(value, interner)
    assert list(interner.parts("x", number)) == parts
    low = high = 0
    for place, text in parts:
        data = blake2b(place.encode() + b"\x1f" + text.encode(), digest_size=16).digest()
        low += int.from_bytes(data[:8], "little")
        high += int.from_bytes(data[8:], "little")
    assert interner.part_sum("x", number) == (high % 2**64) << 64 | low % 2**64


@pytest.mark.parametrize("of", [SetValue.of, GenericSet.of, BagValue])
def test_an_element_more_is_one_part_more(of: Any) -> None:
    """What has no order keeps its head as it grows: its key changes by the part of the element that came."""
    interner = Interner()
    less, more = freeze(of([1, 2]), interner), freeze(of([1, 2, 3]), interner)
    assert interner.part_sum("x", more) == add_keys(interner.part_sum("x", less), digest("x{}", "3"))


def test_keys_add_half_by_half() -> None:
    """No carry from the low half into the high half, nor out of the high one."""
    top = (1 << 64) - 1
    assert add_keys(top, 1) == 0
    assert add_keys(top << 64 | 5, 1 << 64 | 6) == 11


def shared_pair() -> tuple[Interner, int, ListValue, Any]:
    """[one, one] with one = [1] in cell 7."""
    interner = Interner()
    one = ListValue([1])
    reference = interner.intern(Tag.REF, (7,))
    pair = ListValue([one, one, SetValue.of([2])])
    return interner, freeze(pair, interner, lambda c: reference if c is one else None), one, pair


def test_aliases_are_references() -> None:
    """`shared` is asked for every container; what it gives stands in the payload, and `thaw` asks for it again."""
    interner, number, one, _ = shared_pair()
    assert interner.references(number) and interner.mutable(number)
    assert interner.json(number) == '[{"$ref":7},{"$ref":7},{"$set":[2]}]'
    again: Any = thaw(number, interner, WORLD, {7: one}.__getitem__)
    assert again.items[0] is one and again.items[1] is one


def test_parts_and_encodings_resolve_aliases() -> None:
    """The first occurrence is written out, the second is a reference to its path."""
    interner, number, one, _ = shared_pair()
    content = freeze(one, interner)
    seen: dict[int, str] = {}

    def resolve(place: str, reference: int) -> int | str:
        if reference in seen:
            return f'{{"$ref":"{seen[reference]}"}}'
        seen[reference] = place
        return content

    assert list(interner.parts("x", number, resolve)) == [
        ("x", "list 3"),
        ("x[0]", "list 1"),
        ("x[0][0]", "1"),
        ("x[1]", '{"$ref":"x[0]"}'),
        ("x[2]", "set"),
        ("x[2]{}", "2"),
    ]
    seen.clear()
    assert interner.encode("x", number, resolve) == '[[1],{"$ref":"x[0]"},{"$set":[2]}]'
    seen.clear()
    relation = interner.intern_pairs(Tag.GENERICMAP, [(number, number)])
    assert interner.encode("x", relation, resolve) == (
        '{"$genericmap":[[[[1],{"$ref":"x{0}[0]"},{"$set":[2]}],[{"$ref":"x{0}[0]"},{"$ref":"x{0}[0]"},{"$set":[2]}]]]}'
    )
    seen.clear()
    mixed = interner.intern_pairs(Tag.DICT, [(freeze(1, interner), number), (freeze("a", interner), content)])
    assert interner.encode("x", mixed, resolve) == '{"$dict":[[1,[[1],{"$ref":"x[1][0]"},{"$set":[2]}]],["a",[1]]]}'


def test_composites() -> None:
    """Frames, threads and messages are equal by members, `extra` and JSON; they carry what is inside them."""
    interner = Interner()
    node = freeze(ListValue([NODE]), interner)
    shape, other_shape = (FrameShape("Act", 3, (), place, (), ()) for place in "01")
    frame = interner.intern_composite(Tag.FRAME, (node,), shape, '["Act"]')
    assert frame == interner.intern_composite(Tag.FRAME, (node,), shape, '["Act"]')
    assert frame != interner.intern_composite(Tag.FRAME, (node,), other_shape, '["Act"]')
    assert interner.roles(frame) == {("Node", 0)}
    assert interner.mutable(frame)
    assert interner.json(frame) == '["Act"]'
    assert interner.children(frame) == (node,)
    assert interner.extra(frame) == shape
    assert list(interner.parts("thread", frame)) == [("thread", '["Act"]')]
    other = Interner()
    loaded = other.load(interner.portable(frame))
    assert other.json(loaded) == '["Act"]' and other.extra(loaded) == shape


def test_functions_are_no_state() -> None:
    """R18 names the function or module, however deep it is."""
    builtin = Builtin("len", len)
    for value in (builtin, ListValue([(builtin,)]), ModuleValue("math", {}), BoundMethod(ListValue([]), builtin)):
        with pytest.raises(ModelMistake) as caught:
            freeze(value, Interner())
        assert caught.value.code == "R18"


def test_instances_are_bound_to_the_world() -> None:
    """Each thawing binds role instances, also those in tuples and stubs, to the world it is for."""
    interner = Interner()
    number = freeze((NODE, Stub(NET, NODE)), interner)
    mine: Any = object()
    thawed: Any = thaw(number, interner, mine, lambda _: None)
    assert thawed[0].world is mine and thawed[1].instance.world is mine
    copy: Any = deepcopy(thawed)
    assert copy[0] is thawed[0]


def test_thawed_values_are_private() -> None:
    """Changing a thawed value changes neither the id nor what is thawed from it next."""
    interner = Interner()
    value = ListValue([table(("a", ListValue([1]))), SetValue.of([1]), RecordValue({"f": 1}), BagValue([1])])
    number = freeze(value, interner)
    first: Any = thaw(number, interner, WORLD, lambda _: None)
    first.items[0].put("b", 1)
    first.items[0].find("a")[1].append(2)
    first.items[1].add(5)
    first.items[2].put("g", 0)
    first.items[3].extend([2])
    assert freeze(thaw(number, interner, WORLD, lambda _: None), interner) == number
    assert freeze(first, interner) != number


def test_a_set_of_tuples_is_sorted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that iterate over equal sets of states share the order and are charged alike; a changed set is another."""
    interner, sorts = Interner(), []
    number = freeze(SetValue.of([("b", 2), ("a", 1), ("c", 0)]), interner)
    monkeypatch.setattr(freezing, "_in_order", lambda values: sorts.append(1) or in_order(values))
    charges = []
    for _ in range(3):
        before = METER.count
        assert iterate(thaw(number, interner, WORLD, WORLD)) == [("a", 1), ("b", 2), ("c", 0)]
        charges.append(METER.count - before)
    assert len(sorts) == 1 and len(set(charges)) == 1
    changed: Any = thaw(number, interner, WORLD, WORLD)
    changed.discard(("b", 2))
    changed.add(("A", 2))
    assert iterate(changed) == [("A", 2), ("a", 1), ("c", 0)]
    assert len(sorts) == 2
