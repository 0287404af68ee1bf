"""What differs between two display texts of a value, so that a long value need not be shown twice.

The texts are those of the language page, section 5.5, and of threads (`Node#0.Send at spec.fizz:14 {k = 1}`). They are
read as nested brackets with items between commas; whatever does not read that way is one opaque text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from checker.trace import Change

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_UNORDERED = ("set(", "genericset(", "bag(")
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class _Item:
    """One place in a container: `key` is None in sequences; `joint` is what stands between key and value."""

    key: str | None
    joint: str
    text: str


@dataclass(frozen=True, slots=True)
class _Group:
    """`head[item, item]`: the head ends with the opening bracket."""

    head: str
    items: tuple[_Item, ...]


def differences(change: Change) -> list[Change]:
    """The smallest parts that changed, as changes of their own. A part that came or went has no old or new text.

    The place of a part reads as in the language: `nodes[0].offset`, `log["a"]`.
    """
    if change.old is None or change.new is None:
        return [change]
    return list(_compare(change.place, change.old, change.new, 0))


def _compare(place: str, old: str, new: str, depth: int) -> Iterator[Change]:
    if old == new:
        return
    before, after = _read(old), _read(new)
    if before is None or after is None or before.head != after.head or depth > _DEEPEST:
        yield Change(place, old, new)
    elif before.head in _UNORDERED:
        yield from _compare_unordered(place, before, after)
    elif all(item.key is not None for item in before.items + after.items):
        yield from _compare_keyed(place, before, after, depth)
    else:
        yield from _compare_sequence(place, before, after, depth)


def _compare_keyed(place: str, before: _Group, after: _Group, depth: int) -> Iterator[Change]:
    old = {_path(place, item): item.text for item in before.items}
    new = {_path(place, item): item.text for item in after.items}
    for path in old | new:
        if path in old and path in new:
            yield from _compare(path, old[path], new[path], depth + 1)
        else:
            yield Change(path, old.get(path), new.get(path))


def _path(place: str, item: _Item) -> str:
    return f"{place}.{item.key}" if "=" in item.joint else f"{place}[{item.key}]"


def _compare_sequence(place: str, before: _Group, after: _Group, depth: int) -> Iterator[Change]:
    old = [item.text for item in before.items]
    new = [item.text for item in after.items]
    if len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _compare(f"{place}[{index}]", one, other, depth + 1)
        return
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    for index in range(start, len(old) - end):
        yield Change(f"{place}[{index}]", old[index], None)
    for index in range(start, len(new) - end):
        yield Change(f"{place}[{index}]", None, new[index])


def _compare_unordered(place: str, before: _Group, after: _Group) -> Iterator[Change]:
    old, new = Counter(_elements(before)), Counter(_elements(after))
    for element in (old - new).elements():
        yield Change(place, element, None)
    for element in (new - old).elements():
        yield Change(place, None, element)


def _elements(group: _Group) -> list[str]:
    """The elements of `set([1, 2])`, whose group has the list as its only item."""
    inner = _read(group.items[0].text) if group.items else None
    return [item.text for item in inner.items] if inner else []


def _read(text: str) -> _Group | None:
    """The outermost bracket of a text that ends with it, or None."""
    start = find(text, 0, "([{")
    if start == len(text) or not text.endswith(_CLOSING[text[start]]):
        return None
    items: list[_Item] = []
    position, last = start + 1, len(text) - 1
    while position < last:
        end = find(text, position, ",)]}", nested=True)
        if end < last and text[end] != ",":
            return None
        items.append(_item(text[position : min(end, last)]))
        position = end + 2
    return _Group(text[: start + 1], tuple(items))


def _item(text: str) -> _Item:
    joint = find(text, 0, ":=", nested=True)
    if text[joint : joint + 2] == ": ":
        return _Item(text[:joint], ": ", text[joint + 2 :])
    if text[joint - 1 : joint + 2] == " = ":
        return _Item(text[: joint - 1], " = ", text[joint + 2 :])
    return _Item(None, "", text)


def find(text: str, start: int, wanted: str, nested: bool = False) -> int:
    """Where the first of the wanted characters stands outside strings (and brackets, if `nested`), or the length."""
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
