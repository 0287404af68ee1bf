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
from checker.search.columns.renamed_codes import RenamedCodes
from interpreter.state.state import Slot

_SPAN: Final = 8
"""Fields of at most so many bits are looked up together."""
_MOST_ENTRIES: Final = 1 << 19
"""Larger tables, of codes times renamings, are not laid out: each renaming is looked up in its own one."""

_Known = tuple[FieldSpan, tuple[int, ...], int]
"""A span, the codes that are known of its fields, and how often the target was packed anew."""


class ImageRows:
    """The images of rows of `packing` that are rows of `target`. `codes`: by renaming what codes of slots become."""

    def __init__(self, packing: Packing, target: Packing, codes: Sequence[Mapping[Slot, RenamedCodes]]) -> None:
        self._packing = packing
        self._target = target
        self._codes = codes
        self._tables: dict[_Known, list[tuple[int, Words]]] = {}

    def of(self, rows: Rows, renamings: Ints, sizes: Mapping[Slot, int], ranks: Mapping[str, Ranks]) -> Rows:
        """The images of rows under one renaming each, by index. `sizes`: how many codes of slots are known."""
        target = self._target
        made = Rows([np.zeros(len(rows), dtype=np.uint64) for _ in range(target.width)])
        before, self._tables = self._tables, {}
        for span in spans_of(self._packing, _SPAN):
            # Slots that came later are empty in all rows.
            known = tuple([sizes.get(slot, 0) for slot in span.slots])
            if span.slots[0][0] in LISTED or not any(known):
                continue
            column = span.column(rows)
            if len(known) == 1 and known[0] * len(self._codes) > _MOST_ENTRIES:
                self._one_by_one(span.slots[0], column, renamings, made)
                continue
            key = (span, known, target.moved)
            tables = self._tables[key] = before[key] if key in before else self._laid_out(span, known)
            for word, table in tables:
                made.words[word] |= table[column, renamings]
        for kind in LISTED:
            self._put_listed(kind, rows, renamings, sizes, ranks, made)
        return made

    def _laid_out(self, span: FieldSpan, known: Sequence[int]) -> list[tuple[int, Words]]:
        """By words of the target, what it has for the bits of a span, by bits and renaming."""
        parts = [np.zeros((size, len(self._codes), self._target.width), dtype=np.uint64) for size in known]
        for slot, part in zip(span.slots, parts, strict=True):
            for renaming, codes in enumerate(self._codes if len(part) else ()):
                renamed = codes[slot]
                # Slots of objects not in use may have the target of another slot: they are empty, and change nothing.
                field = self._target.fields[renamed.target]
                part[:, renaming, field.word] = renamed.codes[: len(part)].astype(np.uint64) << field.shift
        table = span.table(parts, np.bitwise_or)
        return [(word, found) for word in range(self._target.width) if (found := table[..., word].copy()).any()]

    def _one_by_one(self, slot: Slot, column: Ints, renamings: Ints, made: Rows) -> None:
        for renaming, codes in enumerate(self._codes):
            some = np.flatnonzero(renamings == renaming)
            if len(some):
                field = self._target.fields[codes[slot].target]
                put = codes[slot].codes.take(column[some]).astype(np.uint64) << field.shift
                made.words[field.word][some] |= put

    def _put_listed(
        self, kind: str, rows: Rows, renamings: Ints, sizes: Mapping[Slot, int], ranks: Mapping[str, Ranks], made: Rows
    ) -> None:
        """Fill the slots for threads, or for messages, in the order of the images."""
        target, source = self._target, self._packing
        columns = np.zeros((target.count(kind), len(rows)), dtype=np.int64)
        size = sizes.get((kind, 0), 0)
        if size:
            # Without it, none was met by the rows that are moved.
            codes = np.stack([one[table_slot((kind, 0))].codes[:size] for one in self._codes])
            columns[: source.count(kind)] = codes[renamings, listed(source, rows, kind)]
        put_listed(target, made, kind, ranks[kind], columns)
