"""Operations on lists that stay lists of Python, because they are only iterated over, measured or compared."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from interpreter.direct.node_basics import Basics, is_container
from interpreter.direct.nodes import GiveUp, ValueNode
from interpreter.values.intern import Tag

# Members of an enum are slow to look up.
_MOST_TIMES: Final = 64
"""More pools of a product are left to the interpreter, which says that there are too many rows."""
_DICT: Final = Tag.DICT
_LIST: Final = Tag.LIST
_TUPLE: Final = Tag.TUPLE


class Sequences(Basics):
    """The operations that take or return lists of Python: of values, or of rows, each the members of a tuple."""

    def tuples(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """The tuples of these members."""
        self.fuel[0] -= len(rows)
        return [self.tuple_of(*row) for row in rows]

    def joined(self, left: list[Any], right: list[Any]) -> list[Any]:
        """`left + right`"""
        self.fuel[0] -= len(left) + len(right)
        return left + right

    def total(self, items: Sequence[Any]) -> int:
        """`sum(…)` of a list."""
        for item in items:
            if type(item) is not int:
                raise GiveUp
        return self.small(sum(items))

    def extreme(self, choose: Callable[[Iterable[int]], int], items: Sequence[Any]) -> Any:
        """`min` or `max`"""
        if not items:
            raise GiveUp
        for item in items:
            if type(item) is not int:
                return self.function(choose.__name__, self.list_of(items))
        self.fuel[0] -= len(items)
        return choose(items)

    def spread(self, items: Sequence[Any]) -> Sequence[Any]:
        """The members that `*items` has in a display; no containers, which would have a second name."""
        for item in items:
            if type(item) is ValueNode and item.mutable:
                raise GiveUp
        return items

    def within(self, item: Any, numbers: range) -> bool:
        return type(item) is int and item in numbers

    def backwards(self, numbers: range) -> range:
        """`reversed(range(…))`, for a loop."""
        return numbers[::-1]

    def member_at(self, items: Sequence[Any], position: Any) -> Any:
        """`items[position]`"""
        if type(position) is not int:
            raise GiveUp
        return items[position]

    def sliced(self, items: list[Any], start: Any, stop: Any, step: Any) -> list[Any]:
        """`items[start:stop:step]`"""
        for bound in (start, stop, step):
            if bound is not None and type(bound) is not int:
                raise GiveUp
        found = items[start:stop:step]
        self.fuel[0] -= len(found)
        return found

    def same_list(self, items: list[Any], other: Any) -> bool:
        """Whether a value is a list of equal members."""
        others: Sequence[Any] = other
        if type(other) is ValueNode:
            if other.tag is not _LIST:
                return False
            others = other.items
        elif type(other) is not list:
            raise GiveUp
        self.fuel[0] -= len(items)
        return len(items) == len(others) and all(map(self.eq, items, others))

    def position_of(self, items: Sequence[Any], item: Any) -> int:
        """`items.index(item)`"""
        for position, other in enumerate(self.turns(items, 1)):
            if self.eq(other, item):
                return position
        raise GiveUp

    def occurrences(self, items: Sequence[Any], item: Any) -> int:
        """`items.count(item)`"""
        return sum([self.eq(other, item) for other in self.turns(items, 1)])

    def zipped(self, *lists: Iterable[Any]) -> list[tuple[Any, ...]]:
        """`zip(…)`, as rows."""
        found = list(zip(*lists, strict=False))
        self.fuel[0] -= len(found) * len(lists)
        return found

    def keys_of(self, value: Any) -> list[Any]:
        """`value.keys()` of a dict."""
        if type(value) is not ValueNode or value.tag is not _DICT or value.number in self.unordered:
            raise GiveUp
        return list(self.turns(value.items, 1))

    def value_places(self, value: Any) -> list[Any]:
        """The keys of a dict that is not shared, each value of which is a container."""
        keys = self.keys_of(value)
        if not all(map(is_container, value.table.values())):
            raise GiveUp
        return keys

    def values_of(self, value: Any) -> list[Any]:
        """`value.values()` of a dict."""
        return [v for _, v in self.entries(value, 1)]

    def values_any(self, value: Any) -> list[Any]:
        """The same for a result that does not depend on their order."""
        return [v for _, v in self.entries_any(value, 1)]

    def selections(self, name: str, *args: Any) -> list[tuple[Any, ...]]:
        """`itertools.combinations(items, r)` or `permutations(items, r)`: rows, in the order of the items.

        Without `r` permutations of all items.
        """
        items = self._selected(args[0])
        size = len(items)
        width = args[1] if len(args) == 2 and (name == "combinations" or args[1] is not None) else size
        if type(width) is not int or width < 0:
            raise GiveUp
        self._spend_on_rows(math.comb(size, width) if name == "combinations" else math.perm(size, width), width, size)
        select = itertools.combinations if name == "combinations" else itertools.permutations
        return list(select(items, width))

    def products(self, repeat: Any, *groups: Any) -> list[tuple[Any, ...]]:
        """`itertools.product(*groups, repeat=repeat)`: rows, in the order of the items."""
        pools = [self._selected(group) for group in groups]
        shared = any(type(item) is ValueNode and item.mutable for items in pools for item in items)
        if type(repeat) is not int or not 0 <= repeat <= _MOST_TIMES or shared:
            raise GiveUp
        sizes = list(map(len, pools))
        self._spend_on_rows(math.prod(sizes) ** repeat, repeat * len(pools), sum(sizes))
        return list(itertools.product(*pools, repeat=repeat))

    def _selected(self, group: Any) -> Sequence[Any]:
        """The members of a container, in its order."""
        if type(group) is ValueNode and group.sized and group.number not in self.unordered:
            items: Sequence[Any] = group.items
            return items
        if type(group) is not list:
            raise GiveUp
        return group

    def _spend_on_rows(self, count: int, width: int, size: int) -> None:
        """Charge for so many rows of some width, of so many items."""
        self.fuel[0] -= size + 2 * count * (width + 1)
        if self.fuel[0] < 0:
            raise GiveUp

    def ordered(self, items: Sequence[Any]) -> Sequence[Any]:
        """`sorted(…)`"""
        kinds = set(map(type, items))
        if kinds <= {int} or kinds <= {str}:
            self.fuel[0] -= 8 * len(items)
            return sorted(items)
        found: list[Any] = list(self.function("sorted", self.list_of(items)).items)
        return found

    def ordered_by(self, items: Sequence[Any], mark: Callable[[Any], Any] | None, reverse: bool) -> list[Any]:
        """`sorted(…)` where the marks of the items, if there is a `mark`, are ints or texts, or tuples of these."""
        marks = _marks(items if mark is None else map(mark, items))
        self.fuel[0] -= 8 * len(items)
        return [items[place] for place in sorted(range(len(items)), key=marks.__getitem__, reverse=reverse)]

    def extreme_by(self, choose: Callable[..., Any], items: Sequence[Any], mark: Callable[[Any], Any]) -> Any:
        """`min(…, key=…)` or `max`, where the marks are as those of `ordered_by`: of equal ones the first."""
        marks = _marks(map(mark, items))
        if not items:
            raise GiveUp
        self.fuel[0] -= 8 * len(items)
        return items[choose(range(len(items)), key=marks.__getitem__)]


def _marks(found: Iterable[Any]) -> list[Any]:
    """Marks by which Python sorts as the language does: ints, texts, or tuples of as many of these."""
    marks = list(found)
    if not set(map(type, marks)) <= {ValueNode}:
        columns = [marks]
    elif all(mark.tag is _TUPLE for mark in marks) and len({len(mark.items) for mark in marks}) <= 1:
        marks = [tuple(mark.items) for mark in marks]
        columns = [list(column) for column in zip(*marks, strict=True)]
    else:
        raise GiveUp
    for column in columns:
        kinds = set(map(type, column))
        if not (kinds <= {int} or kinds <= {str}):
            raise GiveUp
    return marks
