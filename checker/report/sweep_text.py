"""A sweep as text: a table that fills while it runs, the smallest point that is wrong, growth and forecasts."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Sequence
from pathlib import PurePath

from rich.text import Text

from checker.core.problems import ExitCode
from checker.core.visible import printable
from checker.report.page import Page
from checker.report.progress import LiveLines
from checker.report.terminal_report import plural
from checker.sweep.forecast import Forecast
from checker.sweep.sweep_report import PointResult, SweepReport

_STYLES = {
    "passed": "bold green",
    "bounded": "bold yellow",
    "failed": "bold red",
    "deadlock": "bold red",
    "error": "bold red",
    "interrupted": "yellow",
    "not checked": "bold yellow",
    "not run": "dim",
}
_HEADER = ("point", "verdict", "states", "depth", "CPU s", "MB")
_NUMBERS = 4
_LEAST = (6, 5, 7, 7)
"""Widths of the columns of numbers, so that tables of equal results have equal columns."""
_MOST_FORECASTS = 6
_AROUND = 4
"""Lines of a terminal that are left to other things than rows."""
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def print_sweep(page: Page, report: SweepReport) -> None:
    """Print a row for each point, by cost; reasons; the smallest point that is wrong; forecasts; the verdict."""
    page.rows(_header(report.results), _rows(report.results))
    page.line()
    reasons = [one for one in report.results if one.why is not None]
    for one in reasons:
        page.line(Text(printable(f"{one.point.title}: {one.why}"), "yellow"), hang=2)
    if reasons:
        page.line()
    _print_first_violation(page, report)
    _print_forecasts(page, report.forecasts)
    print_sweep_verdict(page, report)


def _header(results: Sequence[PointResult]) -> list[str]:
    return [*_HEADER[:-_NUMBERS], *map(str.rjust, _HEADER[-_NUMBERS:], _widths(results))]


def _widths(results: Sequence[PointResult]) -> list[int]:
    """The widths of the columns of numbers."""
    columns = zip(_HEADER[-_NUMBERS:], *map(_numbers, results), strict=True)
    return [max(least, *map(len, column)) for least, column in zip(_LEAST, columns, strict=True)]


def _rows(results: Sequence[PointResult]) -> list[list[Text]]:
    widths = _widths(results)
    return [
        [
            Text(printable(one.point.title)),
            Text(_verdict(one), _STYLES.get(one.verdict, "")),
            *(Text(cell.rjust(width)) for cell, width in zip(_numbers(one), widths, strict=True)),
        ]
        for one in results
    ]


def _numbers(one: PointResult) -> tuple[str, ...]:
    """States, depth, CPU seconds and MB as texts."""
    if one.states is None:
        return ("",) * _NUMBERS
    return (f"{one.states:,}", f"{one.depth}", f"{one.cpu_s:.1f}", f"{one.memory_mb:,.0f}")


def _verdict(one: PointResult) -> str:
    """`passed`, `bounded, timeout`, `NoWriteLost in 4 steps`"""
    if one.found is not None:
        return printable(one.found)
    return one.verdict if one.cut_by is None else f"{one.verdict}, {one.cut_by.value}"


def _print_first_violation(page: Page, report: SweepReport) -> None:
    first = report.first_violation
    if first is None:
        return
    what = "the model fails" if first.exit_code is ExitCode.MODEL_ERROR else printable(_verdict(first))
    page.line(Text(printable(f"The smallest point that is wrong: {first.point.title}: {what}"), "bold red"), hang=2)
    page.line(Text(printable(command(report, first))), 2, 2)
    page.line()


def command(report: SweepReport, one: PointResult) -> str:
    """The command that checks one point alone."""
    given = [("--set", pair) for pair in {**report.given.constants, **one.point.constants}.items()]
    given += [("--option", pair) for pair in {**report.given.options, **one.point.options}.items()]
    words = [word for option, (name, text) in given for word in (option, f"{name}={text}")]
    return shlex.join(["fizzpy", "check", report.model, *words])


def _print_forecasts(page: Page, forecasts: Sequence[Forecast]) -> None:
    # Where a constant makes no difference there is nothing to foresee.
    found = [one for one in forecasts if len({count for _, count in one.known}) > 1]
    for one in found[:_MOST_FORECASTS]:
        page.line(page.spelled(printable(forecast_sentence(one))), hang=2)
    if len(found) > _MOST_FORECASTS:
        page.line(f"... and {len(found) - _MOST_FORECASTS:,} lines more; --json has all")
    if found:
        page.line()


def forecast_sentence(one: Forecast) -> str:
    """`N=2..5: 12, 130, 1,500, 16,000 states; N=6: about 1.8·10^5 states, 3 s of CPU`"""
    fixed = "".join(f"{name}={text} " for name, text in one.others)
    (first, _), (last, _) = one.known[0], one.known[-1]
    counts = ", ".join(f"{count:,}" for _, count in one.known)
    cost = "" if one.cpu_s is None else f", {_duration(one.cpu_s)} of CPU"
    trust = "" if one.checked is None else f" (of {one.axis}={last} this rule foresees {one.checked:.2f} times as many)"
    return (
        f"{fixed}{one.axis}={first}..{last}: {counts} states; "
        f"{one.axis}={one.next}: about {about(one.states)} states{cost}{trust}"
    )


def about(number: float) -> str:
    """A number of which two digits are meant: `640`, `12,000`, `4.1·10^8`"""
    if number < 1:
        return "0"
    exponent = math.floor(math.log10(number))
    digits = round(number / 10**exponent, 1)
    if exponent < 6:
        return f"{round(digits * 10**exponent):,}"
    return f"{digits:g}·10^{exponent}"


def _duration(seconds: float) -> str:
    """`3 s`, `12 min`, `1.7 h`, `40 days`"""
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h" if seconds < 3 * _DAY else f"{about(seconds / _DAY)} days"


def print_sweep_verdict(page: Page, report: SweepReport) -> None:
    """One line: how many points have which verdict."""
    code = report.exit_code
    style = "bold green" if code is ExitCode.PASSED else "bold yellow" if code is ExitCode.BOUNDED else "bold red"
    page.line(Text("SWEPT", style).append(f"  {printable(sweep_sentence(report))}", "bold"), hang=2)


def sweep_sentence(report: SweepReport) -> str:
    """The verdicts of all points, in one sentence."""
    counts = {verdict: sum(one.verdict == verdict for one in report.results) for verdict in _STYLES}
    words = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items() if count)
    stopped = "" if report.stopped is None else f"; {report.stopped.sentence.replace('search', 'sweep')}"
    return f"{PurePath(report.model).name}: {plural(len(report.results), 'point')}: {words}{stopped}"


class SweepTable:
    """The table while it fills: the costliest rows that fit into a terminal, and how many points are done."""

    def __init__(self, lines: LiveLines) -> None:
        self._lines = lines
        self._begun = time.monotonic()

    def show(self, results: Sequence[PointResult], total: int) -> None:
        """Draw the table, unless it was drawn a moment ago."""
        if not self._lines.due:
            return
        found = sorted(results, key=lambda one: one.cost)
        shown = found[-max(1, self._lines.height - _AROUND) :]
        minutes, seconds = divmod(int(time.monotonic() - self._begun), 60)
        wrong = sum(one.violates for one in results)
        status = f"{len(results):,} of {total:,} points done" + (f", {wrong:,} wrong" if wrong else "")
        self._lines.draw([*(_table(shown) if shown else []), Text(f"{status}  {minutes}:{seconds:02d}", "dim")])


def _table(shown: Sequence[PointResult]) -> list[Text]:
    """Header and rows with their columns below each other."""
    table = [[Text(title, "dim") for title in _header(shown)], *_rows(shown)]
    widths = [max(len(row[index].plain) for row in table) for index in range(len(_HEADER))]
    rows = []
    for row in table:
        for cell, width in zip(row[:-_NUMBERS], widths, strict=False):
            cell.pad_right(width - len(cell.plain))
        rows.append(Text("  ").join(row))
    return rows
