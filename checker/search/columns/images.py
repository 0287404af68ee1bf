"""Symmetry on columns: the image of least key of each row, by gathers over the tables (language page, 11.3).

Keys are sums over slots, so the key of an image is that of the row plus, per slot, the difference that the renaming
makes. The renamings depend on the values in use, which are few: rows are grouped by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, Protocol

import numpy as np

from checker.search.columns.batch import Batch
from checker.search.columns.capacity import table_slot
from checker.search.columns.code_tables import Ints, Mask, Tables, Words, distinct
from checker.search.columns.image_rows import ImageRows
from checker.search.columns.least_keys import LeastKeys
from checker.search.columns.listed_slots import Ranks
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.renamed_codes import RenamedTables
from checker.search.columns.restrictions import Restrictions
from checker.search.columns.sizes import Sizes
from checker.search.columns.slot_images import SlotImages
from checker.search.memo.division import root_of
from interpreter import Machine
from interpreter.state.renaming import by_domain
from interpreter.state.state import Layout, Slot
from interpreter.values.budget import METER

BY_MACHINE: Final = -1
"""The move of rows with more renamings than are kept in tables."""
NO_STEP: Final = -2
"""The move of rows to which no step leads, because a domain is over its limit or its divergence."""
_MOST_APART: Final = 720
"""So many renamings that differ for a slot may be gathered one by one."""


class Packings(Protocol):
    """All packings of a run, and what they share."""

    machine: Machine
    tables: Tables
    ranks: dict[str, Ranks]
    sizes: Sizes

    def packing(self, layout: Layout) -> Packing:
        """The packing of a layout."""
        ...


class _Group:
    """The moves of the rows of a packing with the same names in use: one for each of some renamings.

    `first`: the number of the first move.
    """

    def __init__(
        self, packings: Packings, packing: Packing, tables: RenamedTables, first: int, restrictions: Restrictions
    ) -> None:
        self._packing = packing
        self._tables = tables
        self.first = first
        self.size = len(restrictions)
        self._restrictions = restrictions
        self._images: dict[Slot, SlotImages] = {}
        """By slot what codes become, all that list the same sharing one table."""
        self._keys = LeastKeys(self.size)
        self._known: dict[Slot, int] = {}
        self._version = (-1, -1)
        self.target_of, self.targets = self._targets(packings)
        """By move, the index of the packing of the image."""
        self._among: Ints = np.zeros(self.size, dtype=np.int64)
        """By move, where it stands among those with the same target."""
        self._rows: list[ImageRows] = []
        for index, target in enumerate(self.targets):
            moves = np.flatnonzero(self.target_of == index)
            self._among[moves] = np.arange(len(moves))
            self._rows.append(ImageRows(packing, target, moves, self._images))

    def _targets(self, packings: Packings) -> tuple[Ints, list[Packing]]:
        layout = self._packing.layout
        which, ones = self._restrictions.to(self._tables.names_in_all(layout.slots))
        found = [packings.packing(packings.machine.images.layout(layout, one)) for one in ones]
        targets = list(dict.fromkeys(found))
        return np.array([targets.index(target) for target in found], dtype=np.int64)[which], targets

    def learn(self) -> None:
        """Know what all codes that rows may have become. Targets may be outgrown after."""
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
            self._images.clear()
            self._keys.forget()
        for slot, size in sizes.items():
            if self._known.get(slot) != size:
                METER.ask()
                self._of(slot).learn(size)
        self._version, self._known = version, sizes
        self._keys.learn(packing, sizes, self._images)

    @property
    def too_large(self) -> bool:
        """Whether some slot has so many codes with so many images that the machine is faster."""
        return any(one.apart is not None and len(one.apart[1]) > _MOST_APART for one in self._images.values())

    def _of(self, slot: Slot) -> SlotImages:
        key = table_slot(slot)
        known = self._images.get(key)
        if known is None:
            known = self._images[key] = SlotImages(key, self._tables, self._restrictions)
        return known

    def least(self, rows: Rows, high: Words, low: Words) -> tuple[Ints, Words, Words]:
        """The numbers of the moves to the images of least key, and the halves of these."""
        chosen, high, low = self._keys.least(rows, high, low)
        return self.first + chosen, high, low

    def moved(self, rows: Rows, numbers: Ints, target: int, ranks: Mapping[str, Ranks]) -> Rows:
        """The images by moves of these numbers, all as rows of one target, by index, which is not outgrown."""
        moves = numbers - self.first
        return self._rows[target].of(rows, moves, self._among.take(moves), self._known, ranks)


class Images:
    """Chooses the images of rows."""

    def __init__(self, packings: Packings) -> None:
        self._packings = packings
        self._images = packings.machine.images
        self._sizes = packings.sizes
        self._names = packings.tables.names
        self._codes = RenamedTables(packings.machine.values, packings.tables)
        self._moves = 0
        self._made: list[_Group] = []
        """In the order of the numbers of their moves."""
        self._groups: dict[tuple[Packing, int], _Group | int] = {}

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
            rows = np.flatnonzero(masks == mask)
            if isinstance(group, int):
                moves[rows] = group
                continue
            group.learn()
            if group.too_large:
                continue
            some = batch.rows if len(rows) == len(masks) else batch.rows.take(rows)
            moves[rows], batch.high[rows], batch.low[rows] = group.least(some, high[rows], low[rows])
        return moves

    def targets(self, batch: Batch) -> set[Packing]:
        """The packings to which the images belong."""
        return {group.targets[index] for group, index, _ in self._parts(batch)}

    def moved(self, packing: Packing, batch: Batch) -> Iterator[tuple[Packing, Batch]]:
        """The images of a batch, by packing."""
        for group, index, rows in self._parts(batch):
            part = batch.take(rows)
            assert part.moves is not None
            part.rows = group.moved(part.rows, part.moves, index, self._packings.ranks)
            part.moves = None
            yield group.targets[index], part

    def replace(self, packing: Packing, batch: Batch) -> Mask | None:
        """Choose the images of a batch of one packing, and put those that are of it too in the place of their rows.

        Of which rows that is; None: the packing is outgrown.
        """
        moves = self.choose(packing, batch)
        here = np.zeros(len(batch), dtype=np.bool_)
        if packing.outgrown:
            return None
        able = np.flatnonzero(moves >= 0)
        if not len(able):
            return here
        for group, index, rows in self._parts(batch.take(able)):
            if group.targets[index] is not packing:
                continue
            rows = able[rows]
            moved = group.moved(batch.rows.take(rows), moves[rows], index, self._packings.ranks)
            for word, column in zip(batch.rows.words, moved.words, strict=True):
                word[rows] = column
            here[rows] = True
        return here

    def _parts(self, batch: Batch) -> Iterator[tuple[_Group, int, Ints]]:
        """The rows of a batch, by the group of their moves and the index of the target in it."""
        assert batch.moves is not None
        numbers = np.searchsorted([group.first for group in self._made], batch.moves, side="right") - 1
        for number in distinct(numbers).tolist():
            group = self._made[number]
            rows = np.flatnonzero(numbers == number)
            indexes = group.target_of[batch.moves[rows] - group.first]
            for index in distinct(indexes).tolist():
                yield group, index, rows[indexes == index]

    # --- what is in use --------------------------------------------------------------------------------------------

    def _group(self, packing: Packing, mask: int) -> _Group | int:
        """The moves of rows with these names in use: or the move of all of them, if these have none."""
        key = (packing, mask)
        if key not in self._groups:
            self._groups[key] = self._new_group(packing, mask)
        return self._groups[key]

    def _new_group(self, packing: Packing, mask: int) -> _Group | int:
        used = by_domain(self._names.among(mask))
        renamings = list(islice(self._images.renamings(used), self._sizes.renamings + 1))
        if len(renamings) > self._sizes.renamings or len(self._names) > self._sizes.names:
            return BY_MACHINE
        if self._images.exceeds(used):
            return NO_STEP
        restrictions = Restrictions(renamings, self._images.nominal, self._images.renamed)
        group = _Group(self._packings, packing, self._codes, self._moves, restrictions)
        self._moves += group.size
        self._made.append(group)
        return group
