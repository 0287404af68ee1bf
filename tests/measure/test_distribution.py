"""The distribution of a counter: the same if only some nodes are looked at, and given up where it is too much."""

from __future__ import annotations

import numpy as np
import pytest

from checker.measure.chain import Chain, ends_of
from checker.measure.distribution import LIMITS, DistributionLimits, distribution_of, percentiles
from checker.measure.measured import CounterMeasure, Interval, Quantity
from checker.report.measure_text import counter_sentence


def walk(size: int, silent: bool) -> Chain:
    """A walk on a square of so many places a side, to its last corner; steps in one direction add 3, or nothing."""
    edges: list[tuple[int, int, float, int]] = [(size * size, 0, 1.0, 0)]
    for x in range(size):
        for y in range(size):
            if (x, y) == (size - 1, size - 1):
                continue
            here = x * size + y
            edges += [
                (here, min(x + 1, size - 1) * size + y, 0.35, 1),
                (here, max(x - 1, 0) * size + y, 0.15, 1),
                (here, x * size + min(y + 1, size - 1), 0.35, 3),
                (here, x * size + max(y - 1, 0), 0.15, 0 if silent and x == y < 15 else 1),
            ]
    source, target, probability, gain = map(np.array, zip(*edges, strict=True))
    nodes = size * size + 1
    gains = gain.astype(np.int64).reshape(-1, 1)
    return Chain(nodes - 1, nodes, source, target, probability, gains, np.zeros(nodes, dtype=np.bool_), frozenset())


def found(chain: Chain, limits: DistributionLimits = LIMITS, expected: float = 0.0) -> list[tuple[int, float]]:
    return distribution_of(chain, ends_of(chain), 0, expected, lambda: None, limits)


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("ahead", [1, 3, 32])
def test_some_nodes_at_a_time(silent: bool, ahead: int) -> None:
    """Only those are looked at that the next edges lead to: nothing is lost, also through edges that add nothing."""
    chain = walk(40, silent)
    whole, parts = found(chain), found(chain, DistributionLimits(small=0, ahead=ahead))
    assert [value for value, _ in whole] == [value for value, _ in parts]
    assert [share for _, share in whole] == pytest.approx([share for _, share in parts], abs=1e-14)
    assert sum(share for _, share in parts) == pytest.approx(1.0, abs=1e-11)


@pytest.mark.parametrize("limit", [{"work": 3_000_000}, {"values": 300}])
def test_what_is_known_of_too_much(limit: dict[str, int]) -> None:
    """The values before the limit have their probabilities, and the report says where they end."""
    chain = walk(40, False)
    whole, some = found(chain), found(chain, DistributionLimits(**limit))
    assert 0 < len(some) < len(whole) and [value for value, _ in some] == [value for value, _ in whole[: len(some)]]
    assert [share for _, share in some] == pytest.approx([share for _, share in whole[: len(some)]], abs=1e-14)
    known = [(float(value), share) for value, share in some]
    counter = CounterMeasure("c", Quantity(Interval(9, 9), Interval(9, 9)), tuple(known), percentiles(known))
    assert counter_sentence(counter).startswith(
        f"9 on average; too many values for the distribution beyond {some[-1][0]}: let"
    )


def test_what_is_out_of_reach_is_given_up_early() -> None:
    """Where not even the average can be reached, no more work is done; the report says what helps."""
    chain = walk(40, False)
    asked = 0

    def ask() -> None:
        nonlocal asked
        asked += 1

    limits = DistributionLimits(work=1_000_000, tried=100_000)
    assert distribution_of(chain, ends_of(chain), 0, 1e6, ask, limits) == [] and asked < 100
    sentence = counter_sentence(CounterMeasure("c", Quantity(Interval(9, 9), Interval(9, 9))))
    assert sentence.startswith("9 on average; too many values in too many states for percentiles: let what it adds")
