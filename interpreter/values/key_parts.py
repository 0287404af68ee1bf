"""The parts of a value, whose digests add up to the key of a state (language page, 5.6.1).

Each part is a text at a path (the place of the language page). A key is two sums of 64 bits each: of the first halves
of the digests (low) and of the second halves (high), both read as little-endian. Stored as one int, `high << 64 | low`,
it prints high half first; a digest read as one little-endian number of 128 bits is already in that form.
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
"""The version of the rule by which keys are computed: keys of different versions are not comparable.

1: heads of unordered collections had their length; 2: they have not.
"""

Resolve = Callable[[str, int], int | str]
"""(path, id of a REF) -> the id of the value to write out there, or the JSON of the alias."""

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


def digest(path: str, text: str) -> int:
    """The term that one part adds to a key."""
    data = f"{path}\x1f{text}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=16).digest(), "little")


def add_keys(left: int, right: int) -> int:
    """The sum of two keys, half by half modulo 2^64."""
    return ((left >> 64) + (right >> 64) & _LOW) << 64 | left + right & _LOW


def subtract_keys(left: int, right: int) -> int:
    """The inverse of `add_keys`: the key to which `right` has to be added to give `left`."""
    return ((left >> 64) - (right >> 64) & _LOW) << 64 | left - right & _LOW


class ValueParts:
    """The parts of the values of one interner, with cached sums."""

    def __init__(self, interner: Interner) -> None:
        self._interner = interner
        self._sums: dict[tuple[str, int], int] = {}

    def parts(self, path: str, number: int, resolve: Resolve | None = None) -> Iterator[tuple[str, str]]:
        """The parts (path, text) of a value, in encoding order.

        `resolve` resolves aliases; without it an alias is a part of its own, `{"$ref":cell}`.
        """
        tag = self._interner.tag(number)
        if tag is Tag.REF and resolve is not None:
            found = resolve(path, number)
            if isinstance(found, str):
                yield path, found
            else:
                yield from self.parts(path, found, resolve)
        elif tag in _TYPE_NAMES:
            yield path, self._head(number)
            if tag in _UNORDERED:
                yield from self._elements(path, number, resolve)
            else:
                for inner, member in self.members(path, number):
                    yield from self.parts(inner, member, resolve)
        else:
            yield path, self._interner.json(number)

    def _elements(self, path: str, number: int, resolve: Resolve | None) -> Iterator[tuple[str, str]]:
        """The parts of an unordered collection: all at one path, except for elements with aliases."""
        interner = self._interner
        members = [(self.encode(*member, resolve), *member) for member in self.members(path, number)]
        if interner.tag(number) is Tag.GENERICMAP:
            for (key, inner, k), (value, _, v) in zip(members[::2], members[1::2], strict=True):
                shares = interner.references(k) or interner.references(v)
                yield inner if shares else f"{path}{{}}", f"[{key},{value}]"
        else:
            for text, inner, member in members:
                yield inner if interner.references(member) else f"{path}{{}}", text

    def encode(self, path: str, number: int, resolve: Resolve | None = None) -> str:
        """The identity encoding of a value at a path, with aliases resolved by `resolve`."""
        interner = self._interner
        tag = interner.tag(number)
        if resolve is None or not interner.references(number) or tag in COMPOSITE_TAGS:
            return interner.json(number)
        if tag is Tag.REF:
            found = resolve(path, number)
            return found if isinstance(found, str) else self.encode(path, found, resolve)
        # Every member is written once and in order, as `resolve` may depend on earlier ones. A dict writes all keys
        # first.
        members = self.members(path, number)
        if tag is Tag.DICT:
            members = [(path, key) for key, _ in interner.payload(number)] + members
        located = iter(members)
        return JSON[tag](interner.payload(number), lambda _: self.encode(*next(located), resolve))

    def members(self, path: str, number: int) -> list[tuple[str, int]]:
        """The paths and ids of the members, in canonical order; a key and its value share a path."""
        tag, payload = self._interner.tag(number), self._interner.payload(number)
        if tag in FIELD_TAGS:
            return [(f"{path}.{name}", member) for name, member in payload]
        if tag is Tag.LIST or tag is Tag.TUPLE:
            return [(f"{path}[{i}]", member) for i, member in enumerate(payload)]
        if tag is Tag.DICT:
            return [(f"{path}[{self._interner.json(key)}]", member) for key, member in payload]
        # Aliases need a path for each element, though elements without aliases are parts at one path, `p{}`.
        if tag is Tag.GENERICMAP:
            return [(f"{path}{{{i}}}{m}", pair[m != ""]) for i, pair in enumerate(payload) for m in ("", "=")]
        return [(f"{path}{{{i}}}", member) for i, member in enumerate(self._interner.children(number))]

    def part_sum(self, path: str, number: int) -> int:
        """The sum of the parts of a value: what it adds to the key of its state."""
        known = self._sums.get((path, number))
        if known is None:
            known = self._sums[path, number] = self._summed(path, number)
        return known

    def shared_sum(self, path: str, number: int, resolve: Resolve) -> int:
        """The sum of the parts of a value with aliases, which `resolve` resolves; what has none is cached."""
        if not self._interner.references(number):
            return self.part_sum(path, number)
        tag = self._interner.tag(number)
        if tag is Tag.REF:
            found = resolve(path, number)
            return digest(path, found) if isinstance(found, str) else self.shared_sum(path, found, resolve)
        total = digest(path, self._head(number))
        if tag in _UNORDERED:
            for inner, text in self._elements(path, number, resolve):
                total = add_keys(total, digest(inner, text))
        else:
            for inner, member in self.members(path, number):
                total = add_keys(total, self.shared_sum(inner, member, resolve))
        return total

    def _summed(self, path: str, number: int) -> int:
        """As `part_sum`, for a value that is not cached at this path."""
        tag = self._interner.tag(number)
        if tag not in _TYPE_NAMES:
            return digest(path, self._interner.json(number))
        if tag in _UNORDERED:
            total = 0
            for inner, text in self.parts(path, number):
                total = add_keys(total, digest(inner, text))
            return total
        sums = self._sums
        low = high = 0
        # Most members are cached at their path.
        for member in self.members(path, number):
            one = sums.get(member)
            if one is None:
                one = sums[member] = self._summed(*member)
            low += one & _LOW
            high += one >> 64
        return add_keys(digest(path, self._head(number)), (high & _LOW) << 64 | low & _LOW)

    def _head(self, number: int) -> str:
        """The text of the part at a container's own path.

        The head of an unordered collection is its type alone: the sum distinguishes lengths, and adding an element
        changes one part only.
        """
        tag = self._interner.tag(number)
        name = _TYPE_NAMES[tag]
        return name if tag in _UNORDERED else f"{name} {len(self._interner.payload(number))}"
