"""The results of walks as one JSON object. Names and forms are those of a check's report."""

from __future__ import annotations

from checker.report.json_report import json_diagnostic, json_entry, json_given, json_property, json_trace
from checker.report.json_text import json_text
from checker.traces.walk_report import GuidedReport, NextStep, SimulationReport, WalkReport


def json_simulation(report: SimulationReport) -> str:
    """The object as text, indented. `walk`: the walk that found something, made with `walk_seed`."""
    fields = _common(report) | {
        "runs": report.runs,
        "seed": report.seed,
        "walks": report.walks,
        "steps": report.steps,
        "walk": report.walk,
        "walk_seed": None if report.walk is None else report.seed + report.walk,
        "found_after": report.found_after,
        "ends": dict(sorted(report.ends.items())),
        "cut_by": report.cut_by,
        "elapsed_s": round(report.elapsed_s, 3),
    }
    return json_text(fields)


def json_guided(report: GuidedReport) -> str:
    """The object as text, indented. `next`: the steps beyond the end, each with those after it."""
    fields = _common(report) | {
        "follow": report.follow,
        "form": "explicit" if report.explicit else "simple",
        "extended": report.extended,
        "next": [_next(step) for step in report.next],
        "all_listed": report.all_listed,
        "cut_by": report.cut_by,
    }
    return json_text(fields)


def _common(report: WalkReport) -> dict[str, object]:
    return {
        "verdict": report.verdict,
        "exit_code": int(report.exit_code),
        "model": report.model,
        **json_given(report.given),
        "properties": [json_property(finding) for finding in report.properties],
        **json_trace(report.trace),
        "error": None if report.error is None else json_diagnostic(report.error.diagnostic),
    }


def _next(step: NextStep) -> dict[str, object]:
    fields = json_entry(step.entry)
    if step.fails is not None:
        fields["error"] = json_diagnostic(step.fails)
    return fields | {"next": [_next(beyond) for beyond in step.next]}
