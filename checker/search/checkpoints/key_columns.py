"""Keys of states in columns: numpy arrays of 16 bytes each, big-endian, so that bytes sort as the numbers do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.bytes_]
Mask = NDArray[np.bool_]

WIDTH: Final = 16
_LOW: Final = (1 << 64) - 1
_TYPE: Final = np.dtype(f"S{WIDTH}")


def key_column(keys: Iterable[int]) -> Keys:
    return key_array(b"".join([key.to_bytes(WIDTH, "big") for key in keys]))


def key_array(data: Any) -> Keys:
    """The column in these bytes, without copying them."""
    return np.frombuffer(data, dtype=_TYPE)


def key_number(keys: Keys, index: int) -> int:
    """One key as a number. Not through numpy's own items: those lose zeros at the end."""
    return int.from_bytes(keys[index : index + 1].tobytes(), "big")


def keys_of(high: NDArray[np.uint64], low: NDArray[np.uint64]) -> Keys:
    """A column of the keys that have these halves."""
    return key_array(np.stack([high, low], axis=1).astype(">u8").tobytes())


def halves_of(keys: Keys) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The halves of a column, high and low."""
    halves = np.frombuffer(keys.tobytes(), dtype=">u8").reshape(-1, 2).astype(np.uint64)
    return np.ascontiguousarray(halves[:, 0]), np.ascontiguousarray(halves[:, 1])


def indexes_of(column: Keys, wanted: Keys) -> tuple[NDArray[np.int64], Mask]:
    """The indexes of the wanted keys in a sorted column, and which of them are in it."""
    if not len(column):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    at = np.minimum(np.searchsorted(column, wanted), len(column) - 1)
    return at.astype(np.int64), np.asarray(column[at] == wanted, dtype=np.bool_)


def partition_of(key: int, partitions: int) -> int:
    """The partition of a state. Keys are digests, so any part of them spreads evenly."""
    return (key & _LOW) % partitions


def partitions_of(keys: Keys, partitions: int) -> NDArray[np.int64]:
    """`partition_of` for a column."""
    return (halves_of(keys)[1] % np.uint64(partitions)).astype(np.int64)
