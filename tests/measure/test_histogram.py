"""The bars of a histogram have what their names say, and all of them together have everything."""

from __future__ import annotations

import math

import pytest

from checker.report.measure_text import BINS, histogram

Distribution = list[tuple[float, float]]


def geometric(ratio: float, step: float = 1.0, first: float = 0.0, count: int = 6000) -> Distribution:
    shares = ((first + i * step, (1 - ratio) * ratio**i) for i in range(count))
    return [(value, share) for value, share in shares if share > 1e-13]


def bell(middle: int, spread: float) -> Distribution:
    shares = [(float(i), math.exp(-(((i - middle) / spread) ** 2))) for i in range(2 * middle)]
    total = sum(share for _, share in shares)
    return [(value, share / total) for value, share in shares if share / total > 1e-13]


def named(name: str, distribution: Distribution) -> float:
    """The probability of what a bar is called."""
    if name.startswith("above "):
        return sum(share for value, share in distribution if value > float(name.removeprefix("above ")))
    first, _, last = name.partition(" to ")
    return sum(share for value, share in distribution if float(first) <= value <= float(last or first))


@pytest.mark.parametrize(
    "distribution",
    [
        geometric(0.5),
        geometric(0.8),
        geometric(0.97),
        geometric(0.96, step=5.0, first=3.0),
        geometric(0.995, step=100.0),
        geometric(0.99, step=7.0, first=1_234_567.0),
        [*geometric(0.97)[:300], (4001.0, 0.97**300)],
        bell(155, 40.0),
        bell(400, 70.0),
        [(float(i), 1 / 17) for i in range(17)],
    ],
    ids=range(10),
)
def test_bars_of_whole_numbers_have_what_their_names_say(distribution: Distribution) -> None:
    """The last bar before what is above, too: it has all values of its range."""
    bars = histogram(distribution)
    assert len(bars) <= BINS + 1
    for name, share in bars:
        assert share == pytest.approx(named(name, distribution), abs=1e-12)
    ranges = [name.split(" to ") for name, _ in bars if " to " in name]
    assert len({float(last) - float(first) for first, last in ranges[:-1]}) <= 1


@pytest.mark.parametrize("distribution", [geometric(0.97, step=0.25), geometric(0.8, step=0.1), [(1.5, 1.0)]])
def test_all_bars_together_have_everything(distribution: Distribution) -> None:
    """Values that are no whole numbers too."""
    assert sum(share for _, share in histogram(distribution)) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("count", [3, 40])
def test_what_is_beyond_a_distribution_is_above(count: int) -> None:
    """A distribution that ends early leaves something out, and no bar hides that."""
    bars = histogram(geometric(0.97)[:count])
    name, share = bars[-1]
    assert name.startswith("above ") and share == pytest.approx(0.97 ** (float(name.split()[1]) + 1))
    assert sum(share for _, share in bars) == pytest.approx(1.0)
