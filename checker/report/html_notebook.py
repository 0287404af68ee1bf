"""Answers in notebooks: a part of a page, which unfolds; what has no page of its own is what the terminal shows."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from checker.analysis.covering import Coverage
from checker.analysis.explanation import ActionsReport, StateReport
from checker.core.model_result import ModelResult
from checker.core.report import Report
from checker.report.html_coverage import audit_tables, source_tables
from checker.report.html_page import html_part, text
from checker.report.html_report import html_answer
from checker.report.html_story import html_story
from checker.report.page import Page
from checker.traces.walk_report import GuidedReport, SimulationReport

_WIDTH = 110


def notebook_html(answer: ModelResult) -> str:
    """The answer as a part of a page."""
    match answer:
        case Report():
            return html_part(html_answer(answer))
        case Coverage():
            shown = f"<p>{text(answer.summary)}</p>{audit_tables(answer)}"
            return html_part(f"{shown}<details><summary>Lines of the model</summary>{source_tables(answer)}</details>")
        case SimulationReport() | GuidedReport():
            story = "" if answer.trace is None else html_story(answer.trace, answer.sources)
            verdict = f"<strong>{text(answer.verdict.upper())}</strong> {text(answer.summary)}"
            return html_part(f"<p>{verdict}</p>{story}")
        case ActionsReport():
            from checker.report.explain_text import print_actions

            return html_part(_as_printed(print_actions, answer))
        case StateReport():
            from checker.report.explain_text import print_state

            return html_part(_as_printed(print_state, answer))
        case _:
            return html_part(f"<pre>{text(repr(answer))}</pre>")


def _as_printed(printer: Callable[[Page, Any], None], answer: ModelResult) -> str:
    file = io.StringIO()
    printer(Page(file, color=False, width=_WIDTH), answer)
    return f"<pre>{text(file.getvalue().rstrip())}</pre>"
