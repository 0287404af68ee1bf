"""`Region`: memory that one process writes and its siblings read. It has no name, so nothing of it is left behind."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_ALIGNED: Final = 8
_MOST: Final = 1 << 30
"""Bytes that are written at a time: the system takes no more than two gigabytes."""

Array = NDArray[Any]


class RegionPart(NamedTuple):
    """An array in a region: where it begins, its length and the code of its type."""

    offset: int
    length: int
    kind: str


class Region:
    """Arrays of one process for those that were forked together with it."""

    def __init__(self) -> None:
        if hasattr(os, "memfd_create"):
            self._file = os.memfd_create("fizzpy")
        else:
            with tempfile.TemporaryFile(prefix="fizzpy-") as file:
                self._file = os.dup(file.fileno())

    def write(self, groups: Sequence[Sequence[Array]]) -> list[tuple[RegionPart, ...]]:
        """Write groups of arrays, instead of what was written before. Raises `OSError` if there is no room."""
        os.ftruncate(self._file, 0)
        offset = 0
        written: list[tuple[RegionPart, ...]] = []
        for arrays in groups:
            pieces = []
            for array in arrays:
                pieces.append(RegionPart(offset, len(array), array.dtype.str))
                self._put(np.ascontiguousarray(array), offset)
                offset += -(-array.nbytes // _ALIGNED) * _ALIGNED
            written.append(tuple(pieces))
        return written

    def _put(self, array: Array, offset: int) -> None:
        if not array.nbytes:
            return
        left = memoryview(array.data).cast("B")
        while left:
            done = os.pwrite(self._file, left[:_MOST], offset)
            left, offset = left[done:], offset + done

    def read(self, parts: Sequence[RegionPart]) -> list[Array]:
        """Arrays that another process has written. They must not be used any more when it writes the next ones."""
        written = any(part.length for part in parts)
        data = mmap.mmap(self._file, 0, access=mmap.ACCESS_READ) if written else b""
        return [
            np.frombuffer(data, dtype=part.kind, count=part.length, offset=part.offset)
            if part.length
            else np.zeros(0, dtype=part.kind)
            for part in parts
        ]

    def close(self) -> None:
        """Give up this process' hold on it."""
        os.close(self._file)
