"""Five published models have their known values, to a millionth and within the bounds that are told."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest

from checker.measure.measured import Interval, Quantity
from checker.measure.measuring import measure
from fizzpy import Measured
from tests.measure.conftest import MODELS, Measures


def is_known(quantity: Quantity | Interval | None, known: float | Fraction) -> bool:
    """Whether a value is single, has narrow bounds, and the known one is within them but for rounding."""
    interval = quantity.greatest if isinstance(quantity, Quantity) else quantity
    assert interval is not None and (not isinstance(quantity, Quantity) or quantity.single)
    value, slack = float(known), 1e-12 * max(1.0, float(known))
    return interval.error < 1e-7 and interval.low - slack <= value <= interval.high + slack


def test_dice(published: Measures) -> None:
    """Knuth and Yao: each face with 1/6, after 11/3 tosses; three tosses are enough with 3/4."""
    found = published("knuth_yao")
    assert all(is_known(one.true, Fraction(1, 6)) for one in found.assertions)
    assert len(found.assertions) == 6
    tosses = found.counter("tosses")
    assert is_known(tosses.expected, Fraction(11, 3))
    shares = dict(tosses.distribution)
    assert [shares[n] for n in (3, 5, 7)] == pytest.approx([3 / 4, 3 / 16, 3 / 64], abs=1e-14)
    assert tosses.percentiles[50] == 3 and tosses.percentiles[90] == 5 and tosses.percentiles[99.9] == 11


# Three tokens at the distances a, b and c in a ring of N are one after 4abc/N rounds (McIver and Morgan, 2005).
TOKENS = {(1, 2, 2): [0, 0, 1, 1, 0], (3, 3, 3): [0, 1, 0, 0, 1, 0, 0, 1, 0], (2, 2, 3): [0, 1, 1, 0, 0, 1, 0]}


@pytest.mark.parametrize("distances", TOKENS)
def test_herman(distances: tuple[int, int, int], published: Measures) -> None:
    """Herman's ring is stable for certain, after the expected number of rounds."""
    a, b, c = distances
    found = published("herman", constants={"FIRST": TOKENS[distances]}, until="Stable")
    assert is_known(found.counter("rounds").expected, Fraction(4 * a * b * c, a + b + c))
    assert is_known(found.assertion("Stable").true, 1)


@pytest.mark.parametrize(("first", "goal"), [(3, 10), (1, 2), (50, 100)])
def test_gambler(first: int, goal: int, published: Measures) -> None:
    """The gambler is ruined with ((q/p)^all - (q/p)^first) / ((q/p)^all - 1), after the expected number of plays."""
    found = published("gambler", constants={"FIRST": first, "ALL": goal})
    p, q = Fraction(2, 5), Fraction(3, 5)
    ratio = q / p
    rich = (1 - ratio**first) / (1 - ratio**goal)
    assert is_known(found.assertion("Rich").true, rich)
    assert is_known(found.assertion("Ruined").true, 1 - rich)
    assert is_known(found.assertion("Ruined").often, 1 - rich)
    assert is_known(found.counter("plays").expected, (first - goal * rich) / (q - p))


@pytest.mark.parametrize("size", [1, 4, 30])
def test_queue(size: int, published: Measures) -> None:
    """M/M/1/K: n wait with (1 - r) r^n / (1 - r^(K + 1)), and arrivals are lost that find it full."""
    found = published("queue", constants={"K": size})
    r = Fraction(1, 2)
    full = (1 - r) * r**size / (1 - r ** (size + 1))
    assert is_known(found.assertion("Full").often, full)
    assert is_known(found.assertion("Idle").often, (1 - r) / (1 - r ** (size + 1)))
    assert found.counter("lost").rate == pytest.approx(float(full / 3), abs=1e-12)
    assert found.counter("lost").expected == Quantity(None, None)
    assert is_known(found.assertion("Full").true, 1)


def chance_of_a_leader(nodes: int, numbers: int) -> Fraction:
    """How probable it is that some node draws a number alone, by counting all draws."""
    draws = [()]
    for _ in range(nodes):
        draws = [(*draw, number) for draw in draws for number in range(numbers)]
    return Fraction(sum(any(draw.count(n) == 1 for n in draw) for draw in draws), len(draws))


@pytest.mark.parametrize(("nodes", "numbers"), [(3, 2), (4, 2), (4, 3)])
def test_leader_election(nodes: int, numbers: int, published: Measures) -> None:
    """Itai and Rodeh: a leader is elected for certain, after one round over the chance of a round."""
    found = published("itai_rodeh", constants={"NODES": nodes, "NUMBERS": numbers})
    chance = chance_of_a_leader(nodes, numbers)
    assert is_known(found.assertion("Elected").true, 1)
    assert is_known(found.counter("rounds").expected, 1 / chance)
    assert found.counter("rounds").distribution[0] == (1.0, pytest.approx(float(chance)))


def figures(found: Measured) -> Mapping[str, float]:
    """What must not depend on the way in which states are found."""
    values = {one.name: one.expected.value for one in found.counters}
    values |= {f"{one.name} {p}": value for one in found.counters for p, value in one.percentiles.items()}
    return {"states": found.states, **values, **{one.name: one.true.value for one in found.assertions}}


def test_rows_give_the_same() -> None:
    """States found by columns have the probabilities of those found row by row."""
    constants = {"FIRST": "[0, 1, 0, 0, 1, 0, 0, 1, 0]"}
    by_columns, by_rows = (
        measure(MODELS / "herman.fizz", MODELS / "herman.yaml", constants=constants, until="Stable", wide=wide)
        for wide in (4, None)
    )
    assert by_columns.states > 100
    assert figures(by_columns) == pytest.approx(figures(by_rows))
