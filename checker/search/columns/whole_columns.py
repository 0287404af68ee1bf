"""Values of whole slots of many rows at once: each part is put together once for all rows in which it is the same."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from checker.search.columns.code_tables import Ints, coded, distinct
from checker.search.columns.distinct_rows import distinct_rows
from interpreter.state.state import UNBOUND, Slot

if TYPE_CHECKING:
    from checker.search.columns.packing import Packing, Rows


def whole_columns(packing: Packing, rows: Rows, slot: Slot) -> tuple[Ints, list[int]]:
    """The values in a slot, or in a part of one, of all rows: codes, and the ids by code."""
    if slot not in packing.fields:
        return np.zeros(len(rows), dtype=np.int64), [UNBOUND]
    codes, held = packing.codes(rows, slot), packing.fields[slot].table.ids
    kinds = distinct(codes).tolist()
    if not any(packing.tables.is_head(held[code]) for code in kinds):
        return codes, held
    found = np.empty(len(rows), dtype=np.int64)
    ids: list[int] = []
    for code in kinds:
        which = np.flatnonzero(codes == code)
        inside, made = _with_head(packing, rows if len(kinds) == 1 else rows.take(which), slot, held[code])
        found[which] = inside + len(ids)
        ids += made
    return found, ids


def _with_head(packing: Packing, rows: Rows, slot: Slot, number: int) -> tuple[Ints, list[int]]:
    """As `whole_columns`, of rows that have this head there, or this value."""
    tables = packing.tables
    if not tables.is_head(number):
        return np.zeros(len(rows), dtype=np.int64), [number]
    if tables.is_of_elements(number):
        bits = packing.elements(slot)
        if bits.plain:
            return coded(bits.wholes(rows))
        return coded([tables.whole(slot, partial(packing.number, rows, row)) for row in range(len(rows))])
    columns = [whole_columns(packing, rows, (*slot, step)) for step in tables.steps_of(number)]
    indexes, examples = distinct_rows([codes for codes, _ in columns], len(rows))
    members = [[ids[code] for code in codes.take(examples).tolist()] for codes, ids in columns]
    parts = zip(*members, strict=True) if members else [()] * len(examples)
    return indexes, [tables.made_of(number, list(inside)) for inside in parts]
