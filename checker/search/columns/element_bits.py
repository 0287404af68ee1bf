"""`ElementBits`: the elements of the sets in one slot of a packing, a field for each element ever met there.

Questions for all elements together, which are no fields, are answered by the bits of these fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.code_tables import Ints, Tables, Words, coded, ranks_of
from checker.search.memo.comparisons import compares_by_id
from checker.search.memo.division import SIZE, WHOLE
from checker.search.memo.known_folds import UnknownElement
from interpreter.state.state import Slot
from interpreter.values.tags import Tag

if TYPE_CHECKING:
    from checker.search.columns.packing import PackedField, Packing, Rows

_BITS: Final = 64
_ABSENT_OR_PRESENT: Final = 2
_NO_ID: Final = -2


class WholeSets:
    """The sets in some slots of a packing as whole values, before they are stored so."""

    def __init__(self, packing: Packing, slots: Sequence[Slot]) -> None:
        self._sets = {slot: (packing.fields[slot], packing.elements(slot)) for slot in slots if slot in packing.fields}

    def codes(self, rows: Rows) -> dict[Slot, Words]:
        """What the slots hold then, as codes; new values get some."""
        found: dict[Slot, Words] = {}
        for slot, (field, bits) in self._sets.items():
            held = ((rows.words[field.word] >> field.shift) & field.mask).view(np.int64)
            answers, ids = bits.codes(WHOLE, rows, np.arange(len(rows)))
            wholes = np.array([field.table.code(number) for number in ids], dtype=np.int64)
            sets = np.array([bits.is_head(number) for number in field.table.ids], dtype=np.bool_)
            # Other values than sets, and sets that cannot be divided, are stored whole already.
            is_set = sets.take(held)
            found[slot] = np.where(is_set, wholes.take(answers), held).view(np.uint64)
        return found


class ElementBits:
    """`fields` are those of the elements, in the order in which pairs of rows and elements are made.

    `tables` have the answers to questions for sets of these elements. `tag`: or for bags; then a field is a copy.
    """

    def __init__(self, fields: Sequence[PackedField], tables: Tables, tag: Tag) -> None:
        self.fields = fields
        self.tag = tag
        self._tables = tables
        masks: dict[int, int] = {}
        for field in fields:
            masks[field.word] = masks.get(field.word, 0) | int(field.mask) << int(field.shift)
        self.masks = [(word, np.uint64(mask)) for word, mask in sorted(masks.items())]
        self.plain = all(field.mask == 1 and len(field.table) == _ABSENT_OR_PRESENT for field in fields)
        self._columns = np.array([_BITS * field.word + int(field.shift) for field in fields], dtype=np.int64)
        self._known: dict[str, dict[tuple[int, ...], int]] = {}

    def number(self, step: str, rows: Rows, row: int) -> int:
        """The answer to a question in one row."""
        try:
            return self._of(step, self._pattern(rows, row))
        except UnknownElement:
            raise UnknownElement([row]) from None

    def codes(self, step: str, rows: Rows, which: Ints) -> tuple[Ints, list[int]]:
        """The answers to a question in these rows, as codes and the ids by code."""
        if not self.masks:
            return np.zeros(len(which), dtype=np.int64), [self._of(step, ())]
        if step == SIZE and self.plain:
            return self._sizes(rows, which)
        codes, examples = np.zeros(len(which), dtype=np.int64), np.zeros(1, dtype=np.int64)
        for word, mask in self.masks:
            held, found = np.unique(rows.words[word].take(which) & mask, return_inverse=True)
            if len(examples) == 1:
                codes = found
            else:
                codes = codes * len(held) + found
            _, examples, codes = np.unique(codes, return_index=True, return_inverse=True)
        table, ids = coded([self.number(step, rows, int(which[row])) for row in examples.tolist()])
        return table.take(codes), ids

    def _sizes(self, rows: Rows, which: Ints) -> tuple[Ints, list[int]]:
        """The numbers of elements, as `codes`."""
        words = np.stack([rows.words[word].take(which) & mask for word, mask in self.masks], axis=1)
        sizes = np.unpackbits(words.view(np.uint8), axis=1).sum(axis=1, dtype=np.int64)
        most = int(sizes.max(initial=0))
        return sizes, [self._tables.size(size) for size in range(most + 1)]

    def _of(self, step: str, pattern: tuple[int, ...]) -> int:
        known = self._known.setdefault(step, {})
        found = known.get(pattern)
        if found is None:
            found = self._tables.answer_for(step, self._held(pattern), self.tag)
            if not self._tables.folds.is_quiet:
                # What a turn evaluated is noted when the answer is asked for in earnest.
                known[pattern] = found
        return found

    @cached_property
    def compare_by_id(self) -> bool:
        """Whether sets are equal if they have the same bits, and only then."""
        return self.plain and all(compares_by_id(self._tables.values, number) for number in self.elements)

    @property
    def elements(self) -> list[int]:
        """The elements by field, where each has one look."""
        return [field.table.ids[-1] for field in self.fields]

    def held(self, rows: Rows, row: int) -> list[int]:
        """The elements that one row has, in order."""
        return self._held(self._pattern(rows, row))

    def _pattern(self, rows: Rows, row: int) -> tuple[int, ...]:
        return tuple([rows.words[word].item(row) & int(mask) for word, mask in self.masks])

    def _held(self, pattern: tuple[int, ...]) -> list[int]:
        words = dict(zip([word for word, _ in self.masks], pattern, strict=True))
        held = []
        for field in self.fields:
            code = words[field.word] >> int(field.shift) & int(field.mask)
            if code:
                held.append(field.table.ids[code])
        if not self.plain:
            # Which of equal elements it is decides about the order: 1.0 comes after 2.
            held.sort(key=self._tables.order)
        return held

    def is_head(self, number: int) -> bool:
        """Whether a value is the head of a set that is stored by elements."""
        return self._tables.is_set_head(number, self.tag)

    def wholes(self, rows: Rows) -> list[int]:
        """The sets or bags of all rows as whole values, if the elements are plain."""
        which, elements = np.nonzero(self.present(rows))
        held = self.ids(rows, which, elements).tolist()
        ends = np.cumsum(np.bincount(which, minlength=len(rows))).tolist()
        return [self._tables.whole_of(held[begin:end], self.tag) for begin, end in pairwise([0, *ends])]

    def pairs(self, rows: Rows) -> tuple[Ints, Ints]:
        """The elements of all rows, in order for each: to which row each belongs, and its id. Copies count once."""
        present = self.present(rows)
        if self.tag is Tag.BAG and self.fields:
            # The copies of an element follow one another.
            copies = np.array([field.table.ids[-1] for field in self.fields], dtype=np.int64)
            first = np.flatnonzero(np.diff(copies, prepend=_NO_ID))
            which, elements = np.nonzero(np.logical_or.reduceat(present, first, axis=1))
            return which, copies.take(first.take(elements))
        which, elements = np.nonzero(present)
        ids = self.ids(rows, which, elements)
        if not self.plain:
            known, codes = np.unique(ids, return_inverse=True)
            ranks = ranks_of([self._tables.order(number) for number in known.tolist()])
            ids = ids.take(np.lexsort((ranks.take(codes), which)))
        return which, ids

    def present(self, rows: Rows) -> NDArray[np.bool_]:
        """Which elements each row has: a row for each row, a column for each field."""
        if not self.fields:
            return np.zeros((len(rows), 0), dtype=np.bool_)
        if self.plain:
            # One byte for each bit of all words.
            words = np.stack(rows.words, axis=1)
            bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
            return bits.take(self._columns, axis=1).view(np.bool_)
        columns = [(rows.words[field.word] >> field.shift & field.mask) != 0 for field in self.fields]
        return np.stack(columns, axis=1)

    def ids(self, rows: Rows, which: Ints, elements: Ints) -> Ints:
        """The ids of elements that rows have, pair by pair: row `which[i]` has that of field `elements[i]`."""
        if self.plain:
            ids = [field.table.ids[1] for field in self.fields]
            return np.array(ids, dtype=np.int64).take(elements)
        found = np.empty(len(which), dtype=np.int64)
        for number, field in enumerate(self.fields):
            some = np.flatnonzero(elements == number)
            codes = rows.words[field.word].take(which[some]) >> field.shift & field.mask
            found[some] = np.array(field.table.ids, dtype=np.int64).take(codes.view(np.int64))
        return found
