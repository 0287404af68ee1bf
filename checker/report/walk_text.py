"""The results of walks as text: a simulation's counterexample, a guided trace and the steps beyond its end."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from checker.core.problems import ExitCode
from checker.core.property import Phase
from checker.core.report import DEADLOCK, PropertyReport, title_of
from checker.core.visible import printable
from checker.properties import KINDS, kind_named
from checker.report.diagnostic_text import print_diagnostic, print_warnings
from checker.report.model_rows import file_names
from checker.report.page import Page
from checker.report.terminal_report import (
    plural,
    print_failure,
    print_finding,
    print_properties,
    print_sentence,
    print_story,
)
from checker.report.trace_text import print_change
from checker.traces.walk_report import GuidedReport, NextStep, SimulationReport, WalkReport

_ENDS = {
    "max_actions": "at the option max_actions",
    "length": "at the limit of their length",
    "no step left": "with no step left",
}
_BEYOND = 4
# Rows below the counterexample of a simulation.
_BELOW = 8


def print_simulation(page: Page, report: SimulationReport, *, full: bool = False) -> None:
    """Print the counterexample with its seed, the table of properties, what was done, the verdict, and warnings."""
    _print_failure(page, report, full)
    for finding in [p for p in report.properties if p.name == report.leading and p.trace is not None][:1]:
        print_finding(page, finding, report.sources, full=full, used=_BELOW)
    if report.properties:
        print_properties(page, report.properties, _word)
    page.line(f"{plural(report.walks, 'walk')}, {plural(report.steps, 'step')}, seed {report.seed}", hang=2)
    seen = f"about {plural(report.distinct_states, 'distinct state')}, {len(report.acted)} of {report.actions} actions"
    page.line(Text(seen, "dim"), hang=2)
    ends = [f"{count:,} ended {_ends(reason)}" for reason, count in sorted(report.ends.items())]
    if ends:
        page.line(Text(", ".join(ends), "dim"), hang=2)
    if report.walk is not None:
        after = ""
        if report.trace is not None and report.found_after is not None and report.trace.steps < report.found_after:
            after = f" after {plural(report.found_after, 'step')}; the trace above has only those that are needed"
        again = f"walk {report.walk} found it{after}; the same walk alone: --runs 1 --seed {report.seed + report.walk}"
        page.line(Text(again, "dim"), hang=2)
    print_simulation_verdict(page, report)
    print_warnings(page, report.warnings, report.sources)


def print_simulation_verdict(page: Page, report: SimulationReport) -> None:
    """One line: the verdict and its reason."""
    print_sentence(page, report.verdict, report.model, _simulation_sentence(report))


def _simulation_sentence(report: SimulationReport) -> str:
    match report.verdict:
        case "nothing found":
            cut = "" if report.cut_by is None else f"; {report.cut_by.sentence}"
            return f"{plural(report.walks, 'random walk')} found no violation, which proves nothing{cut}"
        case "interrupted":
            return f"stopped in walk {max(report.walks - 1, 0)}; nothing was found until then"
    return f"{_what_is_wrong(report)}, in walk {report.walk} (seed {report.seed + (report.walk or 0)})"


def _what_is_wrong(report: WalkReport) -> str:
    if report.exit_code is ExitCode.MODEL_ERROR:
        return "the model itself failed while running"
    if report.exit_code is ExitCode.DEADLOCK:
        return str(title_of(DEADLOCK))
    leading = next((p for p in report.properties if p.name == report.leading), None)
    kind = f" ({leading.kind})" if leading else ""
    return f"{report.leading} is violated{kind}"


def print_guided(page: Page, report: GuidedReport, *, full: bool = False) -> None:
    """Print the trace, the state at its end, the steps beyond, what is violated, the verdict, and warnings."""
    _print_failure(page, report, full)
    names = file_names(report.sources)
    if report.error is None and report.trace is not None:
        page.line(Text(f"{_title(report)}: {plural(report.trace.steps, 'step')}", "bold"))
        print_story(page, report.trace, report.sources, full=full)
        page.line()
    if report.extended:
        _print_beyond(page, report, names)
    if report.properties:
        print_properties(page, report.properties, _word)
    print_guided_verdict(page, report)
    print_warnings(page, report.warnings, report.sources)


def print_guided_verdict(page: Page, report: GuidedReport) -> None:
    """One line: the verdict and its reason."""
    print_sentence(page, report.verdict, report.model, _guided_sentence(report))


def _title(report: GuidedReport) -> str:
    if report.follow is None:
        return "The beginning"
    form = "explicit" if report.explicit else "simple"
    return f"Guided trace {printable(report.follow)} ({form} form)"


def _guided_sentence(report: GuidedReport) -> str:
    if report.cut_by is not None and report.verdict in ("nothing found", "interrupted"):
        return f"nothing is violated as far as it went; {report.cut_by.sentence}"
    if report.verdict == "followed":
        judged = " and ".join(kind.kind for kind in KINDS if kind.phase is Phase.SAFETY)
        return f"the trace can be followed; {judged} are not violated on it"
    leading = next((p for p in report.properties if p.name == report.leading), None)
    after = f" after {plural(leading.steps or 0, 'step')}" if leading and report.error is None else ""
    return f"{_what_is_wrong(report)}{after}"


def _print_beyond(page: Page, report: GuidedReport, names: Mapping[str, str]) -> None:
    upto = "" if report.extended == 1 else f", up to {report.extended} steps beyond the end"
    page.line(Text(f"Possible next steps{upto}:" if report.next else "There is no further step.", "bold"))
    for step in report.next:
        _print_next(page, report, step, names, 1)
    if not report.all_listed and report.cut_by is None:
        page.line(Text("There are too many steps to list those further on.", "yellow"), 2)
    page.line()


def _print_next(page: Page, report: GuidedReport, step: NextStep, names: Mapping[str, str], level: int) -> None:
    entry, indent = step.entry, level * _BEYOND
    line = Text(printable(entry.label), "bold cyan")
    if entry.kind in ("continue", "deliver") and entry.actor:
        line.append(f"  {printable(entry.actor)}", "dim")
    page.line(line, indent, 2)
    if step.fails is not None:
        print_diagnostic(page, step.fails, report.sources, "bold red")
    elif not entry.changes:
        page.line(Text("nothing changes", "dim"), indent + 2, 4)
    for change in entry.changes:
        print_change(page, change, names, entry.crash, indent + 2)
    for beyond in step.next:
        _print_next(page, report, beyond, names, level + 1)


def _print_failure(page: Page, report: WalkReport, full: bool) -> None:
    if report.error is not None:
        print_failure(page, report.error, report.trace, report.sources, full=full)


def _ends(reason: str) -> str:
    return _ENDS.get(reason, reason)


def _word(finding: PropertyReport) -> str:
    """A verdict as a walk can give it."""
    if finding.verdict == "violated":
        return "violated"
    kind = kind_named(finding.kind)
    if kind is not None and kind.phase is Phase.EXISTS:
        return "met" if finding.verdict == "holds" else "not met"
    return "not violated"
