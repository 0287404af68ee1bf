"""The parts of a value, whose digests add up to the key of a state (language page, 5.6.1).

A key is two sums of 64 bits each: of the first halves of the digests (low) and of the second halves (high), both read
as little-endian. Kept as one int, `high << 64 | low`, it prints high half first; a digest read as one little-endian
number of 128 bits is already in that form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from interpreter.values.tags import COMPOSITE_TAGS, FIELD_TAGS, Tag
from interpreter.values.text import JSON

if TYPE_CHECKING:
    from interpreter.values.intern import Interner

KEY_RULE: Final = 2
"""The edition of the rule by which keys are computed: keys of another one mean other states.

1: heads of unordered collections had their length; 2: they have not.
"""

Resolve = Callable[[str, int], int | str]
"""(place, id of a REF) -> the id of the value to write out there, or the JSON of the alias."""

_LOW: Final = (1 << 64) - 1
_TYPE_NAMES: dict[Tag, str] = {
    Tag.LIST: "list",
    Tag.TUPLE: "tuple",
    Tag.DICT: "dict",
    Tag.RECORD: "record",
    Tag.STRUCT: "struct",
    Tag.SET: "set",
    Tag.GENERICSET: "genericset",
    Tag.BAG: "bag",
    Tag.GENERICMAP: "genericmap",
}


_UNORDERED: Final = frozenset({Tag.SET, Tag.GENERICSET, Tag.BAG, Tag.GENERICMAP})


def digest(place: str, text: str) -> int:
    """What one part adds to a key."""
    data = f"{place}\x1f{text}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=16).digest(), "little")


def add_keys(left: int, right: int) -> int:
    """The sum of two keys, half by half modulo 2^64."""
    return ((left >> 64) + (right >> 64) & _LOW) << 64 | left + right & _LOW


def subtract_keys(left: int, right: int) -> int:
    """The key that `add_keys(…, right)` takes to `left`."""
    return ((left >> 64) - (right >> 64) & _LOW) << 64 | left - right & _LOW


class ValueParts:
    """The parts of the values of one interner, with remembered sums."""

    def __init__(self, interner: Interner) -> None:
        self._interner = interner
        self._sums: dict[tuple[str, int], int] = {}

    def parts(self, place: str, number: int, resolve: Resolve | None = None) -> Iterator[tuple[str, str]]:
        """The parts (place, text) of a value, in encoding order.

        `resolve` says what an alias stands for; without it an alias is a part of its own, `{"$ref":cell}`.
        """
        tag = self._interner.tag(number)
        if tag is Tag.REF and resolve is not None:
            found = resolve(place, number)
            if isinstance(found, str):
                yield place, found
            else:
                yield from self.parts(place, found, resolve)
        elif tag in _TYPE_NAMES:
            yield place, self._head(number)
            if tag in _UNORDERED:
                yield from self._elements(place, number, resolve)
            else:
                for inner, member in self.members(place, number):
                    yield from self.parts(inner, member, resolve)
        else:
            yield place, self._interner.json(number)

    def _elements(self, place: str, number: int, resolve: Resolve | None) -> Iterator[tuple[str, str]]:
        """The parts of an unordered collection: all at one place, but for what may be found elsewhere again."""
        interner = self._interner
        members = [(self.encode(*member, resolve), *member) for member in self.members(place, number)]
        if interner.tag(number) is Tag.GENERICMAP:
            for (key, inner, k), (value, _, v) in zip(members[::2], members[1::2], strict=True):
                shares = interner.references(k) or interner.references(v)
                yield inner if shares else f"{place}{{}}", f"[{key},{value}]"
        else:
            for text, inner, member in members:
                yield inner if interner.references(member) else f"{place}{{}}", text

    def encode(self, place: str, number: int, resolve: Resolve | None = None) -> str:
        """The identity encoding of a value at a place, in which `resolve` says what aliases stand for."""
        interner = self._interner
        tag = interner.tag(number)
        if resolve is None or not interner.references(number) or tag in COMPOSITE_TAGS:
            return interner.json(number)
        if tag is Tag.REF:
            found = resolve(place, number)
            return found if isinstance(found, str) else self.encode(place, found, resolve)
        # Every member is written once and in order: `resolve` may depend on what came before. A dict writes all keys
        # first.
        members = self.members(place, number)
        if tag is Tag.DICT:
            members = [(place, key) for key, _ in interner.payload(number)] + members
        places = iter(members)
        return JSON[tag](interner.payload(number), lambda _: self.encode(*next(places), resolve))

    def members(self, place: str, number: int) -> list[tuple[str, int]]:
        """The places and ids of what is directly inside, in canonical order; a key and its value share a place."""
        tag, payload = self._interner.tag(number), self._interner.payload(number)
        if tag in FIELD_TAGS:
            return [(f"{place}.{name}", member) for name, member in payload]
        if tag is Tag.LIST or tag is Tag.TUPLE:
            return [(f"{place}[{i}]", member) for i, member in enumerate(payload)]
        if tag is Tag.DICT:
            return [(f"{place}[{self._interner.json(key)}]", member) for key, member in payload]
        # Aliases need a place for each element, though elements without any are parts at one place, `p{}`.
        if tag is Tag.GENERICMAP:
            return [(f"{place}{{{i}}}{m}", pair[m != ""]) for i, pair in enumerate(payload) for m in ("", "=")]
        return [(f"{place}{{{i}}}", member) for i, member in enumerate(self._interner.children(number))]

    def part_sum(self, place: str, number: int) -> int:
        """The sum of the parts of a value: what it adds to the key of its state."""
        known = self._sums.get((place, number))
        if known is None:
            known = self._sums[place, number] = self._summed(place, number)
        return known

    def _summed(self, place: str, number: int) -> int:
        """The same of a value that was never met at this place."""
        tag = self._interner.tag(number)
        if tag not in _TYPE_NAMES:
            return digest(place, self._interner.json(number))
        if tag in _UNORDERED:
            total = 0
            for inner, text in self.parts(place, number):
                total = add_keys(total, digest(inner, text))
            return total
        sums = self._sums
        low = high = 0
        # Most members were met before at their place.
        for member in self.members(place, number):
            one = sums.get(member)
            if one is None:
                one = sums[member] = self._summed(*member)
            low += one & _LOW
            high += one >> 64
        return add_keys(digest(place, self._head(number)), (high & _LOW) << 64 | low & _LOW)

    def _head(self, number: int) -> str:
        """The text of the part at a container's own place.

        What has no order is told from what has one element more by the sum: its head is its type alone, and to add an
        element changes one part.
        """
        tag = self._interner.tag(number)
        name = _TYPE_NAMES[tag]
        return name if tag in _UNORDERED else f"{name} {len(self._interner.payload(number))}"
