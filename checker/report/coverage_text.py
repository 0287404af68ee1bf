"""Coverage for people: the model with a count beside each line, what never happened, and the tables of an audit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from rich.table import Table
from rich.text import Text

from checker.analysis.covering import Coverage
from checker.core.limits import StopReason
from checker.core.visible import printable
from checker.report.diagnostic_text import print_diagnostic, print_warnings
from checker.report.model_rows import file_names
from checker.report.page import Page
from checker.report.terminal_report import plural
from fizz import Span
from fizz.base.errors import rows_of

HINT: Final = (
    "What these rules read often does not repeat, so they are run anew for many states. "
    "Where one reads all of a container: does it need all?"
)
"""What to do about rules of which much was new."""


def print_coverage(page: Page, coverage: Coverage) -> None:
    """Print every file of the model with counts and remarks, settings without effect, the sums, and the warnings."""
    for file, text in coverage.sources.items():
        if any(name == file for name, _ in coverage.runs):
            _print_file(page, file, text, coverage)
            page.line()
    for diagnostic in coverage.settings:
        print_diagnostic(page, diagnostic, coverage.sources, "yellow")
        page.line()
    page.line(sums(coverage), hang=2)
    page.line(Text(reach(coverage), "dim" if coverage.whole else "yellow"), hang=2)
    print_warnings(page, coverage.warnings, coverage.sources)


def sums(coverage: Coverage) -> str:
    """How much ran, in one line."""
    share = 100 * coverage.ran // coverage.statements if coverage.statements else 100
    remarks = len(coverage.remarks) + len(coverage.untested) + len(coverage.settings)
    return (
        f"{coverage.ran:,} of {plural(coverage.statements, 'statement')} ran ({share} %), {plural(remarks, 'remark')}"
    )


def reach(coverage: Coverage) -> str:
    """Which states were counted."""
    states = f"{plural(coverage.states, 'state')}, {plural(coverage.transitions, 'transition')}, depth {coverage.depth}"
    if coverage.stopped is not StopReason.COMPLETE:
        return f"{states}; {coverage.stopped.sentence}: there may be more states"
    if coverage.cut:
        return f"{states}; {coverage.cut:,} of them at the bound max_actions, where no action starts"
    return f"{states}: all there are"


def notes_of(coverage: Coverage, file: str) -> Mapping[int, list[tuple[str, bool]]]:
    """Notes by line of a file: what its guards decided (False), and what never happened there (True)."""
    notes: dict[int, list[tuple[str, bool]]] = defaultdict(list)
    for branching in coverage.branchings:
        counts = dict(branching.counts)
        if branching.span.file == file and any(counts.values()):
            text = ", ".join(f"{name} {count:,}" for name, count in branching.counts)
            notes[branching.span.line].append((text, False))
    remarks = [(remark.span, remark.text) for remark in coverage.remarks]
    remarks += [(one.span, one.text) for one in coverage.untested if one.span is not None]
    for span, text in remarks:
        if span.file == file:
            part = _part(span, coverage)
            notes[span.line].append((f"{text}{part}", True))
    return notes


def _part(span: Span, coverage: Coverage) -> str:
    """The text that a remark means, unless it is the line as a whole."""
    row = rows_of(coverage.sources[span.file])[span.line - 1]
    text = row[span.column - 1 : span.end_column - 1 if span.end_line == span.line else None]
    return "" if text.strip() == row.strip() else f": {text.strip()}"


def _print_file(page: Page, file: str, text: str, coverage: Coverage) -> None:
    notes = notes_of(coverage, file)
    rows = text.rstrip("\n").split("\n")
    width = max([len(f"{count:,}") for count in coverage.runs.values()], default=1)
    page.line(Text(printable(file), "bold"))
    for number, row in enumerate(rows, 1):
        count = coverage.runs.get((file, number))
        shown = "" if count is None else f"{count:,}"
        line = Text(f"{shown:>{width}} ", "bold red" if count == 0 else "green")
        line.append(f"{number:4d} | ", "dim").append(printable(row), "red" if count == 0 else "")
        for note, bad in notes.get(number, ()):
            line.append(f"   # {printable(note)}", "yellow" if bad else "dim")
        page.line(line, hang=width + 8)


def print_audit(page: Page, coverage: Coverage, often_new: Sequence[tuple[str, str]]) -> None:
    """Print the tables of an audit: actions, guards and branches, what was never tested, bounds, what cost most."""
    page.line(Text("Audit", "bold"))
    names = file_names(coverage.sources)
    page.line(Text(f"every state visited once more, row by row: {reach(coverage)}", "dim"), 2, 2)
    page.line()
    _print_table(page, ("action", "paths", "steps"), ((a.action, a.paths, a.steps) for a in coverage.actions))
    _print_table(
        page,
        ("line", "guard or branch", "decided"),
        (
            (where(b.span, names), b.text, ", ".join(f"{name} {count:,}" for name, count in b.counts))
            for b in coverage.branchings
        ),
    )
    _print_table(
        page,
        ("line", "what never happened", "where"),
        ((where(r.span, names), r.text, _part(r.span, coverage).removeprefix(": ")) for r in coverage.remarks),
    )
    _print_table(
        page,
        ("line", "property", "never evaluated"),
        (
            (where(one.span, names), one.text, _part(one.span, coverage).removeprefix(": "))
            for one in coverage.untested
            if one.span is not None
        ),
    )
    _print_table(page, ("what was often new", "how often"), ((_short(at, names), new) for at, new in often_new))
    if often_new:
        page.line(Text(HINT, "dim"), 2, 2)
        page.line()
    for one in coverage.settings:
        page.line(printable(one.text), 2, 2)
    page.line(sums(coverage), 2, 2)
    page.line()


def where(span: Span, names: Mapping[str, str]) -> str:
    """The line of a span, with the short name of its file where there are several."""
    name = names.get(span.file, span.file)
    return f"{name}:{span.line}" if name else str(span.line)


def _short(location: str, names: Mapping[str, str]) -> str:
    """A location with the name of its file instead of the path."""
    file = next((file for file in names if location.startswith(f"{file}:")), "")
    return PurePath(file).name + location.removeprefix(file)


def _print_table(page: Page, heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), header_style="dim")
    for head in heads:
        right = head in ("line", "paths", "steps")
        table.add_column(head, justify="right" if right else "left", overflow="fold", no_wrap=right)
    for row in rows:
        cells = (f"{cell:,}" if isinstance(cell, int) else printable(str(cell)) for cell in row)
        style = "yellow" if row[-1] == 0 else ""
        table.add_row(*[Text(cell, style) for cell in cells])
    if table.row_count:
        page.table(table)
        page.line()
