"""The report on logs as a page of HTML."""

from __future__ import annotations

from checker.conformance.validation_report import Rejection, ValidationReport
from checker.core.trace import Trace
from checker.report.html_page import html_page, html_table, text
from checker.report.html_sequence import sequence_svg
from checker.report.validation_text import DOUBT, compared, doubt_sentence, validation_sentence, verdict_word_of


def html_validation(report: ValidationReport) -> str:
    """The page: the verdict, each run, why a log is rejected, what was exercised."""
    color = {"accepted": "good", "rejected": "bad"}.get(report.verdict, "warn")
    verdict = f"<strong>{text(verdict_word_of(report))}</strong> {text(validation_sentence(report))}"
    parts = [f"<h1>{text(report.model)}</h1>", f'<p class="{color}">{verdict}</p>']
    parts += [f'<p class="dim">{text(line)}</p>' for line in compared(report)]
    for run in report.runs:
        if run.rejection is not None:
            parts += _rejection(run.rejection)
    runs: list[tuple[object, ...]] = [
        (", ".join(run.files), run.verdict, run.explained, run.values, run.silent) for run in report.runs
    ]
    parts.append(html_table(("logs", "verdict", "events", "values", "silent steps"), runs, "Runs"))
    actions: list[tuple[object, ...]] = list(report.actions.items())
    parts.append(html_table(("action", "steps"), actions, "What was exercised"))
    return html_page(f"{report.model}: {report.verdict}", "\n".join(parts))


def _rejection(why: Rejection) -> list[str]:
    parts = ["<h2>The longest run that fits</h2>"]
    if why.entries:
        parts.append(f'<div class="wide">{sequence_svg(Trace((why.entries[0], *why.entries)))}</div>')
    for number, state in enumerate(why.states):
        lines = "\n".join(f"{text(path)} = {text(value)}" for path, value in state)
        parts.append(f"<p>{'The state may be then' if not number else 'or'}:</p><pre>{lines}</pre>")
    parts.append("<h2>What does not fit</h2>")
    for one in why.events:
        reasons = "".join(f"<li>{text(reason)}</li>" for reasons in one.reasons for reason in reasons)
        parts.append(f'<p class="bad">{text(one.event.place)} {text(one.event.text)}</p><ul>{reasons}</ul>')
    if why.waiting:
        parts.append(f"<p>and {why.waiting:,} more events of other processes</p>")
    if why.doubtful is not None:
        parts.append(f'<p class="warn">{text(doubt_sentence(why.doubtful))} {DOUBT}</p>')
    return parts
