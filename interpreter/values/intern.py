"""Interned values: small ints ("ids") for immutable, hash-consed values; equal id means equal identity encoding.

Payloads by tag, members being ids:

| tag | payload |
|---|---|
| NONE BOOL INT FLOAT STRING BYTES | the Python value |
| LIST TUPLE | the members |
| SET GENERICSET | the members sorted by `order_key`, no two the same |
| BAG | the members sorted |
| DICT GENERICMAP | pairs (key, value) sorted by key |
| STRUCT RECORD | pairs (name, value) sorted by name |
| RANGE | (start, stop, step) |
| ROLE | (role name, number) |
| MODEL_VALUE | (name, number) |
| SYMMETRIC | (domain, index, symmetry, limit) |
| CHANNEL | (number, name) |
| STUB | (channel, role) |
| SEGMENT | (domain, index after which or None, index before which or None) |
| DOMAIN | (name,) |
| REF | (cell,) |
| FRAME THREAD MESSAGE DISPLAY | (members, extra, json), see `intern_composite` |
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Any, Final

from interpreter.values.key_parts import Resolve, ValueParts, add_keys, subtract_keys
from interpreter.values.problem import MAX_DEPTH, MAX_PARTS, too_deep, too_many_parts
from interpreter.values.tags import COMPOSITE_TAGS, FIELD_TAGS, MUTABLE_TAGS, PAIR_TAGS, SEQUENCE_TAGS, Tag
from interpreter.values.text import JSON, TEXT

__all__ = ["FALSE", "NONE", "TRUE", "UNTHAWED", "Interner", "Tag", "add_keys", "subtract_keys"]

NONE: Final = 0
FALSE: Final = 1
TRUE: Final = 2


class Unthawed:
    """The class of `UNTHAWED`: there is no runtime value of an id that steps can share."""


UNTHAWED: Final = Unthawed()

# Flags: what occurs at any depth inside a value.
_MUTABLE: Final = 1
_REFERENCE: Final = 2
_ROLE: Final = 4
_SYMMETRIC: Final = 8
_HOST: Final = 16
_IDENTITY: Final = 32
_NOT_BY_ID: Final = 64
_PRIVATE: Final = _MUTABLE | _REFERENCE | _ROLE | _HOST

_OWN_FLAGS: dict[Tag, int] = {
    **dict.fromkeys(MUTABLE_TAGS, _MUTABLE),
    Tag.REF: _REFERENCE,
    Tag.ROLE: _ROLE,
    Tag.SYMMETRIC: _SYMMETRIC,
    Tag.MODEL_VALUE: _IDENTITY,
    Tag.SEGMENT: _HOST | _SYMMETRIC,
    Tag.DOMAIN: _HOST,
}
_BY_ID: Final = frozenset(
    {Tag.NONE, Tag.BOOL, Tag.INT, Tag.STRING, Tag.TUPLE, Tag.MODEL_VALUE, Tag.SYMMETRIC, Tag.ROLE, Tag.STRUCT, Tag.LIST,
     Tag.DICT, Tag.SET, Tag.RECORD, Tag.GENERICSET, Tag.BAG}
)  # fmt: skip
"""The types of values that are equal just if their ids are, as long as none of another type is inside."""
_FLOAT_TAG: Final = Tag.FLOAT
"""Members of an enum are slow to look up."""
_FLOAT = struct.Struct("<d")
_FLOAT_BITS = struct.Struct("<q")
_NAN = float("nan")


class Interner:
    """The interned values of one process. Ids are valid in it alone: use `portable` and `load` between processes."""

    none: Final = NONE
    """The id of None."""

    def __init__(self) -> None:
        self._tables: list[dict[Any, int]] = [{} for _ in Tag]
        self.ints: Mapping[int, int] = self._tables[Tag.INT]
        """The ids of the ints."""
        self.texts: Mapping[str, int] = self._tables[Tag.STRING]
        """The ids of the strings."""
        self._tags: list[Tag] = []
        self._payloads: list[Any] = []
        self._flags: list[int] = []
        self._weights: list[int] = []
        self._depths: list[int] = []
        self._orders: list[Any] = []
        self._json: dict[int, str] = {}
        self._text: dict[int, str] = {}
        self._roles: dict[int, frozenset[tuple[str, int]]] = {}
        self._symmetric: dict[int, frozenset[tuple[str, int | Fraction]]] = {}
        self._identities: dict[int, frozenset[tuple[str, int]]] = {}
        self._parts: ValueParts | None = None
        self.thawed: list[object] = []
        """The runtime value of an id where it can be shared between steps, else UNTHAWED."""
        self.frozen: dict[int, int] = {}
        """The ids of the runtime values in `thawed`, by Python's identity; these live as long as this interner."""
        self.parked: dict[Hashable, int] = {}
        """The ids of frames by all that determines them."""
        for tag, payload in ((Tag.NONE, None), (Tag.BOOL, False), (Tag.BOOL, True)):
            self.intern(tag, payload)

    # --- making ids ------------------------------------------------------------------------------------------------

    def intern(self, tag: int, payload: Any) -> int:
        """The id of a value with that tag and payload; the payload is canonical (see above)."""
        if tag == _FLOAT_TAG:
            # By bits, since 0.0 and -0.0 differ in identity but compare equal. All nans are one value.
            key: Any = _FLOAT.pack(payload if payload == payload else _NAN)
        else:
            key = payload
        number = self._tables[tag].get(key)
        if number is None:
            number = self._add(tag if type(tag) is Tag else Tag(tag), payload, key)
        return number

    def intern_members(self, tag: Tag, members: Iterable[int]) -> int:
        """The id of a set, genericset or bag with these members in any order."""
        chosen = members if tag is Tag.BAG else set(members)
        return self.intern(tag, tuple(sorted(chosen, key=self.order_key)))

    def intern_pairs(self, tag: Tag, pairs: Iterable[tuple[int, int]]) -> int:
        """The id of a dict or genericmap with these pairs in any order; of two equal keys the first wins."""
        given = tuple(pairs)
        known = self._tables[tag].get(given)
        if known is not None:
            # They were in the canonical order.
            return known
        first: dict[int, int] = {}
        for key, value in given:
            first.setdefault(key, value)
        return self.intern(tag, tuple(sorted(first.items(), key=lambda pair: self.order_key(pair[0]))))

    def intern_fields(self, tag: Tag, fields: Iterable[tuple[str, int]]) -> int:
        """The id of a struct or record with these fields in any order."""
        given = tuple(fields)
        known = self._tables[tag].get(given)
        return self.intern(tag, tuple(sorted(given))) if known is None else known

    def intern_composite(self, tag: int, child_ids: tuple[int, ...], extra: Hashable, json: str) -> int:
        """The id of a frame, thread or message: equal iff tag, members, `extra` and `json` are equal.

        `extra` and `json` must not depend on ids: `portable` sends them, and composites are ordered by `json`.
        """
        assert tag in COMPOSITE_TAGS
        return self.intern(tag, (child_ids, extra, json))

    def _add(self, tag: Tag, payload: Any, key: Any) -> int:
        flags = _OWN_FLAGS.get(tag, 0) | (0 if tag in _BY_ID else _NOT_BY_ID)
        weight = 1
        depth = 0
        if tag is Tag.STRING or tag is Tag.BYTES:
            weight += len(payload) // 16
        elif tag is Tag.INT:
            weight += payload.bit_length() // 64
        elif children := _children(tag, payload):
            flags = reduce(or_, map(self._flags.__getitem__, children), flags)
            weight += sum(map(self._weights.__getitem__, children))
            depth += 1 + max(map(self._depths.__getitem__, children))
        if weight > MAX_PARTS:
            raise too_many_parts()
        if depth > MAX_DEPTH and tag not in COMPOSITE_TAGS:
            raise too_deep()
        number = len(self._tags)
        self._tables[tag][key] = number
        self._tags.append(tag)
        self._payloads.append(payload)
        self._flags.append(flags)
        self._weights.append(weight)
        self._depths.append(depth)
        self._orders.append(None)
        self.thawed.append(payload if tag <= Tag.BYTES else UNTHAWED)
        return number

    def __len__(self) -> int:
        return len(self._tags)

    # --- asking about ids ------------------------------------------------------------------------------------------

    def tag(self, number: int) -> Tag:
        return self._tags[number]

    def payload(self, number: int) -> Any:
        return self._payloads[number]

    def payloads(self, tag: Tag) -> Collection[Any]:
        """The payloads of all values with a tag, the oldest first; not for floats."""
        return self._tables[tag].keys()

    def extra(self, number: int) -> Any:
        """The `extra` that a composite was interned with."""
        return self._payloads[number][1]

    def children(self, number: int) -> tuple[int, ...]:
        """The ids directly inside, in canonical order (pairs: key, value, key, value …)."""
        return _children(self._tags[number], self._payloads[number])

    def weight(self, number: int) -> int:
        """Roughly the number of parts of the value written out."""
        return self._weights[number]

    def mutable(self, number: int) -> bool:
        """Whether a mutable container is anywhere inside; targets of references do not count."""
        return bool(self._flags[number] & _MUTABLE)

    def equal_by_id(self, number: int) -> bool:
        """Whether equality with such values is that of ids: no float, alias or the like is anywhere inside."""
        return not self._flags[number] & _NOT_BY_ID

    def references(self, number: int) -> bool:
        """Whether an alias (REF) is anywhere inside."""
        return bool(self._flags[number] & _REFERENCE)

    def referring(self, numbers: Iterable[int]) -> list[int]:
        """The positions of those of some values that have an alias inside."""
        flags = self._flags
        return [i for i, number in enumerate(numbers) if flags[number] & _REFERENCE]

    def sharable(self, number: int) -> bool:
        """Whether one thawed value can serve all steps: nothing mutable, no reference, no role instance."""
        return not self._flags[number] & _PRIVATE

    def has_roles(self, number: int) -> bool:
        """Whether any role instance is inside."""
        return self._flags[number] & _ROLE != 0

    def roles(self, number: int) -> frozenset[tuple[str, int]]:
        """The role instances (name, number) inside; targets of references do not count."""
        if not self._flags[number] & _ROLE:
            return frozenset()
        if number not in self._roles:
            inside = [self.roles(child) for child in self.children(number)]
            own = [self._payloads[number]] if self._tags[number] is Tag.ROLE else []
            self._roles[number] = frozenset(own).union(*inside)
        return self._roles[number]

    def symmetric(self, number: int) -> frozenset[tuple[str, int | Fraction]]:
        """The symmetric values (domain, index) inside, ends of segments included, without ids of symmetric roles."""
        if not self._flags[number] & _SYMMETRIC:
            return frozenset()
        if number not in self._symmetric:
            inside = [self.symmetric(child) for child in self.children(number)]
            own = _own_symmetric(self._tags[number], self._payloads[number])
            self._symmetric[number] = frozenset(own).union(*inside)
        return self._symmetric[number]

    def identities(self, number: int) -> frozenset[tuple[str, int]]:
        """The model values (name, number), that is `r.__id__`, inside."""
        if not self._flags[number] & _IDENTITY:
            return frozenset()
        if number not in self._identities:
            inside = [self.identities(child) for child in self.children(number)]
            own = [self._payloads[number]] if self._tags[number] is Tag.MODEL_VALUE else []
            self._identities[number] = frozenset(own).union(*inside)
        return self._identities[number]

    def json(self, number: int) -> str:
        """The identity encoding: compact JSON."""
        written = self._json.get(number)
        if written is None:
            tag, payload = self._tags[number], self._payloads[number]
            if tag is Tag.INT:
                return str(payload)  # as fast as a cache
            # Members first: their texts are then cached, and deep values need little stack.
            for child in _children(tag, payload):
                self.json(child)
            written = payload[2] if tag in COMPOSITE_TAGS else JSON[tag](payload, self.json)
            self._json[number] = written
        return written

    def text(self, number: int) -> str:
        """The display text, which is `repr(v)`."""
        written = self._text.get(number)
        if written is None:
            tag, payload = self._tags[number], self._payloads[number]
            if tag is Tag.INT:
                return str(payload)
            for child in _children(tag, payload):
                self.text(child)
            written = payload[2] if tag in COMPOSITE_TAGS else TEXT[tag](payload, self.text)
            self._text[number] = written
        return written

    def order_key(self, number: int) -> Any:
        """A Python object that compares like the values in canonical order (language page, 5.5)."""
        order = self._orders[number]
        if order is None:
            for child in self.children(number):
                self.order_key(child)
            order = self._orders[number] = self._make_order(number)
        return order

    def _make_order(self, number: int) -> tuple[Any, ...]:
        # Flat per level: Python compares nested tuples by recursion in C, and values may be deep.
        tag, payload = self._tags[number], self._payloads[number]
        rank = int(tag)
        if tag in FIELD_TAGS:
            return (rank, *[part for name, value in payload for part in (name, self.order_key(value))])
        if tag in SEQUENCE_TAGS or tag in PAIR_TAGS or tag is Tag.STUB:
            return (rank, *[self.order_key(child) for child in _children(tag, payload)])
        if tag is Tag.FLOAT:
            return (rank, _float_order(payload))
        if tag in COMPOSITE_TAGS:
            return (rank, payload[2])
        if tag is Tag.SEGMENT:
            name, after, before = payload
            return (rank, name, after is not None, after or 0, before is None, before or 0)
        if tag in _PLAIN_TAGS:
            return (rank, payload)
        if tag is Tag.NONE:
            return (rank,)
        # Of symmetric values and channels only the leading parts are compared, which determine the others.
        return (rank, *payload[: _ORDERED_PARTS.get(tag, len(payload))])

    # --- parts of keys (language page, 5.6.1) ----------------------------------------------------------------------

    def parts(self, path: str, number: int, resolve: Resolve | None = None) -> Iterator[tuple[str, str]]:
        """The parts (path, text) of a value at a path; see `ValueParts.parts`."""
        return self._known_parts().parts(path, number, resolve)

    def part_sum(self, path: str, number: int) -> int:
        """What a value at a path adds to the key of its state; cached."""
        return self._known_parts().part_sum(path, number)

    def shared_sum(self, path: str, number: int, resolve: Resolve) -> int:
        """The sum of the parts of a value with aliases (see `ValueParts`)."""
        return self._known_parts().shared_sum(path, number, resolve)

    def encode(self, path: str, number: int, resolve: Resolve | None = None) -> str:
        """The identity encoding of a value at a path, aliases by `resolve`; see `ValueParts.encode`."""
        return self._known_parts().encode(path, number, resolve)

    def _known_parts(self) -> ValueParts:
        if self._parts is None:
            self._parts = ValueParts(self)
        return self._parts

    # --- between processes -----------------------------------------------------------------------------------------

    def portable(self, number: int) -> bytes:
        """The value without ids, in a line of ASCII; `load` reads it in any process."""
        from interpreter.values.portable import to_bytes

        return to_bytes(self, number)

    def load(self, data: bytes) -> int:
        """The id of a value that `portable` wrote in any process. Raises `NotData` for other data."""
        from interpreter.values.portable import from_bytes

        return from_bytes(self, data)


