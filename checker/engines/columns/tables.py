"""Codes: the values that a slot has taken, as small numbers, with what they add to keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from interpreter.state import UNBOUND

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_HALF = (1 << 64) - 1


class CodeTable:
    """One slot's values by code, in the order in which they were met. `sum_of` gives what an id adds to a key.

    With `empty` code 0 stands for nothing, as in a place for a thread that is not there.
    """

    def __init__(self, sum_of: Callable[[int], int], empty: bool = False) -> None:
        self._sum_of = sum_of
        self.ids: list[int] = []
        self.codes: dict[int, int] = {}
        self.high = np.zeros(16, dtype=np.uint64)
        self.low = np.zeros(16, dtype=np.uint64)
        if empty:
            self.code(UNBOUND)

    def code(self, number: int) -> int:
        """The code of an id; a new one if it was not met before."""
        known = self.codes.get(number)
        if known is not None:
            return known
        code = self.codes[number] = len(self.ids)
        self.ids.append(number)
        if code >= len(self.high):
            self.high = np.concatenate([self.high, np.zeros_like(self.high)])
            self.low = np.concatenate([self.low, np.zeros_like(self.low)])
        if number != UNBOUND:
            total = self._sum_of(number)
            self.high[code], self.low[code] = total >> 64, total & _HALF
        return code

    def __len__(self) -> int:
        return len(self.ids)

    def property(self, of: Callable[[int], bool | int], known: NDArray[np.int64]) -> NDArray[np.int64]:
        """A column of some number per code, extended from what is `known` of it."""
        if len(known) == len(self.ids):
            return known
        more = [0 if number == UNBOUND else int(of(number)) for number in self.ids[len(known) :]]
        return np.concatenate([known, np.array(more, dtype=np.int64)])


NO_PROPERTY: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
