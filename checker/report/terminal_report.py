"""A report as text: counterexamples, the verdict of each property, counts, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath

from rich.table import Table
from rich.text import Text

from checker.core.effort import NEW_AT
from checker.core.exploration import GivenUp
from checker.core.limits import UNTIMELY
from checker.core.problems import ExitCode
from checker.core.report import DEADLOCK, ModelFailure, PropertyReport, Report, heading, title_of
from checker.core.trace import Trace
from checker.core.visible import printable
from checker.properties import kind_named
from checker.report.compact_text import SCREEN, Line, compact_story, height, print_lines
from checker.report.compact_trace import two_at_once
from checker.report.diagnostic_text import print_diagnostic, print_warnings
from checker.report.page import Page

_COLORS = {
    "passed": "bold green",
    "followed": "bold green",
    "nothing found": "bold yellow",
    "bounded": "bold yellow",
    "interrupted": "bold yellow",
    "failed": "bold red",
    "deadlock": "bold red",
    "error": "bold red",
}
_PROPERTY_COLORS = {"holds": "green", "holds-within-bound": "yellow", "violated": "bold red", "undecided": "yellow"}
_CALLS_SHOWN = 4
_OTHERS_SHOWN = 4
# What a message about a failed step takes, more or less.
_MESSAGE_ROWS = 6


def print_report(page: Page, report: Report, *, every: bool = False, full: bool = False) -> None:
    """Print the counterexample, the verdicts on properties, the counts, the verdict, and the warnings at the end.

    `every`: the counterexamples of all violated properties, not of the leading one only. `full`: with the executed
    lines, threads and whole states; otherwise in brief, so that one of up to eight steps fits a screen.
    """
    findings = _findings(report)
    shown = findings if every else findings[:1]
    after = _after(page, report, findings[len(shown) :], full)
    used = height(page, after)
    if report.error is not None:
        print_failure(page, report.error, report.trace, report.sources, full=full, used=used)
    for finding in shown:
        print_finding(page, finding, report.sources, full=full, used=used)
    if report.properties and (full or not _is_brief(report)):
        print_properties(page, report.properties)
    print_lines(page, after[:-1])
    if report.stats:
        print_stats(page, report.stats)
    print_lines(page, after[-1:])
    print_warnings(page, report.warnings, report.sources)


def _is_brief(report: Report) -> bool:
    """Whether there is a counterexample: then the properties take a line or two instead of a table."""
    return report.error is not None or bool(_findings(report))


def _after(page: Page, report: Report, others: list[PropertyReport], full: bool) -> list[Line]:
    """What stands below the counterexample, the verdict last."""
    lines = []
    if full and others:
        names = ", ".join(f"--property {printable(p.name)}" for p in others)
        sentence = f"To see the other counterexamples: {names}, or --keep-going."
        lines += [Line(Text(sentence, "dim"), hang=2), Line(Text())]
    elif _is_brief(report):
        lines = _in_brief(report, others)
    lines += [Line(row, hang=2) for row in _counts(report)]
    lines += [Line(Text(sentence, "yellow"), hang=2) for sentence in afterthoughts(report)]
    return [*lines, _verdict_line(report.verdict, report.model, verdict_sentence(report))]


def _in_brief(report: Report, others: list[PropertyReport]) -> list[Line]:
    """The other properties: a line for each violated one, and one for all others of a verdict."""
    lines = []
    for p in others[:_OTHERS_SHOWN]:
        steps = "" if p.steps is None else f" ({plural(p.steps, 'step')})"
        line = Text(f"also {printable(p.name)} is violated{steps}: ", "bold").append(f"--property {printable(p.name)}")
        lines.append(Line(line, hang=5))
    if len(others) > _OTHERS_SHOWN:
        lines.append(Line(Text(f"     and {len(others) - _OTHERS_SHOWN} more: --keep-going shows all", "dim")))
    # What was never met is violated, and has no run to show it.
    words = {p: verdict_word(p) for p in report.properties if p.trace is None}
    for word in dict.fromkeys(words.values()):
        names = ", ".join(printable(p.name) for p in words if words[p] == word)
        lines.append(Line(Text(f"{word}: ", _PROPERTY_COLORS[word.replace(" ", "-")]).append(names), hang=5))
    return lines


def afterthoughts(report: Report) -> list[str]:
    """What to know of the run: actions of one instance at once, an end that may be meant, an unfinished level."""
    sentences = [] if report.trace is None else [at_once(*found) for found in two_at_once(report.trace)]
    if report.exit_code is ExitCode.DEADLOCK:
        sentences.append("hint: if the model may end like that, its front matter says `deadlock_detection: false`")
    level = report.given_up
    if level is not None:
        sentences.append(f"level {level.level:,} was not finished ({_how_far(level)}): it is not counted")
    way_out = None if report.cut_by is None else report.cut_by.way_out
    return sentences if way_out is None else [*sentences, f"hint: {way_out}"]


def _how_far(level: GivenUp) -> str:
    """How much was done of a level that was given up: what its states lead to is judged when all are expanded."""
    waiting = plural(level.waiting, "state")
    if level.expanded < level.waiting:
        return f"{level.expanded:,} of {waiting} expanded"
    return f"{waiting} expanded, but not all judged that they lead to"


def at_once(instance: str, actions: tuple[str, ...]) -> str:
    """The hint for an instance of which two actions interleave in the counterexample."""
    what = f"{actions[0]} twice" if len(actions) == 1 else " and ".join(actions)
    key = f"{instance.partition('#')[0]}#.*"
    option = f'action_options: {{"{key}": {{max_concurrent_actions: 1}}}}'
    return f"hint: {instance} runs {what} at once; one at a time: {option}"


def print_verdict(page: Page, report: Report) -> None:
    """One line: the verdict and its reason."""
    print_sentence(page, report.verdict, report.model, verdict_sentence(report))


def print_sentence(page: Page, verdict: str, model: str, sentence: str) -> None:
    """A verdict in capitals, the model's name, and what that means."""
    print_lines(page, [_verdict_line(verdict, model, sentence)])


