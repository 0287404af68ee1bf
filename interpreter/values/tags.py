"""The type tags of interned values, in the canonical order of types (language page, 5.5)."""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Tag(IntEnum):
    """The type of an interned value. Values of different tags are never the same, and sort by tag first."""

    NONE = 0
    BOOL = 1
    INT = 2
    FLOAT = 3
    STRING = 4
    BYTES = 5
    TUPLE = 6
    MODEL_VALUE = 7
    SYMMETRIC = 8
    ROLE = 9
    RANGE = 10
    STRUCT = 11
    LIST = 12
    DICT = 13
    SET = 14
    FROZENSET = 15
    RECORD = 16
    GENERICSET = 17
    BAG = 18
    GENERICMAP = 19
    STUB = 20
    CHANNEL = 21
    SEGMENT = 22
    DOMAIN = 23
    # Not values of the language:
    REF = 24  # an alias: the cell of a shared container
    FRAME = 25
    THREAD = 26
    MESSAGE = 27
    DISPLAY = 28  # only while text is written: a function, or the inside of a cycle
    HEAD = 29  # in no state: type, length and keys of a container read part by part


MUTABLE_TAGS = frozenset(
    {Tag.LIST, Tag.DICT, Tag.SET, Tag.RECORD, Tag.GENERICSET, Tag.BAG, Tag.GENERICMAP},
)
CHANGING_TAGS = frozenset({Tag.GENERICSET, Tag.BAG, Tag.GENERICMAP})
"""Collections whose elements may be changed in place: their canonical order depends on what is shared in them, and does
not survive writing that out."""
SEQUENCE_TAGS = frozenset({Tag.TUPLE, Tag.LIST, Tag.SET, Tag.FROZENSET, Tag.GENERICSET, Tag.BAG})
PAIR_TAGS = frozenset({Tag.DICT, Tag.GENERICMAP})
FIELD_TAGS = frozenset({Tag.STRUCT, Tag.RECORD})
COMPOSITE_TAGS = frozenset({Tag.FRAME, Tag.THREAD, Tag.MESSAGE, Tag.DISPLAY, Tag.HEAD})

SHAPES: dict[Tag, Any] = {Tag.THREAD: type(None), Tag.DISPLAY: type(None)}
"""The types of the `extra` part of composites; modules that make other composites add theirs."""
