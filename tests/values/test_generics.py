"""Collections that compare by `==`: many elements are found as few are, and no search goes on for ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.library.operations import BINARY, get_attribute
from interpreter.values import BagValue, GenericMap, GenericSet, ListValue, SymmetricValue, ValueWalk, equal
from interpreter.values.element_index import bucket
from interpreter.values.problem import ModelMistake
from tests.values.conftest import Call
from tests.values.test_laws import VALUES

ITEMS = st.lists(VALUES, max_size=6)
OTHER = SymmetricValue("other", "nominal", 0, 3)


@contextmanager
def searching(few: int) -> Iterator[None]:
    """Collections of more than so many elements are searched by bucket."""
    with patch("interpreter.values.generics.FEW", few), patch("interpreter.values.element_index.FEW", few):
        yield


def said(ask: Any) -> object:
    """An answer, or the code of the problem instead."""
    try:
        return ask()
    except ModelMistake as problem:
        return problem.code


def tried(items: list[Any], more: list[Any]) -> list[object]:
    """What the collections of some elements say of others."""
    found: list[object] = []
    made = said(lambda: GenericSet.of(items))
    found.append(made if isinstance(made, str) else [id(item) for item in made.items])  # type: ignore[attr-defined]
    for group in (GenericSet(list(items)), BagValue(list(items)), GenericMap([(item, 1) for item in items])):
        found += [said(lambda item=item, group=group: group.position_of(item)) for item in more]
    bag, table = BagValue([]), GenericMap([])
    for item in (*items, *more):
        found.append(said(lambda item=item: bag.position_of(item)))
        bag.extend([item])
        found.append(said(lambda item=item: table.put(item, 0)))
    found.append([id(key) for key, _ in table.pairs])
    while bag.items:
        found.append(said(lambda: bag.take(bag.position_of(more[0]) or 0) if more else bag.items.pop()))
        found.append(said(lambda: [bag.position_of(item) for item in more]))
    found.append(said(lambda: equal(BagValue(list(items)), BagValue(list(more)))))
    found.append(said(lambda: equal(BagValue(list(items)), BagValue(items[::-1]))))
    return found


@given(ITEMS, ITEMS)
def test_many_are_found_as_few_are(items: list[Any], more: list[Any]) -> None:
    """By bucket or one by one: the same elements are found, at the same positions, with the same mistakes."""
    with searching(100):
        plainly = tried(items, more)
    with searching(0):
        assert tried(items, more) == plainly


@given(VALUES, VALUES)
def test_equal_values_have_equal_buckets(left: Any, right: Any) -> None:
    """Two values of different buckets are not equal, and comparing them is no mistake."""
    if bucket(left, ValueWalk()) != bucket(right, ValueWalk()):
        assert not equal(left, right)


def test_values_of_two_domains() -> None:
    """Looking for a symmetric value among those of another domain is a mistake, among many elements too."""
    mine = SymmetricValue("k", "nominal", 0, 3)
    group = GenericSet([*range(100), (mine, 5)])
    assert group.position_of((mine, 5)) == 100 and group.position_of((mine, 6)) is None
    with pytest.raises(ModelMistake) as caught:
        group.position_of((OTHER, 5))
    assert caught.value.code == "R14"


def test_changed_elements(method: Call) -> None:
    """An element that changes after it was put in is found as what it is now."""
    inner = ListValue([0])
    group = GenericSet([*range(100), inner])
    assert group.position_of(ListValue([0])) == 100
    inner.append(1)
    assert group.position_of(ListValue([0])) is None and group.position_of(ListValue([0, 1])) == 100


@pytest.mark.parametrize("kind", ["tuples", "lists"])
def test_large_collections_are_fast(kind: str) -> None:
    """Made, compared and combined at once, many thousand elements are not compared in pairs."""
    count = 20_000

    def items() -> list[object]:
        return [(i, "x") if kind == "tuples" else ListValue([i, "x"]) for i in range(count)]

    group, other = GenericSet.of(items()), GenericSet.of(items()[::-1])
    assert equal(group, other) and BINARY["<="](group, other)
    assert equal(BagValue(items()), BagValue(items()[::-1]))
    union: Any = get_attribute(group, "union")
    assert union.call([other], {}).size() == count
    rest: Any = get_attribute(group, "difference")
    assert rest.call([other], {}).size() == 0


def test_large_collections_grow_fast() -> None:
    """Elements that can not change are found at once, one after the other."""
    group, table, bag = GenericSet([]), GenericMap([]), BagValue([])
    for i in range(20_000):
        group.add((i, "x"))
        group.add((i, "x"))
        table.put((i, "x"), i)
        bag.extend([(i, "x")])
        assert bag.position_of((i, "x")) == i
    assert group.size() == table.size() == bag.size() == 20_000


def test_a_search_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements that can change are compared one by one, but not for ever: R24."""
    monkeypatch.setattr("interpreter.values.element_index.MAX_COMPARISONS", 100_000)
    for group in (GenericSet([]), GenericMap([])):
        with pytest.raises(ModelMistake) as caught:
            for i in range(10_000):
                group.add(ListValue([i])) if isinstance(group, GenericSet) else group.put(ListValue([i]), i)
        assert caught.value.code == "R24" and group.size() < 1_000


def test_values_that_nobody_looks_into_end_too() -> None:
    """Values of one bucket are compared in pairs, until that is too much."""
    items: list[object] = [(SymmetricValue("k", "nominal", 0, None), i) for i in range(5_000)]
    with pytest.raises(ModelMistake) as caught:
        equal(BagValue(items), BagValue(items[::-1]))
    assert caught.value.code == "R24"
