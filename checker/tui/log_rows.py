"""Logs that are rejected as a list: the last steps of the longest run that fits, then the events that do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from checker.conformance.validation_report import LogRun, NextEvent, Rejection, ValidationReport
from checker.core.trace import TraceEntry
from checker.report.difference import differences
from checker.report.model_rows import file_names, source_row
from checker.report.terminal_report import plural
from checker.report.validation_text import DOUBT, file_name, place_text, validation_sentence, verdict_word_of
from checker.tui.finding_screen import FindingList, FindingRow, fixed, heading
from checker.tui.styles import CRASH, FAINT, NAME, NEW, OLD, PLAIN, STRONG, WARNING, WRONG, Piece


def log_rows(report: ValidationReport) -> FindingList | None:
    """The list for logs that are rejected; None if none is."""
    rows = [row for run in report.runs if run.rejection for row in _rows(report, run, run.rejection)]
    if not rows:
        return None
    wrong = next((number for number, row in enumerate(rows) if row.wrong), 0)
    return FindingList(f"{verdict_word_of(report)}: {validation_sentence(report, file_name)}", rows, wrong, "In detail")


def _rows(report: ValidationReport, run: LogRun, why: Rejection) -> Iterator[FindingRow]:
    files = ", ".join(map(file_name, run.files)) + ("" if run.key is None else f" [{run.key}]")
    yield heading(f"{files}: the longest run that fits explains {plural(run.explained, 'event')}; its last steps")
    for entry in why.entries:
        yield FindingRow(
            fixed(("  ", PLAIN), (entry.label, CRASH if entry.crash else NAME)), _step(entry, report.sources)
        )
    if why.doubtful is not None:
        event = why.doubtful.event
        doubt, whole = (f"{place}  {event.text}" for place in (place_text(event.place), event.place))
        said = ("The first event with several explanations:", f"{why.doubtful.why}.", DOUBT)
        yield FindingRow(
            fixed(("? ", WARNING), (doubt, WARNING), ("  the first with several explanations", FAINT)),
            [[(whole, STRONG)], *([(line, PLAIN)] for line in said)],
        )
    yield heading("Then" if why.events else "Then each process waits for an event of another one: a circle")
    for one in why.events:
        name = f"{place_text(one.event.place)}  {one.event.text}"
        yield FindingRow(fixed(("✗ ", WRONG), (name, WRONG)), _event(one, why), wrong=True)
    if why.waiting:
        yield heading(f"and {plural(why.waiting, 'more event')} of other processes")


def _step(entry: TraceEntry, sources: Mapping[str, str]) -> list[Sequence[Piece]]:
    names = file_names(sources)
    lines: list[Sequence[Piece]] = [[(entry.label, STRONG)]]
    for file, line in dict.fromkeys(entry.lines):
        name = names.get(file, file)
        where = f"{name}:{line}" if name else f"line {line}"
        lines.append([(f"  {where} | ", FAINT), (source_row(sources, file, line), PLAIN)])
    for change in entry.changes:
        for part in differences(change):
            old, new = part.old or "nothing", part.new or "nothing"
            lines.append([(f"  {part.place}: ", NAME), (old, OLD), (" → ", PLAIN), (new, NEW)])
    return lines if len(lines) > 1 else [*lines, [("  nothing changes", FAINT)]]


def _event(one: NextEvent, why: Rejection) -> list[Sequence[Piece]]:
    """Why it fits in none of the states that the system may be in; each with its state."""
    lines: list[Sequence[Piece]] = [
        [(f"{one.event.place}  ", FAINT), (one.event.text, STRONG), ("  does not fit:", PLAIN)]
    ]
    several = len(one.reasons) > 1
    for number, reasons in enumerate(one.reasons, 1):
        if several:
            lines.append([(f"in state {number}:", STRONG)])
        lines += [[(f"  {reason}", WRONG)] for reason in reasons]
    for number, state in enumerate(why.states, 1):
        lines.append([(f"state {number}:" if several else "the state is then:", STRONG)])
        lines += [[(f"  {path}", NAME), (f" = {value}", PLAIN)] for path, value in state]
    return lines
