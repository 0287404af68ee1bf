"""The names of elements of sets and bags: of equal elements the same name, of others another one."""

from __future__ import annotations

from typing import Final

from interpreter.values.intern import Interner, Tag

SCALARS: Final = frozenset(
    {Tag.NONE, Tag.BOOL, Tag.INT, Tag.FLOAT, Tag.STRING, Tag.BYTES, Tag.ROLE, Tag.MODEL_VALUE, Tag.SYMMETRIC}
)
_AROUND: Final = {
    Tag.TUPLE: ("(", ")"),
    Tag.STRUCT: ("(", ")"),
    Tag.RECORD: ("<", ">"),
    Tag.LIST: ("[", "]"),
    Tag.DICT: ("{", "}"),
    Tag.SET: ("set(", ")"),
    Tag.GENERICSET: ("genericset(", ")"),
}
"""What may be an element besides; no bags: written where an element is, a bag says how many copies are added."""
_UNLIKE: Final = frozenset({Tag.FLOAT, Tag.SYMMETRIC})
"""What may equal a value that is written differently, or where comparing may be a mistake."""


def name_of(interner: Interner, number: int) -> str | None:
    """The name of an element; None if it has none."""
    tag, payload = interner.tag(number), interner.payload(number)
    if tag is Tag.FLOAT and payload.is_integer():
        return str(int(payload))
    if tag in SCALARS:
        return interner.json(number)
    if tag not in _AROUND:
        return None
    inside = [name_of(interner, child) for child in interner.children(number)]
    if None in inside:
        return None
    begin, end = _AROUND[tag]
    fields = f"{','.join(name for name, _ in payload)}:" if tag in (Tag.STRUCT, Tag.RECORD) else ""
    return f"{begin}{fields}{','.join(map(str, inside))}{end}"


def is_alike(interner: Interner, number: int) -> bool:
    """Whether all that equals a value looks like it."""
    if interner.tag(number) in _UNLIKE:
        return False
    return all(is_alike(interner, child) for child in interner.children(number))
