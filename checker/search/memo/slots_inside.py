"""Whether a question of a path is about some slots, or about what is in some places."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from checker.search.memo.comparisons import is_comparison
from checker.search.memo.division import ROOT_LENGTH, Divider
from checker.search.memo.list_places import Places, place_of
from interpreter.state.state import Slot


def is_within(roots: Collection[Slot], slot: Slot) -> bool:
    """Whether a slot, also one of a state before or after a step, is one of these or a part of one, or compares one."""
    if is_comparison(slot):
        return any(is_within(roots, part) for part in slot[1:])
    return any(slot[i : i + len(root)] == root for root in roots for i in (0, 1))


def is_inside(places: Places, slot: Slot) -> bool:
    """Whether a slot, also one of a state before or after a step, is a place or in one, or compares what is."""
    if is_comparison(slot):
        return any(is_inside(places, part) for part in slot[1:])
    return any(place_of(around) in places for around in _around(slot))


def answers_apart(divider: Divider, slot: Slot) -> bool:
    """Whether a slot, also one of a side of a step, is in what is stored by elements."""
    return any(map(divider.by_elements, _around(slot)))


def _around(slot: Slot) -> Iterator[Slot]:
    """The slot of the state that a slot is in, what it is in there, and itself, without the side of a step."""
    own = slot[1:] if slot[0] in ("before", "after") else slot
    begin = ROOT_LENGTH.get(str(own[0]), len(own)) if own else 1
    return (own[:length] for length in range(begin, len(own) + 1))
