"""The results of promises as text: a table with a line for each run, and below it the differences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from checker.core.visible import printable
from checker.expectations.promise_runs import PromiseResult
from checker.report.page import Page
from checker.report.terminal_report import plural

_COLUMNS = ("states", "transitions", "depth", "CPU s")
_GAP = 2

# A narrower page gets lines that are too wide, rather than names of which it shows a few letters a line.
_LEAST = 12


def print_promises(page: Page, results: Sequence[PromiseResult], not_run: int) -> None:
    """Print the table, what differs, and the sum in one line."""
    if results:
        _print_table(page, results)
        page.line()
    for kept in results:
        _print_differences(page, kept)
    print_promises_verdict(page, results, not_run)


def _print_table(page: Page, results: Sequence[PromiseResult]) -> None:
    """A line for each run. Constants stand below the model where the page is too narrow for a column of their own."""
    runs = [(printable(kept.promise.model.stem), printable(kept.promise.given)) for kept in results]
    rows = [_figures(kept) for kept in results]
    heads = ("verdict", *_COLUMNS, "")
    widths = [_widest(head, [cell.plain for cell in cells]) for head, *cells in zip(heads, *rows, strict=True)]
    varied = any(given for _, given in runs)
    room = page.width - sum(widths) - _GAP * len(widths)
    model = _widest("model", [stem for stem, _ in runs])
    beside = room - model - _GAP
    if varied and beside < _widest("constants", [word for _, given in runs for word in given.split()]):
        below = max(_LEAST, *[cell_len(given) + _GAP for _, given in runs])
        model, varied = min(max(model, below), max(room, _LEAST)), False
        names = [_with_constants(*run) for run in runs]
    else:
        model = min(model, max(room, _LEAST))
        names = [Text(stem) for stem, _ in runs]
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    table.add_column("model", overflow="fold", width=model)
    if varied:
        given = min(_widest("constants", [given for _, given in runs]), beside)
        table.add_column("constants", width=given)
        widths.append(given)
    for head, width in zip(heads, widths, strict=False):
        table.add_column(head, justify="right" if head in _COLUMNS else "left", no_wrap=True, width=width)
    for name, (_, given_to), figures in zip(names, runs, rows, strict=True):
        table.add_row(name, *([Text(given_to)] if varied else []), *figures)
    page.table(table, sum(widths) + model + _GAP * len(widths))


def _with_constants(stem: str, given: str) -> RenderableType:
    """A model, and below it its constants."""
    return Group(Text(stem), Padding(Text(given, overflow="fold"), (0, 0, 0, _GAP))) if given else Text(stem)


def _widest(head: str, texts: Sequence[str]) -> int:
    return max(cell_len(head), *map(cell_len, texts))


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
