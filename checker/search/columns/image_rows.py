"""`ImageRows`: rows of a packing under many renamings, as rows of another one, all at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from checker.search.columns.capacity import LISTED, table_slot
from checker.search.columns.code_tables import Ints, Words
from checker.search.columns.field_spans import FieldSpan, spans_of
from checker.search.columns.listed_slots import Ranks, listed, put_listed
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.slot_images import SlotImages
from interpreter.state.state import Slot

_SPAN: Final = 8
"""Fields of at most so many bits are looked up together,"""
_MOST_SHARED: Final = 1 << 18
"""in tables of at most so many entries, of codes times renamings."""

_Known = tuple[FieldSpan, tuple[int, ...], int]
"""A span, the codes that are known of its fields, and how often the target was packed anew."""


class ImageRows:
    """The images of rows of `packing` that are rows of `target`.

    `renamings`: of a group, those that lead there. `images`: by slot what the codes become.
    """

    def __init__(self, packing: Packing, target: Packing, renamings: Ints, images: Mapping[Slot, SlotImages]) -> None:
        self._packing = packing
        self._target = target
        self._renamings = renamings
        self._images = images
        self._bits = max(1, min(_SPAN, (_MOST_SHARED // len(renamings)).bit_length() - 1))
        self._tables: dict[_Known, list[tuple[int, Words]]] = {}

    def of(self, rows: Rows, moves: Ints, among: Ints, sizes: Mapping[Slot, int], ranks: Mapping[str, Ranks]) -> Rows:
        """The images of rows under one renaming each: its index in the group, and `among` those that lead here.

        `sizes`: how many codes of slots are known.
        """
        target = self._target
        made = Rows([np.zeros(len(rows), dtype=np.uint64) for _ in range(target.width)])
        before, self._tables = self._tables, {}
        for span in spans_of(self._packing, self._bits):
            # Slots that came later are empty in all rows.
            known = tuple([sizes.get(slot, 0) for slot in span.slots])
            if span.slots[0][0] in LISTED or not any(known):
                continue
            column = span.column(rows)
            if len(known) == 1 and self._images[span.slots[0]].apart is not None:
                self._one_by_one(self._images[span.slots[0]], column, moves, made)
                continue
            key = (span, known, target.moved)
            tables = self._tables[key] = before[key] if key in before else self._laid_out(span, known)
            for word, table in tables:
                made.words[word] |= table[column, among]
        for kind in LISTED:
            self._put_listed(kind, rows, moves, sizes, ranks, made)
        return made

    def _laid_out(self, span: FieldSpan, known: Sequence[int]) -> list[tuple[int, Words]]:
        """By words of the target, what it has for the bits of a span, by bits and renaming."""
        parts = [np.zeros((size, len(self._renamings), self._target.width), dtype=np.uint64) for size in known]
        for slot, part in zip(span.slots, parts, strict=True):
            if not len(part):
                continue
            images = self._images[slot]
            codes = images.codes(len(part)).take(self._renamings, axis=1).astype(np.uint64)
            which = images.which.take(self._renamings)
            for at, image in enumerate(images.targets):
                some = np.flatnonzero(which == at)
                if len(some):
                    # Slots of objects not in use may have the target of another one: they are empty.
                    field = self._target.fields[image]
                    part[:, some, field.word] = codes.take(some, axis=1) << field.shift
        table = span.table(parts, np.bitwise_or)
        return [(word, found) for word in range(self._target.width) if (found := table[..., word].copy()).any()]

    def _one_by_one(self, images: SlotImages, column: Ints, moves: Ints, made: Rows) -> None:
        assert images.apart is not None
        which, ones = images.apart
        chosen = which.take(moves)
        for at, codes in enumerate(ones):
            some = np.flatnonzero(chosen == at)
            if len(some):
                field = self._target.fields[codes.target]
                put = codes.codes.take(column[some]).astype(np.uint64) << field.shift
                made.words[field.word][some] |= put

    def _put_listed(
        self, kind: str, rows: Rows, moves: Ints, sizes: Mapping[Slot, int], ranks: Mapping[str, Ranks], made: Rows
    ) -> None:
        """Fill the slots for threads, or for messages, in the order of the images."""
        target, source = self._target, self._packing
        columns = np.zeros((target.count(kind), len(rows)), dtype=np.int64)
        size = sizes.get((kind, 0), 0)
        if size:
            # Without it, none was met by the rows that are moved.
            codes = self._images[table_slot((kind, 0))].codes(size)
            columns[: source.count(kind)] = codes[listed(source, rows, kind), moves]
        put_listed(target, made, kind, ranks[kind], columns)
