"""A check's report as a page of HTML: verdicts, counterexamples in tabs, warnings, the model and its coverage."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import PurePath

from checker.analysis.covering import Coverage
from checker.core.given import Given
from checker.core.report import PropertyReport, Report, heading
from checker.report.html_coverage import audit_tables, source_tables
from checker.report.html_page import html_page, html_table, html_tabs, text
from checker.report.html_story import html_story
from checker.report.terminal_report import afterthoughts, length_note, plural, verdict_sentence, verdict_word
from fizz.base.errors import render
from fizz.base.version import VERSION

_COLORS = {"passed": "good", "bounded": "warn", "interrupted": "warn"}


def html_report(report: Report, audit: Coverage | None = None, made: datetime | None = None) -> str:
    """The page. `made`: when, which stands in its head."""
    name = PurePath(report.model).name
    parts = [f"<h1>{text(name)}</h1>", html_answer(report)]
    if report.warnings:
        parts.append("<h2>Warnings</h2>")
        parts += [f'<pre class="warn">{text(render(warning, report.sources))}</pre>' for warning in report.warnings]
    if audit is not None:
        parts.append(audit_tables(audit, report.often_new))
        parts.append(f"<h2>Coverage of the model</h2>{source_tables(audit)}")
    else:
        parts += [
            f"<details><summary>{text(file)}</summary><pre>{text(source)}</pre></details>"
            for file, source in report.sources.items()
        ]
    parts.append(f'<p class="dim">{text(_origin(report, made))}</p>')
    return html_page(f"{name}: {report.verdict}", "\n".join(parts))


def html_answer(report: Report) -> str:
    """The verdict, the figures, the properties, and the counterexamples in tabs."""
    color = _COLORS.get(report.verdict, "bad")
    parts = [
        f'<p class="{color}"><strong>{text(report.verdict.upper())}</strong> {text(verdict_sentence(report))}</p>',
        f'<p class="dim">{text(_counts(report))}</p>',
        *(f'<p class="warn">{text(sentence)}</p>' for sentence in afterthoughts(report)),
        given_table(report.given),
        html_table(("property", "kind", "verdict", "steps"), [_property(p) for p in report.properties], "Properties"),
    ]
    if report.error is not None:
        parts.append(f"<h2>The model failed</h2><pre>{text(render(report.error.diagnostic, report.sources))}</pre>")
        if report.trace is not None:
            steps = plural(report.trace.steps, "step")
            parts.append(f"<h2>The run that fails{length_note(report.error)}: {steps}</h2>")
            parts.append(html_story(report.trace, report.sources))
    found = sorted((p for p in report.properties if p.trace is not None), key=lambda p: p.name != report.leading)
    tabs = [(p.name, _story(p, report)) for p in found]
    mark = hashlib.sha256("\0".join([report.model, *(f"{p.name} {p.steps}" for p in found)]).encode()).hexdigest()
    parts.append(html_tabs(tabs, f"tab{mark[:8]}"))
    return "\n".join(part for part in parts if part)


def given_table(given: Given) -> str:
    """The constants and options that the run was given; empty if there are none."""
    rows: list[tuple[object, ...]] = [
        *(("constant", name, value) for name, value in given.constants.items()),
        *(("option", name, value) for name, value in given.options.items()),
    ]
    return html_table(("given", "name", "value"), rows)


def _story(p: PropertyReport, report: Report) -> str:
    where = f" for {p.instance}" if p.instance else ""
    assert p.trace is not None
    title = f"{heading(p.name, p.kind)}{where}{length_note(p)}: {plural(p.trace.steps, 'step')}"
    return f"<h2>{text(title)}</h2>\n{html_story(p.trace, report.sources)}"


def _origin(report: Report, made: datetime | None) -> str:
    """What made the page, when, and how the run was asked for."""
    asked = ", ".join(f"{name.replace('_', ' ')} {_in_words(value)}" for name, value in report.asked.items())
    when = "" if made is None else f", {made.astimezone():%Y-%m-%d %H:%M %Z}"
    return f"fizzpy {VERSION}{when}; engine {report.engine}{f'; {asked}' if asked else ''}"


def _in_words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _counts(report: Report) -> str:
    counts = f"{report.states:,} states, {report.transitions:,} transitions, {report.crash_steps:,} crash steps"
    return f"{counts}, depth {report.depth:,}, engine {report.engine}"


def _property(p: PropertyReport) -> tuple[object, ...]:
    return p.name, p.kind, verdict_word(p), "" if p.steps is None else str(p.steps)
