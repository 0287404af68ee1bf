"""The report on logs as text: why a log is rejected, what was compared, what of the model was exercised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Final

from rich.text import Text

from checker.conformance.log_files import Place
from checker.conformance.observed_event import Doubt
from checker.conformance.validation_report import LogRun, Rejection, ValidationReport
from checker.core.visible import printable
from checker.report.model_rows import file_names
from checker.report.page import Page
from checker.report.terminal_report import plural
from checker.report.trace_text import print_change

_STYLES: Final = {"accepted": "bold green", "rejected": "bold red", "failed": "bold red"}
_REJECTIONS_SHOWN: Final = 3
_LINES_SHOWN: Final = 10


_HOW: Final = {
    "every": "every explanation",
    "some": "some explanation, but not on every one",
    "found": "the explanation that was found (a bound ended the search for others)",
}
_LOOKED_AT: Final = {
    "one": "",
    "all": "assertions were judged on all explanations of {}",
    "bounded": "a bound ended the look at all explanations of {}: others may violate more, or less",
}


def print_validation(page: Page, report: ValidationReport) -> None:
    """Print why runs are rejected, what was compared, what was exercised, and the verdict."""
    rejected = [run for run in report.runs if run.rejection is not None]
    for run in rejected[:_REJECTIONS_SHOWN]:
        assert run.rejection is not None
        _print_rejection(page, report, run, run.rejection)
    if len(rejected) > _REJECTIONS_SHOWN:
        page.line(Text(f"{len(rejected) - _REJECTIONS_SHOWN:,} more runs are rejected; --json has all.", "bold"))
        page.line()
    if len(report.runs) > 1:
        _print_runs(page, report)
    for sentence in compared(report):
        page.line(Text(sentence, "dim"), hang=2)
    _print_exercised(page, report)
    for run in report.runs:
        for sentence in judged_sentences(run):
            page.line(Text(sentence, "bold red"), hang=2)
        if run.verdict == "accepted" and report.reading != "one":
            page.line(Text(_LOOKED_AT[run.looked_at].format(run.title), "dim"), hang=2)
    print_validation_verdict(page, report)


def print_validation_verdict(page: Page, report: ValidationReport) -> None:
    """One line: the verdict and its reason."""
    line = Text(verdict_word_of(report), _STYLES.get(report.verdict, "bold yellow"))
    line.append(f"  {validation_sentence(report)}", "")
    page.line(line, hang=2)
    hint = report.runs[0].hint
    if len(report.runs) == 1 and hint is not None:
        page.line(Text(f"hint: {hint}", "dim"), hang=2)


def verdict_word_of(report: ValidationReport) -> str:
    """The verdict in capitals."""
    return "NOTHING TO VALIDATE" if report.verdict == "nothing" else report.verdict.upper()


def file_name(path: str) -> str:
    """The name of a log without its folders, for places that have no room for more."""
    return PurePath(path).name


def place_text(place: Place, name_of: Callable[[str], str] = file_name) -> str:
    """A place in a log, of which the name of the file is enough."""
    return str(place._replace(file=name_of(place.file)))


def validation_sentence(report: ValidationReport, name_of: Callable[[str], str] = str) -> str:
    """Why the verdict is what it is. `name_of` gives what a log is called, by its path."""
    run = next((run for run in report.runs if run.verdict == report.verdict), report.runs[0])
    files = ", ".join(map(name_of, run.files)) + ("" if run.key is None else f" [{printable(run.key)}]")
    match report.verdict:
        case "accepted":
            events = sum(run.explained for run in report.runs)
            of = "it is" if len(report.runs) == 1 else f"{len(report.runs):,} logs are"
            each = f"{files}: " if len(report.runs) == 1 else ""
            wrong = [name for run in report.runs for name in run.violated_by(report.reading)]
            but = f", but violates {', '.join(sorted(set(wrong)))}" if wrong else ""
            return f"{each}{of} a behaviour of the model ({plural(events, 'event')}){but}"
        case "rejected":
            event = run.rejection.events[0].event if run.rejection and run.rejection.events else None
            at = "" if event is None else f" at {place_text(event.place, name_of)}, {event.text}"
            return f"{files}: no run of the model explains event {run.explained + 1:,}{at}"
    return run.reason if run.verdict == "unreadable" and len(run.files) == 1 else f"{files}: {run.reason}"


CIRCLE: Final = "each process waits for an event of another one: their order has a circle"


def judged_sentences(run: LogRun) -> list[str]:
    """The assertions that a run violates, on which explanations, and where first."""
    wheres = ["" if one.event is None else f", first at {one.event.place}" for one in run.judged]
    return [
        f"{one.name} is violated on {_HOW[one.on]} of {run.title}{where}"
        for one, where in zip(run.judged, wheres, strict=True)
    ]


DOUBT: Final = "All of them were tried; the mistake may be as early as there."


def doubt_sentence(doubt: Doubt) -> str:
    """Which event was the first with several explanations, and why it had them."""
    event = doubt.event
    return printable(f"The first event with several explanations is {event.place}, {event.text}: {doubt.why}.")


def compared(report: ValidationReport) -> list[str]:
    """How much was read and compared, so that a map that accepts anything is seen."""
    runs = report.runs
    lines, ignored = sum(run.lines for run in runs), sum(run.ignored for run in runs)
    events, values = sum(run.explained for run in runs), sum(run.values for run in runs)
    silent, nodes = sum(run.silent for run in runs), sum(run.nodes for run in runs)
    unsent = sum(run.unsent for run in runs)
    return [
        f"{plural(lines, 'line')} read, {ignored:,} ignored; {plural(events, 'event')} explained with "
        f"{plural(values, 'observed value')} and {plural(silent, 'silent step')}",
        *([f"{plural(unsent, 'receive')} whose send is in no log: their order is free"] if unsent else []),
        f"{plural(nodes, 'node')} in {report.elapsed_s:.2f} s",
    ]


def _print_exercised(page: Page, report: ValidationReport) -> None:
    actions = report.actions
    never = [key for key, count in actions.items() if not count]
    counts = ", ".join(f"{key} {count:,}" for key, count in actions.items() if count)
    page.line(Text(f"actions exercised: {counts or 'none'}", "dim"), hang=2)
    if never:
        page.line(Text(f"never exercised: {', '.join(never)}", "yellow"), hang=2)
    for sentence in lines_that_ran(report):
        page.line(Text(sentence, "dim"), hang=2)


def lines_that_ran(report: ValidationReport) -> list[str]:
    """How many lines of the model ran, and which did not."""
    missed = sorted(report.all_lines - report.covered)
    done = len(report.all_lines) - len(missed)
    found = [f"{done:,} of {plural(len(report.all_lines), 'line')} of actions and funcs ran"]
    if missed and done:
        shown = ", ".join(str(line) for _, line in missed[:_LINES_SHOWN])
        more = f" and {len(missed) - _LINES_SHOWN:,} more" if len(missed) > _LINES_SHOWN else ""
        found.append(f"lines that did not run: {shown}{more}")
    return found


def _print_runs(page: Page, report: ValidationReport) -> None:
    header = ("log", "verdict", "values", "events")
    rows = [
        (
            Text(printable(run.title)),
            Text(run.verdict, _STYLES.get(run.verdict, "yellow")),
            Text(f"{run.values:,}"),
            Text(f"{run.explained:,}"),
        )
        for run in report.runs
    ]
    page.rows(header, rows)
    page.line()
    reasons = [run for run in report.runs if run.reason]
    for run in reasons:
        said = run.reason if run.reason.startswith(run.title) else f"{run.title}: {run.reason}"
        page.line(Text(printable(said), "yellow"), hang=2)
        if run.hint is not None:
            page.line(Text(printable(f"hint: {run.hint}"), "dim"), 4, 2)
    if reasons:
        page.line()


def _print_rejection(page: Page, report: ValidationReport, run: LogRun, why: Rejection) -> None:
    names = file_names(report.sources)
    events = plural(run.explained, "event")
    if len(report.runs) > 1:
        page.line(Text(printable(run.title), "bold red"))
    page.line(Text(f"The longest run that fits explains {events}; its last steps:", "bold"))
    for entry in why.entries:
        page.line(Text(entry.label, "bold cyan"), 4, 2)
        for change in entry.changes:
            print_change(page, change, names, entry.crash, 6)
    for number, state in enumerate(why.states):
        page.line(Text("The state may be then:" if not number else "or:", "bold"))
        for path, value in state:
            page.line(f"{path} = {value}", 4, 4)
    page.line(
        Text("The next events, and why they do not fit:" if len(why.events) > 1 else "What does not fit:", "bold")
    )
    for one in why.events:
        page.line(Text(f"{one.event.place}  {one.event.text}", "bold red"), 4, 4)
        for number, reasons in enumerate(one.reasons, 1):
            where = f"in state {number}: " if len(one.reasons) > 1 else ""
            for reason in reasons:
                page.line(f"{where}{reason}", 6, 4)
    if why.waiting:
        page.line(f"and {plural(why.waiting, 'more event')} of other processes", 4)
    if not why.events:
        page.line(CIRCLE, 4)
    if why.doubtful is not None:
        page.line(Text(f"{doubt_sentence(why.doubtful)} {DOUBT}", "yellow"), hang=2)
    page.line()
