"""What rules are asked of: rows of one packing, or pairs of rows before and after a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from checker.engines.columns.packing import Packing, Rows
from checker.engines.columns.tables import Ints, Words
from interpreter.running.view import derived
from interpreter.state import Slot, State
from interpreter.step import Way
from interpreter.values.intern import Interner

RunRow = Callable[[int, tuple[int, ...]], Way]


class NeedsRows(Exception):
    """A rule asked for something that is not kept in columns: it must be run row by row."""


class Columns(Protocol):
    """Rows that a rule can be looked up for."""

    @property
    def words(self) -> list[Words]: ...

    @property
    def version(self) -> int: ...

    def mask_of(self, slots: set[Slot]) -> Words: ...

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int: ...


class StateColumns:
    """Rows of one packing."""

    def __init__(self, packing: Packing, rows: Rows, interner: Interner) -> None:
        self.packing = packing
        self.rows = rows
        self._interner = interner
        self._any = State(packing.layout, (0,) * len(packing.layout.slots))

    @property
    def words(self) -> list[Words]:
        return self.rows.words

    @property
    def version(self) -> int:
        return self.packing.version

    def mask_of(self, slots: set[Slot]) -> Words:
        return self.packing.mask([slot for slot in slots if slot in self.packing.fields])

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int:
        field = self.packing.fields.get(slot)
        if field is None:
            if slot[0] in ("state", "used"):
                raise NeedsRows
            # Not stored: the layout alone decides.
            return derived(slot, self._any, self._interner)
        word = self.rows.words[field.word][rows]
        return ((word >> field.shift) & field.mask).astype(np.int64), field.table.ids


class PairColumns:
    """Rows before and after a step, side by side: slots are prefixed with "before" or "after"."""

    def __init__(self, before: StateColumns, after: StateColumns) -> None:
        self.before = before
        self.after = after

    @property
    def words(self) -> list[Words]:
        return [*self.before.words, *self.after.words]

    @property
    def version(self) -> int:
        return (self.before.version << 24) + self.after.version

    def mask_of(self, slots: set[Slot]) -> Words:
        sides = [
            side.mask_of({slot[1:] for slot in slots if slot[0] == name})
            for name, side in (("before", self.before), ("after", self.after))
        ]
        return np.concatenate(sides)

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int:
        return (self.before if slot[0] == "before" else self.after).codes(slot[1:], rows)


class Asked:
    """Columns together with what runs the rule for one of their rows."""

    def __init__(self, columns: Columns, run: RunRow) -> None:
        self._columns = columns
        self._run = run

    def codes(self, slot: Slot, rows: Ints) -> tuple[Ints, Sequence[int]] | int:
        return self._columns.codes(slot, rows)

    def run(self, row: int, choices: tuple[int, ...]) -> Way:
        return self._run(row, choices)
