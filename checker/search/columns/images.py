"""Symmetry on columns: the image of least key of each row, by gathers over the tables (language page, 11.3).

Keys are sums over slots, so the key of an image is that of the row plus, per slot, the difference that the renaming
makes. The renamings depend on the values in use, which are few: rows are grouped by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.batch import Batch
from checker.search.columns.capacity import LISTED, table_slot
from checker.search.columns.code_tables import NO_PROPERTY, CodeTable, Ints, Tables, Words, distinct
from checker.search.columns.least_keys import LeastKeys
from checker.search.columns.listed_slots import Ranks, listed, put_listed
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.renamed_codes import RenamedCodes, RenamedTables
from checker.search.columns.sizes import Sizes
from interpreter import Machine
from interpreter.state.renaming import Index, Renamed, by_domain
from interpreter.state.state import Layout, Slot
from interpreter.values.budget import METER

BY_MACHINE: Final = -1
"""The move of rows with more renamings than are kept in tables."""
NO_STEP: Final = -2
"""The move of rows to which no step leads, because a domain is over its limit or its divergence."""


class Packings(Protocol):
    """All packings of a run, and what they share."""

    machine: Machine
    tables: Tables
    ranks: dict[str, Ranks]
    sizes: Sizes

    def packing(self, layout: Layout) -> Packing:
        """The packing of a layout."""
        ...


class _Move:
    """One renaming of the rows of one packing."""

    def __init__(self, packings: Packings, packing: Packing, renamed: Renamed, codes: RenamedTables) -> None:
        self._packings = packings
        self._packing = packing
        self._renamed = renamed
        self._codes = codes
        self.target = packings.packing(packings.machine.images.layout(packing.layout, renamed))
        self.changes = renamed.changes
        self._slots: dict[Slot, RenamedCodes] = {}
        self._learned: tuple[int, int] = (-1, -1)

    def learn(self, known: tuple[int, int]) -> None:
        """Bring the tables up to date with the packing, which is `known` so far; the target may be outgrown after."""
        if known == self._learned:
            return
        self._learned = known
        for slot in self._packing.fields:
            key = table_slot(slot)
            codes = self._slots[key] = self._codes.of(self._renamed, key)
            codes.learn()

    def sums(self, slot: Slot) -> Words | None:
        """What the codes of a slot add to the key of the image more than to that of the row; None: nothing."""
        renamed = self._slots[table_slot(slot)]
        return renamed.sums if renamed.matters else None

    def rows(self, rows: Rows) -> Rows:
        """The images, as rows of the target, which is not outgrown."""
        packing, target = self._packing, self.target
        made = Rows([np.zeros(len(rows), dtype=np.uint64) for _ in range(target.width)])
        for slot, renamed in self._slots.items():
            if slot[0] not in LISTED:
                # Slots of objects not in use may have the target of another slot: they are empty, and change nothing.
                field = target.fields[renamed.target]
                made.words[field.word] |= renamed.codes[packing.codes(rows, slot)].astype(np.uint64) << field.shift
        for kind in LISTED:
            columns = np.zeros((target.count(kind), len(rows)), dtype=np.int64)
            of_kind = self._slots.get((kind,))
            if of_kind is not None:
                # Without it, none was met by the rows that move so.
                columns[: packing.count(kind)] = of_kind.codes[listed(packing, rows, kind)]
            put_listed(target, made, kind, self._packings.ranks[kind], columns)
        return made


def _unchanged(_: Slot) -> Words | None:
    """The sums of a renaming that changes nothing."""
    return None


class _Group(NamedTuple):
    """The moves of rows with the same names in use, by number, and the keys of their images."""

    moves: range
    keys: LeastKeys


class Images:
    """Chooses the images of rows."""

    def __init__(self, packings: Packings) -> None:
        self._packings = packings
        self._images = packings.machine.images
        self._sizes = packings.sizes
        self._bits: dict[tuple[str, Index], int] = {}
        self._masks: dict[CodeTable, Ints] = {}
        self._codes = RenamedTables(packings.machine.values, packings.tables)
        self._moves: list[_Move] = []
        self._groups: dict[tuple[Packing, int], _Group | None] = {}

    def choose(self, packing: Packing, batch: Batch) -> Ints:
        """Set and return the moves of a batch, and replace the keys of the rows by those of the images.

        Packings may be outgrown after.
        """
        moves = batch.moves = np.full(len(batch.rows), BY_MACHINE, dtype=np.int64)
        codes = {slot: packing.codes(batch.rows, slot) for slot in packing.fields}
        masks = self._used(packing, codes)
        known = (packing.version, sum(len(field.table) for field in packing.fields.values()))
        high, low = batch.high, batch.low
        batch.high, batch.low = high.copy(), low.copy()
        for mask in distinct(masks).tolist():
            group = self._group(packing, mask)
            if group is None:
                continue
            rows = np.flatnonzero(masks == mask)
            if not group.moves:
                moves[rows] = NO_STEP
                continue
            some = codes if len(rows) == len(masks) else {slot: column[rows] for slot, column in codes.items()}
            for number in group.moves if group.keys.known != known else ():
                METER.ask()
                self._moves[number].learn(known)
            chosen, batch.high[rows], batch.low[rows] = group.keys.least(some, high[rows], low[rows], known)
            moves[rows] = group.moves.start + chosen
        return moves

    def targets(self, batch: Batch) -> set[Packing]:
        """The packings to which the images belong."""
        assert batch.moves is not None
        return {self._moves[number].target for number in distinct(batch.moves).tolist()}

    def moved(self, packing: Packing, batch: Batch) -> Iterator[tuple[Packing, Batch]]:
        """The images of a batch, by packing."""
        assert batch.moves is not None
        for number in distinct(batch.moves).tolist():
            move = self._moves[number]
            part = batch.take(np.flatnonzero(batch.moves == number))
            part.moves = None
            if move.changes:
                part.rows = move.rows(part.rows)
            yield move.target, part

    # --- what is in use --------------------------------------------------------------------------------------------

    def _group(self, packing: Packing, mask: int) -> _Group | None:
        """The moves of rows with these names in use: none if no step leads there; None if there are too many."""
        key = (packing, mask)
        if key not in self._groups:
            used = by_domain([name for name, bit in self._bits.items() if mask >> bit & 1])
            renamings = list(islice(self._images.renamings(used), self._sizes.renamings + 1))
            if len(renamings) > self._sizes.renamings or len(self._bits) > self._sizes.names:
                self._groups[key] = None
            elif self._images.exceeds(used):
                self._groups[key] = _Group(range(0), LeastKeys(()))
            else:
                renamed = [self._images.renamed(one) for one in renamings]
                made = [_Move(self._packings, packing, one, self._codes) for one in renamed]
                first = len(self._moves)
                self._moves += made
                keys = LeastKeys([one.sums if one.changes else _unchanged for one in made])
                self._groups[key] = _Group(range(first, len(self._moves)), keys)
        return self._groups[key]

    def _used(self, packing: Packing, codes: dict[Slot, Ints]) -> NDArray[np.int64]:
        """The names in use in each row, as bits."""
        always = self._mask(self._images.live(packing.layout))
        masks = np.full(len(next(iter(codes.values()))), always, dtype=np.int64)
        for slot, column in codes.items():
            table = self._packings.tables.of(slot)
            known = self._masks.get(table, NO_PROPERTY)
            per_code = self._masks[table] = table.property(lambda n: self._mask(self._images.names(n)), known)
            if per_code.any():
                masks |= per_code[column]
        return masks

    def _mask(self, names: AbstractSet[tuple[str, Index]]) -> int:
        mask = 0
        for name in sorted(names):
            mask |= 1 << min(self._bits.setdefault(name, len(self._bits)), self._sizes.names)
        return mask
