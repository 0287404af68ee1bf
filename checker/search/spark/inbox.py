"""What other tasks have sent to a partition, by slices of the keys, so that memory does not grow with the level."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from checker.search.columns.code_tables import Words
from checker.search.spark.assignment import Assignment
from checker.search.spark.batches import PackedBatch, from_bytes, highs_of, pieces, slice_of
from checker.storage.part_store import PartStore


class _Piece(NamedTuple):
    """Candidates as they were sent, in the file of a name; the least and greatest upper half of their keys."""

    name: str
    data: memoryview
    reach: Words


class Inbox:
    """The candidates for the partition of a task."""

    def __init__(self, store: PartStore, assignment: Assignment) -> None:
        self._store = store
        self.pieces: list[_Piece] = []
        names = assignment.inbound.names
        for name, data in zip(names, store.views(names, assignment.partition), strict=True):
            with store.reading(name):
                for piece in pieces(data):
                    # Of what is not needed yet, only keys are looked at.
                    high = highs_of(piece)
                    if len(high):
                        self.pieces.append(_Piece(name, piece, np.array([high.min(), high.max()])))

    def slice(self, which: int = 0, slices: int = 1) -> list[PackedBatch]:
        """The candidates in one of so many slices by key, in order."""
        found: list[PackedBatch] = []
        for name, data, reach in self.pieces:
            first, last = slice_of(reach, slices)
            if first <= which <= last:
                with self._store.reading(name):
                    for batch in from_bytes(bytes(data)):
                        rows = np.flatnonzero(slice_of(batch.high, slices) == which)
                        if len(rows):
                            found.append(batch if len(rows) == len(batch.high) else batch.take(rows))
        return found
