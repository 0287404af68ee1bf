"""A check's report as a page of HTML: verdicts, counterexamples with diagrams and states, warnings, the audit."""

from __future__ import annotations

from pathlib import PurePath

from checker.analysis.covering import Coverage
from checker.core.report import PropertyReport, Report, heading
from checker.core.trace import Trace, TraceEntry, Unmatched
from checker.report.html_coverage import audit_tables
from checker.report.html_page import html_page, html_table, text
from checker.report.html_sequence import sequence_svg
from checker.report.model_rows import source_row
from checker.report.terminal_report import afterthoughts, length_note, verdict_sentence, verdict_word
from checker.report.thread_names import thread_names_of
from checker.report.trace_text import mover_name, values_of
from checker.report.unmatched_text import difference
from fizz.base.errors import render

_MOST_COLUMNS = 60
_COLORS = {"passed": "good", "bounded": "warn", "interrupted": "warn"}


def html_report(report: Report, audit: Coverage | None = None) -> str:
    """The page."""
    name = PurePath(report.model).name
    color = _COLORS.get(report.verdict, "bad")
    parts = [
        f"<h1>{text(name)}</h1>",
        f'<p class="{color}"><strong>{text(report.verdict.upper())}</strong> {text(verdict_sentence(report))}</p>',
        f'<p class="dim">{text(_counts(report))}</p>',
        *(f'<p class="warn">{text(sentence)}</p>' for sentence in afterthoughts(report)),
        html_table(("property", "kind", "verdict", "steps"), [_property(p) for p in report.properties], "Properties"),
    ]
    if report.error is not None:
        parts.append(f"<h2>The model failed</h2><pre>{text(render(report.error.diagnostic, report.sources))}</pre>")
        if report.trace is not None:
            parts.append(_trace(report.trace, report, f"The run that fails{length_note(report.error)}"))
    found = sorted((p for p in report.properties if p.trace is not None), key=lambda p: p.name != report.leading)
    parts += [_trace(p.trace, report, _title(p)) for p in found if p.trace is not None]
    if report.warnings:
        parts.append("<h2>Warnings</h2>")
        parts += [f'<pre class="warn">{text(render(warning, report.sources))}</pre>' for warning in report.warnings]
    if audit is not None:
        parts.append(audit_tables(audit, report.often_new))
    return html_page(f"{name}: {report.verdict}", "\n".join(parts))


def _counts(report: Report) -> str:
    counts = f"{report.states:,} states, {report.transitions:,} transitions, {report.crash_steps:,} crash steps"
    return f"{counts}, depth {report.depth:,}, engine {report.engine}"


def _property(p: PropertyReport) -> tuple[object, ...]:
    return p.name, p.kind, verdict_word(p), "" if p.steps is None else str(p.steps)


def _title(p: PropertyReport) -> str:
    where = f" for {p.instance}" if p.instance else ""
    return f"{heading(p.name, p.kind)}{where}{length_note(p)}"


def _trace(trace: Trace, report: Report, title: str) -> str:
    parts = [f"<h2>{text(title)}: {trace.steps} steps</h2>", f'<div class="wide">{sequence_svg(trace)}</div>']
    parts.append('<ol class="trace" start="0">')
    for number, entry in enumerate(trace.entries):
        if number == trace.cycle_start:
            parts.append('</ol><p class="warn">From here the run goes round for ever:</p>')
            parts.append(f'<ol class="trace" start="{number}">')
        parts.append(_entry(entry, report))
        if trace.waiting is not None and number == trace.waiting.step:
            parts.append(f'</ol><p class="warn">{text(trace.waiting.sentence)}</p>')
            parts.append(f'<ol class="trace" start="{number + 1}">')
    parts.append("</ol>")
    if trace.stutter:
        parts.append('<p class="warn">The run stays here for ever.</p>')
    elif trace.cycle_start is not None:
        parts.append(f'<p class="warn">Back to the state after step {trace.cycle_start - 1}.</p>')
    parts += [f'<p class="dim">{text(sentence)}</p>' for sentence in trace.fairness]
    parts.append(_why(trace, report))
    parts.append(_states(trace))
    return "\n".join(parts)


