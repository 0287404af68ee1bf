"""The report on logs as a page of HTML."""

from __future__ import annotations

from typing import Final

from checker.conformance.validation_report import LogRun, Rejection, ValidationReport
from checker.core.problems import ExitCode
from checker.core.trace import Trace
from checker.report.html_page import html_page, html_table, text
from checker.report.html_sequence import sequence_svg
from checker.report.terminal_report import plural
from checker.report.validation_text import (
    CIRCLE,
    DOUBT,
    compared,
    doubt_sentence,
    judged_sentences,
    lines_that_ran,
    validation_sentence,
    verdict_word_of,
)

_MUCH: Final = 5_000
"""The most characters of a state that is shown at once."""


def html_validation(report: ValidationReport) -> str:
    """The page: the verdict, each run, why a log is rejected, what was exercised."""
    color = {"accepted": "good", "rejected": "bad", "failed": "bad"}.get(report.verdict, "warn")
    color = "bad" if report.exit_code is ExitCode.SAFETY else color
    verdict = f"<strong>{text(verdict_word_of(report))}</strong> {text(validation_sentence(report))}"
    parts = [f"<h1>{text(report.model)}</h1>", f'<p class="{color}">{verdict}</p>']
    parts += [f'<p class="dim">{text(line)}</p>' for line in compared(report)]
    for run in report.runs:
        parts += [f'<p class="bad">{text(sentence)}</p>' for sentence in judged_sentences(run)]
    for run in report.runs:
        if run.rejection is not None:
            parts += _rejection(run, run.rejection, len(report.runs) > 1)
    runs: list[tuple[object, ...]] = [
        (run.title, run.verdict, run.explained, run.values, run.silent, _reason(run)) for run in report.runs
    ]
    parts.append(html_table(("logs", "verdict", "events", "values", "silent steps", "why"), runs, "Runs"))
    actions: list[tuple[object, ...]] = list(report.actions.items())
    parts.append(html_table(("action", "steps"), actions, "What was exercised"))
    parts += [f'<p class="dim">{text(sentence)}</p>' for sentence in lines_that_ran(report)]
    return html_page(f"{report.model}: {report.verdict}", "\n".join(parts))


def _reason(run: LogRun) -> str:
    """Why the verdict on one of several runs is what it is, if no other part of the page says so."""
    return run.reason + (f" ({run.hint})" if run.hint else "")


def _rejection(run: LogRun, why: Rejection, is_one_of_several: bool) -> list[str]:
    """What does not fit, then how it came there: the last steps, and the states, which may be long."""
    of = f" in {text(run.title)}" if is_one_of_several else ""
    parts = [f"<h2>What does not fit{of}</h2>"]
    for one in why.events:
        reasons = "".join(
            f"<li>{f'in state {number}: ' if len(one.reasons) > 1 else ''}{text(reason)}</li>"
            for number, reasons in enumerate(one.reasons, 1)
            for reason in reasons
        )
        parts.append(f'<p class="bad">{text(one.event.place)} {text(one.event.text)}</p><ul>{reasons}</ul>')
    if not why.events:
        parts.append(f'<p class="bad">{CIRCLE}</p>')
    if why.waiting:
        parts.append(f"<p>and {plural(why.waiting, 'more event')} of other processes</p>")
    if why.doubtful is not None:
        parts.append(f'<p class="warn">{text(doubt_sentence(why.doubtful))} {DOUBT}</p>')
    parts.append(f"<h2>The last steps of the longest run that fits ({plural(run.explained, 'event')})</h2>")
    if why.entries:
        parts.append(f'<div class="wide">{sequence_svg(Trace((why.entries[0], *why.entries)))}</div>')
    for number, state in enumerate(why.states, 1):
        lines = "\n".join(f"{text(path)} = {text(value)}" for path, value in state)
        is_open = " open" if len(lines) < _MUCH else ""
        title = "The state may be then" if len(why.states) == 1 else f"State {number} that may be then"
        parts.append(f'<details{is_open}><summary>{title}</summary><pre class="wrapped">{lines}</pre></details>')
    return parts
