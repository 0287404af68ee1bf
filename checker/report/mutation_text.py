"""Mutants for people: those that no property noticed, with the changed lines, and how many each property noticed."""

from __future__ import annotations

from pathlib import PurePath

from rich.text import Text

from checker.core.visible import printable
from checker.mutation.mutation_report import MutantResult, MutationReport, PromisedMutation
from checker.report.model_rows import file_names
from checker.report.page import Page
from checker.report.terminal_report import plural

_STYLES = {
    "survived": "bold red",
    "beyond the budget": "bold yellow",
    "not judged": "bold yellow",
    "does not load": "yellow",
    "not run": "yellow",
}
_DIFF = {"-": "red", "+": "green"}


def print_mutation(page: Page, report: MutationReport, every: bool) -> None:
    """Print the mutants that need a reader; `every`: also those that were noticed, or are equivalent."""
    names = file_names({one.span.file: "" for one in report.results})
    for one in report.results:
        if every or one.fate in ("survived", "beyond the budget", "not judged"):
            _print_mutant(page, one, names.get(one.span.file) or PurePath(one.span.file).name)
            page.line()
    counts = [
        [Text(printable(name)), Text(f"{noticed:,}"), Text(f"{alone:,}")]
        for name, (noticed, alone) in report.noticed_by.items()
        if noticed or name != "error"
    ]
    if counts:
        page.rows(("property", "noticed", "it alone"), counts)
        page.line()
    print_mutation_verdict(page, report)


def _print_mutant(page: Page, one: MutantResult, file: str) -> None:
    line = Text(one.fate, _STYLES.get(one.fate, "green"))
    place = f" in {one.function}" if one.function else ""
    line.append(f"  {printable(file)}:{one.span.line}{printable(place)}: {one.change}", "not bold")
    if one.by:
        line.append(f"  by {printable(', '.join(one.by))}", "dim")
    page.line(line, hang=2)
    for changed in one.diff:
        page.line(Text(printable(changed), _DIFF.get(changed[:1], "dim")), 4, 4)
    if one.why is not None:
        page.line(Text(printable(one.why), "dim"), 4, 2)
    if one.hint is not None:
        page.line(Text(f"hint: {one.hint}", "dim"), 4, 2)


def print_mutation_verdict(page: Page, report: MutationReport) -> None:
    """One line: how many mutants had which fate."""
    good = not report.survivors
    line = Text("MUTATED", "bold green" if good and not report.exit_code else "bold red" if not good else "bold yellow")
    page.line(line.append(f"  {printable(sentence(report))}", "bold"), hang=2)


def sentence(report: MutationReport) -> str:
    """The fates of all mutants, in one sentence."""
    fates = _fates(report)
    stopped = "" if report.stopped is None else f"; {report.stopped.sentence}"
    bounded = "" if not report.cut else f"; {plural(report.cut, 'state')} of the model at the bound max_actions"
    name = report.model.rpartition("/")[2]
    return f"{name}: {plural(len(report.results), 'mutant')}: {fates}{bounded}{stopped}"


def print_promised_mutation(page: Page, report: PromisedMutation, every: bool) -> None:
    """Print the survivors that are not explained, with the names to explain them by; `every`: all mutants."""
    names = file_names({one.span.file: "" for one in report.results})
    for one in report.results if every else report.unexplained:
        _print_mutant(page, one, names.get(one.span.file) or PurePath(one.span.file).name)
        if one in report.unexplained:
            page.line(Text(printable(f"{one.name}"), "dim"), 4, 2)
        page.line()
    for file, name in report.stale:
        page.line(
            Text(printable(f"explained, but it does not survive: {PurePath(file).name}: {name}"), "yellow"), hang=2
        )
    for run in report.skipped:
        page.line(Text(printable(f"left out: {run.run}: {run.why}"), "dim"), hang=2)
    if report.stale or report.skipped:
        page.line()
    print_promised_verdict(page, report)


def print_promised_verdict(page: Page, report: PromisedMutation) -> None:
    """One line: how many mutants had which fate, and how many survivors are not explained."""
    colour = "bold red" if report.unexplained else "bold yellow" if report.exit_code else "bold green"
    explained = len(report.survivors) - len(report.unexplained)
    stopped = "" if report.stopped is None else f"; {report.stopped.sentence}"
    sentence = (
        f"{PurePath(report.folder).name}: {plural(len(report.results), 'mutant')} in {plural(len(report.runs), 'run')}:"
        f" {_fates(report)}; {explained:,} of the survivors explained{stopped}"
    )
    page.line(Text("MUTATED", colour).append(f"  {printable(sentence)}", "bold"), hang=2)


def _fates(report: MutationReport | PromisedMutation) -> str:
    return ", ".join(f"{count:,} {fate}" for fate, count in report.counts.items() if count) or "none"
