"""Symmetry on columns: the image of least key of each row, by gathers over the tables (language page, 11.3).

Keys are sums over slots, so the key of an image is that of the row plus, per slot, the difference that the renaming
makes. The renamings depend on the values in use, which are few: rows are grouped by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Protocol

import numpy as np

from checker.search.columns.batch import Batch
from checker.search.columns.capacity import table_slot
from checker.search.columns.code_tables import Ints, Tables, Words, distinct
from checker.search.columns.image_rows import ImageRows
from checker.search.columns.least_keys import LeastKeys
from checker.search.columns.listed_slots import Ranks
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.renamed_codes import RenamedCodes, RenamedTables
from checker.search.columns.sizes import Sizes
from checker.search.memo.division import root_of
from interpreter import Machine
from interpreter.state.renaming import Renamed, by_domain
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
        self._renamed = renamed
        self._tables = codes
        self.target = packings.packing(packings.machine.images.layout(packing.layout, renamed))
        self.changes = renamed.changes
        self.codes: dict[Slot, RenamedCodes] = {}
        """By slot what codes become, all that list the same sharing one table."""

    def learn(self, slots: Iterable[Slot]) -> None:
        """Know what all codes of some slots become. The target may be outgrown after."""
        for slot in slots:
            key = table_slot(slot)
            if key not in self.codes:
                self.codes[key] = self._tables.of(self._renamed, key)
            self.codes[key].learn()

    def sums(self, slot: Slot) -> Words | None:
        """What the codes of a slot add to the key of the image more than to that of the row; None: nothing."""
        renamed = self.codes.get(table_slot(slot))
        return renamed.sums if renamed is not None and self.changes and renamed.matters else None


class _Group:
    """The moves of the rows of a packing with the same names in use. `first`: the number of the first one of them."""

    def __init__(self, packing: Packing, first: int, moves: Sequence[_Move]) -> None:
        self._packing = packing
        self.first = first
        self.moves = moves
        self._keys = LeastKeys([move.sums for move in moves])
        self._known: dict[Slot, int] = {}
        self._version = (-1, -1)
        targets = [move.target for move in moves]
        self._among: Ints = np.array([targets[:at].count(target) for at, target in enumerate(targets)], dtype=np.int64)
        """By index of a move, where it stands among those with the same target."""
        self._rows = {
            target: ImageRows(packing, target, [move.codes for move in moves if move.target is target])
            for target in dict.fromkeys(targets)
        }

    def learn(self) -> None:
        """Know what all codes that rows may have become."""
        packing = self._packing
        version = (packing.version, packing.tables.dropped)
        # A part that no value had yet, of which another process may know more, is empty in all images.
        sizes = {
            slot: len(field.table)
            for slot, field in packing.fields.items()
            if len(field.table) > 1 or slot == root_of(slot)
        }
        if (version, sizes) == (self._version, self._known):
            return
        if version[1] != self._version[1]:
            self._known = {}
            for move in self.moves:
                move.codes.clear()
            self._keys.forget()
        new = [slot for slot, size in sizes.items() if self._known.get(slot) != size]
        for move in self.moves:
            METER.ask()
            move.learn(new)
        self._version, self._known = version, sizes
        self._keys.learn(packing, sizes)

    def least(self, rows: Rows, high: Words, low: Words) -> tuple[Ints, Words, Words]:
        """The numbers of the moves to the images of least key, and the halves of these."""
        chosen, high, low = self._keys.least(rows, high, low)
        return self.first + chosen, high, low

    def moved(self, rows: Rows, numbers: Ints, target: Packing, ranks: Mapping[str, Ranks]) -> Rows:
        """The images by moves of these numbers, all as rows of one target, which is not outgrown."""
        return self._rows[target].of(rows, self._among.take(numbers - self.first), self._known, ranks)


class Images:
    """Chooses the images of rows."""

    def __init__(self, packings: Packings) -> None:
        self._packings = packings
        self._images = packings.machine.images
        self._sizes = packings.sizes
        self._names = packings.tables.names
        self._codes = RenamedTables(packings.machine.values, packings.tables)
        self._moves: list[_Move] = []
        self._group_of: list[_Group] = []
        """By number of a move."""
        self._groups: dict[tuple[Packing, int], _Group | None] = {}

    def choose(self, packing: Packing, batch: Batch) -> Ints:
        """Set and return the moves of a batch, and replace the keys of the rows by those of the images.

        Packings may be outgrown after.
        """
        moves = batch.moves = np.full(len(batch.rows), BY_MACHINE, dtype=np.int64)
        masks = self._names.of(packing, batch.rows) | self._names.mask(self._images.live(packing.layout))
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
            group.learn()
            some = batch.rows if len(rows) == len(masks) else batch.rows.take(rows)
            moves[rows], batch.high[rows], batch.low[rows] = group.least(some, high[rows], low[rows])
        return moves

    def targets(self, batch: Batch) -> set[Packing]:
        """The packings to which the images belong."""
        assert batch.moves is not None
        return {self._moves[number].target for number in distinct(batch.moves).tolist()}

    def moved(self, packing: Packing, batch: Batch) -> Iterator[tuple[Packing, Batch]]:
        """The images of a batch, by packing."""
        assert batch.moves is not None
        numbers = distinct(batch.moves).tolist()
        kinds = {number: (self._group_of[number], self._moves[number].target) for number in numbers}
        kind_of = {kind: index for index, kind in enumerate(dict.fromkeys(kinds.values()))}
        which = np.array([kind_of[kinds[number]] for number in numbers], dtype=np.int64)
        which = which[np.searchsorted(numbers, batch.moves)]
        for (group, target), index in kind_of.items():
            part = batch.take(np.flatnonzero(which == index))
            assert part.moves is not None
            part.rows = group.moved(part.rows, part.moves, target, self._packings.ranks)
            part.moves = None
            yield target, part

    # --- what is in use --------------------------------------------------------------------------------------------

    def _group(self, packing: Packing, mask: int) -> _Group | None:
        """The moves of rows with these names in use: none if no step leads there; None if there are too many."""
        key = (packing, mask)
        if key not in self._groups:
            used = by_domain(self._names.among(mask))
            renamings = list(islice(self._images.renamings(used), self._sizes.renamings + 1))
            if len(renamings) > self._sizes.renamings or len(self._names) > self._sizes.names:
                self._groups[key] = None
            elif self._images.exceeds(used):
                self._groups[key] = _Group(packing, len(self._moves), [])
            else:
                renamed = map(self._images.renamed, renamings)
                made = [_Move(self._packings, packing, one, self._codes) for one in renamed]
                group = self._groups[key] = _Group(packing, len(self._moves), made)
                self._moves += made
                self._group_of += [group] * len(made)
        return self._groups[key]
