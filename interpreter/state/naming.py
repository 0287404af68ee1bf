"""Canonical numbers for cells, and the canonical order of threads and messages that share containers.

Cells are numbered in the order of a walk: first through values whose members are ordered, then through unordered
collections, threads and messages, sorted by their contents. Cells that have a number distinguish contents that are
equal otherwise.
"""

from __future__ import annotations

from collections import Counter

from interpreter.state.parked import composite_json
from interpreter.values.intern import Interner
from interpreter.values.tags import CHANGING_TAGS, COMPOSITE_TAGS, Tag


class Naming:
    """The numbers given so far in one state. `contents`: the values in its cells."""

    def __init__(self, interner: Interner, contents: dict[int, int]) -> None:
        self.contents = contents
        self.names: dict[int, int] = {}
        self._interner = interner
        self._collections: list[int] = []

    def name(self, number: int) -> None:
        """Number the cells in a value; those in unordered collections are left to `name_members`."""
        interner = self._interner
        if not interner.references(number):
            return
        tag = interner.tag(number)
        if tag is Tag.REF:
            k = int(interner.payload(number)[0])
            if k not in self.names:
                self.names[k] = len(self.names)
                self.name(self.contents[k])
        elif tag in CHANGING_TAGS:
            self._collections.append(number)
        else:
            for child in interner.children(number):
                self.name(child)

    def name_members(self, ties: bool = False) -> None:
        """Number the cells in the collections visited so far.

        Cells of equal members are numbered with `ties` only: threads may distinguish them.
        """
        while self._name_one(ties):
            pass

    def _name_one(self, ties: bool) -> bool:
        """Number the cells of one more member; False if there is none."""
        known = len(self.names)
        for collection in self._collections:
            members = sorted((self._member_text(member), member) for member in self._members(collection))
            texts = Counter(text for text, _ in members)
            for text, member in members:
                if ties or texts[text] == 1:
                    for number in member:
                        self.name(number)
                    if len(self.names) > known:
                        return True
        return False

    def _members(self, collection: int) -> list[tuple[int, ...]]:
        """The elements, or the pairs of a map."""
        children = self._interner.children(collection)
        if self._interner.tag(collection) is Tag.GENERICMAP:
            return list(zip(children[::2], children[1::2], strict=True))
        return [(child,) for child in children]

    def _member_text(self, member: tuple[int, ...], path: tuple[int, ...] = ()) -> str:
        return ",".join([self._text(number, path) for number in member])

    def ordered(self, composites: list[int]) -> list[int]:
        """The canonical order of threads or messages, as indexes of this list; numbers their cells. Stable."""
        left, found = list(range(len(composites))), []
        while left:
            # The one with the least text goes first; its cells are numbered before the next one is chosen.
            first = left[0] if len(left) == 1 else min(left, key=lambda index: self._text(composites[index]))
            left.remove(first)
            found.append(first)
            self.name(composites[first])
        return found

    # --- texts -----------------------------------------------------------------------------------------------------

    def _text(self, number: int, path: tuple[int, ...] = ()) -> str:
        """A value as text: cells by their numbers, those without one by their contents."""
        interner = self._interner
        if not interner.references(number):
            return interner.json(number)
        tag = interner.tag(number)
        if tag is Tag.REF:
            k = int(interner.payload(number)[0])
            if k in self.names:
                return f"<{self.names[k]}>"
            return f"<^{path.index(k)}>" if k in path else f"*{self._text(self.contents[k], (*path, k))}"
        if tag in COMPOSITE_TAGS:
            children, extra, _ = interner.payload(number)
            return composite_json(tag, extra, [self._text(child, path) for child in children])
        if tag in CHANGING_TAGS:
            members = sorted(self._member_text(member, path) for member in self._members(number))
            return f"{tag.name}({';'.join(members)})"
        return f"{tag.name}({','.join([self._text(child, path) for child in interner.children(number)])})"
