"""The results of promises as text: a table with a line for each run, and below it the differences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from checker.core.visible import printable
from checker.expectations.promise_runs import PromiseResult
from checker.report.page import Page
from checker.report.terminal_report import plural

_COLUMNS = ("states", "transitions", "depth", "CPU s")


def print_promises(page: Page, results: Sequence[PromiseResult], not_run: int) -> None:
    """Print the table, what differs, and the sum in one line."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("model", overflow="fold")
    varied = any(kept.promise.given for kept in results)
    if varied:
        table.add_column("constants", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for name in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for kept in results:
        run = (kept.promise.model.stem, kept.promise.given) if varied else (kept.promise.model.stem,)
        table.add_row(*(Text(printable(text)) for text in run), *_figures(kept))
    if results:
        page.table(table)
        page.line()
    for kept in results:
        _print_differences(page, kept)
    print_promises_verdict(page, results, not_run)


def print_promises_verdict(page: Page, results: Sequence[PromiseResult], not_run: int) -> None:
    """One line: how many promises are kept, and how many are not."""
    broken = sum(not kept.holds for kept in results)
    if broken:
        line = Text(f"FAILED  {broken:,} of {plural(len(results), 'promise')} broken", "bold red")
    elif not_run:
        line = Text(f"INTERRUPTED  {plural(len(results), 'promise')} kept", "bold yellow")
    else:
        line = Text(f"PASSED  {plural(len(results), 'promise')} kept", "bold green")
    page.line(line.append(f", {not_run:,} not run" if not_run else ""), hang=2)


def _figures(kept: PromiseResult) -> list[Text]:
    result = Text("ok", "green") if kept.holds else Text("differs" if kept.trouble is None else "error", "bold red")
    report = kept.report
    if report is None:
        return [Text("error"), *[Text("")] * len(_COLUMNS), result]
    numbers = (f"{report.states:,}", f"{report.transitions:,}", f"{report.depth:,}", f"{report.cpu_s:.1f}")
    return [Text(report.verdict), *map(Text, numbers), result]


def _print_differences(page: Page, kept: PromiseResult) -> None:
    if kept.holds:
        return
    promise = kept.promise
    page.line(Text(printable(promise.title), "bold").append(f"  {location(promise.file, promise.line)}", "dim"), hang=2)
    for sentence in (*kept.differs, *([kept.trouble] if kept.trouble else [])):
        page.line(Text(printable(sentence), "red"), 2, 2)
    page.line()


def location(file: Path | None, line: int) -> str:
    """The location of a promise: `models/venice/expect.yaml:12`"""
    return "" if file is None else f"{file}:{line}"
