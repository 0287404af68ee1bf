"""Orders of sets and dicts within a step, which they keep from when they were made; in a state they are canonical."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from checker.search.memo.open_containers import OpenContainer
from interpreter.execute.reach import members, reachable
from interpreter.values import DictValue, ListValue, SetValue
from interpreter.values.basis import hash_key
from interpreter.values.folding import OF_SETS, Site
from interpreter.values.generics import GenericMap, GenericSet

_ORDERED: Final = (DictValue, GenericMap, GenericSet, SetValue)


def orders_in(values: Iterable[object]) -> Iterator[list[object]]:
    """The elements or keys of each set or dict with several of them in some values, in its order.

    Open containers are in the order of the state.
    """
    for value in reachable(values, _inside):
        if isinstance(value, _ORDERED) and not isinstance(value, OpenContainer) and value.size() > 1:
            inside = list(value.members())
            # Of a dict each key is followed by its value.
            yield inside if isinstance(value, SetValue | GenericSet) else inside[::2]


def _inside(value: object) -> Iterable[object]:
    return () if isinstance(value, OpenContainer) else members(value)


def value_of(site: Site, answer: object) -> object:
    """The value that an answer to a fold at a site stands for: a set stands there as the list of its elements."""
    if site[1] != OF_SETS:
        return answer
    assert isinstance(answer, ListValue)
    return SetValue({hash_key(item): item for item in answer.items})
