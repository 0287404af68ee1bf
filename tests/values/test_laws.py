"""Laws that hold for all values: equality, keys, identity, order, parts, conversion to an id and back."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.library import deepcopy
from interpreter.values import (
    BagValue,
    Channel,
    DictValue,
    GenericMap,
    GenericSet,
    Instance,
    ListValue,
    ModelValue,
    RecordValue,
    SetValue,
    StructValue,
    Stub,
    SymmetricValue,
    equal,
    hash_key,
)
from interpreter.values.freeze import canonical_sort, display, freeze, thaw
from interpreter.values.intern import Interner, Tag, add_keys, subtract_keys
from interpreter.values.key_parts import digest
from interpreter.values.problem import ModelMistake

WORLD: Any = object()
NAMES = st.sampled_from(["a", "b", "votes"])
LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.sampled_from([0.0, -0.0, 1.0, 2.0]),
    st.text(max_size=3),
    st.sampled_from(["", "$ref", "$", "1"]),
    st.binary(max_size=2),
    st.builds(lambda n: Instance(WORLD, "Node", n), st.integers(0, 2)),
    st.builds(ModelValue, st.just("Node"), st.integers(0, 2)),
    st.builds(lambda i: SymmetricValue("k", "nominal", i, 3), st.integers(0, 2)),
    st.builds(range, st.integers(0, 2), st.integers(0, 3), st.sampled_from([1, 2, -1])),
    st.builds(lambda n: Stub(Channel(0, "Net"), Instance(WORLD, "Node", n)), st.integers(0, 1)),
)


def hashable(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values that may be keys, one level deeper."""
    return st.one_of(st.lists(inner, max_size=3).map(tuple), st.dictionaries(NAMES, inner, max_size=2).map(StructValue))


def put_all(pairs: list[tuple[Any, Any]]) -> DictValue:
    table = DictValue({})
    table.update(pairs)
    return table


def map_all(pairs: list[tuple[Any, Any]]) -> GenericMap:
    table = GenericMap([])
    table.update(pairs)
    return table


KEYS = st.recursive(LEAVES, hashable, max_leaves=4)