def _verdict_line(verdict: str, model: str, sentence: str) -> Line:
    line = Text(verdict.upper(), _COLORS[verdict])
    return Line(line.append(f"  {printable(PurePath(model).name)}: {printable(sentence)}", "bold"), hang=2)


def verdict_sentence(report: Report) -> str:
    """What the verdict means for this model, in one sentence."""
    match report.exit_code:
        case ExitCode.PASSED:
            open_ones = [p.name for p in report.properties if p.verdict == "undecided"]
            judged = "every property that was judged" if open_ones else "every property"
            not_judged = f"; not judged: {', '.join(open_ones)}" if open_ones else ""
            return f"{judged} holds on the whole state space{not_judged}"
        case ExitCode.BOUNDED:
            return _bounded_sentence(report)
        case ExitCode.DEADLOCK:
            return f"{title_of(DEADLOCK)}{''.join(_notes(p, p.trace, report) for p in _decisive(report))}"
        case ExitCode.SAFETY | ExitCode.LIVENESS:
            for broken in _decisive(report):
                steps = "" if broken.steps is None else f", {plural(broken.steps, 'step')}"
                return f"{broken.name} is violated ({broken.kind}{steps}{_notes(broken, broken.trace, report)})"
            return f"{report.leading or 'a property'} is violated"
        case ExitCode.MODEL_ERROR:
            notes = "" if report.error is None else _notes(report.error, report.trace, report)
            return f"the model itself failed while running{notes}"
        case ExitCode.INTERRUPTED:
            return "stopped before the end; this is what was found until then"
        case _:
            return ""


def _decisive(report: Report) -> list[PropertyReport]:
    """The violated property that the exit code stands for, if there is one: the leading one before others."""
    return [p for p in _violated(report) if _exit_code(p) is report.exit_code][:1]


def _notes(found: PropertyReport | ModelFailure, trace: Trace | None, report: Report) -> str:
    crashes = "" if trace is None or not report.crash_steps else f", {crash_note(trace)}"
    return f"{length_note(found)}{crashes}"


def crash_note(trace: Trace) -> str:
    """Which crashes a story has: a shortest run has no more of them than it needs (language page, 12.4)."""
    crashed = [(number, entry.actor) for number, entry in enumerate(trace.entries) if entry.crash]
    match crashed:
        case []:
            return "no crash in it"
        case [(number, actor)]:
            return f"crash of {actor} in step {number}"
        case _:
            return f"crashes in steps {', '.join(str(number) for number, _ in crashed)}"


def length_note(found: PropertyReport | ModelFailure) -> str:
    """A note for a counterexample that is perhaps not the shortest."""
    return "" if found.shortest else ", perhaps not the shortest"


def _bounded_sentence(report: Report) -> str:
    cut = "the search was cut" if report.cut_by is None else report.cut_by.sentence
    if (
        report.cut_by is not None
        and report.cut_by in UNTIMELY
        and report.states
        and not report.cut
        and report.given_up is None
    ):
        # All states were found: a search for lassos in them came to no end.
        open_ones = ", ".join(p.name for p in report.properties if p.verdict == "undecided")
        return f"all states were found, but judging them was ended by {report.cut_by.cause}; not judged: {open_ones}"
    states = f" ({plural(report.cut, 'state')} cut)" if report.cut else ""
    return f"nothing found, but {cut}{states}"


def print_failure(
    page: Page,
    failure: ModelFailure,
    trace: Trace | None,
    sources: Mapping[str, str],
    *,
    full: bool = False,
    used: int = 0,
) -> None:
    """The model's own error, and the steps that led to it."""
    print_diagnostic(page, failure.diagnostic, sources, "bold red")
    for call in _shortened(failure.calls):
        page.line(printable(call), 2, 2)
    page.line()
    if trace is not None:
        page.line(Text(f"The run that fails: {plural(failure.steps, 'step')}{length_note(failure)}", "bold"))
        print_story(page, trace, sources, full=full, used=used + _MESSAGE_ROWS)
        page.line()


