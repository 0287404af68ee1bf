"""The distribution of what a counter comes to: value by value, from the least one up."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy import sparse

from checker.measure.chain import Chain, Ends, Floats
from checker.measure.linear import Transient

TAIL: Final = 1e-12
"""The distribution ends where less probability is left."""
_MOST_VALUES: Final = 200_000
_MOST_WORK: Final = 4_000_000_000
_SOLVING: Final = 16
_LEAST: Final = 1e-16
"""What is left out at one value, in all states together."""
PERCENTAGES: Final = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)


def distribution_of(chain: Chain, ends: Ends, counter: int, ask: Callable[[], None]) -> list[tuple[int, float]]:
    """Values in units with their probabilities, in ascending order, of a counter that grows in no end of the runs.

    The nodes that are left are visited by value: those with the least value first, through all edges that add nothing,
    and then from there to greater values. What is left beyond the last value has at most the probability `TAIL`, unless
    there are very many values.
    """
    left = ends.transient
    added = chain.gains[:, counter]
    number = np.cumsum(left) - 1
    size = int(left.sum())
    among = left[chain.source] & left[chain.target]
    leaving = left[chain.source] & ~left[chain.target]
    # Only nodes at edges that add nothing have visits beyond the arrivals.
    silent = _matrix(chain, among & (added == 0), number, size)
    at_silent = np.zeros(size, dtype=np.bool_)
    at_silent[silent.indices] = True
    at_silent |= np.diff(silent.indptr) > 0
    places = np.flatnonzero(at_silent)
    still = Transient(silent[places][:, places], ask)
    growing: list[tuple[int, Any]] = [
        (int(gain), _matrix(chain, among & (added == gain), number, size))
        for gain in np.unique(added[among & (added > 0)])
    ]
    ending: list[tuple[int, Floats]] = []
    for gain in np.unique(added[leaving]):
        edges = leaving & (added == gain)
        ending.append(
            (
                int(gain),
                np.asarray(np.bincount(number[chain.source[edges]], chain.probability[edges], size), dtype=np.float64),
            )
        )
    begin = np.zeros(size)
    begin[number[chain.begin]] = 1.0
    arriving: dict[int, Floats] = {0: begin}
    waiting = [0]
    ended: dict[int, float] = {}
    work, missing = 0, 1.0
    while waiting and missing > TAIL:
        ask()
        value = heapq.heappop(waiting)
        visits = arriving.pop(value)
        visits[places] = still.visits(visits[places])
        there = np.flatnonzero(visits > _LEAST / size)
        # Most of the probability is in few states at a time.
        active = there if 2 * len(there) < size else None
        for gain, leave in ending:
            share = float(visits @ leave)
            if share > 0:
                ended[value + gain] = ended.get(value + gain, 0.0) + share
                missing -= share
        for gain, edges in growing:
            onward = edges.T @ visits if active is None else edges[active].T @ visits[active]
            if not onward.any():
                continue
            if value + gain in arriving:
                arriving[value + gain] += onward
            else:
                arriving[value + gain] = onward
                heapq.heappush(waiting, value + gain)
        work += size + len(chain.source) * len(there) // size + _SOLVING * len(places)
        if work > _MOST_WORK or len(ended) > _MOST_VALUES:
            break
    # What is to come adds to values from here on: only smaller ones are complete, unless all is there.
    complete = waiting[0] if waiting and missing > TAIL else None
    return sorted((value, share) for value, share in ended.items() if complete is None or value < complete)


def _matrix(chain: Chain, edges: Any, number: Any, size: int) -> Any:
    return sparse.csr_matrix(
        (chain.probability[edges], (number[chain.source[edges]], number[chain.target[edges]])), shape=(size, size)
    )


def percentiles(distribution: list[tuple[float, float]]) -> dict[float, float]:
    """By percentage the least value that is not exceeded with that probability, as far as the distribution goes."""
    found: dict[float, float] = {}
    total = 0.0
    for value, share in distribution:
        total += share
        for percentage in PERCENTAGES:
            if percentage not in found and total >= percentage / 100 - TAIL:
                found[percentage] = value
    return dict(sorted(found.items()))
