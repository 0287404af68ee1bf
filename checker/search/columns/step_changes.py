"""Which steps change something that assertions about steps see (language page, 10.3)."""

from __future__ import annotations

from typing import Final

import numpy as np

from checker.search.columns.code_tables import Ints, Mask, Words
from checker.search.columns.distinct_rows import distinct_rows
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.rows_with_aliases import RowsWithAliases
from checker.search.columns.space import Space
from interpreter.state.state import Slot

_SEEN: Final = frozenset({"heap", "param", "field"})
"""The kinds of slots whose values assertions see."""


def changed_bits(packing: Packing, before: Rows, after: Rows) -> Mask:
    """The steps between rows of one packing, without shared containers, that change something."""
    visible = packing.mask([slot for slot in packing.fields if slot[0] in _SEEN])
    changed = np.zeros(len(before), dtype=np.bool_)
    for old, new, bits in zip(before.words, after.words, visible, strict=True):
        changed |= ((old ^ new) & bits) != 0
    return changed


class StepChanges:
    """Compares rows with shared containers, whose values are equal or not regardless of what is shared."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._references: dict[Packing, RowsWithAliases] = {}

    def among(self, packing: Packing, before: Rows, target: Packing, after: Rows) -> Mask:
        """The steps between rows of two packings that change something."""
        changed, aliased = np.zeros((2, len(before)), dtype=np.bool_)
        slots = [slot for slot in packing.layout.slots if slot[0] in _SEEN]
        if slots != [slot for slot in target.layout.slots if slot[0] in _SEEN]:
            # Instances have come or gone.
            return ~changed
        for slot in slots:
            has_aliases = self._of(packing).in_rows(before, slot) | self._of(target).in_rows(after, slot)
            aliased |= has_aliases
            plain = np.flatnonzero(~(changed | has_aliases))
            changed[plain] |= _differ_by_codes(packing, before.take(plain), target, after.take(plain), slot)
        for slot in slots:
            some = np.flatnonzero(~changed & aliased)
            if len(some):
                changed[some] = self._differ_by_values(packing, before.take(some), target, after.take(some), slot)
        some = np.flatnonzero(~changed & aliased)
        if len(some):
            changed[some] = self._differ_by_states(packing, before.take(some), target, after.take(some))
        return changed

    def _of(self, packing: Packing) -> RowsWithAliases:
        if packing not in self._references:
            self._references[packing] = RowsWithAliases(packing, self._space.machine.values)
        return self._references[packing]

    def _differ_by_states(self, packing: Packing, before: Rows, target: Packing, after: Rows) -> Mask:
        """Which rows differ in values with aliases. One is compared for all with the same values and containers."""
        columns = [*self._with_aliases(packing, before), *self._with_aliases(target, after)]
        which, examples = distinct_rows(columns, len(before))
        pairs = zip(packing.states(before, examples), target.states(after, examples), strict=True)
        alike = self._space.machine.alike.states
        answers: Mask = np.array([not alike(*pair) for pair in pairs], dtype=np.bool_).take(which)
        return answers

    def _with_aliases(self, packing: Packing, rows: Rows) -> list[Words]:
        """The bits of shared containers, and of what may refer to them."""
        slots = [slot for slot in packing.layout.slots if slot[0] == "cell" or self._of(packing).in_any(slot)]
        return [word & bits for word, bits in zip(rows.words, packing.mask_whole(slots), strict=True)]

    def _differ_by_values(self, packing: Packing, before: Rows, target: Packing, after: Rows, slot: Slot) -> Mask:
        """The rows with values in a slot that are unequal whatever is in shared containers."""
        old, ids = packing.distinct_values(before, packing.layout.index[slot])
        new, others = target.distinct_values(after, target.layout.index[slot])
        which, examples = distinct_rows([old, new], len(before))
        differ = self._space.machine.alike.differ
        found = [differ(ids[old[row]], others[new[row]]) for row in examples.tolist()]
        answers: Mask = np.array(found, dtype=np.bool_).take(which)
        return answers


def _differ_by_codes(packing: Packing, before: Rows, target: Packing, after: Rows, slot: Slot) -> Mask:
    """The rows with different values in a slot, none of which has aliases."""
    found = np.zeros(len(before), dtype=np.bool_)
    for part in dict.fromkeys([*packing.parts(slot), *target.parts(slot)]):
        found |= _codes(packing, before, part) != _codes(target, after, part)
    return found


def _codes(packing: Packing, rows: Rows, slot: Slot) -> Ints:
    """The codes of a part, which is empty in all rows where it has no bits."""
    return packing.codes(rows, slot) if slot in packing.fields else np.zeros(len(rows), dtype=np.int64)