def anything(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of any type, one level deeper."""
    lists = st.lists(inner, max_size=3)
    return st.one_of(
        lists.map(ListValue),
        lists.map(tuple),
        lists.map(GenericSet.of),
        lists.map(BagValue),
        st.lists(KEYS, max_size=3).map(SetValue.of),
        st.lists(st.tuples(KEYS, inner), max_size=3).map(put_all),
        st.lists(st.tuples(inner, inner), max_size=3).map(map_all),
        st.dictionaries(NAMES, inner, max_size=3).map(StructValue),
        st.dictionaries(NAMES, inner, max_size=3).map(RecordValue),
    )


VALUES = st.recursive(LEAVES, anything, max_leaves=8)


def no_cells(cell: int) -> object:
    raise AssertionError(f"there is no cell {cell}")


@given(VALUES)
def test_a_value_survives_the_yield(value: Any) -> None:
    """Freezing what was thawed gives the same id; the thawed value equals the first one."""
    interner = Interner()
    number = freeze(value, interner)
    again = thaw(number, interner, WORLD, no_cells)
    assert freeze(again, interner) == number
    assert equal(again, value) and equal(value, again)
    twice = thaw(number, interner, WORLD, no_cells)
    if interner.mutable(number):
        assert twice is not again, "each thawing gives containers of its own"


@given(VALUES, VALUES)
def test_equal_ids_are_equal_encodings(left: Any, right: Any) -> None:
    """Ids are equal iff the identity encodings are, and only equal values have equal ids."""
    interner = Interner()
    i, j = freeze(left, interner), freeze(right, interner)
    assert (i == j) == (interner.json(i) == interner.json(j))
    assert i != j or equal(left, right)


@given(VALUES, VALUES)
def test_equality_is_symmetric_and_agrees_with_keys(left: Any, right: Any) -> None:
    """`a == b` is `b == a`; where both can be keys, they are the same key iff they are equal."""
    assert equal(left, right) == equal(right, left)
    assert equal(left, left)
    try:
        keys = hash_key(left), hash_key(right)
    except ModelMistake as problem:
        assert problem.code == "R6"
    else:
        assert (keys[0] == keys[1]) == equal(left, right)
        assert keys[0] != keys[1] or hash(keys[0]) == hash(keys[1])


@given(st.lists(VALUES, max_size=5), st.randoms(use_true_random=False))
def test_canonical_order_is_total(values: list[Any], random: Any) -> None:
    """Any order of the values is sorted into the same order, and equal order keys are equal ids."""
    interner = Interner()
    ids = [freeze(value, interner) for value in values]
    once = sorted(ids, key=interner.order_key)
    random.shuffle(ids)
    assert sorted(ids, key=interner.order_key) == once
    for i, j in itertools.pairwise(once):
        assert (interner.order_key(i) == interner.order_key(j)) == (i == j)
    assert [freeze(value, interner) for value in canonical_sort(values)] == once


@given(VALUES)
def test_values_travel_between_processes(value: Any) -> None:
    """`portable` is a line of bytes, and means the same to an interner that has seen other values."""
    here, there = Interner(), Interner()
    freeze(ListValue(["something", 7, (1.5,)]), there)
    number = freeze(value, here)
    loaded = there.load(here.portable(number))
    assert b"\n" not in here.portable(number)
    assert there.json(loaded) == here.json(number)
    assert there.text(loaded) == here.text(number)
    assert there.portable(loaded) == here.portable(number) or "nan" in here.json(number)
    assert freeze(thaw(loaded, there, WORLD, no_cells), there) == loaded


@given(VALUES, VALUES)
@settings(max_examples=200)
def test_part_sums_are_sums_of_parts(left: Any, right: Any) -> None:
    """The remembered sum is the sum of the digests of all parts; keys add and subtract half by half."""
    interner = Interner()
    sums = []
    for value in (left, right):
        number = freeze(value, interner)
        total = 0
        for place, text in interner.parts("x", number):
            total = add_keys(total, digest(place, text))
        assert interner.part_sum("x", number) == total == interner.part_sum("x", number)
        sums.append(total)
    assert subtract_keys(add_keys(*sums), sums[1]) == sums[0]
    if freeze(left, interner) != freeze(right, interner):
        assert sums[0] != sums[1]


@given(VALUES)
def test_what_is_inside(value: Any) -> None:
    """Roles, symmetric values, ids and mutability of a value are those of its members and its own."""
    interner = Interner()
    number = freeze(value, interner)
    inside = [number]
    for one in inside:
        inside.extend(interner.children(one))
    tags = [interner.tag(one) for one in inside]
    payloads = {tag: {interner.payload(one)[:2] for one in inside if interner.tag(one) is tag} for tag in FOUND_INSIDE}
    assert interner.roles(number) == payloads[Tag.ROLE]
    assert interner.symmetric(number) == payloads[Tag.SYMMETRIC]
    assert interner.identities(number) == payloads[Tag.MODEL_VALUE]
    assert interner.mutable(number) == any(Tag.LIST <= tag <= Tag.GENERICMAP for tag in tags)
    assert not interner.references(number)


FOUND_INSIDE = (Tag.ROLE, Tag.SYMMETRIC, Tag.MODEL_VALUE)


@given(VALUES)
def test_display_text_is_that_of_the_id(value: Any) -> None:
    """`repr(v)` inside a step and the text of the id after it are the same."""
    interner = Interner()
    assert display(value) == interner.text(freeze(value, interner))


def test_numbers_do_not_meet() -> None:
    """1, 1.0, True, 0.0, -0.0 and nan are distinguished in identity, unlike in Python."""
    interner = Interner()
    values: list[Any] = [0, 0.0, -0.0, False, 1, 1.0, True, "1", float("nan"), (1,), (1.0,), (True,), None, b"1"]
    assert len({freeze(value, interner) for value in values}) == len(values)
    assert freeze(float("nan"), interner) == freeze(-float("nan"), interner)


def test_symmetric_values_of_two_domains_do_not_compare() -> None:
    """R14, also deep inside; a fraction that is whole is an int."""
    left, right = SymmetricValue("k", "nominal", 0, 3), SymmetricValue("j", "nominal", 0, 3)
    for a, b in ((left, right), ((1, left), (1, right)), (ListValue([left]), ListValue([right]))):
        with pytest.raises(ModelMistake) as caught:
            equal(a, b)
        assert caught.value.code == "R14"
    assert not equal(left, 0)
    assert hash_key(left) != hash_key(right)
    assert equal(SymmetricValue("t", "ordinal", Fraction(4, 2), 3), SymmetricValue("t", "ordinal", 2, 3))


def test_cycles_end_in_a_problem() -> None:
    """Comparing a list that contains itself, also with itself, or storing it is R24; printing it shows `...`."""
    one, two = ListValue([]), ListValue([])
    one.append(one)
    two.append(two)
    for action in (lambda: equal(one, two), lambda: equal(one, one), lambda: freeze(one, Interner())):
        with pytest.raises(ModelMistake) as caught:
            action()
        assert caught.value.code == "R24"
    assert canonical_sort([(one, two)]) == [(one, two)]
    assert display(one) == "[...]"


def test_the_deepest_value_needs_little_stack() -> None:
    """A value of nearly the greatest depth passes every walk on top of a deep stack."""
    value: Any = 0
    for i in range(98):
        value = (ListValue([value]), RecordValue({"f": value}), (value,), DictValue({"k": ("k", value)}))[i % 4]

    def below(frames: int) -> None:
        if frames:
            below(frames - 1)
            return
        interner = Interner()
        number = freeze(value, interner)
        again = thaw(number, interner, WORLD, no_cells)
        assert equal(again, value) and display(again) == interner.text(number)
        assert interner.load(interner.portable(number)) == number
        assert canonical_sort([again, (again,)]) == [(again,), again]
        deepcopy(value)
        interner.order_key(number)
        interner.part_sum("x", number)
        list(interner.parts("x", number))

    below(500)


def test_shared_values_do_not_explode() -> None:
    """A value that doubles forty times is too large to be written out: R24, at once."""
    one: Any = (0,)
    two: Any = (0,)
    for _ in range(40):
        one, two = (one, one), (two, two)
    for action in (lambda: equal(one, two), lambda: hash_key(one), lambda: freeze(one, Interner())):
        with pytest.raises(ModelMistake) as caught:
            action()
        assert caught.value.code == "R24"


def test_depth_is_limited_across_steps() -> None:
    """A tuple that grows by one level a step meets the limit, although its inside is known already."""
    interner = Interner()
    number = freeze((), interner)
    with pytest.raises(ModelMistake) as caught:
        for _ in range(1000):
            number = freeze((thaw(number, interner, WORLD, no_cells),), interner)
    assert caught.value.code == "R24"
    assert interner.json(number).count("[") == 101
