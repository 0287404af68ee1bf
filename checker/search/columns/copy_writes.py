"""`CopyWrites`: copies of elements that effects add to bags, or take from them, for rows of one packing.

Each copy of an element has a bit of its own, and a bag has the first copies. So a step that adds one asks for nothing:
how many there are is counted where it is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.writes_by_effect import WritesByEffect
from checker.search.memo.division import of_copy
from interpreter.state.state import UNBOUND, Slot

if TYPE_CHECKING:
    from checker.search.columns.effects import BundleSummary, Effect

_NOWHERE: Final = -1


class CopyWrites:
    """By effect, how many copies more it makes of which elements; by bundle, how many more at most."""

    def __init__(self, packing: Packing) -> None:
        self.packing = packing
        self._by_effect = WritesByEffect()
        self._by_bundle = WritesByEffect()
        self._effect_bits = CopyBits(packing, self._by_effect.slots)
        self._bundle_bits = CopyBits(packing, self._by_bundle.slots)

    @property
    def slots(self) -> list[Slot]:
        """The slots of the first copies of the elements that some effect adds or takes away."""
        return self._by_effect.slots

    def learn(self, effects: Sequence[Effect], summaries: Sequence[BundleSummary], rows: Rows, bundles: Ints) -> None:
        """Have parts for the copies that these bundles, one for each row, make there; the packing may be outgrown."""
        for summary in summaries[self._by_bundle.count :]:
            most: dict[Slot, int] = {}
            for slot, count in [copy for number in summary.effects for copy in effects[number].copies]:
                most[slot] = max(count, most.get(slot, 0))
            self._by_bundle.extend([[(slot, count) for slot, count in most.items() if count > 0]])
        if not self._by_bundle.slots:
            return
        bits = self._bundle_bits
        bits.locate()
        for some, indexes, more in self._by_bundle.of(bundles):
            counts = more.copy()
            for copy in range(bits.most):
                counts += bits.held(rows, some, indexes, copy)
            over = np.flatnonzero(counts > bits.parts.take(indexes))
            for index, count in sorted({*zip(indexes.take(over).tolist(), counts.take(over).tolist(), strict=True)}):
                bits.grow(index, count)

    def compile(self, effects: Sequence[Effect]) -> None:
        """Know all these effects, the first of which are known, and where the packing has their slots."""
        self._by_effect.extend([effect.copies for effect in effects[self._by_effect.count :]])
        if self._by_effect.slots:
            self._effect_bits.locate()

    def apply(self, effects: Ints, after: Rows, sums: Words) -> None:
        """Write the copies of these effects, one for each row, and add to the sums what that adds to the keys."""
        bits = self._effect_bits
        for some, indexes, more in self._by_effect.of(effects):
            held = [bits.held(after, some, indexes, copy) for copy in range(bits.most)]
            counts = more.copy()
            for before in held:
                counts += before
            for copy, before in enumerate(held):
                new = counts > copy
                turned = np.flatnonzero(new != before)
                if len(turned):
                    bits.turn(after, some.take(turned), indexes.take(turned), copy)
            sums[some] += bits.sums.take(indexes, axis=0) * more.view(np.uint64)[:, np.newaxis]


class CopyBits:
    """Where a packing has the copies of some elements; these are given by the `slots` of the first ones.

    `most`: so many copies has some element here. `parts`: by index of an element, how many some bag was met to have.
    """

    def __init__(self, packing: Packing, slots: list[Slot]) -> None:
        self._packing = packing
        self._slots = slots
        self._version = -1
        self.most = 0
        self.parts: Ints = np.zeros(0, dtype=np.int64)
        self.sums: Words = np.zeros((0, 2), dtype=np.uint64)
        self._words: Ints = np.zeros((0, 0), dtype=np.int64)
        """By copy and index of an element: the word, `_NOWHERE` if there is no such bit; the shift."""
        self._shifts: Words = np.zeros((0, 0), dtype=np.uint64)

    def locate(self) -> None:
        """Bring everything up to date."""
        if self._version == self._packing.version and len(self.parts) == len(self._slots):
            return
        self._version = self._packing.version
        tables, fields = self._packing.tables, self._packing.fields
        self.parts = np.array([tables.copies(slot) for slot in self._slots], dtype=np.int64)
        self.sums = np.stack([tables.of(slot).sums[1] for slot in self._slots])
        copies = [[fields.get(self._copy(slot, number)) for slot in self._slots] for number in range(self._highest())]
        while copies and not any(copies[-1]):
            copies.pop()
        self.most = len(copies)
        self._words = np.array(
            [[_NOWHERE if field is None else field.word for field in row] for row in copies], dtype=np.int64
        )
        self._shifts = np.array(
            [[0 if field is None else int(field.shift) for field in row] for row in copies], dtype=np.uint64
        )

    def _highest(self) -> int:
        return int(self.parts.max(initial=0))

    def _copy(self, slot: Slot, number: int) -> Slot:
        return (*slot[:-1], of_copy(slot[-1], number + 1))

    def grow(self, index: int, count: int) -> None:
        """Have parts for so many copies."""
        slot, tables = self._slots[index], self._packing.tables
        element = next(number for number in tables.of(slot).ids if number != UNBOUND)
        for number in range(int(self.parts[index]), count):
            tables.of(self._copy(slot, number)).code(element)
        self.parts[index] = max(count, int(self.parts[index]))

    def held(self, rows: Rows, some: Ints, indexes: Ints, copy: int) -> Ints:
        """Whether some rows have a copy, numbered from 0 on, of the elements with these indexes; as 0 or 1."""
        found = np.zeros(len(some), dtype=np.int64)
        words, shifts = self._words[copy].take(indexes), self._shifts[copy].take(indexes)
        for number, word in enumerate(rows.words):
            here = np.flatnonzero(words == number)
            if len(here):
                found[here] = (word.take(some.take(here)) >> shifts.take(here) & np.uint64(1)).view(np.int64)
        return found

    def turn(self, rows: Rows, some: Ints, indexes: Ints, copy: int) -> None:
        """Add the copy where it is not there, take it away where it is."""
        words, shifts = self._words[copy].take(indexes), self._shifts[copy].take(indexes)
        for number, word in enumerate(rows.words):
            here = np.flatnonzero(words == number)
            if len(here):
                word[some.take(here)] ^= np.uint64(1) << shifts.take(here)
