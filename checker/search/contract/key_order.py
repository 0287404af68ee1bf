"""The order of keys by their high halves, which is where engines spend most of what telling states apart takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]

_FEW: Final = 1 << 9
"""So few numbers are sorted faster by comparing them."""


def order_of_halves(high: Words) -> Ints:
    """The indexes of the high halves of keys in ascending order; equal ones in the order in which they are.

    numpy sorts numbers of 16 bits by counting. The highest 32 bits of fingerprints, sorted so in two passes, tell all
    but a few of millions apart; what is still out of order then is sorted by comparing, which is fast where little is.
    """
    import numpy as np

    if len(high) < _FEW:
        return np.argsort(high, kind="stable")
    order: Ints = np.argsort((high >> np.uint64(32)).astype(np.uint16), kind="stable")
    order = order.take(np.argsort((high >> np.uint64(48)).astype(np.uint16).take(order), kind="stable"))
    ordered = high.take(order)
    if (ordered[1:] < ordered[:-1]).any():
        order = order.take(np.argsort(ordered, kind="stable"))
    return order
