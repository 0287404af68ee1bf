"""What writes of parts make of the values of containers."""

from __future__ import annotations

from checker.search.memo.heads import dict_step, gone
from interpreter.values.intern import Interner, Tag


def with_members_taken(interner: Interner, number: int, step: str, more: int) -> int:
    """A list from which the members at the places of a step are taken, and to whose end those of another are added."""
    places = {int(place) for place in step[1:].split(",") if place}
    left = [member for place, member in enumerate(interner.payload(number)) if place not in places]
    return interner.intern(Tag.LIST, (*left, *interner.payload(more)))


def changes_keys(interner: Interner, number: int, steps: tuple[str, ...], new: int) -> bool:
    """Whether a write adds a key to a dict, or takes one out."""
    if interner.tag(number) is not Tag.DICT or len(steps) > 1:
        return False
    return new == gone(interner) or all(dict_step(interner, key) != steps[0] for key, _ in interner.payload(number))


def with_key(interner: Interner, number: int, step: str, key: int | None, new: int) -> int:
    """A dict with a value at a key, that of the step, or without the key."""
    pairs = [pair for pair in interner.payload(number) if dict_step(interner, pair[0]) != step]
    if new != gone(interner):
        assert key is not None
        pairs.append((key, new))
    return interner.intern_pairs(Tag.DICT, pairs)
