"""Heads of containers: what is known of one before its members are asked for, and the steps to these."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from interpreter.values.intern import Interner, Tag


def renamed_head(interner: Interner, head: int, rename: Callable[[int], int]) -> int:
    """The head of a container after a renaming of values: the keys of a dict are renamed, and in order again."""
    keys = interner.children(head)
    renamed = [rename(key) for key in keys]
    return head if list(keys) == renamed else dict_head(interner, tuple(sorted(renamed, key=interner.order_key)))


def list_head(interner: Interner, size: int) -> int:
    """The head of a list of some size."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.LIST), list_steps(size), False), f"list {size}")


def dict_head(interner: Interner, keys: tuple[int, ...]) -> int:
    """The head of a dict with these keys, in canonical order."""
    steps = tuple(dict_step(interner, key) for key in keys)
    return interner.intern_composite(Tag.HEAD, keys, (int(Tag.DICT), steps, False), f"dict {len(keys)}")


def set_head(interner: Interner, tag: Tag = Tag.SET) -> int:
    """The head of any set, or of any bag: that it is one."""
    return interner.intern_composite(Tag.HEAD, (), (int(tag), (), True), "set" if tag is Tag.SET else "bag")


def gone(interner: Interner) -> int:
    """Written at the step to an element, it removes that from the set."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.SET), (), True), "gone")


def fewer(interner: Interner, count: int) -> int:
    """Written at the step to an element of a bag, it takes so many copies away."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.BAG), (str(count),), True), f"{count} fewer")


def listed(interner: Interner) -> int:
    """The answer to `LISTED` for any list that is divided."""
    return interner.intern_composite(Tag.HEAD, (), (int(Tag.LIST), (), False), "list")


def dict_step(interner: Interner, key: int) -> str:
    return f"[{interner.json(key)}]"


@cache
def list_steps(size: int) -> tuple[str, ...]:
    """The steps to the members of a list of some size."""
    return tuple(f"[{index}]" for index in range(size))
