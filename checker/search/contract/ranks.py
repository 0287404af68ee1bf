"""Which of several states is reported: the least by (level, crashes on its path, key) (language page, 12.4).

Engines number states by (level, key), so that of equal cost the first one is the least. Within a level, findings are
ordered by `Witness.rank`, which begins with the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

Cost = Callable[[int], tuple[int, int]]
"""From the number of a state: its level and the crash steps on its path."""


def rank(level: int, crashes: int, key: int) -> tuple[int, int, int]:
    """The rank of a state among all."""
    return level, crashes, key


def least(numbers: Iterable[int], cost: Cost) -> int:
    """Of some states in ascending order, of which there is one, the number of the least."""
    best: tuple[int, int, int] | None = None
    for number in numbers:
        one = rank(*cost(number), number)
        if best is not None and one[0] > best[0]:
            break
        best = one if best is None else min(best, one)
    assert best is not None
    return best[2]


def least_of_level(crashes: NDArray[Any]) -> int:
    """Of some states of one level in ascending order, given the crash steps of each: the index of the least."""
    return int(crashes.argmin())


def order_of(costs: Sequence[tuple[int, int]]) -> list[int]:
    """The numbers of all states, the least first, given the cost of each."""
    return sorted(range(len(costs)), key=costs.__getitem__)


def order_of_all(levels: NDArray[Any], crashes: NDArray[Any], key: tuple[NDArray[Any], NDArray[Any]]) -> Ints:
    """The indexes of states, the least first, given in any order; of their keys the halves."""
    import numpy as np

    high, low = key
    # The last column counts most.
    return np.lexsort((low, high, crashes, levels))


def order_of_level(crashes: NDArray[Any]) -> Ints:
    """The indexes of all states of one level, the least first, given the crash steps of each in ascending order."""
    return crashes.argsort(kind="stable")