def _entry(entry: TraceEntry, report: Report) -> str:
    crash = ' <strong class="bad">CRASH</strong>' if entry.crash else ""
    fails = ' <strong class="bad">here the model fails</strong>' if entry.fails else ""
    actor = f' <span class="dim">{text(entry.actor)}</span>' if entry.actor and entry.actor not in entry.label else ""
    rows = [f"{number}: {source_row(report.sources, file, number)}" for file, number in dict.fromkeys(entry.lines)]
    lines = "" if entry.kind == "init" else "".join(f'<div class="mono dim">{text(row)}</div>' for row in rows)
    changes = "".join(
        f'<div class="mono">{text(change.place)}: <span class="bad">{text(change.old or "")}</span> → '
        f'<span class="good">{text(change.new if change.new is not None else "gone")}</span></div>'
        for change in entry.changes
    )
    label = entry.label.removesuffix(" crash")
    return f"<li><strong>{text(label)}</strong>{actor}{crash}{fails}{lines}{changes}</li>"


def _why(trace: Trace, report: Report) -> str:
    parts = []
    if trace.why is not None:
        row = source_row(report.sources, trace.why.file, trace.why.line)
        parts.append(f"<h3>Why it is false after step {trace.why.step}</h3>")
        parts.append(f'<p class="mono">{trace.why.line} | {text(row)}</p>')
        parts.append(html_table(("expression", "value"), list(trace.why.facts)))
    if trace.stuck is not None and trace.stuck.held:
        parts.append("<h3>Why no step is possible</h3>")
        names = thread_names_of(trace).names(-1)
        rows: list[tuple[object, ...]] = [
            (mover_name(one.name, names), one.line, source_row(report.sources, one.file, one.line), values_of(one))
            for one in trace.stuck.held
        ]
        parts.append(html_table(("blocked", "line", "by", "values"), rows))
    if trace.unmatched is not None:
        parts.append(_unmatched(trace.unmatched))
    return "\n".join(parts)


def _unmatched(one: Unmatched) -> str:
    parts = [f"<h3>{text(one.sentence[:1].upper() + one.sentence[1:])}</h3>"]
    viewed: list[tuple[object, ...]] = [
        (name, "" if old is None else old, "not bound" if new is None else new) for name, old, new in one.viewed
    ]
    parts.append(html_table(("variable", "before", "after"), viewed))
    if one.near:
        near: list[tuple[object, ...]] = [
            (step.label, ", ".join(map(difference, step.differences))) for step in one.near
        ]
        parts.append(html_table(("nearest", "gives"), near))
    return "\n".join(parts)


def _states(trace: Trace) -> str:
    """The states as a table: a row for each place, a column for each step; what a step changed is marked."""
    shown = list(enumerate(trace.entries))[-_MOST_COLUMNS:]
    states = {number: dict(entry.state) for number, entry in shown if not entry.fails}
    places = list(dict.fromkeys(place for state in states.values() for place in state))
    head = "".join(f"<th>{number}</th>" for number in states)
    rows = []
    for place in places:
        cells = []
        for number, state in states.items():
            before = states.get(number - 1)
            changed = before is not None and before.get(place) != state.get(place)
            mark = ' class="warn"' if changed else ""
            cells.append(f"<td{mark}>{text(state.get(place, ''))}</td>")
        rows.append(f"<tr><th>{text(place)}</th>{''.join(cells)}</tr>")
    table = f"<table class='mono states'>\n<tr><th>after step</th>{head}</tr>\n" + "\n".join(rows) + "\n</table>"
    return f'<h3>States</h3>\n<div class="wide">{table}</div>'
