"""Messages about a model in the terminal: with the source line and carets; the warnings of a run by their kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from checker.core.visible import printable
from checker.report.page import Page
from fizz.base.errors import Diagnostic, render

_MOST_PLACES = 5
"""So many locations are named of warnings of one kind, besides that of the first."""


def print_diagnostic(page: Page, diagnostic: Diagnostic, sources: Mapping[str, str], color: str) -> None:
    """A message about the model: the text as the language page prescribes it, the carets in colour."""
    message, *rows = render(diagnostic, sources).split("\n")
    page.line(Text(printable(message), "bold"), hang=2)
    if len(rows) >= 2 and rows[1].endswith("^"):
        for row, style in zip(_excerpt(rows[0], rows[1], page.width), ("", color), strict=True):
            page.line(Text(row, style))
        rows = rows[2:]
    for row in rows:
        page.line(Text(printable(row)), hang=2)


def _excerpt(line: str, carets: str, width: int) -> tuple[str, str]:
    """The source line and the carets below it, as the terminal shows them: nothing wraps, the first caret is seen."""
    margin, first = line.index("|") + 2, carets.index("^")
    before, marked = printable(line[margin:first]), printable(line[first : len(carets)])
    after = printable(line[len(carets) :])
    below = " " * cell_len(before) + "^" * max(1, cell_len(marked))
    room = width - margin
    left_out = max(0, cell_len(before) - room // 2) if cell_len(before + marked + after) > room else 0
    return line[:margin] + (before + marked + after)[left_out:][:room], carets[:margin] + below[left_out:][:room]


def print_warnings(page: Page, warnings: Sequence[Diagnostic], sources: Mapping[str, str]) -> None:
    """The warnings of a run, for the end of its report: of each kind the first one, and a line about the others."""
    for code in dict.fromkeys(warning.code for warning in warnings):
        first, *others = (warning for warning in warnings if warning.code == code)
        page.line()
        print_diagnostic(page, first, sources, "yellow")
        if others:
            page.line(Text(printable(_more(first, others)), "yellow"), hang=2)


def _more(first: Diagnostic, others: Sequence[Diagnostic]) -> str:
    """`and 2 more [W4]: line 12, line 20`; the file is named where it is another one."""
    places = [
        f"line {one.span.line}"
        if first.span and one.span.file == first.span.file
        else f"{one.span.file}:{one.span.line}"
        for one in others
        if one.span is not None
    ]
    places = list(dict.fromkeys(places))
    shown = ", ".join(places[:_MOST_PLACES]) + (", ..." if len(places) > _MOST_PLACES else "")
    return f"and {len(others):,} more [{first.code}]{f': {shown}' if shown else ''}"
