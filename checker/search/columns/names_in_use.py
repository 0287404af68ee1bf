"""`NamesInUse`: which symmetric values and instances rows have in them, as bits of one number for each row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

import numpy as np

from checker.search.columns.field_spans import FieldSpan, spans_of
from checker.search.memo.division import root_of
from interpreter.state.renaming import Index
from interpreter.state.state import Slot

if TYPE_CHECKING:
    from checker.search.columns.code_tables import CodeTable, Ints
    from checker.search.columns.packing import Packing, Rows

Name = tuple[str, Index]
"""A domain, or a symmetric role, and the index of a value or the number of an instance."""

MOST: Final = 62
"""So many names have a bit each; all others together have one more."""
_SPAN: Final = 10
"""Fields of at most so many bits are looked up together."""


class NamesInUse:
    """The names that a run has met. `of_value`: those in a value."""

    def __init__(self, of_value: Callable[[int], AbstractSet[Name]]) -> None:
        self._of_value = of_value
        self._bits: dict[Name, int] = {}
        self._by_code: dict[CodeTable, Ints] = {}
        self._by_bits: dict[tuple[Packing, Collection[Slot]], dict[tuple[FieldSpan, tuple[int, ...]], Ints]] = {}

    def __len__(self) -> int:
        return len(self._bits)

    def mask(self, names: Iterable[Name]) -> int:
        """The bits of some names."""
        mask = 0
        for name in sorted(names):
            mask |= 1 << min(self._bits.setdefault(name, len(self._bits)), MOST)
        return mask

    def among(self, mask: int) -> list[Name]:
        """The names whose bits these are, if no more were met than have one each."""
        return [name for name, bit in self._bits.items() if mask >> bit & 1]

    def of(self, packing: Packing, rows: Rows, without: Collection[Slot] = ()) -> Ints:
        """The names in the slots of these rows, `without` some slots of a state and all parts of these."""
        found = np.zeros(len(rows), dtype=np.int64)
        for span, table in self._tables(packing, without):
            found |= table.take(span.column(rows))
        return found

    def beside(self, packing: Packing, rows: Rows, seen: Collection[Slot], subject: int) -> Ints:
        """As `of`, without one of the threads or messages that equal the subject, if there is one."""
        threads = packing.room.slots()
        found = self.of(packing, rows, (*seen, *threads))
        met = np.zeros(len(rows), dtype=np.int64)
        for slot in threads:
            table = packing.tables.of(slot)
            codes = packing.codes(rows, slot)
            if subject in table.codes:
                own = codes == table.codes[subject]
                met += own
                codes = np.where(own & (met == 1), 0, codes)
            found |= self._of_codes(table)[codes]
        return found

    def _of_codes(self, table: CodeTable) -> Ints:
        known = self._by_code.get(table, np.zeros(0, dtype=np.int64))
        found = self._by_code[table] = table.property(lambda number: self.mask(self._of_value(number)), known)
        return found

    def _tables(self, packing: Packing, without: Collection[Slot]) -> list[tuple[FieldSpan, Ints]]:
        """The bits of fields in which there are names, and the names by these bits."""
        before = self._by_bits.get((packing, without), {})
        known = self._by_bits[packing, without] = {}
        for span in spans_of(packing, _SPAN):
            tables = [packing.tables.of(slot) for slot in span.slots]
            key = span, tuple(map(len, tables))
            found = before.get(key)
            if found is None:
                parts = [
                    self._of_codes(table) * (slot not in without and root_of(slot) not in without)
                    for slot, table in zip(span.slots, tables, strict=True)
                ]
                found = span.table(parts, np.bitwise_or)
            known[key] = found
        return [(span, table) for (span, _), table in known.items() if table.any()]
