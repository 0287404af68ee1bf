"""How many states a larger point will have: the growth along one axis of a grid, carried one point further."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from checker.sweep.grid import Axis, whole

_FEWEST: Final = 3
"""Points that a forecast needs."""
_ENOUGH_STATES: Final = 1_000
"""The cost of a state is that of a point with so many; in a smaller one the start of a run is most of it."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Along `axis`, with the `others` fixed: the points with their states, and what is to be expected at `next`.

    `cpu_s`: CPU seconds, at the cost of a state in the last point; None if that is too small. `checked`: what the same
    rule would have said of the last point, divided by what it has; None if there are too few points.
    """

    axis: str
    others: tuple[tuple[str, str], ...]
    known: tuple[tuple[int, int], ...]
    next: int
    states: float
    cpu_s: float | None
    checked: float | None


def forecasts(axes: Sequence[Axis], known: Mapping[tuple[str, ...], tuple[int, float]]) -> tuple[Forecast, ...]:
    """The forecasts of a grid. `known`: states and CPU seconds of complete points, by their values."""
    return tuple(
        forecast
        for number, axis in enumerate(axes)
        if len(axis.texts) >= _FEWEST and all(whole(text) is not None for text in axis.texts)
        for forecast in _along(axes, number, known)
    )


def _along(axes: Sequence[Axis], number: int, known: Mapping[tuple[str, ...], tuple[int, float]]) -> Iterator[Forecast]:
    axis = axes[number]
    values = sorted(axis.texts, key=int)
    others = [axis.texts for index, axis in enumerate(axes) if index != number]
    names = [axis.name for index, axis in enumerate(axes) if index != number]
    for fixed in itertools.product(*others):
        line = [(int(text), known.get((*fixed[:number], text, *fixed[number:]))) for text in values]
        # Beyond the first point that was not finished nothing is known for sure.
        complete = [(value, one) for value, one in itertools.takewhile(lambda pair: pair[1] is not None, line) if one]
        counts = [(value, states) for value, (states, _) in complete]
        if len(counts) < _FEWEST or not _evenly_spaced(counts):
            continue
        states, cpu_s = complete[-1][1]
        expected = carried_on([count for _, count in counts])
        before = [count for _, count in counts[:-1]]
        yield Forecast(
            axis.name,
            tuple((name, text) for name, text, values in zip(names, fixed, others, strict=True) if values[1:]),
            tuple(counts),
            2 * counts[-1][0] - counts[-2][0],
            expected,
            cpu_s * expected / states if states >= _ENOUGH_STATES else None,
            carried_on(before) / states if len(before) >= _FEWEST else None,
        )


def _evenly_spaced(counts: Sequence[tuple[int, int]]) -> bool:
    """Whether the last points, from which the next is computed, have one distance."""
    first, second, third = (value for value, _ in counts[-_FEWEST:])
    return second - first == third - second


def carried_on(states: Sequence[int]) -> float:
    """The next number of states. The factor from one point to the next changes by the factor that it changed by last.

    That is exact for a·b^n·c^(n²), of which exponential growth is a case; for growth by a power of n it is a little too
    low. It is Newton's extrapolation by second differences, of the logarithms. A factor below 1 is taken as 1.
    """
    first, second, third = (math.log(max(count, 1)) for count in states[-_FEWEST:])
    growth = max(0.0, 2 * (third - second) - (second - first))
    return math.exp(min(third + growth, 700.0))