_PLAIN_TAGS = frozenset({Tag.BOOL, Tag.INT, Tag.STRING, Tag.BYTES})
_ORDERED_PARTS: dict[Tag, int] = {Tag.SYMMETRIC: 2, Tag.CHANNEL: 1}


def _children(tag: Tag, payload: Any) -> tuple[int, ...]:
    if tag in SEQUENCE_TAGS or tag is Tag.STUB:
        members: tuple[int, ...] = payload
        return members
    if tag in PAIR_TAGS:
        return tuple([child for pair in payload for child in pair])
    if tag in FIELD_TAGS:
        return tuple([child for _, child in payload])
    if tag in COMPOSITE_TAGS:
        inside: tuple[int, ...] = payload[0]
        return inside
    return ()


def _own_symmetric(tag: Tag, payload: Any) -> list[tuple[str, int | Fraction]]:
    if tag is Tag.SEGMENT:
        return [(payload[0], end) for end in payload[1:] if end is not None]
    return [payload[:2]] if tag is Tag.SYMMETRIC else []


def _float_order(number: float) -> int:
    """An int that sorts like the floats: -inf … -0.0, 0.0 … inf, nan."""
    (bits,) = _FLOAT_BITS.unpack(_FLOAT.pack(number if number == number else _NAN))
    return int(bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF) - 1)
