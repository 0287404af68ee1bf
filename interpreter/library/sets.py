"""The methods of sets, genericsets and bags (language page, 5.3, 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from interpreter.library.arguments import Entry, iterable, method_table
from interpreter.values.access import elements, shown
from interpreter.values.basis import sought_key
from interpreter.values.budget import METER
from interpreter.values.containers import FrozenSetValue, SetValue
from interpreter.values.freeze import canonical_sort, frozen_set
from interpreter.values.generics import BagValue, GenericSet
from interpreter.values.problem import ModelMistake

Sets = SetValue | FrozenSetValue | GenericSet


def _like(group: Sets, items: list[object]) -> Sets:
    if isinstance(group, FrozenSetValue):
        return frozen_set_of(items)
    return SetValue.of(items) if isinstance(group, SetValue) else GenericSet.of(items)


def frozen_set_of(items: list[object]) -> FrozenSetValue:
    """A frozenset of these elements."""
    entries: dict[Hashable, object] = {}
    for item in items:
        entries.setdefault(sought_key(item), item)
    return frozen_set(entries)


def _other(group: Sets, items: object, method: str) -> Sets:
    """An argument as a set of the same type."""
    return items if isinstance(items, type(group)) else _like(group, iterable(items, f"{method}()"))


def _member_test(group: Sets) -> Callable[[object], bool]:
    """A membership test for a set."""
    if isinstance(group, GenericSet):
        return group.member_test()
    # A set that is read element by element changes its class when all of it is read: the method is looked up each time.
    return lambda item: group.holds(item)


def _union(group: Sets, *others: object) -> Sets:
    items = elements(group)
    for other in others:
        items += iterable(other, "union()")
    return _like(group, items)


def _intersection(group: Sets, *others: object) -> Sets:
    if isinstance(group, SetValue) and len(others) == 1 and isinstance(others[0], SetValue):
        return SetValue(group.common(others[0]))
    sets = [_member_test(_other(group, other, "intersection")) for other in others]
    return _like(group, [item for item in elements(group) if all(holds(item) for holds in sets)])


def _difference(group: Sets, *others: object) -> Sets:
    if isinstance(group, SetValue) and len(others) == 1 and isinstance(others[0], SetValue):
        return SetValue(group.without(others[0]))
    sets = [_member_test(_other(group, other, "difference")) for other in others]
    return _like(group, [item for item in elements(group) if not any(holds(item) for holds in sets)])


def _symmetric_difference(group: Sets, items: object) -> Sets:
    other = _other(group, items, "symmetric_difference")
    in_group, in_other = _member_test(group), _member_test(other)
    mine = [item for item in elements(group) if not in_other(item)]
    return _like(group, mine + [item for item in elements(other) if not in_group(item)])


def _issubset(group: Sets, items: object) -> bool:
    return _is_within(group, _other(group, items, "issubset"))


def _issuperset(group: Sets, items: object) -> bool:
    return _is_within(_other(group, items, "issuperset"), group)


def _is_within(group: Sets, other: Sets) -> bool:
    if isinstance(group, SetValue) and isinstance(other, SetValue):
        return group.is_within(other)
    return all(map(_member_test(other), elements(group)))


def _missing(item: object, group: object) -> ModelMistake:
    return ModelMistake("R2", f"{shown(item)} not found in {shown(group)}")


def _update(group: SetValue, *others: object) -> None:
    group.change()
    for other in others:
        for item in iterable(other, "update()"):
            group.add(item)


def _discard(group: SetValue, item: object) -> None:
    group.discard(item)


def _remove(group: SetValue, item: object) -> None:
    if not group.take(item):
        raise _missing(item, group)


def _pop(group: SetValue) -> object:
    group.change()
    if not group.entries:
        raise ModelMistake("R2", "pop() from an empty set")
    # Python skips the slots of all elements that were removed before.
    METER.charge(len(group.entries) >> 4)
    item = next(iter(group.entries.values()))
    group.discard(item)
    return item


def _clear(group: SetValue) -> None:
    group.replace({})


_ALGEBRA: dict[str, Entry] = {
    "difference": (_difference, 0, None),
    "intersection": (_intersection, 0, None),
    "issubset": (_issubset, 1, 1),
    "issuperset": (_issuperset, 1, 1),
    "symmetric_difference": (_symmetric_difference, 1, 1),
    "union": (_union, 0, None),
}

SET = method_table(
    {
        **_ALGEBRA,
        "add": (lambda group, item: group.add(item), 1, 1),
        "clear": (_clear, 0, 0),
        "discard": (_discard, 1, 1),
        "pop": (_pop, 0, 0),
        "remove": (_remove, 1, 1),
        "update": (_update, 0, None),
    }
)


def _drop(group: GenericSet | BagValue, item: object) -> None:
    group.discard(item)


def _drop_known(group: GenericSet | BagValue, item: object) -> None:
    if not group.discard(item):
        raise _missing(item, group)


def _pop_last(group: GenericSet) -> object:
    group.change()
    if not group.items:
        raise ModelMistake("R2", "pop() from an empty genericset")
    return group.take(len(group.items) - 1)


FROZEN_SET = method_table(_ALGEBRA)

GENERIC_SET = method_table(
    {
        **_ALGEBRA,
        "add": (lambda group, item: group.add(item), 1, 1),
        "clear": (lambda group: group.clear(), 0, 0),
        "discard": (_drop, 1, 1),
        "pop": (_pop_last, 0, 0),
        "remove": (_drop_known, 1, 1),
    }
)


def _bag_add(bag: BagValue, item: object) -> None:
    bag.extend([item])


def _bag_add_all(bag: BagValue, items: object) -> None:
    more = iterable(items, "add_all()")  # it may be the bag itself, which becomes another class when it is read
    bag.extend(more)


def _bag_clear(bag: BagValue) -> None:
    bag.replace([])


def _bag_pop(bag: BagValue) -> object:
    bag.change()
    if not bag.items:
        raise ModelMistake("R2", "pop() from an empty bag")
    # The canonical order becomes the stored one, so that emptying a bag does not sort it again and again.
    bag.replace(canonical_sort(bag.items))
    return bag.take(len(bag.items) - 1)


BAG = method_table(
    {
        "add": (_bag_add, 1, 1),
        "add_all": (_bag_add_all, 1, 1),
        "clear": (_bag_clear, 0, 0),
        "count": (lambda bag, item: bag.count(item), 1, 1),
        "discard": (_drop, 1, 1),
        "pop": (_bag_pop, 0, 0),
        "remove": (_drop_known, 1, 1),
    }
)
