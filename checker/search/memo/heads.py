"""Heads of containers: what is known of one before its members are asked for, and the steps to these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Final

from interpreter.state.state import UNBOUND, Slot
from interpreter.values.intern import Interner, Tag

COUNTED: Final = frozenset({Tag.SET, Tag.GENERICSET, Tag.BAG})
"""What is asked for elements."""


def renamed_head(interner: Interner, head: int, rename: Callable[[int], int]) -> int:
    """The head of a container after a renaming of values: the keys of a dict are renamed, and in order again."""
    keys = interner.children(head)
    renamed = [rename(key) for key in keys]
    return head if list(keys) == renamed else dict_head_of(interner, renamed)


def list_head(interner: Interner, size: int) -> int:
    """The head of a list of some size."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.LIST), list_steps(size), False), f"list {size}")


def dict_head(interner: Interner, keys: tuple[int, ...]) -> int:
    """The head of a dict with these keys, in canonical order."""
    steps = tuple(dict_step(interner, key) for key in keys)
    return interner.intern_composite(Tag.HEAD, keys, (int(Tag.DICT), steps, False), f"dict {len(keys)}")


def dict_head_of(interner: Interner, keys: Iterable[int]) -> int:
    """As `dict_head`, of keys in any order."""
    return dict_head(interner, tuple(sorted(keys, key=interner.order_key)))


def record_head(interner: Interner, steps: tuple[str, ...]) -> int:
    """The head of a record whose fields are at these steps."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.RECORD), steps, False), f"record {len(steps)}")


def set_head(interner: Interner, tag: Tag = Tag.SET) -> int:
    """The head of any set, genericset or bag: that it is one."""
    return interner.intern_composite(Tag.HEAD, (), (int(tag), (), True), tag.name.lower())


def gone(interner: Interner) -> int:
    """Written at the step to an element, it removes that from the set."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.SET), (), True), "gone")


def fewer(interner: Interner, count: int) -> int:
    """Written at the step to an element of a bag, it takes so many copies away."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.BAG), (str(count),), True), f"{count} fewer")


def copies(interner: Interner, number: int) -> int | None:
    """How many copies more of an element are in a bag after this was written at its step; None if it is no such change.

    A bag of these copies adds them, `fewer` takes them away.
    """
    tag = interner.tag(number)
    if tag is Tag.BAG:
        return len(interner.payload(number))
    if tag is not Tag.HEAD:
        return None
    _, (rank, steps, _), _ = interner.payload(number)
    return -int(steps[0]) if rank == Tag.BAG and steps else None


def listed(interner: Interner) -> int:
    """The answer to `LISTED` for any list that is divided."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.LIST), (), False), "list")


def dict_step(interner: Interner, key: int) -> str:
    return f"[{interner.json(key)}]"


@cache
def list_steps(size: int) -> tuple[str, ...]:
    """The steps to the members of a list of some size."""
    return tuple(f"[{index}]" for index in range(size))


def whole_value(
    interner: Interner, slot: Slot, ask: Callable[[Slot], int], elements: Callable[[Slot], Sequence[Slot]] | None = None
) -> int:
    """The value whose stored parts are the answers. `elements` gives the parts for elements of sets that are stored
    by elements."""
    number = ask(slot)
    if number == UNBOUND or interner.tag(number) is not Tag.HEAD:
        return number
    if elements is not None and is_counted(interner, number):
        held = [element for part in elements(slot) if (element := ask(part)) != UNBOUND]
        return interner.intern_members(head_tag(interner, number), held)
    members = [whole_value(interner, (*slot, step), ask, elements) for step in steps_of(interner, number)]
    return made_of(interner, number, members)


def is_counted(interner: Interner, head: int) -> bool:
    """Whether it is the head of a set or bag, whose members are elements."""
    return head_tag(interner, head) in COUNTED


def head_tag(interner: Interner, head: int) -> Tag:
    """The type of the containers that have a head."""
    return Tag(interner.payload(head)[1][0])


def steps_of(interner: Interner, head: int) -> tuple[str, ...]:
    """The steps from a head to its members."""
    steps: tuple[str, ...] = interner.payload(head)[1][1]
    return steps


def list_steps_of(interner: Interner, number: int) -> tuple[str, ...]:
    """The steps to the members of a list that is known by its head and stored part by part; none for other values."""
    return _divided(interner, number, Tag.LIST)[1]


def dict_keys_of(interner: Interner, number: int) -> tuple[int, ...]:
    """The keys of a dict that is known by its head and stored part by part, in order; none for other values."""
    return _divided(interner, number, Tag.DICT)[0]


def _divided(interner: Interner, number: int, tag: Tag) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The keys and steps of a container of this kind that is known by its head and stored part by part."""
    if number == UNBOUND or interner.tag(number) is not Tag.HEAD:
        return (), ()
    keys, (rank, steps, whole), _ = interner.payload(number)
    return (tuple(keys), steps) if rank == tag and not whole else ((), ())


def made_of(interner: Interner, head: int, members: list[int]) -> int:
    """The container with this head and these members."""
    keys, (rank, steps, _), _ = interner.payload(head)
    return container_of(interner, Tag(rank), steps, keys, members)


def container_of(
    interner: Interner, tag: Tag, steps: tuple[str, ...], keys: tuple[int, ...], members: list[int]
) -> int:
    if tag is Tag.LIST:
        return interner.intern(tag, tuple(members))
    if tag is Tag.DICT:
        return interner.intern(tag, tuple(zip(keys, members, strict=True)))
    return interner.intern(tag, tuple(zip([step[1:] for step in steps], members, strict=True)))
