"""Quantities for people: assertions, counters with a histogram, and where runs are in the long run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from rich.text import Text

from checker.core.visible import printable
from checker.measure.measured import AssertionMeasure, CounterMeasure, Interval, Measured, Quantity
from checker.report.page import Page
from checker.report.terminal_report import plural

BINS: Final = 16
"""The most bars of a histogram."""
_BAR: Final = 40
_TINY: Final = 1e-9
_NEARLY: Final = 0.999
"""The bars of a histogram show so much of the probability; the last one the rest."""
_LONGEST: Final = 240
"""Of the text of a state; JSON has all of it."""
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_COARSER: Final = "let what it adds have a larger common divisor, or the model fewer states"
READINGS: Final = {
    "refused": "every step has a probability",
    "uniform": "where several steps have none, each is equally probable",
    "bounds": "where several steps have none, a scheduler decides: least and greatest values",
}
"""How steps without a probability were read."""


def print_measured(page: Page, measured: Measured) -> None:
    """Print all quantities."""
    print_measured_head(page, measured)
    if measured.assertions:
        page.line()
        _print_assertions(page, measured.assertions)
    for counter in measured.counters:
        page.line()
        _print_counter(page, counter)
    if measured.states_shown:
        page.line()
        _print_states(page, measured)
    for remark in remarks_of(measured):
        page.line()
        page.line(Text(printable(remark), "yellow"), hang=2)


def print_measured_head(page: Page, measured: Measured) -> None:
    """One line: what was measured."""
    head = Text("MEASURED", "bold yellow" if measured.cut else "bold green")
    page.line(head.append(f"  {printable(PurePath(measured.model).name)}: {head_sentence(measured)}", "bold"), hang=2)


def head_sentence(measured: Measured) -> str:
    """The size of the chain, and how steps without a probability were read."""
    size = f"{plural(measured.states, 'state')}, {plural(measured.transitions, 'transition')}"
    until = "" if measured.until is None else f"; runs end where {measured.until} is true"
    return f"{size}; {READINGS[measured.nondeterminism]}{until}"


def remarks_of(measured: Measured) -> list[str]:
    """What a reader should know of the figures."""
    found = []
    if measured.cut:
        found.append(
            f"{plural(measured.cut, 'state')} at the bound max_actions, where no action starts: these are the figures"
            " of runs that end there"
        )
    if measured.unmet:
        found.append(f"no step has the label {', '.join(measured.unmet)}: what the file says of it has no effect")
    return found


def _print_assertions(page: Page, assertions: Sequence[AssertionMeasure]) -> None:
    rows = [
        [
            Text(printable(one.name)),
            Text(quantity_text(one.true)),
            Text(quantity_text(one.false)),
            Text("-" if one.often is None else interval_text(one.often)),
        ]
        for one in assertions
    ]
    page.rows(("probability", "ever true", "ever false", "in the long run"), rows)


def _print_counter(page: Page, counter: CounterMeasure) -> None:
    page.line(Text(printable(counter.name), "bold").append(f": {counter_sentence(counter)}", "not bold"), hang=2)
    if counter.percentiles:
        shares = ", ".join(
            f"{percent:g} % within {value_text(value)}" for percent, value in counter.percentiles.items()
        )
        page.line(Text(shares, "dim"), 2, 2)
    bins = histogram(counter.distribution)
    if not bins:
        return
    width = max(len(name) for name, _ in bins)
    most = max(share for _, share in bins)
    for name, share in bins:
        line = Text(f"{name:>{width}}  ").append(_bar(share / most, min(_BAR, max(page.width - width - 20, 8))), "cyan")
        page.line(line.append(f" {share:.3g}"), 2)


def counter_sentence(counter: CounterMeasure) -> str:
    """What a counter comes to on average."""
    if counter.rate is not None:
        return (
            f"there is no end to it; in the long run {number_text(counter.rate)} per step, as in the state"
            f" {counter.endless}"
        )
    average = f"{quantity_text(counter.expected)} on average"
    if not counter.expected.single:
        return average
    if not counter.distribution:
        return f"{average}; too many values in too many states for percentiles: {_COARSER}"
    if 1.0 - sum(share for _, share in counter.distribution) > _TINY:
        last = value_text(counter.distribution[-1][0])
        return f"{average}; too many values for the distribution beyond {last}: {_COARSER}"
    return average


def histogram(distribution: Sequence[tuple[float, float]]) -> list[tuple[str, float]]:
    """Bars of a distribution, each with its name: values, or ranges of them; the last one is of all that is above."""
    if not distribution:
        return []
    head = _most_probable(distribution)
    bars, end = _values(head) if len(head) <= BINS else _ranges(head, distribution)
    above = sum(share for value, share in distribution if value > end)
    missing = 1.0 - sum(share for _, share in distribution)
    if missing > _TINY:
        above += missing
    return [*bars, (f"above {value_text(end)}", above)] if above > 0 else bars


def _most_probable(distribution: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """What bars are for: the values up to nearly all probability, or all of a few."""
    if len(distribution) <= BINS:
        return distribution
    total = 0.0
    for index, (_, share) in enumerate(distribution):
        total += share
        if total >= _NEARLY:
            return distribution[: index + 1]
    return distribution


def _values(head: Sequence[tuple[float, float]]) -> tuple[list[tuple[str, float]], float]:
    """A bar for each value, and the last value."""
    return [(value_text(value), share) for value, share in head], head[-1][0]


def _ranges(
    head: Sequence[tuple[float, float]], distribution: Sequence[tuple[float, float]]
) -> tuple[list[tuple[str, float]], float]:
    """Bars for ranges of values, and where the last one ends; of whole numbers, each has the same number of them.

    So the last one may go beyond the values of `head`: it has all that its name says. It ends with the distribution,
    which may end before all is known.
    """
    low, high = head[0][0], head[-1][0]
    whole = all(value == int(value) for value, _ in head)
    unit = math.gcd(*(int(value - low) for value, _ in head)) if whole else 0
    width = math.ceil(((high - low) / unit + 1) / BINS) * unit if whole else (high - low) / BINS
    count = int((high - low) / width) + 1 if whole else BINS
    end = min(low + count * width - unit, distribution[-1][0]) if whole else high
    shares = [0.0] * count
    for value, share in distribution:
        if value <= end:
            shares[min(int((value - low) / width), count - 1)] += share
    edges = [(low + i * width, min(low + (i + 1) * width - unit, end)) for i in range(count)]
    return [(_range_text(*edge, whole), share) for edge, share in zip(edges, shares, strict=True)], end


def _range_text(first: float, last: float, whole: bool) -> str:
    if first == last:
        return value_text(first)
    return f"{value_text(first)} to {value_text(last)}" if whole else f"{first:.6g} to {last:.6g}"


def _bar(part: float, width: int) -> str:
    eighths = round(part * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def _print_states(page: Page, measured: Measured) -> None:
    head = Text("In the long run", "bold")
    hidden = measured.lasting - len(measured.states_shown)
    if hidden > 0:
        head.append(f" (the most probable of {measured.lasting:,} states)", "not bold dim")
    page.line(head)
    for one in measured.states_shown:
        shown = one.state if len(one.state) <= _LONGEST else one.state[:_LONGEST] + " …"
        line = Text(f"{one.often:.6f}  ").append(printable(shown))
        page.line(line.append("  (ended)", "dim") if one.ended else line, 2, 10)


def quantity_text(quantity: Quantity) -> str:
    """A value, or the range from the least to the greatest."""
    if quantity.single:
        return "infinite" if quantity.greatest is None else interval_text(quantity.greatest)
    least, greatest = (
        "infinite" if one is None else number_text(value)
        for one, value in (
            (quantity.least, 0.0 if quantity.least is None else quantity.least.low),
            (quantity.greatest, 0.0 if quantity.greatest is None else quantity.greatest.high),
        )
    )
    return f"{least} to {greatest}"


def interval_text(interval: Interval) -> str:
    """The middle, with how far it may be off where nine digits would show that."""
    if math.isinf(interval.high):
        return f"at least {number_text(interval.low)}"
    if interval.high <= _TINY or (interval.low >= 1.0 - _TINY and interval.high == 1.0):
        return "0" if interval.high <= _TINY else "1"
    value = number_text(interval.value)
    return value if interval.error <= 1e-9 * max(1.0, abs(interval.value)) else f"{value} ± {interval.error:.1g}"


def value_text(value: float) -> str:
    """A value of a counter: whole numbers to the letter."""
    return f"{value:.12g}"


def number_text(number: float) -> str:
    """A number of nine digits."""
    return f"{number:.9g}"
