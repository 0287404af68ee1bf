"""Which of the steps that lead to a state is its parent: the least (language page, 12.4).

The parent of a state at level n+1 is, among all (state of level n, step) that lead to it, the one least by (crashes of
the source, plus 1 if the step is a crash; order of step; key of source). So paths do not depend on the order in which
an engine works. The rule is here three times, and a test compares them: for two steps, for rows whose sources are small
numbers, and for rows whose sources are keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, overload

from checker.search.contract.key_order import order_of_halves
from interpreter.state.step import StepOrder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[Any]
    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]
    Mask = NDArray[np.bool_]

_SOURCE_BITS: Final = 32
_SOURCES: Final = (1 << _SOURCE_BITS) - 1
_MOST_RANKS: Final = 1 << (63 - _SOURCE_BITS)
"""A parent is the rank of a step order and the number of a source, in one word."""


@overload
def crashes_after(crashes: int, crash: bool) -> int: ...
@overload
def crashes_after(crashes: Column, crash: bool | Mask) -> Column: ...
def crashes_after(crashes: Any, crash: Any) -> Any:
    """The crash steps on a path that goes on with a step. `crash`: it is a crash step (language page, 12.4)."""
    return crashes + crash


def is_less(
    crashes: int, order: StepOrder, source: int, other_crashes: int, other_order: StepOrder, other_source: int
) -> bool:
    """Whether a step is the parent rather than another one: it is less by (crashes, order, source).

    `crashes` are those up to the target. `source`: the key of the source, or its number, if numbers ascend by key; it
    is the same for all initial states, so that of equal ones the one of least choices counts.
    """
    if crashes != other_crashes:
        return crashes < other_crashes
    return order < other_order or (source < other_source and order == other_order)


def least_parents(
    order: Ints, groups: Ints, crashes: Column, orders: Column, sources: Column, ranks: Ints
) -> tuple[Ints, Ints, Ints]:
    """Of rows in this order, each group of which is one state, its parent: crashes, order of the step, source.

    `groups` are the indexes in `order` where groups begin. `orders` are numbers of step orders, and `ranks` their ranks
    among all. `sources` are numbers below 2**32 that ascend by key.
    """
    import numpy as np

    fewest, most = int(crashes.min()), int(crashes.max())
    costs = ranks.take(orders)
    if most > fewest:
        costs += (crashes - fewest).astype(np.int64) * len(ranks)
    table = None
    if (most - fewest + 1) * len(ranks) > _MOST_RANKS:
        table, costs = np.unique(costs, return_inverse=True)
    # In place: there are many rows.
    costs <<= _SOURCE_BITS
    costs |= sources
    least = np.minimum.reduceat(costs.take(order), groups)
    chosen = least >> _SOURCE_BITS
    above, costs = np.divmod(chosen if table is None else table.take(chosen), len(ranks))
    return above + fewest, np.argsort(ranks).take(costs), least & _SOURCES


def by_key_and_parent(
    key: tuple[Words, Words], crashes: Column, ranks: Ints, source: tuple[Words, Words]
) -> tuple[Ints, Ints]:
    """The order of rows by key and then by the rule of parents, and the indexes in it where a key begins.

    The row at such an index is the parent. Keys of states and sources are given in halves; `ranks` are those of steps.
    """
    import numpy as np

    high, low = key
    order = order_of_halves(high)
    ordered = high[order]
    # Rows come in runs that are sorted already, and few of them have an equal half.
    equal = ordered[1:] == ordered[:-1]
    tied = np.zeros(len(order), dtype=np.bool_)
    tied[1:] |= equal
    tied[:-1] |= equal
    rows = order[tied]
    # The last column counts most.
    columns = (source[1], source[0], ranks, crashes, low, high)
    order[tied] = rows[np.lexsort([column[rows] for column in columns])]
    first = np.ones(len(order), dtype=np.bool_)
    high, low = high[order], low[order]
    first[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    return order, np.flatnonzero(first)