def _shortened(calls: tuple[str, ...]) -> list[str]:
    """A chain of calls without the middle of it, which is what a recursion without end consists of."""
    left_out = len(calls) - 2 * _CALLS_SHOWN
    if left_out <= 1:
        return list(calls)
    return [*calls[:_CALLS_SHOWN], f"... {left_out:,} more calls", *calls[-_CALLS_SHOWN:]]


def _violated(report: Report) -> list[PropertyReport]:
    """The violated properties, the leading one first."""
    return sorted((p for p in report.properties if p.verdict == "violated"), key=lambda p: p.name != report.leading)


def _exit_code(violated: PropertyReport) -> ExitCode | None:
    """What the command exits with because of a violated property; None: of its kind nothing is known here."""
    kind = kind_named(violated.kind)
    return None if kind is None else kind.phase.exit_code


def _findings(report: Report) -> list[PropertyReport]:
    """The violated properties that have a counterexample, the leading one first."""
    return [p for p in _violated(report) if p.trace is not None]


def print_finding(
    page: Page, finding: PropertyReport, sources: Mapping[str, str], *, full: bool = False, used: int = 0
) -> None:
    """A counterexample: what is violated, how it came to that, and why. `used`: rows that something else needs."""
    trace = finding.trace
    if trace is None:
        return
    what = heading(finding.name, finding.kind)
    where = f" for {finding.instance}" if finding.instance else ""
    page.line(Text(f"{what}{where}: {plural(trace.steps, 'step')}{length_note(finding)}", "bold red"))
    print_story(page, trace, sources, full=full, used=used)
    page.line()


def print_story(page: Page, trace: Trace, sources: Mapping[str, str], *, full: bool, used: int = 0) -> None:
    """The steps of a run, the state at its end, and why it is a counterexample, at length or in brief.

    `used`: so many rows of the screen are not for the story.
    """
    if not full:
        # Its heading, the blank line below, two for the command that opens the viewer, and the prompt.
        print_lines(page, compact_story(page, trace, sources, SCREEN - 5 - used))
        return
    from checker.report.trace_text import print_end, print_trace, print_why

    print_trace(page, trace, sources)
    if trace.steps > 0 and trace.cycle_start is None and not trace.entries[-1].fails:
        print_end(page, trace, sources)
    print_why(page, trace, sources)


def verdict_word(finding: PropertyReport) -> str:
    """A property's verdict as the table of properties has it."""
    return finding.verdict.replace("-", " ")


def print_properties(
    page: Page, properties: Iterable[PropertyReport], word: Callable[[PropertyReport], str] = verdict_word
) -> None:
    """The table of properties: name, kind, verdict, length of the counterexample."""
    rows, properties = [], [*properties]
    for finding in properties:
        steps = "" if finding.steps is None else str(finding.steps)
        color = _PROPERTY_COLORS[finding.verdict]
        rows.append((Text(printable(finding.name)), Text(finding.kind), Text(word(finding), color), Text(steps)))
    page.rows(("property", "kind", "verdict", "steps"), rows)
    for finding in properties:
        for note in finding.notes:
            page.line(Text(printable(f"{finding.name}: {note}"), "dim"), hang=2)
    page.line()


def _counts(report: Report) -> list[Text]:
    """What was counted, what is left out of the counts, and what it took."""
    counts = [
        plural(report.states, "state"),
        plural(report.transitions, "transition"),
        plural(report.crash_steps, "crash step"),
        f"depth {report.depth:,}",
        f"{report.initial:,} initial",
    ]
    if report.cut:
        counts.append(f"{report.cut:,} cut")
    rows = [Text(", ".join(counts))]
    if report.excluded:
        # Sound only if nothing depends on them (language page, 12.5): a reader of the counts has to know.
        names = ", ".join(map(printable, report.excluded))
        rows.append(Text(f"identity.exclude: states that differ only in {names} count once", "yellow"))
    rate = f", {(report.states - report.found_before) / report.elapsed_s:,.0f} states/s" if report.elapsed_s > 0 else ""
    since = " since resuming" if report.found_before else ""
    effort = f"{report.elapsed_s:.1f} s{since}{rate}, {report.peak_memory_mb:,.0f} MB, engine {report.engine}"
    if report.exact:
        effort += ", states compared one by one"
    elif report.states > 1:
        # States are distinguished by keys of 128 bits (language page, 5.6.1): the chance that two have the same one.
        effort += f", key collision below {report.states**2 / 2**129:.0e}"
    return [*rows, Text(effort, "dim")]


def print_stats(page: Page, stats: Mapping[str, object]) -> None:
    """The numbers of `--stats`, one a line."""
    page.line()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(overflow="fold")
    table.add_column(justify="right", overflow="fold")
    for name, value in stats.items():
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
        # A location is a path, which stays as it is.
        title = name if name.startswith(NEW_AT) else name.replace("_", " ")
        table.add_row(Text(title), Text(printable(shown)))
    page.table(table)
    page.line()


def plural(count: int, noun: str) -> str:
    """`1 step`, `2 steps`"""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
