"""`UpdateWrites`: parts of values that are stored whole, as effects write them, for rows of one packing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.writes_by_effect import WritesByEffect
from interpreter.state.state import Slot

if TYPE_CHECKING:
    from checker.search.columns.effects import BundleSummary, Effect


class UpdateWrites:
    """By effect, its updates; and by bundle, the group of updates that its effects make of each slot."""

    def __init__(self, packing: Packing) -> None:
        self.packing = packing
        self._updates = WritesByEffect()
        self._groups = WritesByEffect()

    @property
    def slots(self) -> list[Slot]:
        """The slots that some effect updates."""
        return self._updates.slots

    def learn(
        self, effects: Sequence[Effect], summaries: Sequence[BundleSummary], rows: Rows, columns: list[Ints]
    ) -> None:
        """Compute what the updates of these bundles, in each column one for each row, make of the values there.

        The values get codes: the packing may be outgrown.
        """
        more = summaries[self._groups.count :]
        self._groups.extend([self._groups_of([effects[number] for number in summary.effects]) for summary in more])
        if not self._groups.slots:
            return
        codes: dict[Slot, Ints] = {}
        for column in columns:
            for slot, some, groups in self._groups.by_slot(column):
                if slot in self.packing.fields:
                    if slot not in codes:
                        codes[slot] = self.packing.codes(rows, slot)
                    self.packing.tables.updates(slot).learn(groups, codes[slot].take(some))

    def _groups_of(self, effects: Sequence[Effect]) -> list[tuple[Slot, int]]:
        updates: dict[Slot, set[int]] = {}
        for effect in effects:
            for slot, number in effect.updates.items():
                updates.setdefault(slot, set()).add(number)
        tables = self.packing.tables
        return [(slot, tables.updates(slot).group(tuple(sorted(numbers)))) for slot, numbers in updates.items()]

    def compile(self, effects: Sequence[Effect]) -> None:
        """Know all these effects, the first of which are known."""
        self._updates.extend([tuple(effect.updates.items()) for effect in effects[self._updates.count :]])

    def apply(self, effects: Ints, after: Rows, sums: Words) -> None:
        """Make the updates of these effects, one for each row, and add to the sums what that adds to the keys."""
        for slot, rows, updates in self._updates.by_slot(effects):
            field = self.packing.fields[slot]
            word = after.words[field.word]
            held = word.take(rows)
            codes = ((held >> field.shift) & field.mask).view(np.int64)
            new = self.packing.tables.updates(slot).after(updates, codes)
            word[rows] = (held & ~(field.mask << field.shift)) | (new.view(np.uint64) << field.shift)
            sums[rows] += field.table.sums.take(new, axis=0) - field.table.sums.take(codes, axis=0)
