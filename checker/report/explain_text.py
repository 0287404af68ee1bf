"""Why actions have no step, as text: the guards with counts, the furthest attempt, the values that decided."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

from checker.analysis.attempts import Attempts, GuardCount
from checker.analysis.explanation import ActionsReport, StateReport
from checker.core.limits import StopReason
from checker.core.visible import printable
from checker.report.model_rows import file_names, source_row
from checker.report.page import Page
from checker.report.terminal_report import plural
from checker.report.trace_text import print_end
from checker.traces.guards import Disabled, FailedGuard

_BODY = 2
_DETAIL = 4
_ENDINGS = {
    "require": "this is false",
    "if": "no branch is taken, and nothing is done",
    "while": "it is not entered, and nothing is done",
    "for": "there is nothing to loop over, and nothing is done",
    "oneof": "there is nothing to choose from",
    "domain": "the domain has no further value",
    "given up": "everything from here on happened before with fewer choices",
    "nothing done": "nothing is done",
    "limit": "the option forbids it",
}


def print_actions(page: Page, report: ActionsReport) -> None:
    """Print the attempts of each action, and the number of states."""
    names = file_names(report.sources)
    for one in report.actions:
        _print_attempts(page, one, report, names)
        page.line()
    if report.all_asked and not report.actions:
        page.line(Text("Every action has a step in some state.", "bold green"))
    page.line(f"{plural(report.states, 'state')}{_reach(report)}", hang=2)


def _reach(report: ActionsReport) -> str:
    if report.stopped is not StopReason.COMPLETE:
        return f"; {report.stopped.sentence}, there may be more"
    if report.cut:
        return f", {report.cut:,} of them at the bound max_actions, where no action starts"
    return ", which are all"


def _no_attempt(one: Attempts, report: ActionsReport) -> str:
    """Why an action was attempted in no state."""
    if "." not in one.action:
        return "no state was explored"
    if report.whole:
        return "there is no instance of its role"
    return "no state that was explored has an instance of its role"


def _print_attempts(page: Page, one: Attempts, report: ActionsReport, names: dict[str, str]) -> None:
    never = "never has a step" if not one.fired else f"has a step in {one.fired:,} of them"
    never += "" if one.attempts else f": {_no_attempt(one, report)}"
    page.line(Text(f"{printable(one.action)}: {plural(one.attempts, 'attempt')}, {never}", "bold"), hang=2)
    for option, count in one.held_back:
        page.line(f"held back by {printable(option)} in {count:,} of them", _BODY, 2)
    if one.guards:
        _print_counts(page, one.guards, names)
    if one.furthest is not None and one.trace is not None:
        steps = [entry.label for entry in one.trace.entries]
        where = "in the initial state" if len(steps) == 1 else f"after {plural(len(steps) - 1, 'step')}"
        page.line(Text(f"The attempt that comes furthest, {where}:", "bold"), _BODY)
        page.line(Text(printable(", ".join(steps)), "dim"), _DETAIL, 2)
        print_disabled(page, one.furthest, report.sources, names, _DETAIL)


def _print_counts(page: Page, guards: tuple[GuardCount, ...], names: Mapping[str, str]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), header_style="dim")
    table.add_column("line", justify="right", no_wrap=True)
    table.add_column("guard", overflow="fold")
    table.add_column("met", justify="right", no_wrap=True)
    table.add_column("passed", justify="right", no_wrap=True)
    for guard in guards:
        passed = Text(f"{guard.passed:,}", "" if guard.passed else "bold red")
        name = names.get(guard.file, guard.file)
        where = f"{name}:{guard.line}" if name else str(guard.line)
        table.add_row(Text(printable(where)), Text(printable(guard.text)), f"{guard.met:,}", passed)
    page.table(table)


def print_state(page: Page, report: StateReport) -> None:
    """Print the state, what has no step in it and why, and the steps that there are."""
    names = file_names(report.sources)
    steps = report.trace.steps
    page.line(Text("After Init" if not steps else f"After {plural(steps, 'step')}", "bold"))
    print_end(page, report.trace, report.sources)
    page.line()
    for one in report.disabled:
        print_disabled(page, one, report.sources, names, 0)
        page.line()
    if not report.disabled and not report.possible:
        page.line(Text(f"There is no {printable(report.action or 'action')} in this state.", "bold"))
    if report.possible:
        page.line(Text(f"Possible here: {printable(', '.join(report.possible))}", "bold green"), hang=2)


def print_disabled(
    page: Page, one: Disabled, sources: Mapping[str, str], names: Mapping[str, str], indent: int
) -> None:
    """Print what blocks one action, thread or message."""
    headline = Text(printable(one.name), "bold cyan")
    if one.actor != one.name:
        headline.append(f" ({printable(one.actor)})", "dim")
    page.line(headline.append(" has no step", "dim"), indent, 2)
    for guard in one.guards:
        print_guard(page, guard, sources, names, indent + 2)


def print_guard(
    page: Page, guard: FailedGuard, sources: Mapping[str, str], names: Mapping[str, str], indent: int
) -> None:
    """Print the guard at which paths ended, and the values that decided."""
    name = names.get(guard.file, guard.file)
    where = f"{name}:{guard.line}" if name else f"{guard.line:4d}"
    row = guard.text if guard.kind == "limit" else source_row(sources, guard.file, guard.line)
    line = Text(printable(f"{where} | "), "dim") + Text(printable(row), "italic")
    page.line(line.append(f"  {_ENDINGS[guard.kind]}", "dim"), indent, 6)
    if guard.choices:
        more = f" and {plural(guard.paths - 1, 'more path')}" if guard.paths > 1 else ""
        page.line(Text(printable(f"[{', '.join(guard.choices)}]{more}"), "yellow"), indent + 2, 4)
    for text, value in guard.facts:
        fact = Text().append(printable(text), "cyan").append(" is " if value in ("True", "False") else " = ")
        page.line(fact.append(printable(value)), indent + 2, 4)
