"""Questions whether two containers of the state are equal, one list begins with another, or one set is within another.

The answer is a bool, so that what follows does not depend on what the containers are: `before.log == after.log` has two
cases, and not one for each pair of logs. By columns it is found for all rows at once
(`checker/search/columns/compared.py`). UNBOUND: the containers are to be read, as they are where states go one by one.
"""

from __future__ import annotations

from typing import Final, TypeGuard

from interpreter.state.state import Slot
from interpreter.values.intern import Interner, Tag

SAME: Final = "same"
BEGINS: Final = "begins"
"""The first list begins with all members of the second one."""
WITHIN: Final = "within"
"""The second set has all elements of the first one."""
MOST_PARTS: Final = 64
"""Containers stored in more parts, and parts with more members than this, are read: a comparison is charged for that
square."""


def first(size: int) -> str:
    """The question whether two lists with at least so many members begin with the same ones."""
    return f"first {size}"


FIRST: Final = {first(size): size for size in range(1, MOST_PARTS + 1)}
_QUESTIONS: Final = frozenset({SAME, BEGINS, WITHIN, *FIRST})
CHARGED: Final = MOST_PARTS * MOST_PARTS
MOST_ELEMENTS: Final = 512
"""Sets that are stored by more elements are read."""
CHARGED_OF_SETS: Final = MOST_ELEMENTS * MOST_PARTS

Comparison = tuple[str, Slot, Slot]


def is_comparison(slot: Slot) -> TypeGuard[Comparison]:
    """Whether a slot is such a question: its name, and the slots of both containers, with sides in rules on steps."""
    return slot[0] in _QUESTIONS


def compares_by_id(interner: Interner, number: int) -> bool:
    """Whether a value equals another one that compares so only if that has the same id, which costs little to find."""
    if interner.tag(number) is Tag.HEAD:
        return all(compares_by_id(interner, key) for key in interner.children(number))
    if interner.weight(number) > MOST_PARTS or interner.has_roles(number) or interner.references(number):
        return False
    return interner.equal_by_id(number) and not interner.symmetric(number)
