"""Packing: the states of one layout as rows of 64-bit words, a few bits per slot.

A slot that outgrows its bits makes the packing outgrown: then all rows of the layout are packed anew (`Packing.refit`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from checker.engines.columns.tables import CodeTable, Ints, Words
from interpreter.state import UNBOUND, Layout, Slot, State

WORD_BITS = 64


class Field(NamedTuple):
    """Where a slot's code lies: in `word`, at `shift`, under `mask` (before shifting)."""

    word: int
    shift: np.uint64
    mask: np.uint64
    table: CodeTable


@dataclass(slots=True)
class Rows:
    """States of one layout: one array per word."""

    words: list[Words]

    def __len__(self) -> int:
        return len(self.words[0])

    def take(self, rows: Ints) -> Rows:
        return Rows([word[rows] for word in self.words])


class Packing:
    """How states of one layout are packed.

    `threads` places are kept for threads: in canonical order, empty ones last.
    """

    def __init__(self, layout: Layout, tables: dict[Slot, CodeTable], thread_table: CodeTable, threads: int) -> None:
        self.layout = layout
        self.tables = tables
        self.thread_table = thread_table
        self.threads = threads
        self.version = 0
        self.fields: dict[Slot, Field] = {}
        self.width = 0
        self._fit()

    def _slots(self) -> list[Slot]:
        return [*self.layout.slots, *[("thread", place) for place in range(self.threads)]]

    def table(self, slot: Slot) -> CodeTable:
        """The codes of a slot of this layout."""
        return self.thread_table if slot[0] == "thread" else self.tables[slot]

    def _fit(self) -> None:
        """Give each slot room for twice as many values as it has now."""
        self.fields = {}
        word = shift = 0
        for slot in self._slots():
            table = self.table(slot)
            bits = max(1, len(table).bit_length())
            if shift + bits > WORD_BITS:
                word, shift = word + 1, 0
            self.fields[slot] = Field(word, np.uint64(shift), np.uint64((1 << bits) - 1), table)
            shift += bits
        self.width = word + 1
        self.version += 1

    @property
    def outgrown(self) -> bool:
        """Whether some slot has more values than its bits can tell apart."""
        return any(len(field.table) - 1 > int(field.mask) for field in self.fields.values())

    def refit(self, rows: Sequence[Rows], threads: int) -> None:
        """Pack all these rows anew, with `threads` places for threads."""
        old = self.fields
        self.threads = threads
        self._fit()
        for group in rows:
            fresh = [np.zeros(len(group), dtype=np.uint64) for _ in range(self.width)]
            for slot, field in self.fields.items():
                before = old.get(slot)
                if before is not None:
                    codes = (group.words[before.word] >> before.shift) & before.mask
                    fresh[field.word] |= codes << field.shift
            group.words = fresh

    def codes(self, rows: Rows, slot: Slot) -> Ints:
        """The codes of a slot, one per row."""
        field = self.fields[slot]
        return ((rows.words[field.word] >> field.shift) & field.mask).astype(np.int64)

    def put(self, rows: Rows, slot: Slot, codes: Ints) -> None:
        """Write a slot's codes into the rows."""
        field = self.fields[slot]
        word = rows.words[field.word]
        word &= ~(field.mask << field.shift)
        word |= codes.astype(np.uint64) << field.shift

    def mask(self, slots: Sequence[Slot]) -> Words:
        """The bits that hold these slots, one number per word."""
        found = np.zeros(self.width, dtype=np.uint64)
        for slot in slots:
            field = self.fields[slot]
            found[field.word] |= field.mask << field.shift
        return found

    def pack(self, state: State) -> tuple[int, ...]:
        """The words of a state whose values have codes that fit."""
        words = [0] * self.width
        for slot, number in self._pairs(state):
            field = self.fields[slot]
            words[field.word] |= field.table.code(number) << int(field.shift)
        return tuple(words)

    def learn(self, state: State) -> None:
        """Give codes to all values of a state."""
        for slot, number in zip(self.layout.slots, state.values, strict=True):
            self.tables[slot].code(number)
        for thread in state.threads:
            self.thread_table.code(thread)

    def _pairs(self, state: State) -> list[tuple[Slot, int]]:
        pairs: list[tuple[Slot, int]] = list(zip(self.layout.slots, state.values, strict=True))
        threads = [*state.threads, *[UNBOUND] * (self.threads - len(state.threads))]
        return pairs + [(("thread", place), thread) for place, thread in enumerate(threads)]

    def unpack(self, rows: Rows, row: int) -> State:
        """The state in a row."""
        words = [int(word[row]) for word in rows.words]
        numbers = []
        for slot in self._slots():
            field = self.fields[slot]
            numbers.append(field.table.ids[(words[field.word] >> int(field.shift)) & int(field.mask)])
        size = len(self.layout.slots)
        threads = tuple(number for number in numbers[size:] if number != UNBOUND)
        return State(self.layout, tuple(numbers[:size]), threads)
