"""The module `itertools` (language page, 5.2): lists of tuples, counted before they are made (R24)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from interpreter.library.arguments import integer, iterable
from interpreter.values import Builtin, ModuleValue
from interpreter.values.budget import METER
from interpreter.values.containers import ListValue
from interpreter.values.problem import MAX_PARTS, ModelMistake


def _check(name: str, count: int, width: int) -> None:
    """R24 if `count` tuples of `width` elements are too much; else they are charged."""
    _bound(name, count, width)
    METER.make(count * (width + 1))


def _bound(name: str, count: int, width: int) -> None:
    if count > METER.elements or count * (width + 1) > MAX_PARTS:
        raise ModelMistake("R24", f"itertools.{name}() would give too many elements, the limit is {METER.elements:,}")


def _falling(size: int, width: int) -> int:
    """size · (size - 1) · … (`width` factors), or something beyond the limit."""
    count = 1
    for i in range(width):
        count *= size - i
        if count > METER.elements or count <= 0:
            break
    return max(count, 0)


def _chosen(size: int, width: int) -> int:
    """The binomial coefficient, or something beyond the limit."""
    if width > size:
        return 0
    count = 1
    for i in range(min(width, size - width)):
        count = count * (size - i) // (i + 1)
        if count > METER.elements:
            break
    return count


def _width(value: object) -> int:
    width = integer(value, "r")
    if width < 0:
        raise ModelMistake("R4", f"r must not be negative: {width}")
    return width


def _tuples(tuples: Iterable[object]) -> ListValue:
    return ListValue(list(tuples))


def _combinations(items: object, r: object) -> ListValue:
    pool, width = iterable(items, "combinations()"), _width(r)
    if width > len(pool):
        return ListValue([])
    _check("combinations", _chosen(len(pool), width), width)
    return _tuples(itertools.combinations(pool, width))


def _permutations(items: object, r: object = None) -> ListValue:
    pool = iterable(items, "permutations()")
    width = len(pool) if r is None else _width(r)
    if width > len(pool):
        return ListValue([])
    _check("permutations", _falling(len(pool), width), width)
    return _tuples(itertools.permutations(pool, width))


def _combinations_with_replacement(items: object, r: object) -> ListValue:
    pool, width = iterable(items, "combinations_with_replacement()"), _width(r)
    count = _chosen(len(pool) + width - 1, width) if pool else int(not width)
    _check("combinations_with_replacement", count, width)
    return _tuples(itertools.combinations_with_replacement(pool, width)) if count else ListValue([])


def _product(*collections: object, repeat: object = 1) -> ListValue:
    times = integer(repeat, "repeat")
    if times < 0:
        raise ModelMistake("R4", f"repeat must not be negative: {times}")
    pools = [iterable(items, "product()") for items in collections]
    once = 1
    for pool in pools:
        once *= len(pool)
    width = len(pools) * times
    if not pools:
        return ListValue([()])
    if once <= 1:
        count = once if times else 1
    else:
        count = 1
        for _ in range(times):
            count *= once
            _bound("product", count, width)
    if not count:
        return ListValue([])
    _check("product", count, width)
    # Without pools the product is one empty tuple, for any `repeat`.
    return _tuples(itertools.product(*pools, repeat=times if pools else 0))


def _chain(*collections: object) -> ListValue:
    made = ListValue([])
    for items in collections:
        made.extend(iterable(items, "chain()"))
    return made


ITERTOOLS = ModuleValue(
    "itertools",
    {
        function.name: function
        for function in (
            Builtin("chain", _chain, 0, None),
            Builtin("combinations", _combinations, 2, 2, positions={"r": 1}),
            Builtin("combinations_with_replacement", _combinations_with_replacement, 2, 2, positions={"r": 1}),
            Builtin("permutations", _permutations, 1, 2, positions={"r": 1}),
            Builtin("product", _product, 0, None, frozenset({"repeat"})),
        )
    },
)
