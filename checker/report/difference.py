"""The parts in which two display texts of a value differ, so that a long value need not be shown twice.

The texts are those of the language page, section 5.5, and of threads (`Node#0.Send at spec.fizz:14 {k = 1}`). They are
read as nested brackets with items between commas; a text that does not read like that is opaque.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from checker.core.trace import Change

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = tuple(_CLOSING.values())
_JOINTS = (":", "=")
_STRING = r'"(?:[^"\\]|\\.?)*+"?'
# The tokens that structure a text. A string may contain any of the others; an innermost bracket is one token.
_TOKEN = re.compile(rf'{_STRING}|[(\[{{](?:[^"()\[\]{{}}]++|{_STRING})*+[)\]}}]|[()\[\]{{}},:=]', re.DOTALL)
_UNORDERED = ("set(", "frozenset(", "genericset(", "bag(")
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a container: `key` is None in sequences; `joint` is the text between key and value."""

    key: str | None
    joint: str
    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """`head[item, item]`: the head ends with the opening bracket."""

    head: str
    items: tuple[Item, ...]


def differences(change: Change) -> list[Change]:
    """The smallest parts that changed, as changes of their own. A part that came or went has no old or new text.

    The place of a part is written as in the language: `nodes[0].offset`, `log["a"]`.
    """
    if change.old is None or change.new is None:
        return [change]
    return list(_compare(change.place, change.old, change.new, 0))


def _compare(place: str, old: str, new: str, depth: int) -> Iterator[Change]:
    if old == new:
        return
    before, after = read_group(old), read_group(new)
    if before is None or after is None or before.head != after.head or depth > _DEEPEST:
        yield Change(place, old, new)
        return
    for part in parts(place, before, after):
        if part.old is None or part.new is None:
            yield part
        else:
            yield from _compare(part.place, part.old, part.new, depth + 1)


def parts(place: str, before: Group, after: Group) -> list[Change]:
    """The parts of two values with the same head side by side, also those that did not change.

    The elements of a set or bag have no place of their own: they get that of the whole.
    """
    if before.head in _UNORDERED:
        return list(unordered(place, Counter(_elements(before)), Counter(_elements(after))))
    if all(item.key is not None for item in before.items + after.items):
        old = {_part_place(place, item): item.text for item in before.items}
        new = {_part_place(place, item): item.text for item in after.items}
        return [Change(path, old.get(path), new.get(path)) for path in old | new]
    return list(_sequence(place, [item.text for item in before.items], [item.text for item in after.items]))


def _part_place(place: str, item: Item) -> str:
    return f"{place}.{item.key}" if "=" in item.joint else f"{place}[{item.key}]"


def _sequence(place: str, old: list[str], new: list[str]) -> Iterator[Change]:
    """Sequences of one length are compared by index; else the common beginning and end did not change."""
    if len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield Change(f"{place}[{index}]", one, other)
        return
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        yield Change(f"{place}[{start}]", old[start], new[start])
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    for index in range(start, len(old) - end):
        yield Change(f"{place}[{index}]", old[index], None)
    for index in range(start, len(new) - end):
        yield Change(f"{place}[{index}]", None, new[index])
    for index in range(len(new) - end, len(new)):
        yield Change(f"{place}[{index}]", new[index], new[index])


def unordered(place: str, old: Counter[str], new: Counter[str]) -> Iterator[Change]:
    """Elements without a place of their own: those that went, stayed, came."""
    for element in (old - new).elements():
        yield Change(place, element, None)
    for element in (old & new).elements():
        yield Change(place, element, element)
    for element in (new - old).elements():
        yield Change(place, None, element)


def _elements(group: Group) -> list[str]:
    """The elements of `set([1, 2])`, whose group has the list as its only item."""
    inner = read_group(group.items[0].text) if group.items else None
    return [item.text for item in inner.items] if inner else []


@lru_cache(maxsize=1024)
def read_group(text: str) -> Group | None:
    """The outermost bracket of a text that ends with it, or None."""
    start = find(text, 0, "([{")
    last = len(text) - 1
    if start > last or not text.endswith(_CLOSING[text[start]]):
        return None
    items: list[Item] = []
    position, depth, joint = start + 1, 0, -1
    for token in _TOKEN.finditer(text, position, last):
        character, at = token[0], token.start()
        if len(character) > 1:
            continue
        if character in _CLOSING:
            depth += 1
        elif character in _CLOSERS:
            if depth == 0:
                return None
            depth -= 1
        elif depth == 0 and character == ",":
            items.append(_item(text[position:at], joint - position))
            position, joint = at + len(", "), -1
        elif depth == 0 and joint < 0 and character in _JOINTS:
            joint = at
    if position < last:
        items.append(_item(text[position:last], joint - position))
    return Group(text[: start + 1], tuple(items))


def _item(text: str, joint: int) -> Item:
    """`joint` is where the first `:` or `=` stands, if there is one."""
    if joint > 0 and text[joint : joint + 2] == ": ":
        return Item(text[:joint], ": ", text[joint + 2 :])
    if joint > 0 and text[joint - 1 : joint + 2] == " = ":
        return Item(text[: joint - 1], " = ", text[joint + 2 :])
    return Item(None, "", text)


def find(text: str, start: int, wanted: str, nested: bool = False) -> int:
    """The index of the first wanted character outside strings (and brackets, if `nested`), or the length."""
    position, depth = start, 0
    while position < len(text):
        character = text[position]
        if depth == 0 and character in wanted:
            return position
        if character == '"':
            position += 1
            while position < len(text) and text[position] != '"':
                position += 2 if text[position] == "\\" else 1
        elif nested and character in _CLOSING:
            depth += 1
        elif nested and character in ")]}":
            depth -= 1
        position += 1
    return len(text)
